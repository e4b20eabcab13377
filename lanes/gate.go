// Share lanes: whose batch leaves next.
//
// A room with share lanes keeps a ready line for each of them. When a slot is
// free, the fair-share tree says whose turn it is, and the first batch of that
// line leaves; so a take costs O(log share lanes) and never looks at a lane
// whose turn it is not. What lines up is declared to the tree in the very step
// in which it does, so that what the tree decides is a function of the room's
// transitions alone, and not of how often someone asks.

package lanes

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ferryctl/lanes/fairshare"
)

// gate is what a room with share lanes has beside its lanes.
type gate struct {
	owner   *owner
	node    *fairshare.Node
	meter   *fairshare.Meter
	lines   []shareLine      // by fairshare.Leaf
	unsure  []fairshare.Leaf // lines whose next batch is to be counted anew
	moved   bool             // the tree was told of a change in this transition, and has not settled
	places  uint64           // how many lane.place were given
	tickets []ticket         // of batches and direct calls that are out; 0 is none
	spare   []int32
	same    []int32 // scratch for twins

	// Guaranteed: what share lanes hold or is kept free for them.
	kept       int
	keptWeight int64
	parts      int64 // the sum of all partWeight
}

type ticket struct {
	reservation fairshare.Reservation
	cost        int64
}

// shareLine is one share lane's part of the room, and its ready line.
type shareLine struct {
	ends
	units   int64 // cost of all that waits in the lanes of the line; untagged: not kept
	head    int64 // cost of the first lane's next batch; untagged: not kept
	full    bool  // … which more inputs would not change
	recount bool  // … and which is to be counted anew
	unsure  bool  // in unsure: to be declared before the next turn is asked for

	queued     int
	weight     int64
	portion    float64 // of the whole, by weight
	part       int
	partWeight int64

	// Time with work lined up: since the last batch left, or since it lined up;
	// and the longest.
	since, starved time.Duration
}

// ends of a ready line, which goes through lane.next and lane.prev.
type ends struct{ first, last int32 }

// turn returns the lane whose batch leaves next, 0 if none may, and reserves
// its cost. Untagged batches need no entitlement: they leave first come, first
// served with the one whose turn it is, by the age of their oldest inputs.
func (l *Lanes[K, E]) turn() (i, ticket int32) {
	g := l.gate
	l.count()
	free := g.lines[fairshare.Untagged].first
	share, ok := g.node.Turn()
	if !ok {
		return free, 0
	}
	i = g.lines[share].first
	if free != 0 && l.oldest(free) < l.oldest(i) {
		return free, 0
	}
	cost := g.lines[share].head
	r, err := g.node.Reserve(share, fairshare.Units(cost))
	if err != nil {
		panic("lanes: " + err.Error())
	}
	g.meter.Serve(share, fairshare.Units(cost))
	g.lines[share].served(l.now)
	return i, g.hold(r, cost)
}

// licence asks for a direct call: it is given if it is the share lane's turn.
func (l *Lanes[K, E]) licence(share fairshare.Leaf, cost int64) (ticket int32, ok bool) {
	if share == fairshare.Untagged {
		return 0, true
	}
	l.count()
	g := l.gate
	r, err := g.node.Claim(share, fairshare.Units(cost))
	g.moved = true
	if err != nil {
		return 0, false
	}
	g.meter.Offer(share, fairshare.Units(cost))
	g.meter.Serve(share, fairshare.Units(cost))
	g.lines[share].served(l.now)
	return g.hold(r, cost), true
}

// promise gives the next call of a key to another share lane than the one to
// which the last went, if one was overtaken there often enough. Turns alone would
// let it wait for ever: a share lane with more to do elsewhere may have the turn
// only while the key is busy, and one without counts as idle meanwhile and forgets
// what it was owed. The promise is to the first that has been ready for longer
// than what its share lane would be served next, so it jumps no queue of its own,
// and that as many calls overtook as the two weights allow. Until its share lane
// has the turn, which is soon, the key's other lanes stay busy.
func (l *Lanes[K, E]) promise(now time.Duration, twins []int32, to fairshare.Leaf) (given bool) {
	for _, t := range twins {
		ln := l.lanes.mut(t)
		if ln.place == 0 {
			continue
		}
		ln.overtaken++
		oldest, first := l.items.get(ln.oldest), l.line(ln.share).first
		ready := l.full(ln.count, ln.weight) || l.due(oldest.at, oldest.seq, now)
		longest := first == 0 || ln.place < l.lanes.get(first).place
		if !given && ready && longest && int64(ln.overtaken) >= l.gate.patience(ln.share, to) {
			ln.promised, given = true, true
		}
	}
	return given
}

