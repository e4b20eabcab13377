// The measured window: when it begins and ends, and what the kernel, the
// backend and the runtime say at those two moments.

package bench

import (
	"math"
	"runtime/metrics"
	"sync"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/ferry"
)

// gauges are the readings at the window's two ends.
type gauges struct {
	mu         sync.Mutex
	open, shut bool
	start, end reading
	shares     []ferry.ShareMetrics // over the window
}

// A reading is what there was to read at one moment.
type reading struct {
	at      time.Duration
	kernel  ferry.Metrics
	backend backend.Stats
	gc      collections
}

func (e *engine) read() reading {
	r := reading{at: e.now(), kernel: e.kernel.Metrics()}
	if e.sim != nil { // which has no garbage collector to speak of
		r.backend = e.sim.stats
		return r
	}
	r.backend, r.gc = e.backend.Stats(), e.collections()
	return r
}

// openAt begins the window, whose start is a time in the past, now; once, and not
// after a run that was stopped has ended it.
func (e *engine) openAt(from time.Duration) {
	e.gauges.mu.Lock()
	defer e.gauges.mu.Unlock()
	if e.gauges.open || e.gauges.shut {
		return
	}
	e.gauges.open = true
	e.rec.open(from)
	e.kernel.ResetPeaks()
	e.gauges.start = e.read()
	e.rec.gaugedFrom.Store(int64(e.gauges.start.at))
	e.enter(PhaseMeasure)
}

// closeAt ends the window, now, if it has begun and not ended.
func (e *engine) closeAt(to time.Duration) {
	e.gauges.mu.Lock()
	defer e.gauges.mu.Unlock()
	if e.gauges.shut {
		return
	}
	e.gauges.shut = true
	from, _ := e.rec.window()
	if !e.gauges.open {
		from = to // it never began: it is empty
		e.rec.open(from)
	}
	e.rec.close(to)
	slots := slotsIn(to - from)
	e.series.close(slots)
	if e.gauges.open {
		e.gauges.end, e.gauges.shares = e.read(), e.kernel.Shares()
		e.rec.gaugedTo.Store(int64(e.gauges.end.at))
		e.gauge(slots-1, e.gauges.end.kernel) // the watch may come too late for a short one
	}
}

// conduct opens and closes a window whose times are known beforehand.
func (e *engine) conduct() {
	if e.plan.byIndex {
		return // the generator does it
	}
	if _, ok := e.sleepUntil(e.plan.warmup); !ok {
		return
	}
	e.openAt(e.plan.warmup)
	if end := e.plannedEnd(); end != unknown {
		if _, ok := e.sleepUntil(end); ok {
			e.closeAt(end)
		}
	}
}

// plannedEnd returns when the window ends, as far as that is known: a bound on
// items ends it with the last, and so does a trace.
func (p *plan) plannedEnd() time.Duration {
	if p.load.Duration == 0 || p.load.Trace != "" && !p.load.Closed && !p.load.Rate.Max {
		return unknown
	}
	return p.load.Duration
}

func (e *engine) plannedEnd() time.Duration { return e.plan.plannedEnd() }

// measuredTime returns the window's length, 0 if there was none.
func (e *engine) measuredTime() time.Duration {
	from, to := e.rec.window()
	if !e.gauges.open || !e.gauges.shut {
		return 0
	}
	return max(0, to-from)
}

// collections are the garbage collector's account since the process began.
type collections struct {
	cycles uint64
	pauses *metrics.Float64Histogram
}

func (e *engine) collections() collections {
	if e.plan.garbage != nil {
		return e.plan.garbage()
	}
	return readCollections()
}

// readCollections asks the runtime, which answers in microseconds.
func readCollections() collections {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(samples)
	var c collections
	if samples[0].Value.Kind() == metrics.KindUint64 {
		c.cycles = samples[0].Value.Uint64()
	}
	if samples[1].Value.Kind() == metrics.KindFloat64Histogram {
		c.pauses = samples[1].Value.Float64Histogram()
	}
	return c
}

// since returns how many collections there were after an earlier reading, and
// upper bounds on the longest of their pauses and on all of them together, in
// nanoseconds.
func (c collections) since(earlier collections) (cycles uint64, longest, total Num) {
	if c.pauses == nil || earlier.pauses == nil || len(c.pauses.Counts) != len(earlier.pauses.Counts) {
		return c.cycles - earlier.cycles, Num{}, Num{}
	}
	most, sum := 0.0, 0.0
	for i, n := range c.pauses.Counts {
		if n > earlier.pauses.Counts[i] {
			bound := c.pauses.Buckets[i+1]
			if math.IsInf(bound, 1) {
				bound = c.pauses.Buckets[i]
			}
			most = bound * 1e9
			sum += most * float64(n-earlier.pauses.Counts[i])
		}
	}
	return c.cycles - earlier.cycles, Some(most), Some(sum)
}
