package bench

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/settings"
	"ferryctl/ferry"
	"ferryctl/workload"
)

// set returns the default settings with some knobs changed.
func set(t *testing.T, knobs ...string) settings.Settings {
	t.Helper()
	s := settings.Default()
	for i := 0; i < len(knobs); i += 2 {
		if err := s.Set(knobs[i], knobs[i+1], "flag --"+knobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestARunReportsWhatItRanWith(t *testing.T) {
	s := set(t, "kernel", "make", "batch_size", "7", "queue_weight", "1MiB", "seed", "42", "items", "300", "rate", "10k/s", "slo", "p50<=1h,rejected<=1%")
	phases := map[Phase]bool{}
	r, err := Run(s, Options{Version: "v1.2.3", Progress: func(p Progress) { phases[p.Phase] = true }})
	if err != nil {
		t.Fatal(err)
	}
	for knob, want := range map[string]string{"kernel": "make", "batch_size": "7", "queue_weight": "1048576", "direct": "off", "seed": "42", "items": "300"} {
		if got, ok := r.Settings.Get(knob); !ok || got != want {
			t.Errorf("setting %s is %q, want %q", knob, got, want)
		}
	}
	if r.Schema != Schema || !r.Complete || r.Seed != 42 || r.SeedDrawn || r.Clock != "real" || len(r.WorkloadHash) != 16 || r.Items != 300 {
		t.Errorf("result is %+v", r)
	}
	if e := r.Environment; e.Version != "v1.2.3" || e.Go != runtime.Version() || e.GOMAXPROCS != runtime.GOMAXPROCS(0) || !e.Ended.After(e.Started) {
		t.Errorf("environment is %+v", e)
	}
	if r.Counts.Offered != 285 || r.Counts.Done != 285 || len(r.SLO) != 2 || !r.SLO[0].OK || !r.SLO[1].OK {
		t.Errorf("counts are %+v, SLO %+v", r.Counts, r.SLO)
	}
	if !phases[PhaseCeiling] {
		t.Error("no progress was told of the ceiling")
	}
	if c := r.Measurement.GeneratorCeiling.Or(0); c < 1000 {
		t.Errorf("the generator's ceiling is %v/s", c)
	}
}

func TestADrawnSeedIsRecorded(t *testing.T) {
	s := set(t, "items", "10", "rate", "10k/s")
	a, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Seed, s.SeedGiven = a.Seed, true
	b, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !a.SeedDrawn || a.Seed == 0 || b.SeedDrawn || a.WorkloadHash != b.WorkloadHash {
		t.Errorf("drawn seed %d gives %s, given again %s", a.Seed, a.WorkloadHash, b.WorkloadHash)
	}
}

func TestSettingsThatCannotRunAreRefusedBeforeAnythingStarts(t *testing.T) {
	s := set(t, "kernel", "make")
	s.BatchSize, s.Queue = 0, -1
	r, err := Run(s, Options{Progress: func(Progress) { t.Error("something started") }})
	if r != nil || err == nil || !strings.Contains(err.Error(), "batch_size") || !strings.Contains(err.Error(), "queue") {
		t.Errorf("got %v, %v; want an error about both", r, err)
	}
}

func TestAStopBeforeTheFirstArrivalStillReports(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	r, err := Run(set(t, "duration", "1h", "slo", "p99<=1h"), Options{Stop: stop})
	if err != nil || r.Complete || r.Counts.Offered != 0 || r.Window.Measured != Some(0) || r.Rates.Offered.Known() {
		t.Fatalf("got %+v, %v", r, err)
	}
	if r.Measurement.Verdict != Suspect || r.ExitStatus(0) != ExitMissed || r.ExitStatus(130) != 130 {
		t.Errorf("%s: %v", r.Measurement.Verdict, r.Measurement.Reasons)
	}
}

// broken is a source that fails after some items.
type broken struct {
	workload.Source
	left int
}

var errBroken = errors.New("line 7 is cut off")

func (b *broken) Next(it *workload.Item) bool {
	b.left--
	return b.left >= 0 && b.Source.Next(it)
}

func (b *broken) Err() error {
	if b.left < 0 {
		return errBroken
	}
	return nil
}

func TestALoadThatBreaksOffIsReportedWithItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan{
			kernel: single("make"), load: constant(100, 10*time.Second), callers: 100, drain: time.Minute, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return takes(ms), nil },
		}
		e, err := newEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		e.source = &broken{Source: e.source, left: 50}
		if err := e.run(nil, nil, nil); !errors.Is(err, errBroken) {
			t.Errorf("error is %v", err)
		}
		var r Result
		f := e.assemble(&r)
		if text := strings.Join(e.warnings(&r), "\n"); !strings.Contains(text, errBroken.Error()) || strings.Contains(text, "stopped before") {
			t.Errorf("warnings are %q, want the source's error", text)
		}
		if f.identity != nil || r.Counts.Done != 50 || !e.stopped {
			t.Errorf("counts are %+v, %v", r.Counts, f.identity)
		}
	})
}

func TestProgressCountsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan{
			kernel: single("make"), load: constant(100, 10*time.Second), callers: 100, drain: time.Minute, sleeper: sleep.Plain, warmup: time.Second,
			backend: func() (backend.Backend, error) { return takes(9 * ms), nil },
		}
		e, err := newEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		var all []Progress
		if err := e.run(nil, nil, func(p Progress) { all = append(all, p) }); err != nil {
			t.Fatal(err)
		}
		if len(all) < 99 || len(all) > 101 {
			t.Errorf("told %d times in ten seconds, want 100", len(all))
		}
		for i, p := range all {
			if i > 0 && (p.Done < all[i-1].Done || p.Phase == all[i-1].Phase && p.Elapsed <= all[i-1].Elapsed || p.Phase < all[i-1].Phase) {
				t.Errorf("%+v after %+v", p, all[i-1])
			}
			if p.Phase != PhaseDrain && p.Total != 10*time.Second || math.Abs(p.OfferedPerS-100) > 11 {
				t.Errorf("%+v", p)
			}
		}
		first, middle, last := all[0], all[len(all)/2], all[len(all)-1]
		if first.Phase != PhaseWarmup || middle.Phase != PhaseMeasure || middle.P99.Or(0) < float64(9*ms) || last.Done < 990 {
			t.Errorf("from %+v over %+v to %+v", first, middle, last)
		}
	})
}

// The last call takes as long as a drain may: how long it has been going on is
// told, and no total that is long over.
func TestProgressOfTheDrainStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan{
			kernel: single("make"), load: constant(1, 2*time.Second), callers: 100, drain: time.Minute, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return takes(10 * time.Second), nil },
		}
		e, err := newEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		var last Progress
		if err := e.run(nil, nil, func(p Progress) { last = p }); err != nil {
			t.Fatal(err)
		}
		if last.Phase != PhaseDrain || last.Total != 0 || last.Elapsed > 18*time.Second || last.Elapsed < 17800*ms {
			t.Errorf("the last word of the drain is %+v, want 18 s of no total", last)
		}
	})
}

func TestMemoryDoesNotGrowWithTheRun(t *testing.T) {
	if raceDetector {
		t.Skip("pools leak on purpose under the race detector")
	}
	allocations := func(items uint64) float64 {
		load := workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1000, KeySkew: 1, Items: items}
		e, err := newEngine(plan{
			kernel: single("make"), load: load, callers: 64, byIndex: true, drain: time.Hour, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return backend.New(backend.Spec{}, 0) },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := e.run(nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocations(1000)
	few, many := allocations(10_000), allocations(200_000)
	if more := (many - few) / 190_000; more > 8 {
		t.Errorf("each item more costs %.1f bytes", more)
	}
}

func TestDifferencesNameWhatWasNotApplied(t *testing.T) {
	asked := ferry.Settings{Kernel: "perkey", PerKeyConfig: ferry.PerKeyConfig{Config: ferry.Config{
		MaxBatchSize: 4, MaxBatchWeight: 0, MaxInFlightBatches: 2, MaxQueued: 9, MaxQueuedWeight: 5,
	}}}
	got := asked
	got.MaxBatchWeight = ferry.Unlimited // 0 means that
	if d := differences(asked, got); len(d) != 0 {
		t.Errorf("equal settings differ: %v", d)
	}
	got.MaxBatchSize, got.NoDirect, got.MaxQueuedWeight = 5, true, 6
	if d := strings.Join(differences(asked, got), "; "); d != "batch_size 5, not 4; queue_weight 6, not 5; direct false, not true" {
		t.Errorf("differences are %q", d)
	}
}

func TestTheExpectedLoadIsTheAreaUnderItsRate(t *testing.T) {
	s := time.Second
	ramp := workload.Rate{Ramp: workload.Ramp{From: 0, To: 100, Over: 10 * s}}
	for name, c := range map[string]struct {
		spec     workload.Spec
		from, to time.Duration
		want     float64
	}{
		"steady":      {workload.Spec{Rate: workload.Rate{PerSecond: 50}}, s, 3 * s, 100},
		"on the ramp": {workload.Spec{Rate: ramp}, 0, 10 * s, 500},
		"part of it":  {workload.Spec{Rate: ramp}, 2 * s, 4 * s, 60},
		"across":      {workload.Spec{Rate: ramp}, 5 * s, 20 * s, 375 + 1000},
		"after":       {workload.Spec{Rate: ramp}, 15 * s, 20 * s, 500},
		"lanes":       {workload.Spec{LaneRates: []workload.LaneRate{{Lane: "a", Rate: workload.Rate{PerSecond: 5}}, {Lane: "b", Rate: ramp}}}, 0, 10 * s, 550},
		"no window":   {workload.Spec{Rate: ramp}, s, s, 0},
		"as fast":     {workload.Spec{Rate: workload.Rate{Max: true}}, 0, s, 0},
		"closed":      {workload.Spec{Closed: true}, 0, s, 0},
		"bursty":      {workload.Spec{Rate: ramp, Arrivals: workload.Arrivals{Kind: workload.Bursty}}, 0, s, 0},
		"bounded":     {workload.Spec{Rate: ramp, Items: 5}, 0, s, 0},
		"as it was":   {workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}}, 0, s, 0},
	} {
		if got := expectedItems(c.spec, c.from, c.to); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v items, want %v", name, got, c.want)
		}
	}
}

func TestCallersSufficeForTheRoom(t *testing.T) {
	k := single("make")
	if got := callersFor(k); got < k.MaxQueued+k.MaxBatchSize*k.MaxInFlightBatches || got > maxCallers {
		t.Errorf("%d callers", got)
	}
	k.MaxQueued, k.MaxBatchSize, k.MaxInFlightBatches = ferry.Unlimited, ferry.Unlimited, ferry.Unlimited
	if got := callersFor(k); got != maxCallers {
		t.Errorf("%d callers for a room without bounds, want %d", got, maxCallers)
	}
	if got := saturating(k); got != minCallers {
		t.Errorf("%d inputs saturate a kernel without bounds, want %d", got, minCallers)
	}
}
