package bench

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/slo"
	"ferryctl/ferry"
	"ferryctl/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a backend whose calls take as long as the function says.
type service func(ctx context.Context, batch uint64, items int) error

func (f service) Call(ctx context.Context, batch uint64, items int, _ int64) error {
	return f(ctx, batch, items)
}
func (f service) Stats() backend.Stats { return backend.Stats{} }
func (f service) Close() error         { return nil }

// pass lets time pass, or returns with the context.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func takes(d time.Duration) service {
	return func(ctx context.Context, _ uint64, _ int) error { return pass(ctx, d) }
}

// constant is an open loop of equal gaps, the first item at once.
func constant(perSecond float64, d time.Duration) workload.Spec {
	return workload.Spec{Arrivals: workload.Arrivals{Kind: workload.Constant}, Rate: workload.Rate{PerSecond: perSecond}, Keys: 1, Duration: d}
}

// single is a kernel of one input to a batch and one batch at a time.
func single(kernel string) ferry.Settings {
	return ferry.Settings{Kernel: kernel, PerKeyConfig: ferry.PerKeyConfig{
		Config: ferry.Config{MaxBatchSize: 1, MaxInFlightBatches: 1, MaxQueued: 10_000}, NoDirect: true,
	}}
}

// measure runs a plan in simulated time and returns the judged result.
func measure(t *testing.T, p plan, b backend.Backend, stop, kill <-chan struct{}, terms ...slo.Term) (*Result, *facts) {
	t.Helper()
	if p.callers == 0 {
		p.callers = max(p.clients, 20_000)
	}
	if p.drain == 0 {
		p.drain = time.Hour
	}
	p.backend = func() (backend.Backend, error) { return b, nil }
	if p.sleeper == nil {
		p.sleeper = sleep.Plain
	}
	e, err := newEngine(p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.release()
	if err := e.run(stop, kill, nil); err != nil {
		t.Fatal(err)
	}
	r := &Result{Schema: Schema}
	f := e.assemble(r)
	r.Complete = !e.stopped
	r.SLO = objective(terms, r)
	judge(r, f)
	if f.identity != nil || f.kernel != nil {
		t.Errorf("the sums are wrong: %v, %v", f.identity, f.kernel)
	}
	if gap := r.Measurement.LittlesLawGap; gap.Or(0) > 1e-6 {
		t.Errorf("Little's law is off by %v: %v by time, %v by items", gap, r.Measurement.QueuedByTime, r.Measurement.QueuedByItems)
	}
	return r, f
}

func wantNum(t *testing.T, what string, got Num, want float64) {
	t.Helper()
	if v, ok := got.Get(); !ok || v < want*(1-1e-9) || v > want*(1+1e-9) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// wantAbout allows for the histogram's three digits.
func wantAbout(t *testing.T, what string, got Num, want time.Duration) {
	t.Helper()
	if v, ok := got.Get(); !ok || v < float64(want)*0.999 || v > float64(want)*1.002 {
		t.Errorf("%s is %v, want about %d", what, got, want)
	}
}

// Item i comes at 10 i ms and is served from 15 i ms on: it waits 5 i ms.
func TestAQueueThatGrowsHasExactWaits(t *testing.T) {
	for _, kernel := range []string{"make", "keyed", "perkey"} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := measure(t, plan{kernel: single(kernel), load: constant(100, time.Second)}, takes(15*ms), nil, nil)
			l := r.Latency
			if r.Counts.Offered != 100 || r.Counts.Done != 100 || l.Sojourn.Count != 100 {
				t.Errorf("%s: counts are %+v", kernel, r.Counts)
			}
			wantNum(t, "mean sojourn", l.Sojourn.Mean, float64(15*ms)+5*49.5*float64(ms))
			wantNum(t, "longest sojourn", l.Sojourn.Max, float64(510*ms))
			wantNum(t, "shortest sojourn", l.Sojourn.Min, float64(15*ms))
			wantNum(t, "mean wait", l.Wait.Mean, 5*49.5*float64(ms))
			wantNum(t, "longest wait", l.Wait.Max, float64(495*ms))
			wantNum(t, "shortest service", l.Service.Min, float64(15*ms))
			wantNum(t, "longest service", l.Service.Max, float64(15*ms))
			wantNum(t, "longest delivery", l.Delivery.Max, 0)
			wantAbout(t, "p50", l.Sojourn.P50, 15*ms+5*49*ms)
			wantAbout(t, "p99", l.Sojourn.P99, 15*ms+5*98*ms)
			wantNum(t, "service part", r.Split.Service, float64(15*ms))
			wantNum(t, "lag part", r.Split.Lag, 0)
			wantNum(t, "waiting parts", Some(r.Split.Turn.Or(0)+r.Split.Slot.Or(0)+r.Split.Forming.Or(0)), 5*49.5*float64(ms))
			// In the window of a second 66 calls end, and one more starts.
			wantNum(t, "throughput", r.Rates.Throughput, 66)
			wantNum(t, "offered", r.Rates.Offered, 100)
			if r.Batches.Count != 67 {
				t.Errorf("%s: %d batches began in the window, want 67", kernel, r.Batches.Count)
			}
			if r.Counts.Late != 0 || r.Counts.LateMaxNS != Some(0) {
				t.Errorf("%s: late %d, at most %v", kernel, r.Counts.Late, r.Counts.LateMaxNS)
			}
		})
	}
}

