// One run: a kernel, a load, a backend, and the phases that they go through.
//
//	phase     begins                       ends
//	warm-up   with the first arrival       with the window
//	window    at its planned time          at its planned time, or when stopped
//	drain     when nothing more is sent    when every caller is back, or its time is over
//
// Everything here reads the clock through engine.now and sleeps through a
// sleep.Sleeper, so that it also runs inside a testing/synctest bubble.

package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/ferry"
	"ferryctl/workload"
)

// unknown is a time that is not known yet.
const unknown = time.Duration(math.MaxInt64)

// A plan is everything that a run needs, resolved.
type plan struct {
	kernel  ferry.Settings
	load    workload.Spec
	clients int // > 0: a closed loop of so many
	callers int // most callers of an open loop

	// The window: items from index first on, if byIndex; else those scheduled at
	// warmup or later. It ends at the load's Duration, or with the last item.
	byIndex bool
	first   uint64
	warmup  time.Duration

	drain   time.Duration
	backend func() (backend.Backend, error)
	sleeper func() sleep.Sleeper
	garbage func() collections // nil: the runtime's
}

// An engine is one run under way.
type engine struct {
	plan     plan
	began    time.Time
	source   workload.Source
	kernel   account
	busy     func() (all, measured, most int) // items with the kernel now; callers there have ever been
	ferry    ferry.Ferry[*caller, struct{}]   // the kernel of a run in real time
	sim      *simulation                      // the kernel of a run in virtual time
	backend  backend.Backend
	sleeper  sleep.Sleeper
	rec      *recorder
	series   *series
	pool     *pool
	front    front
	gauges   gauges
	batches  atomic.Uint64
	phase    atomic.Int32
	watch    *watch
	live     *live // nil if nobody looks on
	segments segmentLog

	ctx     context.Context // done when offering has to stop
	halt    context.CancelFunc
	helpers sync.WaitGroup // every goroutine but the callers
	callers sync.WaitGroup

	offered  time.Duration // when the last arrival was sent
	drained  time.Duration // when the drain ended
	stopped  bool          // the run did not get to its planned end
	leftover bool          // calls were still running when the run had to leave
	final    ferry.Metrics // after the kernel has closed
}

// newEngine opens source, backend and kernel. Nothing runs yet.
func newEngine(p plan) (_ *engine, err error) {
	e := &engine{plan: p, rec: newRecorder(p.byLane()), series: newSeries()}
	e.ctx, e.halt = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			e.release()
		}
	}()
	if e.source, err = p.open(); err != nil {
		return nil, err
	}
	if e.backend, err = p.backend(); err != nil {
		return nil, fmt.Errorf("backend: %w", err)
	}
	e.sleeper = p.sleeper()
	if e.ferry, err = e.newKernel(); err != nil {
		return nil, err
	}
	e.pool = newPool(p.callers, e.rec, e.startCaller)
	e.kernel, e.busy = e.ferry, e.pool.busy
	return e, nil
}

// An account is what a run asks of its kernel, whichever clock it runs by.
type account interface {
	Metrics() ferry.Metrics
	Shares() []ferry.ShareMetrics
	ResetPeaks()
	Settings() ferry.Settings
}

// byLane reports whether items carry share lanes.
func (p *plan) byLane() bool {
	return len(p.load.Lanes) > 0 || len(p.load.LaneRates) > 0 || p.load.Trace != ""
}

// release closes what newEngine opened and run has not.
func (e *engine) release() {
	e.halt()
	if e.source != nil {
		_ = e.source.Close() // only read
	}
	if e.backend != nil {
		_ = e.backend.Close() // ends its goroutines; there is nothing to lose
	}
	if e.sleeper != nil {
		_ = e.sleeper.Close()
	}
}

// now returns the time since the run began.
func (e *engine) now() time.Duration {
	if e.sim != nil {
		return e.sim.now
	}
	return time.Since(e.began)
}

