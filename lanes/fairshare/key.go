// The key of a node's state, for whoever explores all states.

package fairshare

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// AppendKey appends a key of the state to b: two nodes of the same shares and
// settings with equal keys answer alike from then on, handles of reservations
// aside. The key leaves out what no decision depends on: how much was ever
// served, a head start that all siblings have, and how far an idle lane is
// behind a front that it will be lifted to. So a batcher whose backlog and calls
// in flight are bounded has finitely many keys.
func (n *Node) AppendKey(b []byte) []byte {
	if n.cfg.Supply > 0 {
		b = binary.AppendUvarint(b, uint64(n.held))
	}
	for i := range n.groups {
		b = n.appendGroup(b, &n.groups[i])
	}
	for i := 1; i < len(n.lanes); i++ {
		l := &n.lanes[i]
		working := uint64(0)
		if l.units > 0 {
			working = 1
		}
		b = binary.AppendUvarint(b, working)
		b = binary.AppendUvarint(b, uint64(l.head))
		b = binary.AppendUvarint(b, uint64(l.held))
	}
	open := make([]call, 0, n.open)
	for _, c := range n.calls {
		if c.seq != 0 {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(x, y call) int { return cmp.Or(cmp.Compare(x.leaf, y.leaf), cmp.Compare(x.max, y.max)) })
	b = binary.AppendUvarint(b, uint64(len(open)))
	for _, c := range open {
		b = binary.AppendUvarint(b, uint64(c.leaf))
		b = binary.AppendUvarint(b, uint64(c.max))
	}
	return b
}

// appendGroup appends how a group's children stand to each other: their virtual
// service above the lowest one's, which is taken down to a step of the grid, as
// only whole steps can be taken off all of them without a trace.
func (n *Node) appendGroup(b []byte, g *group) []byte {
	floor := n.leastFront(g)
	low, some := wide{}, false
	for _, c := range g.children {
		if v := &n.verts[c]; v.linked {
			if at, _ := n.lifted(c, floor).over(v.weight); !some || at.less(low) {
				low, some = at, true
			}
		}
	}
	for _, c := range g.children {
		v := &n.verts[c]
		flags := byte(0)
		for bit, set := range []bool{v.busy, v.linked, v.newborn, v.drains, v.blocked} {
			if set {
				flags |= 1 << bit
			}
		}
		b = append(b, flags)
		b = binary.AppendUvarint(b, v.weight)
		if v.drains {
			b = append(b, n.books[c].next.String()...)
		}
		b = binary.AppendUvarint(b, uint64(n.books[c].outstanding()))
		if v.linked {
			above := n.lifted(c, floor).sub(low.times(v.weight))
			b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, above.hi), above.lo)
		}
	}
	return b
}

// leastFront returns a number of grid steps that no front of the group will be
// below, ever. A child's virtual service less what it has outstanding never
// falls: a grant and a return move both, spending and seating only lift it. So
// no front will be below the lowest such value of a busy child, or, of an idle
// group, the highest of any; except that a child that wakes may do so by its credit
// below the front, and then still give back what it has outstanding, and so for
// each of the idle ones, one below the other. A child that is blocked will leave the
// group, and its virtual service with it, which may have been the highest.
func (n *Node) leastFront(g *group) wide {
	var least, idle wide
	some := false
	for _, c := range g.children {
		v := &n.verts[c]
		if !v.linked {
			continue
		}
		if v.blocked {
			return wide{}
		}
		out := steps(n.books[c].outstanding())
		if !v.busy {
			idle = idle.add(out.add(steps(n.cfg.SleeperCredit)).up(v.weight))
		}
		at, _ := v.ev.sub(out).over(v.weight)
		switch {
		case v.busy != (g.busy != 0):
		case !some, v.busy && at.less(least), !v.busy && least.less(at):
			least, some = at, true
		}
	}
	if least.less(idle) {
		return wide{}
	}
	return least.sub(idle)
}

// lifted returns a child's virtual service, or, of an idle one that is behind,
// what it will at least wake with.
func (n *Node) lifted(c int32, floor wide) wide {
	v := &n.verts[c]
	if v.busy {
		return v.ev
	}
	wakes, credit := floor.times(v.weight), steps(n.cfg.SleeperCredit)
	if wakes.less(credit) || wakes.sub(credit).less(v.ev) {
		return v.ev
	}
	return wakes.sub(credit)
}
