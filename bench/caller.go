// Callers: the goroutines that stand in the kernel's Do on behalf of items, and
// the pool that an open loop takes them from.

package bench

import (
	"sync"
	"sync/atomic"

	"ferryctl/ferry"
	"ferryctl/workload"
)

// The states of a caller. It leaves busy states only by being recorded, so that
// those still busy after the recorder froze are the items in flight.
const (
	callerIdle     uint32 = iota
	callerWarm            // has an item of the warm-up
	callerMeasured        // has an item of the window
)

// A caller carries one item at a time through the kernel. It is the kernel's
// input as well, by pointer, so that the call and the observer can leave their
// times in it; nothing is allocated per item.
//
// Whoever holds the item writes it: the generator until it wakes the caller, the
// caller until Do, the kernel's worker from the taking until the answer, then the
// caller again.
type caller struct {
	item workload.Item
	sample
	share string // its share lane, if those divide the service
	shard *shard
	busy  atomic.Uint32
	wake  chan struct{} // buffered, 1: a token when there is an item; closed when there will be none

	next *caller // the next input of the same batch
	size int     // of the batch, in its first input
	left ferry.Left
}

// prepare gives the caller an item that is about to be handed over. A batch
// overwrites what is set here as for a direct call.
func (c *caller) prepare(measured bool) {
	c.sample = sample{scheduled: c.scheduled, weight: c.item.Weight, lane: c.item.Lane, measured: measured}
	c.next, c.size, c.left = nil, 1, ferry.LeftDirect
	state := callerWarm
	if measured {
		state = callerMeasured
	}
	c.busy.Store(state)
}

// Callers there may be at most in an open loop. A caller waiting in Do costs
// about 4 KB. They are started when needed; an arrival that finds none free and
// none left to start is unsent.
const (
	minCallers = 1 << 16 // whatever the settings
	maxCallers = 1 << 18 // however large the room
)

// callersFor returns how many callers a kernel's settings can keep busy, within
// the bounds: as many as fit the room and the calls in flight, and as many again
// that are on their way.
func callersFor(s ferry.Settings) int {
	within := func(n int) int { return min(n, maxCallers) } // so that products stay small
	out := within(s.MaxInFlightBatches) * within(s.MaxBatchSize)
	return max(minCallers, min(maxCallers, within(s.MaxQueued)+within(out)+minCallers))
}

// A pool hands out idle callers, the last used first, and starts new ones.
type pool struct {
	start func(*caller) // starts a new caller's goroutine
	max   int
	rec   *recorder
	freed chan struct{} // buffered, 1: a token when callers came back while somebody waits

	mu struct {
		sync.Mutex
		idle    []*caller
		all     []*caller
		waiting bool
		closed  bool
	}
}

func newPool(limit int, rec *recorder, start func(*caller)) *pool {
	return &pool{max: limit, rec: rec, start: start, freed: make(chan struct{}, 1)}
}

// get returns an idle caller, or nil if all are busy and there may be no more;
// then, if wait is set, freed tells when a quarter of them are back: one at a
// time would mean a switch of goroutines for each.
func (p *pool) get(wait bool) *caller {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.mu.idle); n > 0 {
		c := p.mu.idle[n-1]
		p.mu.idle = p.mu.idle[:n-1]
		return c
	}
	if len(p.mu.all) >= p.max {
		p.mu.waiting = p.mu.waiting || wait
		return nil
	}
	c := &caller{wake: make(chan struct{}, 1), shard: p.rec.shard(len(p.mu.all))}
	p.mu.all = append(p.mu.all, c)
	p.start(c)
	return c
}

// put takes a caller back and reports whether it may expect more items.
func (p *pool) put(c *caller) bool {
	p.mu.Lock()
	closed := p.mu.closed
	if !closed {
		p.mu.idle = append(p.mu.idle, c)
	}
	enough := p.mu.waiting && len(p.mu.idle) >= p.max/4
	if enough {
		p.mu.waiting = false
	}
	p.mu.Unlock()
	if enough {
		select {
		case p.freed <- struct{}{}:
		default:
		}
	}
	return !closed
}

// close ends the idle callers now and the busy ones when they come back.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.closed = true
	for _, c := range p.mu.idle {
		close(c.wake)
	}
	p.mu.idle = nil
}

// busy returns how many callers have an item, and how many of those have one of
// the window; most is how many there have ever been.
func (p *pool) busy() (all, measured, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.mu.all {
		switch c.busy.Load() {
		case callerMeasured:
			measured++
			all++
		case callerWarm:
			all++
		}
	}
	return all, measured, len(p.mu.all)
}