// patience is how many calls of a key in a row may go to one share lane while
// another waits for it: so many as their weights say.
func (g *gate) patience(waits, served fairshare.Leaf) int64 {
	ratio := g.lines[served].portion / g.lines[waits].portion
	return int64(math.Ceil(ratio - ratio*1e-12)) // 3 is no 3.000…1: a portion is rounded
}

// breakPromise lets a key's lanes go on when the one that was promised its next
// call has none to make.
func (l *Lanes[K, E]) breakPromise(now time.Duration, key K, hash uint64, i int32) {
	for _, t := range l.twins(key, hash, i) {
		l.resume(now, t)
	}
}

// enrol gives a lane that becomes ready its place; one that was so before a call
// of its key has one already.
func (g *gate) enrol(place *uint64) {
	if *place == 0 {
		g.places++
		*place = g.places
	}
}

// served ends a wait of the share lane, if it had work lined up.
func (ln *shareLine) served(now time.Duration) {
	ln.starved, ln.since = ln.waited(now), now
}

// waited returns its longest wait so far.
func (ln *shareLine) waited(now time.Duration) time.Duration {
	if ln.units == 0 {
		return ln.starved
	}
	return max(ln.starved, now-ln.since)
}

func (l *Lanes[K, E]) oldest(i int32) uint64 { return l.items.get(l.lanes.get(i).oldest).seq }

// changedHead follows a change of a lane that is ready: if it is the first of
// its line, and not only longer by an input beyond its next batch, that batch is
// to be counted anew.
func (l *Lanes[K, E]) changedHead(i int32, anyhow bool) {
	share := l.lanes.get(i).share
	if ln := &l.gate.lines[share]; ln.first == i && (anyhow || !ln.full) {
		ln.recount = true
		l.gate.doubt(share)
	}
}

// count declares what has changed, and counts the next batches that are to be.
func (l *Lanes[K, E]) count() {
	g := l.gate
	for _, share := range g.unsure {
		ln := &g.lines[share]
		ln.unsure = false
		if ln.first == 0 {
			continue
		}
		if ln.recount {
			ln.recount = false
			ln.head, ln.full = l.nextBatch(ln.first)
		}
		g.declare(share, ln.units, ln.head)
	}
	g.unsure = g.unsure[:0]
}

// nextBatch returns what a lane's next batch costs, and whether inputs that come
// last would not change it.
func (l *Lanes[K, E]) nextBatch(i int32) (cost int64, full bool) {
	ln := l.lanes.get(i)
	if l.cfg.MaxBatchSize >= ln.count && l.cfg.MaxBatchWeight >= ln.weight {
		return ln.cost, false
	}
	root := ln.root
	tree := order[E]{&l.items, &root}
	slot := ln.oldest
	if l.cfg.Ranked {
		slot = tree.first()
	}
	n, weight := 0, int64(0)
	for slot != 0 {
		it := l.items.get(slot)
		if !l.fits(n, weight, it.weight) {
			return cost, true
		}
		n, weight, cost = n+1, weight+it.weight, cost+it.cost
		if l.cfg.Ranked {
			slot = tree.next(slot)
		} else {
			slot = it.next
		}
	}
	return cost, false
}

// Shares returns the fair-share tree, for reading; nil if the room has none.
func (l *Lanes[K, E]) Shares() *fairshare.Node {
	if l.gate == nil {
		return nil
	}
	return l.gate.node
}

// Fairness returns how far the share lanes were from what they were owed, since
// construction or ResetPeaks.
func (l *Lanes[K, E]) Fairness() fairshare.Fairness { return l.gate.meter.Report() }

// ResetPeaks starts a new window for the peaks, and for what share lanes are owed
// and get: see [fairshare.Meter.Restart].
func (l *Lanes[K, E]) ResetPeaks() {
	l.room.ResetPeaks()
	if l.gate == nil {
		return
	}
	l.ownGate()
	l.gate.meter.Restart()
	for i := range l.gate.lines {
		l.gate.lines[i].since, l.gate.lines[i].starved = l.now, 0
	}
}

