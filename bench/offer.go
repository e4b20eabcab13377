// The generator: it takes items from the source in order and hands each over at
// its time. An open loop keeps to the schedule whatever the kernel does; a
// closed loop has clients that wait for their answers.

package bench

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/workload"
)

const (
	// giveUpAfter is how far behind its schedule an arrival may be and still be
	// sent. It bounds the burst that follows a stall of the whole machine.
	giveUpAfter = time.Second

	// paceQuantum is the least that the pacer sleeps. Above a rate of one in a
	// quantum it hands over several arrivals per wake-up.
	paceQuantum = 50 * time.Microsecond

	// lookUpEvery is how often a generator that waits looks for orders.
	lookUpEvery = 50 * time.Millisecond

	// rejectedPause is how long a client of a closed loop that was turned away
	// waits before it comes again. Without it a full room would set the clients
	// spinning, on the processors that are to empty the room.
	rejectedPause = time.Millisecond
)

// front is the generator's account of what it offered. One goroutine at a time
// writes it: the pacer, or the client that holds the source.
type front struct {
	offered  atomic.Uint64 // items of the window
	unsent   atomic.Uint64 // of those, not handed over
	noCaller atomic.Uint64 // of those, because every caller was busy
	inTime   atomic.Uint64 // handed over by the end of the window
	sent     atomic.Uint64 // handed over in all, warm-up included
	missed   atomic.Uint64 // not handed over in all

	names atomic.Pointer[[]string]  // the share lanes met by the start of this interval
	order atomic.Pointer[rateOrder] // that is still to be heeded
	cuts  frontCuts

	mu sync.Mutex // guards what follows, and a closed loop's source

	lanes    [maxLanes + 1]uint64
	slot     offer // the interval in progress
	lastAt   time.Duration
	cut      time.Duration // up to where the schedule was followed, if it was stopped
	taken    uint64        // items taken from the source
	err      error         // the source's
	finished bool          // the source has no more
	overran  bool          // the generator was so far behind that the run was ended for it
}

// bump adds one without the cost of an atomic add: there is one writer.
func bump(n *atomic.Uint64) { n.Store(n.Load() + 1) }

// measured reports whether an item belongs to the window.
func (p *plan) measured(index uint64, at time.Duration) bool {
	if p.byIndex {
		return index >= p.first
	}
	return at >= p.warmup
}

// take counts an item that was taken from the source and is due at a time; it
// opens a window that begins with it.
func (e *engine) take(it *workload.Item, at time.Duration) (measured bool) {
	f := &e.front
	measured = e.plan.measured(it.Index, at)
	if measured {
		if int64(at) >= f.cuts.next.Load() {
			f.cuts.meet(at, frontCut{f.offered.Load(), f.unsent.Load()})
		}
		if e.plan.byIndex && it.Index == e.plan.first {
			e.openAt(f.lastAt)
		}
		bump(&f.offered)
		f.lanes[min(max(it.Lane, 0), maxLanes)]++
		from, _ := e.rec.window()
		if slot := int64((at - from) / slotLength); slot != f.slot.slot {
			e.series.offer(f.slot)
			f.slot = offer{slot: slot}
			names := slices.Clone(e.source.Lanes())
			f.names.Store(&names)
		}
		f.slot.offered++
	}
	f.lastAt = at
	return measured
}

// skip counts an item that is not handed over.
func (e *engine) skip(measured, noCaller bool) {
	bump(&e.front.missed)
	if !measured {
		return
	}
	bump(&e.front.unsent)
	e.front.slot.unsent++
	if noCaller {
		bump(&e.front.noCaller)
	}
}

// hand gives the item to a caller.
func (e *engine) hand(c *caller, it *workload.Item, at time.Duration, measured bool) {
	c.item, c.scheduled = *it, at
	e.tag(c)
	c.prepare(measured)
	bump(&e.front.sent)
	c.wake <- struct{}{}
}

// tag writes on a caller whose its item is. Only who holds the source may.
func (e *engine) tag(c *caller) {
	if e.plan.gated() {
		c.share = e.source.Lanes()[c.item.Lane]
	}
}

