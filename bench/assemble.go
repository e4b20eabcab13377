// From a finished engine to the result.

package bench

import (
	"errors"
	"fmt"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/ferry"
	"ferryctl/workload"
)

// assemble writes what the engine measured into r, and returns what the verdict
// needs besides. The engine has finished.
func (e *engine) assemble(r *Result) *facts {
	t := e.rec.totals(e.series, e.watch.next)
	window := e.measuredTime()
	_, inFlight, most := e.busy()
	f := &e.front
	from, _ := e.rec.window()
	warm := min(from, e.offered)
	r.Window = Window{Warmup: Some(warm.Seconds()), Measured: Some(window.Seconds()), Drain: Some((e.drained - e.offered).Seconds())}
	r.Counts = e.counts(t, inFlight)
	r.Rates = e.rates(r.Counts, t, window)
	r.Latency, r.Split, r.Batches, r.Histograms = t.latencies(), t.split(), t.batches.batches(), t.histograms()
	r.Lanes = []Lane{}
	if e.rec.byLane {
		r.Lanes = t.laneSections(e.source.Lanes(), &f.lanes)
	}
	r.Fairness = judgeFairness(r.Lanes, e.gauges.shares, e.kernel.Settings().Quantum, r.Batches.Size.Max.Or(0))
	r.Intervals = e.series.intervals(window)
	r.Segments = e.segmentSections()
	r.Interactive = len(r.Segments) > 0
	r.WorkloadHash, r.Items = fmt.Sprintf("%016x", e.source.Hash()), f.taken
	if e.sim == nil {
		r.Measurement.Callers = Some(float64(most))
	}
	e.readings(r, t)
	out := &facts{
		overran:   f.overran,
		scheduled: e.plan.scheduled(), saturating: !e.plan.scheduled(), inTime: e.inTime(window), noCaller: f.noCaller.Load(),
		identity: errors.Join(checkIdentity(r.Counts), checkLatencyCounts(r)), kernel: e.checkKernel(t),
	}
	if !e.stopped && !e.turnedRate() {
		out.expected = expectedItems(e.plan.load, from, from+window)
	}
	return out
}

// inTime returns how many items of the window were handed over by its end. Where
// the last item is the end, it is as many as would have been by the time that the
// last one was due, at the speed at which they were handed over.
func (e *engine) inTime(window time.Duration) uint64 {
	n := e.front.inTime.Load()
	if e.plannedEnd() != unknown || e.stopped {
		return n
	}
	behind := e.offered - e.front.lastAt - lateAfter
	if behind <= 0 || window <= 0 {
		return n
	}
	return uint64(float64(n) * float64(window) / float64(window+behind))
}

// scheduled reports whether the load has a schedule to keep.
func (p *plan) scheduled() bool { return p.clients == 0 && !p.load.Rate.Max }

func (e *engine) rates(c Counts, t *totals, window time.Duration) Rates {
	per := func(n uint64) Num { return Ratio(float64(n), window.Seconds()) }
	return Rates{
		Offered: per(c.Offered), Throughput: per(t.completed), Batches: per(t.batches.count),
		Rejected:    Ratio(float64(c.Rejected), float64(c.Offered)),
		CountBound:  Some(float64(t.window.byCount())),
		WeightBound: Some(float64(t.window.byWeight())),
		PartBound:   Some(float64(t.window.byPart())),
	}
}

// readings fills in what follows from the readings at the window's two ends.
func (e *engine) readings(r *Result, t *totals) {
	if !e.gauges.open || !e.gauges.shut {
		return
	}
	a, b := &e.gauges.start, &e.gauges.end
	queued := b.kernel.QueuedSeconds - a.kernel.QueuedSeconds
	byTime, byItems, gap := littlesLaw(queued, t.roomTime.float()/1e9, b.at-a.at)
	r.Room = Room{
		MeanQueued: byTime, MaxQueued: Some(float64(b.kernel.PeakQueued)),
		MaxQueuedWeight: Some(float64(b.kernel.PeakQueuedWeight)), MaxInFlight: Some(float64(b.kernel.PeakInFlight)),
	}
	m := &r.Measurement
	m.QueuedByTime, m.QueuedByItems = byTime, byItems
	if busy, _, _ := e.busy(); busy == 0 {
		m.LittlesLawGap = gap // else the waits of those still inside are not known
	}
	if e.sim == nil {
		cycles, longest, total := b.gc.since(a.gc)
		m.GCCount, m.GCMaxPause, m.GCPaused = Some(float64(cycles)), longest, total
	}
	if served := b.backend.Sub(a.backend); served.Calls > 0 {
		m.ServiceAsked, m.ServiceActual = Some(float64(served.MeanAsked())), Some(float64(served.MeanActual()))
		m.BackendWaited = Some(float64(served.MeanWaited()))
		if r.CostModel != nil {
			r.CostModel.Calls, r.CostModel.Extrapolated = served.Calls, served.Extrapolated
		}
	}
}

