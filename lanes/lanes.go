// The waiting room of the perkey kernel: a lane per key.

package lanes

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"ferryctl/lanes/fairshare"
)

// Lanes is a bounded room in which inputs of one key wait in a lane of their
// own, in rank order, and a key has at most one call out at a time.
//
// A lane is in one of three states:
//
//	state    means                                     leaves to
//	forming  its batch is partial and not yet due      ready: full, due or flushed
//	ready    in the ready line, to be taken            busy: taken · forming: what made it full was withdrawn
//	busy     a batch or a direct call of its is out    ready or forming: released with inputs left · gone: without
//
// A lane that is not busy and has no inputs does not exist: memory follows
// what is waiting. The ready line is first come, first served; a lane released
// with inputs that are ready goes to its back, so no key starves another.
//
// With share lanes a lane is of one key and one share lane, so that a batch is
// of one share lane, and there is a ready line for each of those (see gate.go).
// A key still has one call out at a time: while it has, its other lanes are busy
// too, and after it one of them may be promised the next (see promise). If
// Parallel, a lane is never busy: what a batch leaves behind forms on.
//
// Invariants:
//
//  1. Queued and QueuedWeight never pass MaxQueued and MaxQueuedWeight.
//  2. InFlight never passes MaxInFlight. Direct calls come on top.
//  3. A key has at most one call out, unless Parallel, and its lanes are busy
//     then. They are too, but one, while that one is promised the next.
//  4. An input is in the room from the Admit that answered Admitted to exactly
//     one of Take, Withdraw and Drain.
type Lanes[K comparable, E any] struct {
	room
	// A lane that is busy with a direct call and is not in the index; 0 if none.
	// It, the room's last field and the slab's first are all that a direct call
	// writes here: together they fit a cache line, which goes back and forth
	// between the processors.
	loner   int32
	lanes   slab[lane[K]]
	index   index
	forming vec[formingLane]
	items   slab[item[E]]
	inLine  int   // lanes in ready lines
	ready   ends  // the ready line, without share lanes
	gate    *gate // with share lanes; use own to change it
}

type state uint8

const (
	isForming state = iota
	isReady
	isBusy
)

type lane[K comparable] struct {
	claim[K]

	heap int32 // place among the forming lanes, one-based (see deadlines.go)
	next int32 // neighbours in the ready line
	prev int32

	count        int
	weight, cost int64
	oldest, tail int32 // items in arrival order
	root         int32 // items in rank order (see rank.go), if the room is ranked

	// Share lanes: since when it has been ready, calls of its key aside, as a
	// number that the gate counts, 0 if it is not; how many of those went to other
	// share lanes; and whether the key's next one is its own.
	place     uint64
	overtaken int32
	promised  bool

	inForming, inBusy time.Duration // clocks: the total time spent so, up to date until since
}

// claim is all that a lane has until the first input waits in it. Most direct
// calls end before one does; so they write to no more of their lane than this.
type claim[K comparable] struct {
	key    K
	hash   uint64
	since  time.Duration
	chain  int32 // next lane of the same bucket (see index.go)
	share  fairshare.Leaf
	ticket int32 // out: of the gate
	state  state
	out    bool // the call out is of this lane's
	direct bool // … and a direct one
	cause  Left // ready: why, unless it is full or was flushed
	waits  bool // an input waits, or did
}

// NewLanes returns an empty room.
func NewLanes[K comparable, E any](cfg Config) *Lanes[K, E] {
	l := &Lanes[K, E]{room: room{cfg: cfg}}
	o := new(owner)
	l.own(o)
	l.index.init(o)
	if cfg.Shares != nil {
		l.gate = newGate(o, cfg)
	}
	return l
}

func (l *Lanes[K, E]) own(o *owner) {
	l.items.fork(o)
	l.lanes.fork(o)
	l.index.heads.fork(o)
	l.forming.fork(o)
}

// Snapshot returns a fork of l, in O(1).
func (l *Lanes[K, E]) Snapshot() *Lanes[K, E] {
	c := *l
	l.own(new(owner))
	c.own(new(owner))
	c.items.forgetSpare()
	c.lanes.forgetSpare()
	return &c
}

// Hash returns the hash that Admit wants with a key. It reads nothing that
// changes, so it may run beside any other method. It panics if K is an
// interface type and key holds something that cannot be compared.
func (l *Lanes[K, E]) Hash(key K) uint64 { return maphash.Comparable(l.index.seed, key) }

