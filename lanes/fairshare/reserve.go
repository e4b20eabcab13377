// Reservations: what a call is charged, and the lanes that may make one now.

package fairshare

import "fmt"

// A Reservation names one execution's earmarked units, from Reserve until the
// first Complete or Cancel. The zero Reservation is untagged work's: settling
// it does nothing.
type Reservation struct {
	slot int32
	seq  uint64
}

type call struct {
	seq  uint64 // 0: the slot is free
	leaf Leaf
	max  Units
}

// Reserve earmarks cost units of a share lane for one execution. An untagged
// one is free: it gets the zero Reservation and nothing is counted.
//
// A lane that doesn't hold so much gets [ErrDeferred], or [ErrBlocked] while it
// drains: nothing is lost, ask again when it has the turn. Errors that no
// waiting cures wrap [ErrUnknownLane], [ErrNeverFits], [ErrAmount] or
// [ErrOverflow].
func (n *Node) Reserve(leaf Leaf, cost Units) (Reservation, error) {
	if leaf == Untagged {
		return Reservation{}, nil
	}
	if !n.known(leaf) {
		return Reservation{}, ErrUnknownLane
	}
	if err := n.fits(leaf, cost); err != nil {
		return Reservation{}, err
	}
	l := &n.lanes[leaf]
	switch {
	case n.verts[l.vert].blocked:
		return Reservation{}, ErrBlocked
	case l.held < cost && n.err != nil:
		return Reservation{}, n.err
	case l.held < cost, n.cfg.MaxOutstanding > 0 && cost > n.cfg.MaxOutstanding-l.earmarked:
		return Reservation{}, ErrDeferred
	}
	l.held -= cost
	l.earmarked += cost
	n.changed(leaf)
	n.seq++
	n.open++
	slot := int32(len(n.calls))
	if k := len(n.spare); k > 0 {
		slot, n.spare = n.spare[k-1], n.spare[:k-1]
	} else {
		n.calls = append(n.calls, call{})
	}
	n.calls[slot] = call{seq: n.seq, leaf: leaf, max: cost}
	return Reservation{slot, n.seq}, nil
}

// Claim reserves for a call that doesn't wait in its lane's backlog: it gets
// the reservation if its lane has the turn once the call is counted as
// backlog, and [ErrDeferred] otherwise. The declared backlog stays as it was.
func (n *Node) Claim(leaf Leaf, cost Units) (Reservation, error) {
	if leaf == Untagged {
		return Reservation{}, nil
	}
	if !n.known(leaf) {
		return Reservation{}, ErrUnknownLane
	}
	l := &n.lanes[leaf]
	units, head := l.units, l.head
	if err := n.SetBacklog(leaf, max(cost, units), cost); err != nil {
		return Reservation{}, err
	}
	res, err := Reservation{}, ErrDeferred
	if turn, ok := n.Turn(); !ok || turn == leaf {
		res, err = n.Reserve(leaf, cost)
	}
	l.units, l.head = units, head
	n.changed(leaf)
	return res, err
}

// Complete settles an execution: actual units are charged to the groups on its
// lane's path as they were when it was reserved, and the rest of what was
// earmarked is the lane's again. Only the first settling of a reservation
// counts. An error wrapping [ErrAmount] says that actual is not between 0 and
// what was reserved; the reservation then stands.
//
// Charge what the execution used even if it failed. A lane whose calls are
// charged nothing is owed the same turn again.
func (n *Node) Complete(res Reservation, actual Units) error {
	if res.seq == 0 || int(res.slot) >= len(n.calls) || n.calls[res.slot].seq != res.seq {
		return nil
	}
	c := &n.calls[res.slot]
	if actual < 0 || actual > c.max {
		return fmt.Errorf("%w: %d units settled of %d reserved", ErrAmount, actual, c.max)
	}
	l := &n.lanes[c.leaf]
	// A path only changes once it has drained, so the captured path is this one.
	n.books[l.vert].leaf += actual
	for i := n.verts[l.vert].parent; i != 0; i = n.verts[i].parent {
		n.books[i].rollup += actual
	}
	l.earmarked -= c.max
	l.held += c.max - actual
	n.changed(c.leaf)
	c.seq = 0
	n.spare = append(n.spare, res.slot)
	n.open--
	return nil
}

// Cancel settles an execution that never took place: it is charged nothing.
func (n *Node) Cancel(res Reservation) {
	// 0 units are never out of range.
	_ = n.Complete(res, 0)
}

// setReady moves a lane into or out of the heap of those that hold their next
// call's cost. Among them the lowest handle comes first: what they hold was
// granted in its order already.
func (n *Node) setReady(leaf Leaf, ready bool) {
	l := &n.lanes[leaf]
	if (l.place > 0) == ready {
		return
	}
	if ready {
		n.ready = append(n.ready, leaf)
		n.siftUp(len(n.ready) - 1)
		return
	}
	at, last := int(l.place)-1, len(n.ready)-1
	moved := n.ready[last]
	n.ready = n.ready[:last]
	l.place = 0
	if at == last {
		return
	}
	n.ready[at] = moved
	n.siftUp(at)
	n.siftDown(int(n.lanes[moved].place) - 1)
}

func (n *Node) siftUp(at int) {
	leaf := n.ready[at]
	for at > 0 && leaf < n.ready[(at-1)/2] {
		n.put(at, n.ready[(at-1)/2])
		at = (at - 1) / 2
	}
	n.put(at, leaf)
}

func (n *Node) siftDown(at int) {
	leaf := n.ready[at]
	for {
		child := 2*at + 1
		if child >= len(n.ready) {
			break
		}
		if child+1 < len(n.ready) && n.ready[child+1] < n.ready[child] {
			child++
		}
		if leaf < n.ready[child] {
			break
		}
		n.put(at, n.ready[child])
		at = child
	}
	n.put(at, leaf)
}

func (n *Node) put(at int, leaf Leaf) {
	n.ready[at] = leaf
	n.lanes[leaf].place = int32(at) + 1
}
