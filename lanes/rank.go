// A ranked lane's order: a treap over the lane's items by (rank, seq), so that
// an input that overtakes ten thousand others costs a few steps, not ten
// thousand. Priorities are a hash of seq: the shape is a function of the
// inputs, never of chance.
// Seidel & Aragon, "Randomized search trees", Algorithmica 1996.

package lanes

// order is the view of one lane's tree in the slab of items.
type order[E any] struct {
	items *slab[item[E]]
	root  *int32
}

func (o order[E]) less(a, b *item[E]) bool {
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}

// priority scrambles seq (the finaliser of SplitMix64).
func priority(seq uint64) uint64 {
	seq = (seq ^ seq>>30) * 0xbf58476d1ce4e5b9
	seq = (seq ^ seq>>27) * 0x94d049bb133111eb
	return seq ^ seq>>31
}

// insert hangs a fresh item in the tree.
func (o order[E]) insert(i int32) {
	it := o.items.mut(i)
	it.left, it.right, it.up = 0, 0, 0
	if *o.root == 0 {
		*o.root = i
		return
	}
	at := *o.root
	for {
		n := o.items.get(at)
		next := n.right
		if o.less(it, n) {
			next = n.left
		}
		if next == 0 {
			break
		}
		at = next
	}
	parent := o.items.mut(at)
	if o.less(it, parent) {
		parent.left = i
	} else {
		parent.right = i
	}
	it.up = at
	for it.up != 0 && priority(it.seq) < priority(o.items.get(it.up).seq) {
		o.rotateUp(i)
	}
}

// rotateUp makes i the parent of its parent.
func (o order[E]) rotateUp(i int32) {
	it := o.items.mut(i)
	p := it.up
	parent := o.items.mut(p)
	if parent.left == i {
		parent.left = it.right
		if it.right != 0 {
			o.items.mut(it.right).up = p
		}
		it.right = p
	} else {
		parent.right = it.left
		if it.left != 0 {
			o.items.mut(it.left).up = p
		}
		it.left = p
	}
	o.replace(parent.up, p, i)
	it.up, parent.up = parent.up, i
}

// replace makes child the child of up, in the place of old.
func (o order[E]) replace(up, old, child int32) {
	if up == 0 {
		*o.root = child
		return
	}
	if g := o.items.mut(up); g.left == old {
		g.left = child
	} else {
		g.right = child
	}
}

// remove takes an item out of the tree.
func (o order[E]) remove(i int32) {
	it := o.items.mut(i)
	for it.left != 0 && it.right != 0 {
		child := it.left
		if priority(o.items.get(it.right).seq) < priority(o.items.get(child).seq) {
			child = it.right
		}
		o.rotateUp(child)
	}
	child := max(it.left, it.right)
	if child != 0 {
		o.items.mut(child).up = it.up
	}
	o.replace(it.up, i, child)
}

// first returns the item of the lowest rank, the oldest among equals, or 0.
func (o order[E]) first() int32 {
	at := *o.root
	if at == 0 {
		return 0
	}
	for {
		left := o.items.get(at).left
		if left == 0 {
			return at
		}
		at = left
	}
}

// next returns the item after i, or 0.
func (o order[E]) next(i int32) int32 {
	if right := o.items.get(i).right; right != 0 {
		return order[E]{o.items, &right}.first()
	}
	for {
		up := o.items.get(i).up
		if up == 0 || o.items.get(up).left == i {
			return up
		}
		i = up
	}
}