// Key returns the key of a busy lane.
func (l *Lanes[K, E]) Key(ref LaneRef) K { return l.lanes.get(int32(ref)).key }

// Admit lets an input into its key's lane, or claims its key if that is idle
// and direct calls are on, or says why not. The Ref is for Withdraw, of an
// admitted input; the LaneRef is for Release, of a claimed key.
func (l *Lanes[K, E]) Admit(now time.Duration, key K, hash uint64, in Input[E]) (Ref, LaneRef, Admission) {
	now = l.tick(now)
	if l.closed {
		return Ref{}, 0, Closed
	}
	i := l.find(key, hash, in.Share)
	busy := false // a call of the key is out, or promised, to another share lane
	if i == 0 && l.gate != nil && !l.cfg.Parallel {
		twins := l.twins(key, hash, 0)
		for _, t := range twins {
			ln := l.lanes.get(t)
			busy = busy || ln.out || ln.promised
		}
		if len(twins) == 0 && l.cfg.Direct && l.cfg.MaxBatchDelay == 0 {
			if ticket, ok := l.licence(in.Share, in.Cost); ok {
				l.settleShares()
				return Ref{}, l.claim(now, key, hash, in.Share, ticket), Claimed
			}
		}
	} else if i == 0 && l.cfg.Direct && l.cfg.MaxBatchDelay == 0 && !l.cfg.Parallel {
		return Ref{}, l.claim(now, key, hash, in.Share, 0), Claimed
	}
	a := l.door(in.Weight)
	if g := l.gate; g != nil {
		switch {
		case in.Weight > g.heaviest(&l.cfg, in.Share):
			a = TooHeavy
		case a == Admitted:
			a = g.door(&l.cfg, in.Share, in.Weight)
		}
	}
	if a != Admitted {
		l.settleShares()
		return Ref{}, 0, a
	}
	switch i {
	case 0:
		i = l.open(now, key, hash, in.Share, busy)
	case l.loner:
		l.loner = 0
		l.link(i)
	}
	ref := l.join(now, i, &in)
	l.settleShares()
	return ref, 0, Admitted
}

// Bind changes the entry of an input that waits: for callers that make one
// only once they know that it will. It panics if the input is not there.
func (l *Lanes[K, E]) Bind(ref Ref, entry E) {
	if it := l.items.lookup(ref.slot); it == nil || it.seq != ref.seq {
		panic("lanes: bind of an input that does not wait")
	}
	l.items.mut(ref.slot).entry = entry
}

// claim makes a lane that is busy with a direct call. The only one of its kind
// stays out of the index: a call that is over before the next one comes, for
// which nobody waits, is all that a lone caller makes.
func (l *Lanes[K, E]) claim(now time.Duration, key K, hash uint64, share fairshare.Leaf, ticket int32) LaneRef {
	i, ln := l.lanes.alloc()
	ln.key, ln.hash, ln.since = key, hash, now
	ln.state, ln.out, ln.direct = isBusy, true, true
	ln.share, ln.ticket = share, ticket
	if l.loner == 0 {
		l.loner = i
	} else {
		l.link(i)
	}
	l.room.out(true)
	return LaneRef(i)
}

// open makes an empty lane, in neither heap nor line: forming, or busy with
// another lane's call.
func (l *Lanes[K, E]) open(now time.Duration, key K, hash uint64, share fairshare.Leaf, busy bool) int32 {
	i, ln := l.lanes.alloc()
	ln.key, ln.hash, ln.since, ln.share = key, hash, now, share
	if busy {
		ln.state = isBusy
	}
	l.link(i)
	return i
}

// join appends an input to a lane.
func (l *Lanes[K, E]) join(now time.Duration, i int32, in *Input[E]) Ref {
	ln := l.lanes.mut(i)
	ln.waits = true
	ln.clock(now)
	l.seq++
	slot, it := l.items.alloc()
	*it = item[E]{
		entry: in.Entry, at: now, weight: in.Weight, rank: in.Rank, cost: in.Cost, seq: l.seq, lane: i,
		prev: ln.tail, forming: ln.inForming, turn: ln.inBusy,
	}
	if ln.tail != 0 {
		l.items.mut(ln.tail).next = slot
	} else {
		ln.oldest = slot
	}
	ln.tail = slot
	if l.cfg.Ranked {
		order[E]{&l.items, &ln.root}.insert(slot)
	}
	ln.count++
	ln.weight += in.Weight
	ln.cost += in.Cost
	l.enter(in.Weight)
	if l.gate != nil {
		l.gate.enter(ln.share, in.Weight)
	}
	switch {
	case ln.state == isForming:
		l.settle(now, i, LeftDelay)
	case ln.state == isReady && l.gate != nil:
		l.gate.offer(now, ln.share, in.Cost)
		l.changedHead(i, l.cfg.Ranked)
	}
	return Ref{slot, l.seq}
}

