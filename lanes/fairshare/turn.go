// Whose turn it is: declared backlog in, grants out.
//
// The steps are those of the just-in-time scheme: take back what nobody needs,
// seat the joiners, and, unless a lane already holds its next call's cost, mint
// what the root lacks and grant it down the tree by EEVDF. In a tree, a group
// stands among its siblings with what its own winner would be granted, so a
// grant goes all the way to a leaf and nothing is parked on the way (Bennett &
// Zhang, "Hierarchical packet fair queueing algorithms", 1996).

package fairshare

import "fmt"

// SetBacklog declares what a share lane could dispatch now: how many units in
// all, and what its next call costs. units 0 says that it has nothing to
// dispatch; head is then ignored. Only the last declaration before a
// [Node.Turn] counts.
//
// It returns an error wrapping [ErrNeverFits] if head is above MaxOutstanding
// or the whole supply, [ErrAmount] if it is not 0 < head <= units, or [ErrUnknownLane], and then
// changes nothing.
func (n *Node) SetBacklog(leaf Leaf, units, head Units) error {
	if leaf == Untagged {
		return nil
	}
	if !n.known(leaf) {
		return ErrUnknownLane
	}
	if units == 0 {
		head = 0
	} else if err := n.fits(leaf, head); err != nil {
		return err
	} else if units < head {
		return fmt.Errorf("%w: a next call of %d units out of %d dispatchable ones", ErrAmount, head, units)
	}
	l := &n.lanes[leaf]
	if l.units == units && l.head == head {
		return nil
	}
	l.units, l.head = units, head
	n.changed(leaf)
	return nil
}

// fits says whether a call of this cost can ever be reserved.
func (n *Node) fits(leaf Leaf, cost Units) error {
	switch {
	case cost < 1 || cost > MaxUnits:
		return fmt.Errorf("%w: a call of share lane %s costs %d units; it must be 1 to %d", ErrAmount, n.Path(leaf), cost, MaxUnits)
	case n.cfg.MaxOutstanding > 0 && cost > n.cfg.MaxOutstanding:
		return fmt.Errorf("%w: a call of share lane %s costs %d units, more than the %d it may have outstanding",
			ErrNeverFits, n.Path(leaf), cost, n.cfg.MaxOutstanding)
	case n.cfg.Supply > 0 && cost > n.minted:
		return fmt.Errorf("%w: a call of share lane %s costs %d units, more than the whole supply of %d",
			ErrNeverFits, n.Path(leaf), cost, n.minted)
	}
	return nil
}

// changed has the next Turn look at a lane.
func (n *Node) changed(leaf Leaf) {
	if l := &n.lanes[leaf]; !l.dirty {
		l.dirty = true
		n.dirty = append(n.dirty, leaf)
	}
}

// Turn returns the share lane that may reserve now, and grants it what its next
// call costs. The answer stays the same until that lane reserves, has its
// backlog set to less, or drains. ok is false if no lane has dispatchable work,
// all that have are at a bound of their own, or the supply is spent. Call it when a slot is free.
func (n *Node) Turn() (leaf Leaf, ok bool) {
	n.settle()
	for {
		if len(n.ready) > 0 {
			return n.ready[0], true
		}
		if n.verts[0].work == 0 {
			return 0, false
		}
		n.refresh()
		if n.err = n.mint(); n.err != nil || n.held == 0 {
			return 0, false
		}
		if n.err = n.grant(); n.err != nil {
			return 0, false
		}
	}
}

// Settle takes in what was declared, without a grant: lanes that got work are
// seated now, at the front of those that have it already, and not together with
// others at the next [Node.Turn].
func (n *Node) Settle() { n.settle() }

// demanding says whether a lane could dispatch if it held enough.
func (n *Node) demanding(l *lane) bool {
	return l.units > 0 && !n.verts[l.vert].blocked &&
		(n.cfg.MaxOutstanding == 0 || l.head <= n.cfg.MaxOutstanding-l.earmarked)
}

// settle brings the tree up to date with what the lanes declared.
func (n *Node) settle() {
	n.settleLanes()
	if len(n.draining) > 0 && n.renew() {
		n.settleLanes()
	}
	n.join()
}

