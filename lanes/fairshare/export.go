// A node's books as a ledger: the same account in the form that can be merged,
// checked and kept.

package fairshare

import "fmt"

// Ledger returns the node's account as a ledger with this id, written by this
// replica. The edge into "acme/interactive" is "acme/interactive 1" in its
// first generation and "acme/interactive 2" after a change of weight; a lane's
// group has its path's name, an inner group that of its edge, as it is renewed
// with it.
func (n *Node) Ledger(id string, self ReplicaID) *Ledger {
	l := NewLedger(id)
	l.minted[MintID("minted by "+self)] = Mint{self, n.minted}
	for _, c := range n.retired {
		n.export(l, self, c.vert, c.parent, &c.book, Retired, c.seated)
	}
	for i := 1; i < len(n.verts); i++ {
		v := &n.verts[i]
		stage := Active
		if v.drains {
			stage = Closing
		}
		n.export(l, self, int32(i), n.books[v.parent].gen, &n.books[i], stage, !v.newborn)
	}
	return l
}

func (n *Node) export(l *Ledger, self ReplicaID, i int32, above int, b *book, stage Lifecycle, seated bool) {
	v := &n.verts[i]
	e := n.edge(i, b.gen)
	parent, child := RootGroup, GroupID(e)
	if v.parent != 0 {
		parent = GroupID(n.edge(v.parent, above))
	}
	if v.leaf != 0 {
		child = GroupID(n.names[i])
	}
	l.records[e] = []Record{{parent, child, b.weight}}
	l.lifecycle[e] = stage
	if seated {
		l.gauges[e] = Gauge{virtual(b.seat.add(steps(b.issued)), b.weight), b.issued}
	}
	for _, c := range [...]struct {
		to slots
		n  Units
	}{{l.issued, b.issued}, {l.returned, b.returned}, {l.leaf, b.leaf}, {l.rollup, b.rollup}} {
		if c.n > 0 {
			c.to[slot{e, self}] = c.n
		}
	}
}

// edge names a generation. A space is below every byte that a name may hold, so
// edges are in the order of their names.
func (n *Node) edge(i int32, gen int) EdgeID {
	return EdgeID(fmt.Sprintf("%s %d", n.names[i], gen))
}
