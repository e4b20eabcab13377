// The waiting room of the perkey kernel: a lane per key.

package lanes

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"time"
)

// Lanes is a bounded room in which inputs of one key wait in a lane of their
// own, in rank order, and a key has at most one call out at a time.
//
// A lane is in one of three states:
//
//	state    means                                     leaves to
//	forming  its batch is partial and not yet due      ready: full, due or flushed
//	ready    in the ready line, to be taken            busy: taken · forming: what made it full was withdrawn
//	busy     a batch or a direct call of its is out    ready or forming: released with inputs left · gone: without
//
// A lane that is not busy and has no inputs does not exist: memory follows
// what is waiting. The ready line is first come, first served; a lane released
// with inputs that are ready goes to its back, so no key starves another.
//
// Invariants:
//
//  1. Queued and QueuedWeight never pass MaxQueued and MaxQueuedWeight.
//  2. InFlight never passes MaxInFlight. Direct calls come on top.
//  3. A lane has at most one call out, and only a busy lane has one.
//  4. An input is in the room from the Admit that answered Admitted to exactly
//     one of Take, Withdraw and Drain.
type Lanes[K comparable, E any] struct {
	room
	items   slab[item[E]]
	lanes   slab[lane[K]]
	index   index
	forming vec[formingLane]
	// The ready line: a list through lane.next and lane.prev.
	first, last int32
	// A lane that is busy with a direct call and is not in the index; 0 if none.
	loner int32
}

type state uint8

const (
	isForming state = iota
	isReady
	isBusy
)

type lane[K comparable] struct {
	key   K
	hash  uint64
	chain int32 // next lane of the same bucket (see index.go)
	heap  int32 // place among the forming lanes, one-based (see deadlines.go)
	next  int32 // neighbours in the ready line
	prev  int32

	state  state
	direct bool // busy with a direct call, not a batch
	cause  Left // ready: why, unless it is full or was flushed

	count        int
	weight       int64
	oldest, tail int32 // items in arrival order
	root         int32 // items in rank order (see rank.go), if the room is ranked

	// Clocks: the total time spent forming and busy, up to date until since.
	since, inForming, inBusy time.Duration
}

// NewLanes returns an empty room.
func NewLanes[K comparable, E any](cfg Config) *Lanes[K, E] {
	l := &Lanes[K, E]{room: room{cfg: cfg}}
	o := new(owner)
	l.own(o)
	l.index.init(o)
	return l
}

func (l *Lanes[K, E]) own(o *owner) {
	l.items.fork(o)
	l.lanes.fork(o)
	l.index.heads.fork(o)
	l.forming.fork(o)
}

// Snapshot returns a fork of l, in O(1).
func (l *Lanes[K, E]) Snapshot() *Lanes[K, E] {
	c := *l
	l.own(new(owner))
	c.own(new(owner))
	c.items.forgetSpare()
	c.lanes.forgetSpare()
	return &c
}

// Hash returns the hash that Admit wants with a key. It reads nothing that
// changes, so it may run beside any other method. It panics if K is an
// interface type and key holds something that cannot be compared.
func (l *Lanes[K, E]) Hash(key K) uint64 { return maphash.Comparable(l.index.seed, key) }

// Key returns the key of a busy lane.
func (l *Lanes[K, E]) Key(ref LaneRef) K { return l.lanes.get(int32(ref)).key }

// Admit lets an input into its key's lane, or claims its key if that is idle
// and direct calls are on, or says why not. The Ref is for Withdraw, of an
// admitted input; the LaneRef is for Release, of a claimed key.
func (l *Lanes[K, E]) Admit(now time.Duration, key K, hash uint64, entry E, weight, rank int64) (Ref, LaneRef, Admission) {
	now = l.tick(now)
	if l.closed {
		return Ref{}, 0, Closed
	}
	i := l.find(key, hash)
	if i == 0 && l.cfg.Direct && l.cfg.MaxBatchDelay == 0 {
		return Ref{}, l.claim(now, key, hash), Claimed
	}
	if a := l.door(weight); a != Admitted {
		return Ref{}, 0, a
	}
	switch i {
	case 0:
		i = l.open(now, key, hash)
	case l.loner:
		l.loner = 0
		l.link(i)
	}
	return l.join(now, i, entry, weight, rank), 0, Admitted
}

// Bind changes the entry of an input that waits: for callers that make one
// only once they know that it will. It panics if the input is not there.
func (l *Lanes[K, E]) Bind(ref Ref, entry E) {
	if it := l.items.lookup(ref.slot); it == nil || it.seq != ref.seq {
		panic("lanes: bind of an input that does not wait")
	}
	l.items.mut(ref.slot).entry = entry
}