// settle puts a forming lane that has inputs where it belongs. cause is why it
// is ready if it is so without being full.
func (l *Lanes[K, E]) settle(now time.Duration, i int32, cause Left) {
	ln := l.lanes.mut(i)
	oldest := l.items.get(ln.oldest)
	full, due := l.full(ln.count, ln.weight), l.due(oldest.at, oldest.seq, now)
	if !full && !due {
		if ln.heap == 0 {
			l.watch(i, oldest.seq)
		}
		ln.place, ln.overtaken = 0, 0
		return
	}
	l.lineUp(now, i, cause)
}

// lineUp moves a forming lane to the back of the ready line; to its front, if it
// is promised the next call of its key.
func (l *Lanes[K, E]) lineUp(now time.Duration, i int32, cause Left) {
	ln := l.lanes.mut(i)
	if ln.heap != 0 {
		l.unwatch(i)
	}
	ln.clock(now)
	ln.state, ln.cause = isReady, cause
	line := l.line(ln.share)
	ln.prev, ln.next = line.last, 0
	if ln.promised {
		ln.prev, ln.next = 0, line.first
	}
	if ln.prev != 0 {
		l.lanes.mut(ln.prev).next = i
	} else {
		line.first = i
	}
	if ln.next != 0 {
		l.lanes.mut(ln.next).prev = i
	} else {
		line.last = i
	}
	l.inLine++
	if l.gate != nil {
		l.gate.enrol(&ln.place)
		l.gate.offer(now, ln.share, ln.cost)
		l.changedHead(i, true)
	}
}

// line returns the ready line of a share lane.
func (l *Lanes[K, E]) line(share fairshare.Leaf) *ends {
	if l.gate == nil {
		return &l.ready
	}
	return &l.gate.lines[share].ends
}

// stepOut takes a lane out of its ready line, to be served or not; the caller
// gives it a state.
func (l *Lanes[K, E]) stepOut(now time.Duration, i int32, served bool) {
	ln := l.lanes.mut(i)
	ln.clock(now)
	line := l.line(ln.share)
	if ln.prev != 0 {
		l.lanes.mut(ln.prev).next = ln.next
	} else {
		line.first = ln.next
	}
	if ln.next != 0 {
		l.lanes.mut(ln.next).prev = ln.prev
	} else {
		line.last = ln.prev
	}
	if l.gate != nil {
		if ln.prev == 0 {
			l.gate.lines[ln.share].recount = true
		}
		l.gate.retract(now, ln.share, ln.cost, !served)
	}
	ln.next, ln.prev = 0, 0
	l.inLine--
}

// clock brings a lane's clocks up to now.
func (ln *lane[K]) clock(now time.Duration) {
	switch ln.state {
	case isForming:
		ln.inForming += now - ln.since
	case isBusy:
		ln.inBusy += now - ln.since
	}
	ln.since = now
}

// tick moves the room's clock to now and every lane that became due on the
// way into the ready line, in the order in which they became due.
func (l *Lanes[K, E]) tick(now time.Duration) time.Duration {
	now = l.advance(now)
	if l.gate != nil {
		l.ownGate()
	}
	for l.forming.n > 0 {
		top := *l.forming.get(0)
		oldest := l.items.get(l.lanes.get(top.lane).oldest)
		if !l.due(oldest.at, oldest.seq, now) {
			break
		}
		at := max(l.deadline(oldest.at), l.lanes.get(top.lane).since)
		if oldest.seq <= l.flushed || at > now {
			at = now
		}
		l.settle(at, top.lane, LeftDelay)
		l.settleShares() // however often the room is told the time
	}
	return now
}

// Ready says whether Take would find a batch now. While share lanes drain for
// a new weight it may say so in vain.
func (l *Lanes[K, E]) Ready(now time.Duration) bool {
	if !l.slotFree() {
		return false
	}
	if l.inLine > 0 {
		return true
	}
	if l.forming.n == 0 {
		return false
	}
	oldest := l.items.get(l.lanes.get(l.forming.get(0).lane).oldest)
	return l.due(oldest.at, oldest.seq, max(now, l.now))
}

