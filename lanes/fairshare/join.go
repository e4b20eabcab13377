// Who joins its siblings, and where: lanes that wake and edges that are new.

package fairshare

// setWork notes whether a lane has dispatchable work, and passes it up to the
// groups for which that makes a difference.
func (n *Node) setWork(i int32, work bool) {
	v := &n.verts[i]
	if (v.work > 0) == work {
		return
	}
	v.work = 0
	if work {
		v.work = 1
	}
	for {
		n.touch(i)
		p := v.parent
		v = &n.verts[p]
		had := v.work > 0
		if work {
			v.work++
		} else {
			v.work--
		}
		if p == 0 || had == (v.work > 0) {
			return
		}
		i = p
	}
}

func (n *Node) touch(i int32) {
	if v := &n.verts[i]; !v.touched {
		v.touched = true
		n.flipped = append(n.flipped, i)
	}
}

// join moves the vertices that got or lost work between the trees of their
// groups, and seats those that got it, or are new, at their group's front: the
// mean over those that had work before. All joiners of a group share one front,
// and none of them has a part in it.
func (n *Node) join() {
	for _, i := range n.flipped {
		if v := &n.verts[i]; v.linked && v.busy && v.work == 0 {
			n.remove(i)
			v.busy = false
			n.insert(i)
			n.setStale(v.parent)
		}
	}
	// A front is read before any joiner of its group has moved.
	for _, i := range n.flipped {
		if n.joins(i) {
			g := &n.groups[n.verts[n.verts[i].parent].group]
			if !g.fronted {
				g.fronted, g.front = true, n.frontOf(g)
			}
		}
	}
	for _, i := range n.flipped {
		n.verts[i].touched = false
		if n.joins(i) {
			n.seat(i)
		}
	}
	for _, i := range n.flipped {
		n.groups[n.verts[n.verts[i].parent].group].fronted = false
	}
	n.flipped = n.flipped[:0]
}

// joins says whether a flipped vertex is a joiner.
func (n *Node) joins(i int32) bool {
	v := &n.verts[i]
	return v.newborn || v.linked && !v.busy && v.work > 0
}

// seat puts a joiner where its group's front is, if it is behind.
func (n *Node) seat(i int32) {
	v := &n.verts[i]
	floor := n.groups[n.verts[v.parent].group].front.times(v.weight)
	if v.linked {
		n.remove(i)
	}
	if v.newborn {
		v.newborn, v.ev, n.books[i].seat = false, floor, floor
	} else if credit := steps(n.cfg.SleeperCredit); credit.less(floor) && v.ev.less(floor.sub(credit)) {
		v.ev = floor.sub(credit)
	}
	v.busy, v.linked = v.work > 0, true
	n.insert(i)
	n.setStale(v.parent)
}

// frontOf returns where group g's joiners are seated, in steps of the grid: the
// mean over the children that have work, or, if none has, the highest virtual
// service of any, so that an idle period leaves nobody in credit.
func (n *Node) frontOf(g *group) wide {
	if g.busy != 0 {
		return g.sum.up(g.weight)
	}
	at := g.idle
	if at == 0 {
		return wide{}
	}
	for n.verts[at].right != 0 {
		at = n.verts[at].right
	}
	return n.verts[at].ev.up(n.verts[at].weight)
}
