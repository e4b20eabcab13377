// A group's children in the order of their virtual service: two treaps a
// group, one of the children that have dispatchable work and one of the others.
// The nodes are the vertices themselves, and their priorities a hash of their
// place, so the shape is a function of the keys alone. Each busy one knows the
// earliest deadline below it, which makes "eligible, with the earliest deadline" one
// walk from the root. O(log n) for n children.
//
// Stoica & Abdel-Wahab, "Earliest eligible virtual deadline first", 1995, for
// the rule and the augmented tree; Seidel & Aragon, "Randomized search trees",
// Algorithmica 1996, for the treap.

package fairshare

// before orders vertices by virtual service, then by place, which among
// siblings is the order of their ids' bytes.
func (n *Node) before(a, b int32) bool {
	x, y := &n.verts[a], &n.verts[b]
	c := compare(x.ev, x.weight, y.ev, y.weight)
	return c < 0 || c == 0 && a < b
}

// earlier orders vertices by the deadline of what each asks for, then by place.
func (n *Node) earlier(a, b int32) bool {
	x, y := &n.verts[a], &n.verts[b]
	c := compare(x.ev.add(steps(x.ask)), x.weight, y.ev.add(steps(y.ask)), y.weight)
	return c < 0 || c == 0 && a < b
}

// priority scrambles a vertex's place (the finaliser of SplitMix64).
func priority(i int32) uint64 {
	x := uint64(i) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// pull re-reads the earliest deadline of i's subtree from its children's.
func (n *Node) pull(i int32) {
	v := &n.verts[i]
	v.best = i
	if v.left != 0 && n.earlier(n.verts[v.left].best, v.best) {
		v.best = n.verts[v.left].best
	}
	if v.right != 0 && n.earlier(n.verts[v.right].best, v.best) {
		v.best = n.verts[v.right].best
	}
}

// pullUp does so for i and all above it that a new deadline of i's may change.
func (n *Node) pullUp(i int32) {
	for at := i; at != 0; at = n.verts[at].up {
		was := n.verts[at].best
		n.pull(at)
		if was != i && n.verts[at].best != i {
			return
		}
	}
}

// root returns the root of the tree that i belongs in.
func (n *Node) root(i int32) *int32 {
	g := &n.groups[n.verts[n.verts[i].parent].group]
	if n.verts[i].busy {
		return &g.busy
	}
	return &g.idle
}

// insert hangs a vertex in its group's tree and its service in the totals.
func (n *Node) insert(i int32) {
	v := &n.verts[i]
	root := n.root(i)
	v.left, v.right, v.up, v.best = 0, 0, 0, i
	if v.busy {
		g := &n.groups[n.verts[v.parent].group]
		g.sum, g.weight = g.sum.add(v.ev), g.weight+v.weight
	}
	if *root == 0 {
		*root = i
		return
	}
	at := *root
	for {
		next := &n.verts[at].right
		if n.before(i, at) {
			next = &n.verts[at].left
		}
		if *next == 0 {
			*next = i
			break
		}
		at = *next
	}
	v.up = at
	for p := priority(i); v.up != 0 && p < priority(v.up); {
		below := v.up
		n.rotateUp(i, root)
		n.pull(below)
	}
	n.pull(i)
	for at := v.up; at != 0 && n.earlier(i, n.verts[at].best); at = n.verts[at].up {
		n.verts[at].best = i
	}
}

// remove takes a vertex out of its group's tree and totals.
func (n *Node) remove(i int32) {
	v := &n.verts[i]
	root := n.root(i)
	if v.busy {
		g := &n.groups[n.verts[v.parent].group]
		g.sum, g.weight = g.sum.sub(v.ev), g.weight-v.weight
	}
	risen := 0
	for v.left != 0 && v.right != 0 {
		child := v.left
		if priority(v.right) < priority(child) {
			child = v.right
		}
		n.rotateUp(child, root)
		risen++
	}
	child := max(v.left, v.right)
	if child != 0 {
		n.verts[child].up = v.up
	}
	n.replace(v.up, i, child, root)
	for at := v.up; at != 0 && (risen > 0 || n.verts[at].best == i); at = n.verts[at].up {
		n.pull(at)
		risen--
	}
}

// rotateUp makes i the parent of its parent. The deadlines below the two are
// for the caller to re-read.
func (n *Node) rotateUp(i int32, root *int32) {
	v := &n.verts[i]
	p := v.up
	parent := &n.verts[p]
	if parent.left == i {
		parent.left = v.right
		if v.right != 0 {
			n.verts[v.right].up = p
		}
		v.right = p
	} else {
		parent.right = v.left
		if v.left != 0 {
			n.verts[v.left].up = p
		}
		v.left = p
	}
	n.replace(parent.up, p, i, root)
	v.up, parent.up = parent.up, i
}

// replace makes child the child of up, in the place of old.
func (n *Node) replace(up, old, child int32, root *int32) {
	switch {
	case up == 0:
		*root = child
	case n.verts[up].left == old:
		n.verts[up].left = child
	default:
		n.verts[up].right = child
	}
}

// move changes a vertex's virtual service, which re-orders it if it is in a tree.
func (n *Node) move(i int32, ev wide) {
	v := &n.verts[i]
	if !v.linked {
		v.ev = ev
		return
	}
	n.remove(i)
	v.ev = ev
	n.insert(i)
}

// pick returns the eligible busy child of group g with the earliest deadline:
// of those whose virtual service is at most the weighted mean V. Some child is,
// since a mean is no less than the least. 0 if no child is busy.
func (n *Node) pick(g *group) int32 {
	best := int32(0)
	for at := g.busy; at != 0; {
		v := &n.verts[at]
		if compare(v.ev, v.weight, g.sum, g.weight) > 0 {
			at = v.left
			continue
		}
		if best == 0 || n.earlier(at, best) {
			best = at
		}
		if v.left != 0 && n.earlier(n.verts[v.left].best, best) {
			best = n.verts[v.left].best
		}
		at = v.right
	}
	return best
}
