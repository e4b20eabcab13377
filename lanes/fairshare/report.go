// What a node tells of itself: reports, and copies.

package fairshare

import (
	"math/big"
	"slices"
)

// State says why a share lane does or doesn't run.
type State uint8

// The states of a lane.
const (
	Idle     State = iota // it has nothing to dispatch
	Deferred              // it has, and waits for its turn, or for its own calls at MaxOutstanding
	Ready                 // it holds what its next call costs
	Blocked               // it drains for a new weight
)

var stateNames = [...]string{"idle", "deferred", "ready", "blocked"}

func (s State) String() string { return stateNames[s] }

// A LaneReport is one share lane's account, over all generations.
type LaneReport struct {
	Path         string
	Weight       Weight // among its siblings; while it drains, the old one
	State        State
	Dispatchable Units // as declared
	Held         Units // granted and not reserved
	Earmarked    Units // reserved and not settled
	Spent        Units // settled
}

// Report returns a lane's account as of the latest Turn. It panics if leaf is
// no handle of this node's.
func (n *Node) Report(leaf Leaf) LaneReport {
	l := &n.lanes[leaf]
	b := &n.books[l.vert]
	r := LaneReport{
		Path: n.Path(leaf), Weight: b.weight, Dispatchable: l.units,
		Held: l.held, Earmarked: l.earmarked, Spent: b.leaf,
	}
	for _, c := range n.retired {
		if c.vert == l.vert {
			r.Spent += c.leaf
		}
	}
	switch {
	case n.verts[l.vert].blocked:
		r.State = Blocked
	case l.units == 0:
	case l.held >= l.head:
		r.State = Ready
	default:
		r.State = Deferred
	}
	return r
}

// A Supply is the account of the whole tree: Minted = Free + Held + Earmarked +
// Spent.
type Supply struct {
	Minted    Units // ever
	Free      Units // at the root
	Held      Units // granted to lanes and not reserved
	Earmarked Units // reserved and not settled
	Spent     Units // settled
	Open      int   // reservations not settled
}

// Supply returns the account of the whole tree.
func (n *Node) Supply() Supply {
	s := Supply{Minted: n.minted, Free: n.held, Open: n.open}
	for i := range n.lanes {
		s.Held += n.lanes[i].held
		s.Earmarked += n.lanes[i].earmarked
		s.Spent += n.books[n.lanes[i].vert].leaf
	}
	for _, c := range n.retired {
		s.Spent += c.leaf
	}
	return s
}

// Share returns the part of the whole that a lane is owed while every lane has
// work: the product of its share and those of the groups above it.
func (n *Node) Share(leaf Leaf) float64 {
	share := 1.0
	for i := n.lanes[leaf].vert; i != 0; i = n.verts[i].parent {
		share *= n.part(i)
	}
	return share
}

// virtual returns a number as N counts it (see wide.go) as virtual service at
// this weight.
func virtual(a wide, w Weight) *big.Rat {
	num := new(big.Int).Lsh(new(big.Int).SetUint64(a.hi), 64)
	num.Add(num, new(big.Int).SetUint64(a.lo))
	r := new(big.Rat).SetFrac(num, big.NewInt(grid))
	return r.Quo(r, w.Rat())
}

// Clone returns an independent copy, in time and space linear in the lanes.
// Reservations of the original are the copy's too.
func (n *Node) Clone() *Node {
	c := *n
	c.verts, c.books, c.lanes = slices.Clone(n.verts), slices.Clone(n.books), slices.Clone(n.lanes)
	c.groups, c.stale = slices.Clone(n.groups), make([][]int32, len(n.stale))
	for i := range n.stale {
		c.stale[i] = slices.Clone(n.stale[i])
	}
	c.dirty, c.flipped, c.ready = slices.Clone(n.dirty), slices.Clone(n.flipped), slices.Clone(n.ready)
	c.draining, c.retired = slices.Clone(n.draining), slices.Clone(n.retired)
	c.calls, c.spare = slices.Clone(n.calls), slices.Clone(n.spare)
	return &c
}