// Due returns when Take will find a batch by the passing of time alone; ok is
// false if it never will, for want of a slot too, or does so already.
func (l *Lanes[K, E]) Due() (at time.Duration, ok bool) {
	if l.inLine > 0 || !l.slotFree() || l.forming.n == 0 {
		return 0, false
	}
	at = l.deadline(l.items.get(l.lanes.get(l.forming.get(0).lane).oldest).at)
	return at, at != Never
}

// Take moves the first ready lane's first batch into b and marks the lane busy
// until Release, or reports false and leaves b alone.
func (l *Lanes[K, E]) Take(now time.Duration, b *Batch[E]) bool {
	now = l.tick(now)
	if l.inLine == 0 || !l.slotFree() {
		return false
	}
	i, ticket := l.ready.first, int32(0)
	if l.gate != nil {
		if i, ticket = l.turn(); i == 0 {
			return false
		}
	}
	l.stepOut(now, i, true)
	ln := l.lanes.mut(i)
	cause, before := ln.cause, ln.cost
	if l.early(l.items.get(ln.oldest).at, now) {
		cause = LeftClose
	}
	b.Items, b.Weight, b.Lane, b.Share = b.Items[:0], 0, LaneRef(i), ln.share
	for ln.count > 0 {
		slot := ln.oldest
		if l.cfg.Ranked {
			slot = order[E]{&l.items, &ln.root}.first()
		}
		it := l.items.get(slot)
		if !l.fits(len(b.Items), b.Weight, it.weight) {
			break
		}
		w := Wait{Forming: ln.inForming - it.forming, Turn: ln.inBusy - it.turn}
		w.Slot = now - it.at - w.Forming - w.Turn
		b.Items = append(b.Items, Taken[E]{Entry: it.entry, At: it.at, Weight: it.weight, Rank: it.rank, Wait: w})
		b.Weight += it.weight
		l.remove(ln, slot)
	}
	b.Left = l.leftBy(len(b.Items), b.Weight, ln.count > 0, cause)
	l.room.out(false)
	if l.gate != nil {
		if spent := before - ln.cost; ticket != 0 && spent != l.gate.tickets[ticket].cost {
			panic(fmt.Sprintf("lanes: a batch that costs %d was taken for one of %d", spent, l.gate.tickets[ticket].cost))
		}
		l.gate.meter.Withdraw(ln.share, fairshare.Units(ln.cost)) // until it lines up again
	}
	if l.cfg.Parallel {
		b.Lane = LaneRef(ticket)
		l.formOn(now, i)
		l.settleShares()
		return true
	}
	ln.state, ln.out, ln.direct, ln.ticket = isBusy, true, false, ticket
	if l.gate != nil {
		ln.place, ln.overtaken, ln.promised = 0, 0, false
		for _, t := range l.twins(ln.key, ln.hash, i) {
			l.suspend(now, t)
		}
		l.settleShares()
	}
	return true
}

// formOn puts back what a batch left behind in a lane that is not busy.
func (l *Lanes[K, E]) formOn(now time.Duration, i int32) {
	ln := l.lanes.mut(i)
	ln.state = isForming
	if ln.count == 0 {
		l.vanish(i)
		return
	}
	l.settle(now, i, LeftDelay)
}

// suspend makes a lane busy with the call of another lane of its key.
func (l *Lanes[K, E]) suspend(now time.Duration, i int32) {
	ln := l.lanes.mut(i)
	switch ln.state {
	case isReady:
		l.stepOut(now, i, false)
	case isForming:
		if ln.heap != 0 {
			l.unwatch(i)
		}
		ln.clock(now)
	}
	l.lanes.mut(i).state = isBusy
}

// remove unlinks an item from its lane and frees it.
func (l *Lanes[K, E]) remove(ln *lane[K], slot int32) {
	if l.cfg.Ranked {
		order[E]{&l.items, &ln.root}.remove(slot)
	}
	it := l.items.get(slot)
	prev, next, weight, cost := it.prev, it.next, it.weight, it.cost
	l.items.free(slot)
	if prev != 0 {
		l.items.mut(prev).next = next
	} else {
		ln.oldest = next
	}
	if next != 0 {
		l.items.mut(next).prev = prev
	} else {
		ln.tail = prev
	}
	ln.count--
	ln.weight -= weight
	ln.cost -= cost
	l.leave(weight)
	if l.gate != nil {
		l.gate.leave(ln.share, weight)
	}
}

