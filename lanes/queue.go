// The waiting room of the make and keyed kernels: one line.

package lanes

import "time"

// Queue is a bounded line, first come, first served, from which batches leave
// when they are full or their oldest input has waited MaxBatchDelay, as long as
// fewer than MaxInFlight are out. What is due and finds no slot free keeps
// filling up to the bounds of a batch until one is.
//
// Invariants:
//
//  1. Queued and QueuedWeight never pass MaxQueued and MaxQueuedWeight.
//  2. InFlight never passes MaxInFlight.
//  3. An input is in the room from the Admit that answered Admitted to exactly
//     one of Take, Withdraw and Drain.
type Queue[E any] struct {
	room
	items      slab[item[E]]
	head, tail int32

	forming time.Duration // total time in which inputs waited and no batch could have left for want of more
}

// NewQueue returns an empty room.
func NewQueue[E any](cfg Config) *Queue[E] {
	q := &Queue[E]{room: room{cfg: cfg}}
	q.items.fork(new(owner))
	return q
}

// Snapshot returns a fork of q, in O(1).
func (q *Queue[E]) Snapshot() *Queue[E] {
	c := *q
	q.items.fork(new(owner))
	c.items.fork(new(owner))
	c.items.forgetSpare()
	return &c
}

// ready says whether a batch could leave now, slots aside.
func (q *Queue[E]) ready(now time.Duration) bool {
	if q.full(q.stats.Queued, q.stats.QueuedWeight) {
		return q.head != 0
	}
	if q.head == 0 {
		return false
	}
	oldest := q.items.get(q.head)
	return q.due(oldest.at, oldest.seq, now)
}

// tick brings the clocks up to now, before anything changes.
func (q *Queue[E]) tick(now time.Duration) time.Duration {
	was := q.now
	now = q.advance(now)
	if now > was && q.head != 0 && !q.ready(was) {
		// Nothing but time has passed since: only a deadline can have made it ready.
		q.forming += min(now, q.deadline(q.items.get(q.head).at)) - was
	}
	return now
}

// Admit lets an input in at the end of the line, or says why not. The Ref is
// for Withdraw.
func (q *Queue[E]) Admit(now time.Duration, entry E, weight int64) (Ref, Admission) {
	now = q.tick(now)
	if q.closed {
		return Ref{}, Closed
	}
	if a := q.door(weight); a != Admitted {
		return Ref{}, a
	}
	q.seq++
	slot, it := q.items.alloc()
	*it = item[E]{entry: entry, at: now, weight: weight, seq: q.seq, prev: q.tail, forming: q.forming}
	if q.tail != 0 {
		q.items.mut(q.tail).next = slot
	} else {
		q.head = slot
	}
	q.tail = slot
	q.enter(weight)
	return Ref{slot, q.seq}, Admitted
}

// Ready says whether Take would find a batch now.
func (q *Queue[E]) Ready(now time.Duration) bool {
	return q.slotFree() && q.ready(max(now, q.now))
}

// Due returns when Take will find a batch by the passing of time alone; ok is
// false if it never will, for want of a slot too, or does so already.
func (q *Queue[E]) Due() (at time.Duration, ok bool) {
	if q.head == 0 || !q.slotFree() || q.ready(q.now) {
		return 0, false
	}
	at = q.deadline(q.items.get(q.head).at)
	return at, at != Never
}

// Take moves the next batch into b, or reports false and leaves b alone. A
// batch that was taken is out until Release.
func (q *Queue[E]) Take(now time.Duration, b *Batch[E]) bool {
	now = q.tick(now)
	if !q.slotFree() || !q.ready(now) {
		return false
	}
	cause := LeftDelay
	if oldest := q.items.get(q.head); q.early(oldest.at, now) {
		cause = LeftClose
	}
	b.Items, b.Weight, b.Lane = b.Items[:0], 0, 0
	for q.head != 0 {
		slot := q.head
		it := q.items.get(slot)
		if !q.fits(len(b.Items), b.Weight, it.weight) {
			break
		}
		forming := q.forming - it.forming
		b.Items = append(b.Items, Taken[E]{
			Entry: it.entry, At: it.at, Weight: it.weight,
			Wait: Wait{Forming: forming, Slot: now - it.at - forming},
		})
		b.Weight += it.weight
		q.remove(slot)
	}
	b.Left = q.leftBy(len(b.Items), b.Weight, q.head != 0, cause)
	q.out(false)
	return true
}

// remove unlinks and frees a slot.
func (q *Queue[E]) remove(slot int32) {
	it := q.items.get(slot)
	prev, next := it.prev, it.next
	q.leave(it.weight)
	q.items.free(slot)
	if prev != 0 {
		q.items.mut(prev).next = next
	} else {
		q.head = next
	}
	if next != 0 {
		q.items.mut(next).prev = prev
	} else {
		q.tail = prev
	}
}

// Release says that a batch's call is over.
func (q *Queue[E]) Release(now time.Duration, _ LaneRef) {
	q.tick(now)
	q.back(false)
}

// Withdraw takes an input out of the line, and reports whether it was still
// there.
func (q *Queue[E]) Withdraw(now time.Duration, ref Ref) bool {
	q.tick(now)
	it := q.items.lookup(ref.slot)
	if it == nil || it.seq != ref.seq {
		return false
	}
	q.remove(ref.slot)
	return true
}

// Flush makes everything that waits now due now.
func (q *Queue[E]) Flush(now time.Duration) {
	q.tick(now)
	q.flushed = q.seq
}

// Reconfigure changes the settings in one step. Nothing that waits is lost or
// changes its order. What is out stays out, and what waits stays, though the new
// bounds be lower: the room admits again once it is within them.
func (q *Queue[E]) Reconfigure(now time.Duration, cfg Config) {
	q.tick(now)
	q.cfg = cfg
}

// Drain closes the room and empties it, calling f with every entry that
// waited, oldest first. Batches that are out stay out until their Release.
// Draining a closed room does nothing.
func (q *Queue[E]) Drain(now time.Duration, f func(E)) {
	q.tick(now)
	q.closed = true
	for q.head != 0 {
		e := q.items.get(q.head).entry
		q.remove(q.head)
		f(e)
	}
}

// Each calls f with every entry that waits, oldest first, until f says false.
func (q *Queue[E]) Each(f func(entry E, at time.Duration, weight int64) bool) {
	for slot := q.head; slot != 0; {
		it := q.items.get(slot)
		if !f(it.entry, it.at, it.weight) {
			return
		}
		slot = it.next
	}
}

// Advance tells the room the time, for Stats.
func (q *Queue[E]) Advance(now time.Duration) { q.tick(now) }
