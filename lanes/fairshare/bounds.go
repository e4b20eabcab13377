// How far a lane may be from its share, for one process that grants just in
// time. The quantum q is at least the largest cost.

package fairshare

// Bounds are the largest errors of one lane in service units, either way.
type Bounds struct {
	// Dispatch bounds the error at dispatch while the same lanes have work: a
	// quantum at each level, times the lane's share of what is below that level.
	// At one level that is the theorem of EEVDF, one quantum.
	Dispatch float64
	// Completed bounds the error at completion: Dispatch, and what may be in
	// flight of this lane's or of the others'.
	Completed float64
	// Churn is the limit while lanes come and go: two of the largest costs at
	// each level. No proof is known; it is what runs at random stay below.
	Churn float64
}

// Bounds returns the bounds of a lane's error when no call costs more than cost
// and at most inFlight run at once. It panics if leaf is no handle of this node's.
func (n *Node) Bounds(leaf Leaf, cost Units, inFlight int) Bounds {
	var b Bounds
	below := 1.0
	for i := n.lanes[leaf].vert; i != 0; i = n.verts[i].parent {
		b.Dispatch += float64(n.cfg.Quantum) * below
		b.Churn += 2 * float64(cost) * below
		below *= n.part(i)
	}
	b.Completed = b.Dispatch + float64(inFlight)*float64(cost)*max(below, 1-below)
	return b
}

// PairBound bounds the difference in virtual service between two siblings of
// weights v and w that both have work at every grant: what it was at first, or
// one quantum at the smaller weight.
func PairBound(first float64, quantum Units, v, w Weight) float64 {
	small := min(float64(v.num)/float64(v.den), float64(w.num)/float64(w.den))
	return max(first, float64(quantum)/small)
}

// part returns a vertex's share among its siblings.
func (n *Node) part(i int32) float64 {
	return float64(n.verts[i].weight) / float64(n.groups[n.verts[n.verts[i].parent].group].all)
}
