// What a result says besides the counts: of the ceiling, the backend, the lanes.

package bench

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/workload"
)

// Eight calls at once for a backend that serves one: a call takes 8 ms, of which
// the backend works for one and the others are waiting inside it.
func TestTheWaitInsideTheBackendIsReported(t *testing.T) {
	spec, err := backend.ParseSpec("synthetic(base=1ms,concurrency=1)")
	if err != nil {
		t.Fatal(err)
	}
	want := func(t *testing.T, clock string, r *Result) {
		t.Helper()
		m := r.Measurement
		asked, waited := m.ServiceAsked.Or(0), m.BackendWaited.Or(0)
		if asked != float64(ms) || math.Abs(waited-float64(7*ms)) > 0.02*float64(ms) || math.Abs(r.Latency.Service.Mean.Or(0)-asked-waited) > 0.02*float64(ms) {
			t.Errorf("%s: asked %v, waited %v, service %v", clock, asked, waited, r.Latency.Service.Mean)
		}
	}
	k := single("make")
	k.MaxInFlightBatches = 8
	p := plan{kernel: k, load: workload.Spec{Closed: true, Keys: 1, Duration: 5 * time.Second}, clients: 8, warmup: time.Second}
	synctest.Test(t, func(t *testing.T) {
		b, err := backend.New(spec, 1, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		r, _ := measure(t, p, b, nil, nil)
		want(t, "real", r)
	})
	r, err := Run(set(t, "kernel", "make", "batch_size", "1", "in_flight", "8", "clients", "8", "clock", "virtual", "backend", spec.String(), "duration", "5s", "seed", "1"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "virtual", r)
}

func TestTheCeilingIsNotBelowWhatTheLoadCameTo(t *testing.T) {
	for name, c := range map[string]struct {
		scheduled             bool
		offered, unsent, sent uint64 // in a second
		ceiling, load         float64
		outran                bool
	}{
		"below it":                    {true, 500, 0, 500, 1000, 0.5, false},
		"held above it":               {true, 1200, 0, 1200, 1200, 1, true},
		"not held above it":           {true, 2000, 1000, 900, 1000, 2, false},
		"some more, and not held":     {true, 2000, 0, 1600, 1600, 1.25, true},
		"closed, above it":            {false, 1210, 0, 0, 1210, 1, true},
		"as fast as it can, below it": {false, 900, 0, 0, 1000, 0.9, false},
	} {
		r, f := &Result{Window: Window{Measured: Some(1)}, Counts: Counts{Offered: c.offered, Unsent: c.unsent}}, &facts{scheduled: c.scheduled, inTime: c.sent}
		r.Rates.Offered = Some(float64(c.offered))
		setCeiling(r, f, Some(1000))
		if m := r.Measurement; m.GeneratorCeiling != Some(c.ceiling) || m.GeneratorLoad != Some(c.load) || f.outran != c.outran {
			t.Errorf("%s: ceiling %v, load %v, outran %v; want %+v", name, m.GeneratorCeiling, m.GeneratorLoad, f.outran, c)
		}
	}
}

func TestAClosedLoopAtItsCeilingIsToldNotDoubted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := newEngine(plan{
			kernel: single("make"), load: workload.Spec{Closed: true, Keys: 1, Duration: time.Second}, clients: 2, callers: 2, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return takes(ms), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		r := &Result{Complete: true}
		for _, c := range []struct {
			load float64
			want string
		}{{0.5, ""}, {0.97, "97.0 % of what they come to when calls take no time"}, {1, "no less than they come to"}} {
			r.Measurement.GeneratorLoad = Some(c.load)
			text := strings.Join(e.warnings(r), "\n")
			if !strings.Contains(text, c.want) || strings.Contains(text, "come to together") != (c.want != "") {
				t.Errorf("load %v: warnings are %q", c.load, text)
			}
		}
	})
}

func TestLanesWithoutFiguresOfTheirOwnAreNamedAndWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := constant(1000, time.Second)
		load.Lanes = append(load.Lanes, workload.LaneFraction{Lane: "other", Fraction: 1})
		for i := range 69 {
			load.Lanes = append(load.Lanes, workload.LaneFraction{Lane: "l" + strconv.Itoa(i), Fraction: 1})
		}
		e, err := newEngine(plan{
			kernel: single("make"), load: load, callers: 1000, drain: time.Minute, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return takes(0), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		if err := e.run(nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		var r Result
		e.assemble(&r)
		names := map[string]int{}
		for _, l := range r.Lanes {
			names[l.Lane]++
		}
		if len(names) != maxLanes+1 || names["other"] != 1 || names["other (6 lanes)"] != 1 {
			t.Errorf("lanes are %v", names)
		}
		if text := strings.Join(e.warnings(&r), "\n"); !strings.Contains(text, "only the first 64 of 70 share lanes") {
			t.Errorf("warnings are %q", text)
		}
	})
}

func TestTheCeilingIsOfTheSameLoadWithoutItsBrakes(t *testing.T) {
	s := set(t, "kernel", "perkey", "batch_delay", "5ms", "queue", "10", "queue_weight", "100", "rate", "5/s", "arrivals", "constant", "keys", "77")
	p := ceilingPlan(planOf(s))
	if p.kernel.MaxBatchDelay != 0 || p.kernel.MaxQueued < p.callers || p.kernel.MaxQueuedWeight != 0 || !p.load.Rate.Max || p.load.Keys != 77 || p.load.Duration != 0 {
		t.Errorf("plan is %+v", p)
	}
	if err := p.load.Validate(); err != nil {
		t.Error(err)
	}
	closed := set(t, "clients", "5", "queue", "1")
	if p := ceilingPlan(planOf(closed)); p.clients != 5 || !p.load.Closed || p.kernel.MaxQueued < 5 || p.load.Validate() != nil {
		t.Errorf("plan is %+v", p)
	}
	lanes := set(t, "lane_rate", "gold=5k/s,free=20k/s")
	if p := ceilingPlan(planOf(lanes)); len(p.load.Lanes) != 2 || p.load.Lanes[1].Fraction != 20_000 || p.load.Validate() != nil {
		t.Errorf("plan is %+v", p)
	}
}