// A backend that stands still from 5 s to 10 s: whoever came meanwhile waited
// until 10 s. Measured from when items were sent or served, nobody would have.
func TestAFreezeShowsInTheSojourn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		frozen := service(func(ctx context.Context, _ uint64, _ int) error {
			if at := time.Since(began); at >= 5*time.Second && at < 10*time.Second {
				return pass(ctx, 10*time.Second-at)
			}
			return pass(ctx, ms)
		})
		k := single("make")
		k.MaxBatchSize = 1000
		r, _ := measure(t, plan{kernel: k, load: constant(100, 10*time.Second)}, frozen, nil, nil)
		// Half of the items came in the freeze, evenly: 1/100 s to 5 s of waiting.
		wantAbout(t, "p99", r.Latency.Sojourn.P99, 4900*ms)
		wantAbout(t, "p90", r.Latency.Sojourn.P90, 4000*ms)
		wantAbout(t, "p50", r.Latency.Sojourn.P50, ms)
		wantNum(t, "longest sojourn", r.Latency.Sojourn.Max, float64(5*time.Second))
		if r.Counts.Done != 1000 {
			t.Errorf("done %d of 1000", r.Counts.Done)
		}
		var worst float64
		for _, in := range r.Intervals {
			worst = max(worst, in.P99.Or(0))
		}
		if worst < float64(4900*ms) {
			t.Errorf("the worst interval's p99 is %v: the freeze does not show", time.Duration(worst))
		}
	})
}

func TestARunThatRejectsEverythingHasNoLatencyAndMissesItsObjective(t *testing.T) {
	terms, err := slo.Parse("p99<=1h,mean<=1h,rejected<=100%")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		k := single("make")
		k.MaxQueuedWeight = 5
		load := constant(1000, 10*time.Second)
		load.Weights, err = workload.ParseWeights("constant(10)")
		if err != nil {
			t.Fatal(err)
		}
		r, _ := measure(t, plan{kernel: k, load: load}, takes(0), nil, nil, terms...)
		if r.Counts.Rejected != 10_000 || r.Counts.Done != 0 || r.Rates.WeightBound != Some(10_000) || r.Rates.CountBound != Some(0) {
			t.Errorf("counts are %+v, rates %+v", r.Counts, r.Rates)
		}
		if l := r.Latency.Sojourn; l.P99.Known() || l.Mean.Known() || l.Count != 0 {
			t.Errorf("a rejected item has a latency: %+v", l)
		}
		for i, want := range []bool{false, false, true} {
			if term := r.SLO[i]; term.OK != want || !want && !strings.Contains(term.Note, "no data") {
				t.Errorf("%s: ok %v, note %q", term.Term, term.OK, term.Note)
			}
		}
		if r.Measurement.Verdict == Invalid || r.ExitStatus(0) != ExitMissed {
			t.Errorf("%s, exit %d; want exit 3", r.Measurement.Verdict, r.ExitStatus(0))
		}
	})
}

func TestAClosedLoopKeepsItsClientsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := single("make")
		k.MaxInFlightBatches = 4
		load := workload.Spec{Closed: true, Keys: 1, Duration: 10 * time.Second}
		r, f := measure(t, plan{kernel: k, load: load, clients: 4, warmup: time.Second}, takes(10*ms), nil, nil)
		wantNum(t, "throughput", r.Rates.Throughput, 400)
		wantNum(t, "longest sojourn", r.Latency.Sojourn.Max, float64(10*ms))
		if r.Counts.Offered != 3600 || r.Counts.Done != 3600 || f.scheduled || r.Counts.LateMaxNS.Known() {
			t.Errorf("counts are %+v", r.Counts)
		}
	})
}

