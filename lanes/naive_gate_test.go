// The naive twin's share lanes: a fair-share tree of its own, told all there is
// to tell after every step, and the parts of the room in exact fractions.

package lanes

import (
	"maps"
	exact "math/big"
	"slices"
	"strings"
	"time"

	"ferryctl/lanes/fairshare"
)

type naiveGate struct {
	node     *fairshare.Node
	meter    *fairshare.Meter
	offered  []int64         // by leaf: what the meter was told
	since    []time.Duration // by leaf: when its wait for a batch began
	starved  []time.Duration // by leaf: the longest
	weightOf map[string]*exact.Rat
	paths    []string // by leaf
	count    []int64  // by leaf: its part of MaxQueued
	weight   []int64  // … and of MaxQueuedWeight
}

func newNaiveGate(node *fairshare.Node, shares []fairshare.Share) *naiveGate {
	g := &naiveGate{
		node: node.Clone(), meter: fairshare.NewMeter(node), offered: make([]int64, node.Leaves()+1),
		since: make([]time.Duration, node.Leaves()+1), starved: make([]time.Duration, node.Leaves()+1),
		weightOf: map[string]*exact.Rat{},
	}
	for i := range node.Leaves() + 1 {
		g.paths = append(g.paths, node.Path(fairshare.Leaf(i)))
	}
	for _, path := range g.paths[1:] {
		for ; path != ""; path = parentOf(path) {
			g.weightOf[path] = exact.NewRat(1, 1)
		}
	}
	for _, s := range shares {
		g.weightOf[strings.TrimSuffix(s.Path, "/")] = s.Weight.Rat()
	}
	return g
}

func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func (g *naiveGate) clone() *naiveGate {
	c := *g
	c.node, c.meter = g.node.Clone(), g.meter.Clone()
	c.offered, c.since, c.starved = slices.Clone(g.offered), slices.Clone(g.since), slices.Clone(g.starved)
	c.weightOf = maps.Clone(g.weightOf)
	return &c
}

// lined returns what a share lane could dispatch, and what its next batch costs.
func (n *naive) lined(share fairshare.Leaf) (first *naiveLane, units, head int64) {
	for _, ln := range n.line {
		if ln.share != share {
			continue
		}
		for _, it := range ln.items {
			units += it.cost
		}
		if first == nil {
			first = ln
			_, _, head = n.batch(ln)
		}
	}
	return first, units, head
}

// tell ends a step: the tree and the meter hear what lines up now.
func (n *naive) tell() {
	if n.gate == nil {
		return
	}
	n.measure()
	for i := range n.gate.offered {
		_, units, head := n.lined(fairshare.Leaf(i))
		if err := n.gate.node.SetBacklog(fairshare.Leaf(i), fairshare.Units(units), fairshare.Units(head)); err != nil {
			panic(err)
		}
	}
	n.gate.node.Settle()
}

func (n *naive) measure() {
	if n.gate == nil {
		return
	}
	for i := range n.gate.offered {
		_, units, _ := n.lined(fairshare.Leaf(i))
		if more := units - n.gate.offered[i]; more > 0 {
			n.gate.meter.Offer(fairshare.Leaf(i), fairshare.Units(more))
		} else {
			n.gate.meter.Withdraw(fairshare.Leaf(i), fairshare.Units(-more))
		}
		switch {
		case units > 0 && n.gate.offered[i] == 0:
			n.gate.since[i] = n.now
		case units == 0 && n.gate.offered[i] > 0:
			n.waited(i)
		}
		n.gate.offered[i] = units
	}
}

// waited notes the wait of a share lane that has work lined up.
func (n *naive) waited(i int) time.Duration {
	if n.gate.offered[i] > 0 {
		n.gate.starved[i] = max(n.gate.starved[i], n.now-n.gate.since[i])
	}
	return n.gate.starved[i]
}

// restart begins a new account.
func (n *naive) restart() {
	n.gate.meter.Restart()
	for i := range n.gate.starved {
		n.gate.since[i], n.gate.starved[i] = n.now, 0
	}
}

// promise gives the next call of a key, of which one is over, to another of its
// lanes: the first by name that has been ready for longer than the first of its own
// line, and was overtaken as often as the weights allow.
func (n *naive) promise(over *naiveLane) {
	mine := n.lanesOf(over.key)
	slices.SortFunc(mine, func(a, b *naiveLane) int { return int(a.share - b.share) })
	given := false
	for _, ln := range mine {
		if ln == over || ln.place == 0 {
			continue
		}
		ln.overtaken++
		first, _, _ := n.lined(ln.share)
		patience := new(exact.Rat).Quo(n.gate.portion(int(over.share)), n.gate.portion(int(ln.share)))
		patient := new(exact.Rat).SetInt64(int64(ln.overtaken)).Cmp(patience) < 0
		if !given && n.leaves(ln) && (first == nil || ln.place < first.place) && !patient {
			ln.promised, given = true, true
		}
	}
}

// licence asks for a direct call.
func (n *naive) licence(c *naiveCall) bool {
	if n.gate == nil || c.lane.share == fairshare.Untagged {
		return true
	}
	res, err := n.gate.node.Claim(c.lane.share, fairshare.Units(c.cost))
	if err != nil {
		return false
	}
	c.res = res
	n.gate.meter.Offer(c.lane.share, fairshare.Units(c.cost))
	n.gate.meter.Serve(c.lane.share, fairshare.Units(c.cost))
	n.waited(int(c.lane.share))
	n.gate.since[c.lane.share] = n.now
	return true
}

