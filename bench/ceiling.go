// The generator's own ceiling: how many items per second the same generator,
// kernel and workload come to when the backend takes no time. A load near it
// measures the generator, whatever the kernel does.

package bench

import (
	"time"

	"ferryctl/bench/backend"
	"ferryctl/ferry"
	"ferryctl/workload"
)

const (
	// ceilingSettle is how long the generator runs before its ceiling is measured.
	ceilingSettle = 100 * time.Millisecond

	// The ceiling is the best of so many parts of that length: what else the
	// machine does in one of them lowers it, and nothing raises it.
	ceilingParts = 4
	ceilingPart  = 50 * time.Millisecond

	// ceilingCallers is how many items are with the kernel at once.
	ceilingCallers = 1024

	// ceilingItems is how many items a part needs to say anything.
	ceilingItems = 200
)

// ceilingPlan turns a plan into the one for its ceiling: as fast as it can, no
// waiting for company, room for every caller.
func ceilingPlan(p plan) plan {
	p.kernel.MaxBatchDelay = 0
	p.kernel.MaxQueued = max(p.kernel.MaxQueued, ceilingCallers, p.clients)
	p.kernel.MaxQueuedWeight = 0
	p.kernel.Policy = ferry.RoomShared
	p.load.Items, p.load.Duration = 0, 0
	p.byIndex, p.first, p.warmup = false, 0, 0
	p.drain = time.Second
	p.backend = func() (backend.Backend, error) { return backend.New(backend.Spec{}, p.load.Seed) }
	if p.clients > 0 {
		return p
	}
	p.callers = ceilingCallers
	p.load.Rate = workload.Rate{Max: true}
	if p.load.Arrivals.Kind != workload.FromTrace {
		p.load.Arrivals = workload.Arrivals{}
	}
	for _, l := range p.load.LaneRates { // tags by fraction draw about as much
		p.load.Lanes = append(p.load.Lanes, workload.LaneFraction{Lane: l.Lane, Fraction: max(l.Rate.PerSecond, l.Rate.Ramp.To)})
	}
	p.load.LaneRates = nil
	return p
}

// measureCeiling returns the ceiling in items per second. It is missing if the
// run was stopped meanwhile, or if there were too few items to tell.
func measureCeiling(p plan, o Options) Num {
	e, err := newEngine(ceilingPlan(p))
	if err != nil {
		return Num{} // what is wrong will be said of the run itself
	}
	defer e.release()
	begun := Progress{Phase: PhaseCeiling, Total: p.load.Duration, Items: p.load.Items}
	if o.Progress != nil {
		o.Progress(begun)
	}
	if o.Live != nil {
		o.Live.newest.Store(&Snapshot{Progress: begun})
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = e.run(stop, o.Kill, nil) // a trace's fault will be said of the run itself
	}()
	defer func() {
		close(stop)
		<-done
	}()
	best := Num{}
	for part := range 1 + ceilingParts {
		wait, began, from := ceilingPart, time.Now(), e.answered()
		if part == 0 {
			wait = ceilingSettle
		}
		select {
		case <-time.After(wait):
		case <-done: // the trace was short
		case <-o.Stop:
			return Num{}
		}
		items := e.answered() - from
		rate := Ratio(items, time.Since(began).Seconds()).Or(0)
		if items >= ceilingItems && rate > best.Or(0) {
			best = Some(rate)
		}
	}
	return best
}

// answered returns how many items have come back so far.
func (e *engine) answered() float64 {
	_, whole := e.rec.progress()
	return float64(whole.answered())
}

// setCeiling compares the load with the ceiling. What was handed over in the
// window was more than the ceiling if that was measured in a bad moment, or if
// the kernel did more without its calls than with them: then it is the ceiling.
func setCeiling(r *Result, f *facts, ceiling Num) {
	m := &r.Measurement
	m.GeneratorCeiling = ceiling
	load := r.Rates.Offered
	v, ok := ceiling.Get()
	if !ok || !load.Known() {
		return
	}
	handed := r.Counts.Offered - r.Counts.Unsent
	if f.scheduled {
		handed = f.inTime
	}
	if achieved := Ratio(float64(handed), r.Window.Measured.Or(0)).Or(0); achieved > v {
		f.outran, v = true, achieved
		m.GeneratorCeiling = Some(v)
	}
	m.GeneratorLoad = Ratio(load.Or(0), v)
}
