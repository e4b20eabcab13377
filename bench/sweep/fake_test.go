package sweep

import (
	"math"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// base returns settings of a short run in virtual time.
func base(t testing.TB, pairs ...string) settings.Settings {
	t.Helper()
	s := settings.Default()
	all := append([]string{"clock", settings.Virtual, "seed", "1", "items", "2000"}, pairs...)
	for i := 0; i < len(all); i += 2 {
		if err := s.Set(all[i], all[i+1], "flag --"+all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// axis parses a knob's text.
func axis(t testing.TB, knob, text string) Axis {
	t.Helper()
	k, ok := settings.Lookup(knob)
	if !ok {
		t.Fatalf("no knob %s", knob)
	}
	a, err := Parse(k, text, "flag --"+k.Flag)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// grid returns the space of all combinations of knob, text, knob, text and so on.
func grid(t testing.TB, s settings.Settings, pairs ...string) *Space {
	t.Helper()
	var axes []Axis
	for i := 0; i < len(pairs); i += 2 {
		axes = append(axes, axis(t, pairs[i], pairs[i+1]))
	}
	space, err := NewSpace(s, axes, Sample{}, false)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// create begins a sweep in a new folder.
func create(t testing.TB, space *Space, repeat int) *Store {
	t.Helper()
	h, err := NewHeader(space, repeat, "test")
	if err != nil {
		t.Fatal(err)
	}
	store, err := Create(t.TempDir(), space, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() }) // a test may have closed it
	return store
}

// fake makes a result out of a run's settings, as a run in virtual time would:
// the larger the batch, the more throughput, the longer the delay, the higher p99.
func fake(s settings.Settings, _ bench.Options) (*bench.Result, error) {
	r := &bench.Result{Schema: bench.Schema, Complete: true, Clock: s.Clock, Seed: s.Seed, Warnings: []string{}}
	for _, v := range s.Values() {
		r.Settings = append(r.Settings, bench.Setting{Knob: v.Knob, Value: []byte(`"` + v.Text + `"`)})
	}
	r.Counts.Offered, r.Counts.Done = 1000, 1000
	r.Rates.Throughput = bench.Some(1000 * float64(min(s.BatchSize, 64)))
	r.Rates.Rejected = bench.Some(0)
	p99 := 1e6 + 0.9*float64(s.BatchDelay) + float64(s.Seed%7)
	r.Latency.Sojourn = bench.Latency{Count: 1000, Mean: bench.Some(p99 / 2), P50: bench.Some(p99 / 2), P99: bench.Some(p99)}
	r.Measurement.Verdict, r.Measurement.Reasons = bench.Valid, []string{}
	return r, nil
}

// outcome is one of a point with two figures.
func outcome(point int, throughput, p99 float64) Outcome {
	o := Outcome{Point: point, Runs: 1, Verdict: bench.Valid, Figures: make([]bench.Num, len(Figures)), Spread: make([]float64, len(Figures))}
	for i, f := range Figures {
		o.Spread[i] = math.NaN()
		switch f.Short {
		case "throughput":
			o.Figures[i] = bench.Some(throughput)
		case "p99":
			o.Figures[i] = bench.Some(p99)
		}
	}
	return o
}