// turn chooses the lane that is served, and reserves.
func (n *naive) turn(c *naiveCall) bool {
	free, _, _ := n.lined(fairshare.Untagged)
	leaf, ok := n.gate.node.Turn()
	mine, _, head := n.lined(leaf)
	if !ok || free != nil && free.items[0].id < mine.items[0].id {
		c.lane = free
		return free != nil
	}
	c.lane, c.cost = mine, head
	var err error
	if c.res, err = n.gate.node.Reserve(leaf, fairshare.Units(head)); err != nil {
		panic(err)
	}
	n.gate.meter.Serve(leaf, fairshare.Units(head))
	n.waited(int(leaf))
	n.gate.since[leaf] = n.now
	n.gate.offered[leaf] -= head
	return true
}

func (g *naiveGate) complete(c naiveCall) {
	if err := g.node.Complete(c.res, fairshare.Units(c.cost)); err != nil {
		panic(err)
	}
}

func (n *naive) reweigh(path string, w fairshare.Weight) error {
	if err := n.gate.node.SetWeight(path, w); err != nil {
		return err
	}
	n.gate.meter.Reweigh(n.gate.node)
	n.gate.weightOf[strings.TrimSuffix(path, "/")] = w.Rat()
	n.divide()
	n.tell()
	return nil
}

// share is a path's part of the whole.
func (g *naiveGate) share(path string) *exact.Rat {
	part := exact.NewRat(1, 1)
	for ; path != ""; path = parentOf(path) {
		siblings := new(exact.Rat)
		for other, w := range g.weightOf {
			if parentOf(other) == parentOf(path) {
				siblings.Add(siblings, w)
			}
		}
		part.Mul(part, g.weightOf[path]).Quo(part, siblings)
	}
	return part
}

// divide gives every share lane its part of the room.
func (n *naive) divide() {
	n.gate.count, n.gate.weight = nil, nil
	for i := range n.gate.paths {
		n.gate.count = append(n.gate.count, n.gate.part(n.cfg.Policy, i, int64(n.cfg.MaxQueued)))
		n.gate.weight = append(n.gate.weight, n.gate.part(n.cfg.Policy, i, n.cfg.MaxQueuedWeight))
	}
}

// part is a share lane's part of a bound of the room's: a place, and its share
// of those that are left when each has one.
func (g *naiveGate) part(policy RoomPolicy, i int, bound int64) int64 {
	if bound == int64(Unlimited) || policy == Shared {
		return int64(Unlimited)
	}
	if policy == Guaranteed {
		bound /= 2
	}
	whole := new(exact.Rat).Add(g.portion(0), exact.NewRat(1, 1))
	part := new(exact.Rat).Mul(g.portion(i), new(exact.Rat).SetInt64(bound-int64(len(g.paths))))
	part.Quo(part, whole)
	return 1 + new(exact.Int).Quo(part.Num(), part.Denom()).Int64()
}

// portion is a share lane's part of the whole; the untagged have the smallest.
func (g *naiveGate) portion(i int) *exact.Rat {
	if i > 0 {
		return g.share(g.paths[i])
	}
	smallest := exact.NewRat(1, 1)
	for _, path := range g.paths[1:] {
		if s := g.share(path); s.Cmp(smallest) < 0 {
			smallest = s
		}
	}
	return smallest
}

// holds returns what waits of a share lane's.
func (n *naive) holds(share int) (count, weight int64) {
	for _, ln := range n.lanes {
		if int(ln.share) == share {
			for _, it := range ln.items {
				count, weight = count+1, weight+it.weight
			}
		}
	}
	return count, weight
}

// never says whether an input could not even enter an empty room.
func (g *naiveGate) never(n *naive, in Input[int]) bool {
	return !g.allows(n, in.Share, in.Weight, n.cfg.MaxQueuedWeight, g.weight, func(int) int64 { return 0 })
}

func (g *naiveGate) door(n *naive, in Input[int]) Admission {
	if !g.allows(n, in.Share, 1, int64(n.cfg.MaxQueued), g.count, func(i int) int64 { c, _ := n.holds(i); return c }) {
		return FullShareCount
	}
	if !g.allows(n, in.Share, in.Weight, n.cfg.MaxQueuedWeight, g.weight, func(i int) int64 { _, w := n.holds(i); return w }) {
		return FullShareWeight
	}
	return Admitted
}

// allows says whether share lanes that hold so much leave room for more of one.
func (g *naiveGate) allows(n *naive, share fairshare.Leaf, more, bound int64, parts []int64, holds func(i int) int64) bool {
	switch {
	case more == 0 || bound == int64(Unlimited) || n.cfg.Policy == Shared:
		return more <= bound
	case holds(int(share))+more <= parts[share]:
		return true
	case n.cfg.Policy == Partitioned:
		return false
	}
	taken := more
	for i := range g.paths {
		if i == int(share) {
			taken += holds(i)
		} else {
			taken += max(holds(i), parts[i])
		}
	}
	return taken <= bound
}