func TestItemsBoundARunExactlyWhateverTheLoop(t *testing.T) {
	for name, c := range map[string]struct {
		load    workload.Spec
		clients int
	}{
		"scheduled":                      {load: constant(100, 0)},
		"as fast as it can":              {load: workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1}},
		"closed":                         {load: workload.Spec{Closed: true, Keys: 1}, clients: 7},
		"closed, more clients than work": {load: workload.Spec{Closed: true, Keys: 1}, clients: 500},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.load.Items = 100
			r, _ := measure(t, plan{kernel: single("make"), load: c.load, clients: c.clients, callers: max(4, c.clients), byIndex: true, first: 10}, takes(ms), nil, nil)
			if r.Items != 100 || r.Counts.Offered != 90 || r.Counts.Done != 90 || !r.Complete {
				t.Errorf("%s: %d items, counts %+v", name, r.Items, r.Counts)
			}
			if name == "scheduled" {
				wantNum(t, "window", r.Window.Measured, 0.9)
				wantNum(t, "warm-up", r.Window.Warmup, 0.09)
				wantNum(t, "offered", r.Rates.Offered, 100)
			}
		})
	}
}

func TestWarmUpIsInNoFigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slowStart := service(func(ctx context.Context, _ uint64, _ int) error {
			if time.Since(began) < 900*ms {
				return pass(ctx, 90*ms)
			}
			return pass(ctx, 10*ms)
		})
		k := single("make")
		k.MaxBatchSize, k.MaxInFlightBatches = 64, 8
		r, _ := measure(t, plan{kernel: k, load: constant(10, 5*time.Second), warmup: time.Second}, slowStart, nil, nil)
		wantNum(t, "longest sojourn", r.Latency.Sojourn.Max, float64(10*ms))
		wantNum(t, "longest service", r.Latency.Service.Max, float64(10*ms))
		wantNum(t, "throughput", r.Rates.Throughput, 10)
		var inIntervals uint64
		for _, in := range r.Intervals {
			inIntervals += in.Done
		}
		if r.Counts.Offered != 40 || r.Batches.Count != 40 || r.Latency.Sojourn.Count != 40 || inIntervals != 40 || r.Items != 50 {
			t.Errorf("offered %d, batches %d, in intervals %d, items %d", r.Counts.Offered, r.Batches.Count, inIntervals, r.Items)
		}
	})
}

// A pile of the warm-up is gone when the window begins: its peaks are not the
// window's.
func TestPeaksAreOfTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slowStart := service(func(ctx context.Context, _ uint64, _ int) error {
			return pass(ctx, max(ms, 900*ms-time.Since(began)))
		})
		k := single("make")
		k.MaxBatchSize = 64
		r, _ := measure(t, plan{kernel: k, load: constant(100, 5*time.Second), warmup: time.Second}, slowStart, nil, nil)
		if r.Room.MaxQueued.Or(-1) > 1 || r.Room.MaxInFlight != Some(1) {
			t.Errorf("room is %+v", r.Room)
		}
	})
}

func TestFullBatchesOnlyLeaveOnDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := single("make")
		k.MaxBatchSize, k.MaxBatchDelay = 64, ferry.Never
		r, _ := measure(t, plan{kernel: k, load: constant(10, 10*time.Second), drain: time.Second}, takes(ms), nil, nil)
		if r.Counts.Done != 100 || r.Counts.InFlightAtEnd != 0 {
			t.Errorf("counts are %+v", r.Counts)
		}
		if got := r.Batches.Left; got.Size != 1 { // the other left after the window
			t.Errorf("left %+v", got)
		}
		// The first waits until the 64th comes, the 65th until the end.
		wantNum(t, "longest sojourn", r.Latency.Sojourn.Max, float64(6301*ms))
	})
}

func TestFollowersOfAKeyAreMeasuredLikeTheirLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := single("keyed")
		k.MaxBatchSize = 64
		sent := 0
		slow := service(func(ctx context.Context, _ uint64, items int) error {
			sent += items
			return pass(ctx, 100*ms)
		})
		r, _ := measure(t, plan{kernel: k, load: constant(100, 10*time.Second)}, slow, nil, nil)
		if r.Counts.Done != 1000 || sent >= 200 || r.Batches.Size.P50 != Some(10) {
			t.Errorf("done %d, sent %d, batch sizes %+v", r.Counts.Done, sent, r.Batches.Size)
		}
		wantNum(t, "shortest service", r.Latency.Service.Min, float64(100*ms))
		wantNum(t, "longest service", r.Latency.Service.Max, float64(100*ms))
	})
}

func TestDirectCallsAreCountedAsBatchesOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := single("perkey")
		k.NoDirect = false
		r, _ := measure(t, plan{kernel: k, load: constant(10, 10*time.Second)}, takes(ms), nil, nil)
		if r.Batches.Left != (Left{Direct: 100}) || r.Batches.Size.Max != Some(1) || r.Room.MaxInFlight != Some(1) {
			t.Errorf("batches are %+v, room %+v", r.Batches, r.Room)
		}
		wantNum(t, "longest sojourn", r.Latency.Sojourn.Max, float64(ms))
	})
}