// Release says that a batch or direct call is over: its key's lanes line up
// again if they have inputs, and are gone otherwise. It panics if the lane has
// no call out.
func (l *Lanes[K, E]) Release(now time.Duration, ref LaneRef) {
	now = l.tick(now)
	if l.cfg.Parallel {
		l.back(false)
		if l.gate != nil {
			l.gate.complete(int32(ref))
			l.settleShares()
		}
		return
	}
	i := int32(ref)
	if ln := l.lanes.lookup(i); ln == nil || !ln.out {
		panic(fmt.Sprintf("lanes: release of lane %d, which has no call out", ref))
	}
	ln := l.lanes.mut(i)
	l.back(ln.direct)
	held := false
	if l.gate != nil {
		l.gate.complete(ln.ticket)
		twins := l.twins(ln.key, ln.hash, i)
		held = l.promise(now, twins, ln.share)
		for _, t := range twins {
			if !held || l.lanes.get(t).promised {
				l.resume(now, t)
			}
		}
		ln = l.lanes.mut(i)
	}
	if ln.count == 0 {
		l.vanish(i)
	} else {
		ln.out, ln.direct, ln.ticket = false, false, 0
		if !held {
			l.resume(now, i)
		}
	}
	l.settleShares()
}

// resume lets a lane with inputs go on after a call of its key's.
func (l *Lanes[K, E]) resume(now time.Duration, i int32) {
	ln := l.lanes.mut(i)
	ln.clock(now)
	ln.state = isForming
	cause := LeftDelay
	if l.cfg.MaxBatchDelay == 0 {
		cause = LeftFreed
	}
	l.settle(now, i, cause)
}

// remit drops a lane that is neither busy nor in line and holds nothing.
func (l *Lanes[K, E]) remit(i int32) {
	if l.lanes.get(i).heap != 0 {
		l.unwatch(i)
	}
	l.vanish(i)
}

// vanish drops a lane that holds nothing, and is in neither heap nor line.
func (l *Lanes[K, E]) vanish(i int32) {
	if i == l.loner {
		l.loner = 0
	} else {
		l.unlink(i)
	}
	if ln := l.lanes.mut(i); !ln.waits {
		ln.claim = claim[K]{}
		l.lanes.freeZero(i)
		return
	}
	l.lanes.free(i)
}

// Withdraw takes an input out of its lane, and reports whether it was still
// there. A lane that it leaves partial and not yet due forms on.
func (l *Lanes[K, E]) Withdraw(now time.Duration, ref Ref) bool {
	now = l.tick(now)
	it := l.items.lookup(ref.slot)
	if it == nil || it.seq != ref.seq {
		return false
	}
	i, cost := it.lane, it.cost
	ln := l.lanes.mut(i)
	key, hash, promised := ln.key, ln.hash, ln.promised
	wasOldest := ln.oldest == ref.slot
	l.remove(ln, ref.slot)
	if ln.state == isReady && l.gate != nil {
		if ln.count > 0 {
			l.gate.retract(now, ln.share, cost, true)
		} else {
			ln.cost = cost // stepOut's to retract
		}
		l.changedHead(i, true)
	}
	switch {
	case ln.out:
	case ln.count == 0:
		if ln.state == isReady {
			l.stepOut(now, i, false)
		}
		l.remit(i)
		if promised {
			l.breakPromise(now, key, hash, 0)
		}
	case ln.state == isReady:
		if l.reconsider(now, i) {
			l.breakPromise(now, key, hash, i)
		}
	case ln.state == isForming && wasOldest:
		l.unwatch(i)
		l.settle(now, i, LeftDelay)
	}
	l.settleShares()
	return true
}

// Flush makes everything that waits now due now; inputs that wait behind a
// call of their key are due once it is over.
func (l *Lanes[K, E]) Flush(now time.Duration) {
	now = l.tick(now)
	l.flushed = l.seq
	l.tick(now)
}

