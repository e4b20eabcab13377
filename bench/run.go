// The entry: settings in, result out.

package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/ferry"
	"ferryctl/lanes/fairshare"
)

// Options say how a run is watched and ended. The zero Options are a run that
// nobody watches and that goes on to its end.
type Options struct {
	// Stop, once closed, ends offering; the run drains and reports what it
	// measured so far, marked as not complete.
	Stop <-chan struct{}

	// Kill, once closed, ends the run within a few hundred milliseconds. It
	// still reports.
	Kill <-chan struct{}

	// Progress hears how the run is getting on, at most ten times a second, from
	// one goroutine off the measured path. It should return soon: while it does
	// not, intervals grow longer.
	Progress func(Progress)

	// Live, if not nil, shows the run while it goes on, and turns its knobs.
	Live *Live

	// Version is the program's, for the result.
	Version string
}

// Run makes one run with the settings and reports what happened.
//
// Settings that are not valid are refused with an error and no result. A run
// that fails on the way, for a trace that cannot be read to its end, gives both:
// the error, and what was measured until then. Missed objectives and doubtful
// measurements are no errors; they are in the result.
func Run(s settings.Settings, o Options) (*Result, error) {
	s, err := withModel(s)
	if err != nil {
		return nil, err
	}
	if !s.SeedGiven && s.Seed == 0 {
		s.Seed = rand.Uint64N(1 << 32)
	}
	if s.Clock == settings.Both {
		return runBoth(s, o)
	}
	p := planOf(s)
	if o.Live != nil && p.scheduled() {
		p.callers = maxCallers // for the largest room that may yet be asked for
	}
	r := &Result{
		Schema: Schema, Clock: s.Clock, Profile: s.Profile, Seed: s.Seed, SeedDrawn: !s.SeedGiven,
		Warnings: []string{}, CostModel: costModelOf(s.Backend),
	}
	var e *engine
	var ceiling Num
	if s.Clock == settings.Virtual {
		e, err = newSimulation(p, s.Backend)
	} else {
		ceiling = measureCeiling(p, o)
		e, err = newEngine(p)
	}
	if err != nil {
		return nil, err
	}
	defer e.release()
	r.Settings = effective(s, e.kernel.Settings())
	r.Environment = environment(o.Version) // starts now, with the first arrival
	e.join(o.Live, s, ceiling)
	var failed error
	if e.sim != nil {
		failed = e.simulate(o.Stop, o.Kill, o.Progress)
	} else {
		failed = e.run(o.Stop, o.Kill, o.Progress)
	}
	f := e.assemble(r)
	f.settings = differences(e.askedKernel(), e.kernel.Settings())
	r.Environment.Ended = time.Now().UTC()
	if e.sim != nil {
		r.Environment = anywhere(r.Environment)
	}
	r.Complete = !e.stopped && failed == nil
	setCeiling(r, f, ceiling)
	r.SLO = objective(s.SLO, r)
	judge(r, f)
	r.Warnings = append(append(r.Warnings, e.warnings(r)...), r.CostModel.warn()...)
	e.part(r)
	if failed != nil {
		return r, fmt.Errorf("the load ended early: %w", failed)
	}
	return r, nil
}

// withModel returns the settings with the backend's model read, if they are valid.
func withModel(s settings.Settings) (settings.Settings, error) {
	if err := s.Validate(); err != nil {
		return s, err
	}
	b, err := s.Backend.Load()
	if err != nil {
		return s, err
	}
	s.Backend = b
	return s, s.Validate() // by the model's costs, which were not known
}

// planOf resolves the settings.
func planOf(s settings.Settings) plan {
	p := plan{
		kernel: ferry.Settings{Kernel: s.Kernel, PerKeyConfig: ferry.PerKeyConfig{
			Config: ferry.Config{
				MaxBatchSize: count(s.BatchSize), MaxBatchWeight: s.BatchWeight, MaxBatchDelay: s.BatchDelay,
				MaxInFlightBatches: count(s.InFlight), MaxQueued: count(s.Queue), MaxQueuedWeight: s.QueueWeight,
			},
			NoDirect: s.Kernel != settings.PerKey || !s.Direct,
		}, Shares: sharesOf(s)},
		load: s.Workload(), clients: s.Clients, drain: s.Drain,
		backend: func() (backend.Backend, error) { return backend.New(s.Backend, s.Seed) },
		sleeper: sleep.New,
	}
	switch {
	case s.Items > 0 && s.Warmup.Duration == 0:
		p.byIndex = true
		p.first = min(uint64(s.Warmup.Fraction*float64(s.Items)), s.Items-1)
	case s.Warmup.Fraction > 0:
		p.warmup = time.Duration(s.Warmup.Fraction * float64(s.Duration))
	default:
		p.warmup = s.Warmup.Duration
	}
	switch {
	case s.Clients > 0:
		p.callers = s.Clients
	case s.Rate.Max:
		p.callers = saturating(p.kernel)
	default:
		p.callers = callersFor(p.kernel)
	}
	return p
}

// sharesOf turns the knobs of share lanes into the kernel's settings.
func sharesOf(s settings.Settings) ferry.Shares {
	if len(s.Share) == 0 {
		return ferry.Shares{}
	}
	policies := map[string]ferry.RoomPolicy{
		settings.Guaranteed: ferry.RoomGuaranteed, settings.Partitioned: ferry.RoomPartitioned, settings.Shared: ferry.RoomShared,
	}
	return ferry.Shares{Lanes: fairshare.FormatShares(s.Share), Policy: policies[s.RoomPolicy]}
}