// claim makes a lane that is busy with a direct call. The only one of its kind
// stays out of the index: a call that is over before the next one comes, for
// which nobody waits, is all that a lone caller makes.
func (l *Lanes[K, E]) claim(now time.Duration, key K, hash uint64) LaneRef {
	i, ln := l.lanes.alloc()
	ln.key, ln.hash, ln.since = key, hash, now
	ln.state, ln.direct = isBusy, true
	if l.loner == 0 {
		l.loner = i
	} else {
		l.link(i)
	}
	l.out(true)
	return LaneRef(i)
}

// open makes an empty lane, forming and in neither heap nor line.
func (l *Lanes[K, E]) open(now time.Duration, key K, hash uint64) int32 {
	i, ln := l.lanes.alloc()
	ln.key, ln.hash, ln.since = key, hash, now
	l.link(i)
	return i
}

// join appends an input to a lane.
func (l *Lanes[K, E]) join(now time.Duration, i int32, entry E, weight, rank int64) Ref {
	ln := l.lanes.mut(i)
	ln.clock(now)
	l.seq++
	slot, it := l.items.alloc()
	*it = item[E]{
		entry: entry, at: now, weight: weight, rank: rank, seq: l.seq, lane: i,
		prev: ln.tail, forming: ln.inForming, turn: ln.inBusy,
	}
	if ln.tail != 0 {
		l.items.mut(ln.tail).next = slot
	} else {
		ln.oldest = slot
	}
	ln.tail = slot
	if l.cfg.Ranked {
		order[E]{&l.items, &ln.root}.insert(slot)
	}
	ln.count++
	ln.weight += weight
	l.enter(weight)
	if ln.state == isForming {
		l.settle(now, i, LeftDelay)
	}
	return Ref{slot, l.seq}
}

// settle puts a forming lane that has inputs where it belongs. cause is why it
// is ready if it is so without being full.
func (l *Lanes[K, E]) settle(now time.Duration, i int32, cause Left) {
	ln := l.lanes.mut(i)
	oldest := l.items.get(ln.oldest)
	full, due := l.full(ln.count, ln.weight), l.due(oldest.at, oldest.seq, now)
	if !full && !due {
		if ln.heap == 0 {
			l.watch(i, oldest.seq)
		}
		return
	}
	l.lineUp(now, i, cause)
}

// lineUp moves a forming lane to the back of the ready line.
func (l *Lanes[K, E]) lineUp(now time.Duration, i int32, cause Left) {
	ln := l.lanes.mut(i)
	if ln.heap != 0 {
		l.unwatch(i)
	}
	ln.clock(now)
	ln.state, ln.cause = isReady, cause
	ln.prev, ln.next = l.last, 0
	if l.last != 0 {
		l.lanes.mut(l.last).next = i
	} else {
		l.first = i
	}
	l.last = i
}

// stepOut takes a lane out of the ready line; the caller gives it a state.
func (l *Lanes[K, E]) stepOut(now time.Duration, i int32) {
	ln := l.lanes.mut(i)
	ln.clock(now)
	if ln.prev != 0 {
		l.lanes.mut(ln.prev).next = ln.next
	} else {
		l.first = ln.next
	}
	if ln.next != 0 {
		l.lanes.mut(ln.next).prev = ln.prev
	} else {
		l.last = ln.prev
	}
	ln.next, ln.prev = 0, 0
}

// clock brings a lane's clocks up to now.
func (ln *lane[K]) clock(now time.Duration) {
	switch ln.state {
	case isForming:
		ln.inForming += now - ln.since
	case isBusy:
		ln.inBusy += now - ln.since
	}
	ln.since = now
}

// tick moves the room's clock to now and every lane that became due on the
// way into the ready line, in the order in which they became due.
func (l *Lanes[K, E]) tick(now time.Duration) time.Duration {
	now = l.advance(now)
	for l.forming.n > 0 {
		top := *l.forming.get(0)
		oldest := l.items.get(l.lanes.get(top.lane).oldest)
		if !l.due(oldest.at, oldest.seq, now) {
			break
		}
		at := max(l.deadline(oldest.at), l.lanes.get(top.lane).since)
		if oldest.seq <= l.flushed || at > now {
			at = now
		}
		l.settle(at, top.lane, LeftDelay)
	}
	return now
}