// Drain closes the room and empties it, calling f with every entry that
// waited, in no promised order but always the same. Lanes with a call out
// stay busy until their Release. Draining a closed room does nothing.
func (l *Lanes[K, E]) Drain(now time.Duration, f func(E)) {
	now = l.tick(now)
	if l.closed {
		return
	}
	l.closed = true
	var waiting []int32
	l.lanes.each(func(i int32, ln *lane[K]) bool {
		if ln.count > 0 {
			waiting = append(waiting, i)
		}
		return true
	})
	for _, i := range waiting {
		ln := l.lanes.mut(i)
		if ln.state == isReady {
			l.stepOut(now, i, false)
		}
		for ln.count > 0 {
			e := l.items.get(ln.oldest).entry
			l.remove(ln, ln.oldest)
			f(e)
		}
		if !ln.out {
			l.remit(i)
		}
	}
	l.settleShares()
}

// Reconfigure changes the settings in one step, all but Ranked, Parallel, Shares
// and Policy. Nothing that waits is lost or changes its order: a lane that is
// ready and by the new settings would not be forms on, a forming one that would
// be lines up, the oldest input first. What is out stays out, and what waits
// stays, though the new bounds be lower: the room admits again once it is within
// them. It costs time in proportion to the lanes.
func (l *Lanes[K, E]) Reconfigure(now time.Duration, cfg Config) {
	now = l.tick(now)
	cfg.Ranked, cfg.Parallel, cfg.Shares, cfg.Policy = l.cfg.Ranked, l.cfg.Parallel, l.cfg.Shares, l.cfg.Policy
	l.cfg = cfg
	if l.gate != nil {
		l.gate.divide(cfg)
	}
	var forming []formingLane
	var ready []int32
	l.lanes.each(func(i int32, ln *lane[K]) bool {
		switch ln.state {
		case isForming:
			forming = append(forming, formingLane{l.items.get(ln.oldest).seq, i})
		case isReady:
			ready = append(ready, i)
			if l.gate != nil {
				l.changedHead(i, true)
			}
		}
		return true
	})
	for _, i := range ready {
		if !l.reconsider(now, i) {
			continue
		}
		for _, t := range l.twins(l.lanes.get(i).key, l.lanes.get(i).hash, i) {
			ln := l.lanes.mut(t)
			ln.clock(now)
			ln.state = isForming
			forming = append(forming, formingLane{l.items.get(ln.oldest).seq, t})
		}
	}
	slices.SortFunc(forming, func(a, b formingLane) int { return cmp.Compare(a.seq, b.seq) })
	for _, f := range forming {
		l.settle(now, f.lane, LeftDelay)
	}
	l.settleShares()
}

// reconsider lets a lane of the ready line form on if it is no longer ready, and
// says whether it was promised the next call of its key and makes none.
func (l *Lanes[K, E]) reconsider(now time.Duration, i int32) (broken bool) {
	ln := l.lanes.mut(i)
	oldest := l.items.get(ln.oldest)
	if l.full(ln.count, ln.weight) || l.due(oldest.at, oldest.seq, now) {
		return false
	}
	l.stepOut(now, i, false)
	broken = ln.promised
	ln.state, ln.promised = isForming, false
	l.settle(now, i, LeftDelay)
	return broken
}

// View is what Each tells of a lane.
type View[K comparable] struct {
	Key    K
	Queued int           // inputs waiting
	Weight int64         // their weight
	Oldest time.Duration // when the oldest of them was admitted; 0 if there are none
	Busy   bool          // a call of the key is out, or promised to another share lane's
	Direct bool          // … a direct one of this lane's
	Share  fairshare.Leaf

	// With share lanes, of those that have been ready since before a call of their
	// key went to another: their order, and how many did.
	Place     uint64
	Overtaken int
}

// Each calls f with every lane, in no promised order but always the same, until
// f says false.
func (l *Lanes[K, E]) Each(f func(View[K]) bool) {
	l.lanes.each(func(_ int32, ln *lane[K]) bool {
		v := View[K]{Key: ln.key, Queued: ln.count, Weight: ln.weight, Busy: ln.state == isBusy, Direct: ln.direct, Share: ln.share, Place: ln.place, Overtaken: int(ln.overtaken)}
		if ln.count > 0 {
			v.Oldest = l.items.get(ln.oldest).at
		}
		return f(v)
	})
}

// Stats returns the room's account as of the latest time it was told.
func (l *Lanes[K, E]) Stats() Stats {
	s := l.room.Stats()
	s.Lanes = int(l.lanes.live)
	return s
}

// Advance tells the room the time, for Stats.
func (l *Lanes[K, E]) Advance(now time.Duration) { l.tick(now) }