// newKernel makes the kernel that the settings name.
func (e *engine) newKernel() (ferry.Ferry[*caller, struct{}], error) {
	s := e.plan.kernel
	key := func(c *caller) uint64 { return c.item.Key }
	options := []ferry.Option[*caller]{
		ferry.WithWeigh(func(c *caller) int64 { return c.item.Weight }),
		ferry.WithObserver(&ferry.Observer[*caller]{Taken: taken}),
	}
	if e.plan.gated() {
		options = append(options, ferry.WithShares(s.Shares, func(c *caller) string { return c.share }))
	}
	switch s.Kernel {
	case "make":
		return ferry.Make(s.Config, func(ctx context.Context, in []*caller) ([]struct{}, error) {
			return make([]struct{}, len(in)), e.serve(ctx, in)
		}, options...)
	case "keyed":
		return ferry.Keyed(s.Config, key, func(ctx context.Context, in []*caller) (map[uint64]struct{}, error) {
			answers := make(map[uint64]struct{}, len(in))
			for _, c := range in {
				answers[c.item.Key] = struct{}{}
			}
			return answers, e.serve(ctx, in)
		}, options...)
	case "perkey":
		return ferry.PerKey(s.PerKeyConfig, key, func(ctx context.Context, _ uint64, in []*caller) ([]struct{}, error) {
			return make([]struct{}, len(in)), e.serve(ctx, in)
		}, options...)
	}
	return nil, fmt.Errorf("kernel %q is unknown: want make, keyed or perkey", s.Kernel)
}

// taken is the kernel's word that a batch left the room: it ties the batch's
// inputs together and leaves each one's time in the room with it.
func taken(b ferry.Batch, in []*caller, waits []ferry.Wait) {
	for i, c := range in {
		c.forming, c.turn, c.slot = waits[i].Forming, waits[i].Turn, waits[i].Slot
		c.next = nil
		if i > 0 {
			in[i-1].next = c
		}
	}
	in[0].size, in[0].left = b.Size, b.Left
}

// serve is the call: it runs the backend and stamps every input of the batch,
// also those that share another's key and were not sent.
func (e *engine) serve(ctx context.Context, in []*caller) error {
	first := in[0]
	weight := int64(0)
	for _, c := range in {
		weight += c.item.Weight
	}
	started := e.now()
	err := e.backend.Call(ctx, e.batches.Add(1)-1, len(in), weight)
	ended := e.now()
	size, left := first.size, first.left
	for c := first; c != nil; c = c.next {
		c.started, c.ended = started, ended
	}
	first.shard.batch(size, uint8(left), started, ended)
	return err
}

// startCaller starts the goroutine of a caller.
func (e *engine) startCaller(c *caller) {
	if e.plan.clients > 0 {
		e.callers.Go(func() { e.client(c) })
		return
	}
	e.callers.Go(func() {
		for range c.wake {
			e.carry(c)
			if !e.pool.put(c) {
				return
			}
		}
	})
}

// carry takes the caller's item through the kernel and records what came of it.
func (e *engine) carry(c *caller) {
	if c.sent = c.scheduled; e.plan.scheduled() { // else it cannot be late
		c.sent = e.now()
	}
	_, err := e.ferry.Do(context.Background(), c)
	c.returned = e.now()
	c.outcome = outcomeOf(err)
	c.shard.record(&c.sample, &c.busy)
}

// outcomeOf sorts the kernel's errors, the common ones without unwrapping.
func outcomeOf(err error) outcome {
	switch e := err.(type) { //nolint:errorlint // unwrapped below
	case nil:
		return outcomeDone
	case *ferry.FailedError:
		return outcomeFailed
	case *ferry.RejectedError:
		return outcomeOfBound(e)
	}
	var rejected *ferry.RejectedError
	if errors.As(err, &rejected) {
		return outcomeOfBound(rejected)
	}
	return outcomeCancelled
}

func outcomeOfBound(e *ferry.RejectedError) outcome {
	switch {
	case e.Bound == ferry.BoundWeight && e.Share != "":
		return outcomeRejectedPartWeight
	case e.Bound == ferry.BoundWeight:
		return outcomeRejectedWeight
	case e.Share != "":
		return outcomeRejectedPart
	}
	return outcomeRejectedCount
}