// Ready says whether Take would find a batch now.
func (l *Lanes[K, E]) Ready(now time.Duration) bool {
	if !l.slotFree() {
		return false
	}
	if l.first != 0 {
		return true
	}
	if l.forming.n == 0 {
		return false
	}
	oldest := l.items.get(l.lanes.get(l.forming.get(0).lane).oldest)
	return l.due(oldest.at, oldest.seq, max(now, l.now))
}

// Due returns when Take will find a batch by the passing of time alone; ok is
// false if it never will, for want of a slot too, or does so already.
func (l *Lanes[K, E]) Due() (at time.Duration, ok bool) {
	if l.first != 0 || !l.slotFree() || l.forming.n == 0 {
		return 0, false
	}
	at = l.deadline(l.items.get(l.lanes.get(l.forming.get(0).lane).oldest).at)
	return at, at != Never
}

// Take moves the first ready lane's first batch into b and marks the lane busy
// until Release, or reports false and leaves b alone.
func (l *Lanes[K, E]) Take(now time.Duration, b *Batch[E]) bool {
	now = l.tick(now)
	i := l.first
	if i == 0 || !l.slotFree() {
		return false
	}
	l.stepOut(now, i)
	ln := l.lanes.mut(i)
	ln.state, ln.direct = isBusy, false
	cause := ln.cause
	if l.early(l.items.get(ln.oldest).at, now) {
		cause = LeftClose
	}
	b.Items, b.Weight, b.Lane = b.Items[:0], 0, LaneRef(i)
	for ln.count > 0 {
		slot := ln.oldest
		if l.cfg.Ranked {
			slot = order[E]{&l.items, &ln.root}.first()
		}
		it := l.items.get(slot)
		if !l.fits(len(b.Items), b.Weight, it.weight) {
			break
		}
		w := Wait{Forming: ln.inForming - it.forming, Turn: ln.inBusy - it.turn}
		w.Slot = now - it.at - w.Forming - w.Turn
		b.Items = append(b.Items, Taken[E]{Entry: it.entry, At: it.at, Weight: it.weight, Rank: it.rank, Wait: w})
		b.Weight += it.weight
		l.remove(ln, slot)
	}
	b.Left = l.leftBy(len(b.Items), b.Weight, ln.count > 0, cause)
	l.out(false)
	return true
}

// remove unlinks an item from its lane and frees it.
func (l *Lanes[K, E]) remove(ln *lane[K], slot int32) {
	if l.cfg.Ranked {
		order[E]{&l.items, &ln.root}.remove(slot)
	}
	it := l.items.get(slot)
	prev, next, weight := it.prev, it.next, it.weight
	l.items.free(slot)
	if prev != 0 {
		l.items.mut(prev).next = next
	} else {
		ln.oldest = next
	}
	if next != 0 {
		l.items.mut(next).prev = prev
	} else {
		ln.tail = prev
	}
	ln.count--
	ln.weight -= weight
	l.leave(weight)
}

// Release says that a lane's batch or direct call is over: the lane lines up
// again if it has inputs, and is gone otherwise. It panics if the lane has no
// call out.
func (l *Lanes[K, E]) Release(now time.Duration, ref LaneRef) {
	now = l.tick(now)
	i := int32(ref)
	if ln := l.lanes.lookup(i); ln == nil || ln.state != isBusy {
		panic(fmt.Sprintf("lanes: release of lane %d, which has no call out", ref))
	}
	ln := l.lanes.mut(i)
	l.back(ln.direct)
	if ln.count == 0 {
		l.vanish(i)
		return
	}
	ln.clock(now)
	ln.state, ln.direct = isForming, false
	cause := LeftDelay
	if l.cfg.MaxBatchDelay == 0 {
		cause = LeftFreed
	}
	l.settle(now, i, cause)
}

// remit drops a lane that is neither busy nor in line and holds nothing.
func (l *Lanes[K, E]) remit(i int32) {
	if l.lanes.get(i).heap != 0 {
		l.unwatch(i)
	}
	l.vanish(i)
}

// vanish drops a lane that holds nothing, and is in neither heap nor line.
func (l *Lanes[K, E]) vanish(i int32) {
	if i == l.loner {
		l.loner = 0
	} else {
		l.unlink(i)
	}
	l.lanes.free(i)
}