func (n *Node) settleLanes() {
	for _, leaf := range n.dirty {
		l := &n.lanes[leaf]
		l.dirty = false
		work := n.demanding(l)
		if !work && l.held > 0 {
			n.release(leaf)
		}
		n.setReady(leaf, work && l.held >= l.head)
		n.setWork(l.vert, work)
		n.setAsk(l)
	}
	n.dirty = n.dirty[:0]
}

// setAsk brings a lane's next grant up to date. A lane that is ready keeps the
// old one: nothing is granted while there is one.
func (n *Node) setAsk(l *lane) {
	ask := min(l.head-l.held, n.cfg.Quantum)
	if v := &n.verts[l.vert]; ask > 0 && ask != v.ask {
		v.ask = ask
		n.asked(l.vert)
	}
}

// asked re-reads what hangs on the ask of vertex i.
func (n *Node) asked(i int32) {
	v := &n.verts[i]
	if !v.linked || !v.busy {
		return
	}
	n.pullUp(i)
	n.setStale(v.parent)
}

// setStale has refresh look at a group.
func (n *Node) setStale(i int32) {
	v := &n.verts[i]
	if g := &n.groups[v.group]; i != 0 && !g.stale {
		g.stale = true
		n.stale[v.depth] = append(n.stale[v.depth], i)
	}
}

// refresh brings the groups' asks up to date, the deepest first: a group asks
// for what its winner would be granted.
func (n *Node) refresh() {
	for depth := len(n.stale) - 1; depth > 0; depth-- {
		for _, i := range n.stale[depth] {
			v := &n.verts[i]
			g := &n.groups[v.group]
			g.stale = false
			if g.busy == 0 {
				continue
			}
			if ask := n.verts[n.pick(g)].ask; ask != v.ask {
				v.ask = ask
				n.asked(i)
			}
		}
		n.stale[depth] = n.stale[depth][:0]
	}
}

// Mint adds n units to a finite supply. It returns an error wrapping
// [ErrAmount] if n is negative or the node mints on need, and [ErrOverflow].
func (n *Node) Mint(units Units) error {
	switch {
	case units < 0:
		return fmt.Errorf("%w: mint of %d units", ErrAmount, units)
	case n.cfg.Supply == 0:
		return fmt.Errorf("%w: mint of %d units, but the node mints on need", ErrAmount, units)
	case units > MaxUnits-n.minted:
		return fmt.Errorf("%w: %d units were minted, and no more than %d can be", ErrOverflow, n.minted, MaxUnits)
	}
	n.held, n.minted = n.held+units, n.minted+units
	return nil
}

// mint lifts what the root holds to one quantum. What was minted and is not
// spent is so at most what the lanes hold or have in flight, and a quantum.
func (n *Node) mint() error {
	short := n.cfg.Quantum - n.held
	if short <= 0 || n.cfg.Supply > 0 {
		return nil
	}
	if short > MaxUnits-n.minted {
		return fmt.Errorf("%w: %d units were minted, and no more than %d can be", ErrOverflow, n.minted, MaxUnits)
	}
	n.held, n.minted = n.held+short, n.minted+short
	return nil
}

// grant picks a way from the root to a lane and moves one grant down it.
func (n *Node) grant() error {
	i := n.pick(&n.groups[0])
	for n.verts[i].leaf == 0 {
		i = n.pick(&n.groups[n.verts[i].group])
	}
	leaf, units := n.verts[i].leaf, min(n.verts[i].ask, n.held)
	for j := i; j != 0; j = n.verts[j].parent {
		if n.books[j].issued > MaxUnits-units {
			return fmt.Errorf("%w: %d units passed into %s, and no more than %d can", ErrOverflow, n.books[j].issued, n.names[j], MaxUnits)
		}
	}
	n.held -= units
	for j := i; j != 0; j = n.verts[j].parent {
		n.books[j].issued += units
		n.move(j, n.verts[j].ev.add(steps(units)))
		n.setStale(n.verts[j].parent)
	}
	l := &n.lanes[leaf]
	l.held += units
	n.setReady(leaf, l.held >= l.head)
	n.setAsk(l)
	return nil
}

// release gives what a lane holds back to the root, edge by edge, and its
// virtual service with it.
func (n *Node) release(leaf Leaf) {
	l := &n.lanes[leaf]
	units := l.held
	l.held = 0
	for j := l.vert; j != 0; j = n.verts[j].parent {
		n.books[j].returned += units
		n.move(j, n.verts[j].ev.sub(steps(units)))
		n.setStale(n.verts[j].parent)
	}
	n.held += units
}