// count turns a setting into the kernel's type.
func count(n int64) int {
	if n == settings.Unlimited || n > math.MaxInt {
		return ferry.Unlimited
	}
	return int(n)
}

// saturating returns how many inputs a load without a schedule keeps with the
// kernel: twice what can be in flight, so that the next batches are always
// complete, and enough that their callers never run dry.
func saturating(s ferry.Settings) int {
	within := func(n int) int { return min(n, minCallers) }
	return min(minCallers, max(1024, 2*within(s.MaxInFlightBatches)*within(s.MaxBatchSize)))
}

// effective returns the values of all knobs, those of the kernel as it has them.
func effective(s settings.Settings, k ferry.Settings) Settings {
	s.Kernel = k.Kernel
	s.BatchSize, s.BatchWeight, s.BatchDelay = int64(k.MaxBatchSize), k.MaxBatchWeight, k.MaxBatchDelay
	s.InFlight, s.Queue, s.QueueWeight = int64(k.MaxInFlightBatches), int64(k.MaxQueued), k.MaxQueuedWeight
	s.Direct = k.Kernel == settings.PerKey && !k.NoDirect
	if s.Share = nil; k.Lanes != "" {
		s.Share, _ = ferry.ParseShares(k.Lanes) // the kernel has read it
		s.RoomPolicy = k.Policy.String()
	}
	out := Settings{}
	for _, v := range s.Values() {
		value, err := json.Marshal(v.JSON)
		if err != nil { // numbers and strings only
			value, _ = json.Marshal(v.Text)
		}
		out = append(out, Setting{Knob: v.Knob, Value: value})
	}
	return out
}

// objective judges the result by the terms.
func objective(terms []slo.Term, r *Result) []SLO {
	nan := math.NaN()
	l := r.Latency.Sojourn
	return objectiveOf(terms, slo.Figures{
		Samples: l.Count, Mean: l.Mean.Or(nan), Max: l.Max.Or(nan), Throughput: r.Rates.Throughput.Or(nan),
		Offered: r.Counts.Offered, Rejected: r.Counts.Rejected, Failed: r.Counts.Failed,
		Unfairness: r.Fairness.WorstErrorRatio.Or(nan), FairnessNote: r.Fairness.Note,
		Percentile: func(percent float64) float64 {
			v, err := PercentileOf(l, r.Histograms.Sojourn, percent)
			if err != nil {
				return nan
			}
			return v.Or(nan)
		},
	})
}

// objectiveOf judges figures by the terms.
func objectiveOf(terms []slo.Term, figures slo.Figures) []SLO {
	out := []SLO{}
	for _, t := range terms {
		o := t.Evaluate(figures)
		term := SLO{Term: t.String(), Unit: t.Metric.Unit(), OK: o.OK, Note: o.Note}
		if o.Known {
			term.Value = Some(o.Value)
		}
		out = append(out, term)
	}
	return out
}

// warnings says what a reader of the figures should know.
func (e *engine) warnings(r *Result) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	switch {
	case e.front.err != nil:
		add("the load ended early, the figures are of what was measured until then: %v", e.front.err)
	case !r.Complete:
		if e.front.overran {
			add("the rest of the schedule was not even counted: that alone would have taken longer than the run")
		}
		add("the run was stopped before its end: the figures are of what was measured until then")
	}
	if n := len(r.Segments); n > 1 {
		add("knobs were turned while it ran: the settings are those of its start, the figures are over %d segments together", n)
	}
	if n := r.Latency.Sojourn.Count; n > 0 && !Enough(n, 99.9) {
		add("p99.9 rests on %s items, fewer than %d of them beyond it", human.Count(float64(n)), EnoughBeyond)
	}
	if n := r.Latency.Sojourn.Overflow; n > 0 {
		add("%s sojourns were longer than %s: percentiles count them as that, maximum and mean as they were", human.Count(float64(n)), human.Duration(float64(histogramTop)))
	}
	asked, actual := r.Measurement.ServiceAsked.Or(0), r.Measurement.ServiceActual.Or(0)
	if asked > 0 && math.Abs(actual-asked) > serviceWithin*asked {
		add("the backend was asked to take %s a call and took %s: the machine is too busy, or too coarse, for such times", human.Duration(asked), human.Duration(actual))
	}
	if load := r.Measurement.GeneratorLoad.Or(0); !e.plan.scheduled() && load > loadSuspect {
		part := "no less than"
		if load < 1 {
			part = human.Percent(load) + " of what"
		}
		add("the throughput is what generator and kernel come to together: %s they come to when calls take no time", part)
	}
	if e.plan.clients > 0 {
		add("a closed loop offers less while the kernel is slow: its latencies leave out what would have arrived meanwhile")
		if r.Counts.Rejected > 0 {
			add("a client that was rejected paused for %s before its next item", human.Duration(float64(rejectedPause)))
		}
	}
	if d := e.plan.kernel.MaxBatchDelay; e.sim == nil && d > 0 && d < 2*time.Millisecond {
		add("batch_delay %s is shorter than timers keep on an idle process, which is about 1.1 ms", human.Duration(float64(d)))
	}
	if e.leftover {
		add("some calls had not returned when the run ended; they were left behind")
	}
	if n := len(e.source.Lanes()); e.rec.byLane && n > maxLanes {
		add("only the first %d of %s share lanes have figures of their own; the others are counted together", maxLanes, human.Count(float64(n)))
	}
	out = append(out, r.fairnessWarnings(e.kernel.Settings().Quantum)...)
	if _, _, most := e.busy(); e.sim == nil && e.plan.scheduled() && most >= e.plan.callers {
		add("all %s callers there may be were in use: what arrived meanwhile was not sent", human.Count(float64(most)))
	}
	return out
}