// checkKernel compares the kernel's own account with what the callers saw, over
// the whole run. It can tell only if everybody came back.
func (e *engine) checkKernel(t *totals) error {
	busy, _, _ := e.busy()
	if busy > 0 || e.leftover {
		return nil
	}
	var faults []error
	same := func(what string, kernel, callers uint64) {
		if kernel != callers {
			faults = append(faults, fmt.Errorf("%s: %d by the kernel, %d by the callers", what, kernel, callers))
		}
	}
	m := e.final
	same("handed in", m.Submitted, e.front.sent.Load())
	same("done", m.Done, t.whole.by[outcomeDone])
	same("failed", m.Failed, t.whole.by[outcomeFailed])
	same("rejected by count", m.RejectedCount, t.whole.byCount())
	same("rejected by weight", m.RejectedWeight, t.whole.byWeight())
	same("left in the room", uint64(max(0, m.Queued)), 0)
	return errors.Join(faults...)
}

// differences names every setting that the kernel runs with and was not asked
// for.
func differences(asked, effective ferry.Settings) (out []string) {
	check := func(knob string, asked, got any) {
		if asked != got {
			out = append(out, fmt.Sprintf("%s %v, not %v", knob, got, asked))
		}
	}
	bound := func(n int64) int64 {
		if n == 0 {
			return ferry.Unlimited
		}
		return n
	}
	check("kernel", asked.Kernel, effective.Kernel)
	check("batch_size", asked.MaxBatchSize, effective.MaxBatchSize)
	check("batch_weight", bound(asked.MaxBatchWeight), effective.MaxBatchWeight)
	check("batch_delay", asked.MaxBatchDelay, effective.MaxBatchDelay)
	check("in_flight", asked.MaxInFlightBatches, effective.MaxInFlightBatches)
	check("queue", asked.MaxQueued, effective.MaxQueued)
	check("queue_weight", bound(asked.MaxQueuedWeight), effective.MaxQueuedWeight)
	if !sameShares(asked.Lanes, effective.Lanes) {
		check("share", asked.Lanes, effective.Lanes)
	}
	if asked.Lanes != "" {
		check("room_policy", asked.Policy, effective.Policy)
	}
	if asked.Kernel == "perkey" {
		check("direct", !asked.NoDirect, !effective.NoDirect)
	}
	return out
}

// sameShares reports whether two lists give everybody the same weight, in
// whatever order, and whether or not they name a group's weight of 1.
func sameShares(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	x, errA := ferry.ParseShares(a)
	y, errB := ferry.ParseShares(b)
	changed, err := settings.Reshared(x, y)
	return errors.Join(errA, errB, err) == nil && len(changed) == 0
}

// expectedItems returns how many items the asked rates give between two times,
// or 0 if chance or a trace decides more than a Poisson process would.
func expectedItems(s workload.Spec, from, to time.Duration) float64 {
	if s.Closed || s.Rate.Max || s.Items > 0 || to <= from || s.Arrivals.Kind == workload.FromTrace || s.Arrivals.Kind == workload.Bursty {
		return 0
	}
	rates := []workload.Rate{s.Rate}
	for _, l := range s.LaneRates {
		rates = append(rates, l.Rate)
	}
	total := 0.0
	for _, r := range rates {
		total += integral(r, from, to)
	}
	return total
}

// integral returns the area under a rate: a ramp is a line up to Over and level
// after it, so that two trapezes are exact.
func integral(r workload.Rate, from, to time.Duration) float64 {
	if r.IsZero() {
		return 0
	}
	area := func(a, b time.Duration) float64 { return (r.At(a) + r.At(b)) / 2 * (b - a).Seconds() }
	if knee := r.Ramp.Over; r.IsRamp() && from < knee && knee < to {
		return area(from, knee) + area(knee, to)
	}
	return area(from, to)
}