// ownGate makes the gate this room's alone, after a snapshot.
func (l *Lanes[K, E]) ownGate() {
	if l.gate.owner != l.items.owner {
		l.gate = l.gate.clone(l.items.owner)
	}
}

// Reweigh changes the weight of a share lane or a group, which takes effect once
// its calls in flight are over; see [fairshare.Node.SetWeight].
func (l *Lanes[K, E]) Reweigh(now time.Duration, path string, w fairshare.Weight) error {
	l.tick(now)
	if err := l.gate.node.SetWeight(path, w); err != nil {
		return err
	}
	l.gate.node.Settle()
	l.gate.meter.Reweigh(l.gate.node)
	l.gate.divide(l.cfg)
	return nil
}

func newGate(o *owner, cfg Config) *gate {
	g := &gate{owner: o, node: cfg.Shares.Clone(), meter: fairshare.NewMeter(cfg.Shares), tickets: make([]ticket, 1)}
	g.lines = make([]shareLine, g.node.Leaves()+1)
	g.divide(cfg)
	return g
}

func (g *gate) clone(o *owner) *gate {
	c := *g
	c.owner, c.node, c.meter = o, g.node.Clone(), g.meter.Clone()
	c.lines, c.unsure = slices.Clone(g.lines), slices.Clone(g.unsure)
	c.tickets, c.spare, c.same = slices.Clone(g.tickets), slices.Clone(g.spare), nil
	return &c
}

// offer says that at a time so much more lines up for a share lane.
func (g *gate) offer(at time.Duration, share fairshare.Leaf, units int64) {
	if share == fairshare.Untagged {
		return
	}
	ln := &g.lines[share]
	idle := ln.units == 0
	ln.units += units
	g.meter.Offer(share, fairshare.Units(units))
	g.doubt(share)
	if idle {
		ln.since = at
		// What the next batch costs is counted before the next take.
		g.declare(share, ln.units, ln.units)
		g.moved = true
	}
}

// retract says that from a time on so much no longer lines up; withdrawn, if it
// is not served.
func (g *gate) retract(at time.Duration, share fairshare.Leaf, units int64, withdrawn bool) {
	if share == fairshare.Untagged {
		return
	}
	ln := &g.lines[share]
	ln.starved = ln.waited(at)
	ln.units -= units
	if withdrawn {
		g.meter.Withdraw(share, fairshare.Units(units))
	}
	g.doubt(share)
	if ln.units == 0 {
		g.declare(share, 0, 0)
		g.moved = true
	}
}

// settleShares ends a transition: the tree takes in what it was told. Share
// lanes that get work in one transition join together, at one front; one that
// runs out of work and gets some in the same transition has had work all along.
func (l *Lanes[K, E]) settleShares() {
	if l.gate != nil && l.gate.moved {
		l.gate.moved = false
		l.gate.node.Settle()
	}
}

// declare cannot fail: the shell bounds every input's cost, and nothing bounds
// what a share lane may have outstanding.
func (g *gate) declare(share fairshare.Leaf, units, head int64) {
	if err := g.node.SetBacklog(share, fairshare.Units(units), fairshare.Units(head)); err != nil {
		panic("lanes: " + err.Error())
	}
}

// doubt has the next take declare a share lane anew.
func (g *gate) doubt(share fairshare.Leaf) {
	if ln := &g.lines[share]; !ln.unsure && share != fairshare.Untagged {
		ln.unsure = true
		g.unsure = append(g.unsure, share)
	}
}

// hold keeps a reservation until its call is over.
func (g *gate) hold(r fairshare.Reservation, cost int64) int32 {
	t := int32(len(g.tickets))
	if n := len(g.spare); n > 0 {
		t, g.spare = g.spare[n-1], g.spare[:n-1]
	} else {
		g.tickets = append(g.tickets, ticket{})
	}
	g.tickets[t] = ticket{r, cost}
	return t
}

// complete settles a ticket: a call is charged what it reserved, whatever
// became of it.
func (g *gate) complete(t int32) {
	if t == 0 {
		return
	}
	if g.tickets[t] == (ticket{}) {
		panic(fmt.Sprintf("lanes: release of batch %d, which is not out", t))
	}
	if err := g.node.Complete(g.tickets[t].reservation, fairshare.Units(g.tickets[t].cost)); err != nil {
		panic("lanes: " + err.Error())
	}
	g.moved = true
	g.tickets[t] = ticket{}
	g.spare = append(g.spare, t)
}