// pace is the open loop. It returns when the source is at its end or offering
// has to stop.
func (e *engine) pace() {
	defer e.finish()
	var it workload.Item
	now := e.now()
	for e.source.Next(&it) {
		e.front.taken++
		if e.front.order.Load() != nil {
			e.heed(&it, now)
		}
		if it.At > now {
			var ok bool
			if now, ok = e.awaitArrival(&it); !ok {
				e.cutShort(&it)
				return
			}
		} else if e.ctx.Err() != nil {
			e.cutShort(&it)
			return
		}
		measured := e.take(&it, it.At)
		if now-it.At > giveUpAfter {
			e.skip(measured, false)
			now = e.now()
			if end := e.plannedEnd(); end != unknown && now > end+giveUpAfter && e.source.Next(&it) {
				// Counting what cannot be sent would take longer than the run was to.
				e.front.taken++
				e.front.overran = true
				e.cutShort(&it)
				return
			}
			continue
		}
		c := e.pool.get(false)
		if c == nil {
			e.skip(measured, true)
			now = e.now()
			continue
		}
		if _, to := e.rec.window(); measured && (to == unknown || now <= to+lateAfter) {
			bump(&e.front.inTime)
		}
		e.hand(c, &it, it.At, measured)
		if now-it.At > paceQuantum {
			now = e.now() // far behind: the clock has moved while handing over
		}
	}
	e.front.finished = true
	if end := e.plannedEnd(); end != unknown {
		_, _ = e.sleepUntil(end) // the last gap is a part of the run, and can be cut short
	}
}

// sleepUntil sleeps until a time and returns the time that it is then, and
// whether to go on.
func (e *engine) sleepUntil(at time.Duration) (now time.Duration, ok bool) {
	for now = e.now(); now < at; now = e.now() {
		if e.sleeper.Sleep(e.ctx, max(at-now, paceQuantum)) != nil {
			return now, false
		}
	}
	return now, e.ctx.Err() == nil
}

// awaitArrival sleeps until an item is due, as sleepUntil does. It looks up now
// and then for an order that changes when that is.
func (e *engine) awaitArrival(it *workload.Item) (now time.Duration, ok bool) {
	for {
		now, ok = e.sleepUntil(min(it.At, e.now()+lookUpEvery))
		if !ok || now >= it.At {
			return now, ok
		}
		e.heed(it, now)
	}
}

// flood is the open loop without a schedule: an item is due when a caller is
// free for it.
func (e *engine) flood() {
	defer e.finish()
	var ended <-chan time.Time // never without a planned time
	if d := e.plan.load.Duration; d > 0 {
		timer := time.NewTimer(d - e.now())
		defer timer.Stop()
		ended = timer.C
	}
	var it workload.Item
	for e.ctx.Err() == nil {
		c := e.pool.get(true)
		for c == nil {
			select {
			case <-e.pool.freed:
			case <-ended:
				e.front.finished = true
				return
			case <-e.ctx.Done():
				return
			}
			c = e.pool.get(true)
		}
		at := e.now()
		if e.over(at) || !e.source.Next(&it) {
			e.pool.put(c)
			e.front.finished = true
			return
		}
		e.front.taken++
		e.hand(c, &it, at, e.take(&it, at))
	}
}

// over reports whether the run's planned time has passed.
func (e *engine) over(at time.Duration) bool {
	return e.plan.load.Duration > 0 && at >= e.plan.load.Duration
}

// client is one client of a closed loop: it hands over an item, waits for its
// answer, and takes the next, after a pause if it was turned away.
func (e *engine) client(c *caller) {
	for {
		e.front.mu.Lock()
		at := e.now()
		if e.ctx.Err() != nil || e.over(at) || e.front.finished {
			e.front.mu.Unlock()
			return
		}
		if !e.source.Next(&c.item) {
			e.front.finished = true
			e.front.mu.Unlock()
			e.halt()
			return
		}
		e.front.taken++
		measured := e.take(&c.item, at)
		bump(&e.front.sent)
		c.scheduled = at
		e.tag(c)
		c.prepare(measured)
		e.front.mu.Unlock()
		e.carry(c)
		if c.outcome.rejected() {
			_ = e.sleeper.Sleep(e.ctx, rejectedPause) // or until there is no more to offer
		}
	}
}

// offer runs the generator to its end: the source's, the planned time's, or the
// order to stop.
func (e *engine) offer() {
	switch {
	case e.plan.clients > 0:
		for range e.plan.clients {
			e.pool.get(false)
		}
		if d := e.plan.load.Duration; d > 0 {
			_, _ = e.sleepUntil(d) // until then, or until told to stop
		} else {
			<-e.ctx.Done()
		}
		e.finish()
	case e.plan.load.Rate.Max:
		e.flood()
	default:
		e.pace()
	}
}

// finish closes the generator's account.
func (e *engine) finish() {
	e.front.mu.Lock()
	defer e.front.mu.Unlock()
	e.front.err = e.source.Err()
	if e.front.slot != (offer{}) {
		e.series.offer(e.front.slot)
		e.front.slot = offer{slot: e.front.slot.slot}
	}
}