// Withdraw takes an input out of its lane, and reports whether it was still
// there. A lane that it leaves partial and not yet due forms on.
func (l *Lanes[K, E]) Withdraw(now time.Duration, ref Ref) bool {
	now = l.tick(now)
	it := l.items.lookup(ref.slot)
	if it == nil || it.seq != ref.seq {
		return false
	}
	i := it.lane
	ln := l.lanes.mut(i)
	wasOldest := ln.oldest == ref.slot
	l.remove(ln, ref.slot)
	switch {
	case ln.state == isBusy:
	case ln.count == 0:
		if ln.state == isReady {
			l.stepOut(now, i)
		}
		l.remit(i)
	case ln.state == isReady:
		l.reconsider(now, i)
	case wasOldest:
		l.unwatch(i)
		l.settle(now, i, LeftDelay)
	}
	return true
}

// Flush makes everything that waits now due now; inputs that wait behind a
// call of their key are due once it is over.
func (l *Lanes[K, E]) Flush(now time.Duration) {
	now = l.tick(now)
	l.flushed = l.seq
	l.tick(now)
}

// Drain closes the room and empties it, calling f with every entry that
// waited, in no promised order but always the same. Lanes with a call out
// stay busy until their Release. Draining a closed room does nothing.
func (l *Lanes[K, E]) Drain(now time.Duration, f func(E)) {
	now = l.tick(now)
	if l.closed {
		return
	}
	l.closed = true
	var waiting []int32
	l.lanes.each(func(i int32, ln *lane[K]) bool {
		if ln.count > 0 {
			waiting = append(waiting, i)
		}
		return true
	})
	for _, i := range waiting {
		ln := l.lanes.mut(i)
		for ln.count > 0 {
			e := l.items.get(ln.oldest).entry
			l.remove(ln, ln.oldest)
			f(e)
		}
		if ln.state == isBusy {
			continue
		}
		if ln.state == isReady {
			l.stepOut(now, i)
		}
		l.remit(i)
	}
}

// Reconfigure changes the settings, all but Ranked, in one step. Nothing that
// waits is lost or changes its order: a lane that is ready and by the new
// settings would not be forms on, a forming one that would be lines up, the
// oldest input first. What is out stays out, and what waits stays, though the
// new bounds be lower: the room admits again once it is within them. It costs
// time in proportion to the lanes.
func (l *Lanes[K, E]) Reconfigure(now time.Duration, cfg Config) {
	now = l.tick(now)
	cfg.Ranked = l.cfg.Ranked
	l.cfg = cfg
	var forming []formingLane
	var ready []int32
	l.lanes.each(func(i int32, ln *lane[K]) bool {
		switch ln.state {
		case isForming:
			forming = append(forming, formingLane{l.items.get(ln.oldest).seq, i})
		case isReady:
			ready = append(ready, i)
		}
		return true
	})
	for _, i := range ready {
		l.reconsider(now, i)
	}
	slices.SortFunc(forming, func(a, b formingLane) int { return cmp.Compare(a.seq, b.seq) })
	for _, f := range forming {
		l.settle(now, f.lane, LeftDelay)
	}
}

// reconsider lets a lane of the ready line form on if it is no longer ready.
func (l *Lanes[K, E]) reconsider(now time.Duration, i int32) {
	ln := l.lanes.get(i)
	oldest := l.items.get(ln.oldest)
	if l.full(ln.count, ln.weight) || l.due(oldest.at, oldest.seq, now) {
		return
	}
	l.stepOut(now, i)
	l.lanes.mut(i).state = isForming
	l.settle(now, i, LeftDelay)
}

// View is what Each tells of a lane.
type View[K comparable] struct {
	Key    K
	Queued int           // inputs waiting
	Weight int64         // their weight
	Oldest time.Duration // when the oldest of them was admitted; 0 if there are none
	Busy   bool          // a call of the key is out
	Direct bool          // … a direct one
}

// Each calls f with every lane, in no promised order but always the same, until
// f says false.
func (l *Lanes[K, E]) Each(f func(View[K]) bool) {
	l.lanes.each(func(_ int32, ln *lane[K]) bool {
		v := View[K]{Key: ln.key, Queued: ln.count, Weight: ln.weight, Busy: ln.state == isBusy, Direct: ln.direct}
		if ln.count > 0 {
			v.Oldest = l.items.get(ln.oldest).at
		}
		return f(v)
	})
}

// Stats returns the room's account as of the latest time it was told.
func (l *Lanes[K, E]) Stats() Stats {
	s := l.room.Stats()
	s.Lanes = int(l.lanes.live)
	return s
}

// Advance tells the room the time, for Stats.
func (l *Lanes[K, E]) Advance(now time.Duration) { l.tick(now) }
