// Changing a weight: a new generation of the edge, once the old one has drained.
//
// What was granted at the old weight stays accounted at the old weight, so an
// edge never changes; it closes. From then on nothing more is granted through
// it, what its lanes hold flows back, and when the last call in flight below it
// is over it retires and its successor is seated at the front of its siblings.
// A group's successor is a new group: the edges below it are renewed with it,
// since what they were granted came through the edge that is gone.

package fairshare

import (
	"fmt"
	"slices"
	"strings"
)

// A closed generation keeps its account for good.
type closed struct {
	vert   int32
	parent int  // generation of the group above it
	seated bool // it ever was
	book
}

// SetWeight changes the weight of a share lane ("acme/interactive") or a group
// ("acme" or "acme/"). The lanes below drain first: until their calls in flight
// have settled they are blocked, and then they are level with their siblings. Handles
// and reservations stay valid. Setting it again before that replaces the weight
// to come. An error changes nothing.
func (n *Node) SetWeight(path string, w Weight) error {
	name := strings.TrimSuffix(path, "/")
	i := int32(slices.Index(n.names, name))
	switch {
	case name == "":
		return fmt.Errorf("the root has no weight; name a share lane or a group")
	case i < 0:
		return fmt.Errorf("%w %q", ErrUnknownLane, path)
	case w.IsZero():
		return fmt.Errorf("share %q has no weight; give more than 0 and at most %d", path, MaxWeight)
	}
	v, b := &n.verts[i], &n.books[i]
	if !v.drains && w == b.weight {
		return nil
	}
	if err := n.rescale(i, w); err != nil {
		return err
	}
	b.next = w
	if v.drains {
		return nil
	}
	n.setStale(v.parent)
	v.drains = true
	n.draining = append(n.draining, i)
	n.block(i)
	return nil
}

// rescale brings the weights of i's siblings, with w for i itself, to one
// denominator, and takes i out of its tree. The order of the others stays, as
// they all scale alike.
func (n *Node) rescale(i int32, w Weight) error {
	g := &n.groups[n.verts[n.verts[i].parent].group]
	list := n.weights(g)
	for j, c := range g.children {
		switch {
		case c == i:
			list[j] = w
		case n.verts[c].drains:
			list[j] = n.books[c].next
		}
	}
	common, scaled, err := scale(list)
	if err != nil {
		return fmt.Errorf("the weights in group %q %w", n.names[g.self]+"/", err)
	}
	if n.verts[i].linked {
		n.remove(i)
		n.verts[i].linked, n.verts[i].busy = false, false
	}
	g.common, g.weight, g.all = common, 0, 0
	for j, c := range g.children {
		n.verts[c].weight = scaled[j]
		g.all += scaled[j]
		if n.verts[c].linked && n.verts[c].busy {
			g.weight += scaled[j]
		}
	}
	return nil
}

// block recomputes which vertices from i down drain, or lie below one that does.
func (n *Node) block(i int32) {
	v := &n.verts[i]
	v.blocked = v.drains || n.verts[v.parent].blocked
	if v.leaf != 0 {
		n.changed(v.leaf)
		return
	}
	for _, c := range n.groups[v.group].children {
		n.block(c)
	}
}

// renew opens the next generation of every vertex that has drained, and reports
// whether there was one. Groups come before what is below them, which needs no
// generation of its own in between.
func (n *Node) renew() bool {
	slices.Sort(n.draining)
	some := false
	for _, i := range n.draining {
		if n.verts[i].drains && n.books[i].outstanding() == 0 {
			n.reopen(i, n.books[n.verts[i].parent].gen)
			n.block(i)
			some = true
		}
	}
	n.draining = slices.DeleteFunc(n.draining, func(i int32) bool { return !n.verts[i].drains })
	return some
}

// reopen retires the edges from i down, and puts newborn ones in their place.
// above is the generation of the group that they hang below.
func (n *Node) reopen(i int32, above int) {
	v, b := &n.verts[i], &n.books[i]
	gen := b.gen
	n.retired = append(n.retired, closed{vert: i, parent: above, seated: !v.newborn, book: *b})
	next := book{gen: b.gen + 1, weight: b.weight}
	if v.drains {
		next.weight = b.next
	}
	*b = next
	if v.linked {
		n.remove(i)
	}
	v.ev, v.linked, v.busy, v.newborn, v.drains = wide{}, false, false, true, false
	n.touch(i)
	if v.leaf != 0 {
		return
	}
	for _, c := range n.groups[v.group].children {
		n.reopen(c, gen)
	}
}
