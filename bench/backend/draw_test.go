package backend_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/bench/backend"
)

func mustSpec(t testing.TB, text string) backend.Spec {
	t.Helper()
	spec, err := backend.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestTheMeanIsLinearAndNeverOverflows(t *testing.T) {
	spec := mustSpec(t, "synthetic(base=1ms,per_item=20us,per_weight=3ns)")
	for _, c := range []struct {
		items  int
		weight int64
		want   time.Duration
	}{
		{1, 0, 1020 * time.Microsecond},
		{64, 1000, 1000*time.Microsecond + 64*20*time.Microsecond + 3000},
		{0, 0, time.Millisecond},
		{-1, -1, time.Millisecond},
		{1, math.MaxInt64, backend.MaxServiceTime},
		{math.MaxInt, math.MaxInt64, backend.MaxServiceTime},
	} {
		if got := spec.MeanServiceTime(c.items, c.weight); got != c.want {
			t.Errorf("%d items of weight %d take %s, want %s", c.items, c.weight, got, c.want)
		}
		if got := spec.ServiceTime(1, 2, c.items, c.weight); got != c.want {
			t.Errorf("%d items of weight %d draw %s, want %s: dist is fixed", c.items, c.weight, got, c.want)
		}
	}
	if !mustSpec(t, "synthetic(errors=1%,jitter=1)").Free() || spec.Free() {
		t.Error("Free is not what costs say")
	}
}

// TestServiceTimesFollowTheirLaw compares the draws with the law's cumulative
// distribution (Kolmogorov and Smirnov) and their average with the mean.
func TestServiceTimesFollowTheirLaw(t *testing.T) {
	const n = 100_000
	const mean = float64(time.Second) // long, so that rounding to nanoseconds is nothing
	for text, law := range map[string]interface {
		CDF(float64) float64
		StdDev() float64
	}{
		"synthetic(base=1s,dist=exponential)":          distuv.Exponential{Rate: 1 / mean},
		"synthetic(base=1s,dist=lognormal(sigma=0.5))": distuv.LogNormal{Mu: math.Log(mean) - 0.125, Sigma: 0.5},
		"synthetic(base=1s,dist=lognormal(sigma=1))":   distuv.LogNormal{Mu: math.Log(mean) - 0.5, Sigma: 1},
		"synthetic(base=1s,jitter=20%)":                distuv.Uniform{Min: 0.8 * mean, Max: 1.2 * mean},
		"synthetic(base=1s,jitter=1)":                  distuv.Uniform{Min: 0, Max: 2 * mean},
	} {
		spec := mustSpec(t, text)
		draws := make([]float64, n)
		sum := 0.0
		for i := range draws {
			draws[i] = float64(spec.ServiceTime(42, uint64(i), 1, 1))
			sum += draws[i]
		}
		if off := math.Abs(sum/n-mean) / (law.StdDev() / math.Sqrt(n)); off > 4.5 {
			t.Errorf("%s: the average is %g, %.1f standard errors from %g", text, sum/n, off, mean)
		}
		slices.Sort(draws)
		gap := 0.0
		for i, x := range draws {
			p := law.CDF(x)
			gap = max(gap, p-float64(i)/n, float64(i+1)/n-p)
		}
		if limit := 2.0 / math.Sqrt(n); gap > limit { // passed by chance once in 1500
			t.Errorf("%s: the distributions are %g apart, more than %g", text, gap, limit)
		}
	}
}

func TestJitterKeepsTheMeanOfARandomTime(t *testing.T) {
	const n = 200_000
	spec := mustSpec(t, "synthetic(base=1s,dist=exponential,jitter=50%)")
	var sum float64
	for i := range uint64(n) {
		sum += spec.ServiceTime(9, i, 1, 1).Seconds()
	}
	if got := sum / n; math.Abs(got-1) > 0.011 {
		t.Errorf("the mean is %g s, want 1", got)
	}
}

func TestFailuresHaveTheirProbability(t *testing.T) {
	const n = 100_000
	for text, p := range map[string]float64{
		"synthetic": 0, "synthetic(errors=0.1%)": 0.001, "synthetic(errors=30%)": 0.3, "synthetic(errors=100%)": 1,
	} {
		spec, failed := mustSpec(t, text), 0
		for i := range uint64(n) {
			if spec.Fails(7, i) {
				failed++
			}
		}
		if off := math.Abs(float64(failed) - n*p); off > 4.5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%s: %d of %d fail", text, failed, n)
		}
	}
}

// TestOneFeatureMovesNoOther holds the rule that each purpose draws from its own
// stream.
func TestOneFeatureMovesNoOther(t *testing.T) {
	plain := mustSpec(t, "synthetic(base=1s,dist=exponential)")
	rich := mustSpec(t, "synthetic(base=1s,dist=exponential,errors=50%,concurrency=3)")
	jitter := mustSpec(t, "synthetic(base=1s,jitter=50%)")
	both := mustSpec(t, "synthetic(base=1s,dist=exponential,jitter=50%)")
	failures := 0
	for i := range uint64(1000) {
		drawn := plain.ServiceTime(5, i, 1, 1)
		if got := rich.ServiceTime(5, i, 1, 1); got != drawn {
			t.Fatalf("batch %d: %s becomes %s with errors", i, drawn, got)
		}
		want := drawn.Seconds() * jitter.ServiceTime(5, i, 1, 1).Seconds()
		if got := both.ServiceTime(5, i, 1, 1).Seconds(); math.Abs(got-want) > 1e-8 {
			t.Fatalf("batch %d: %g with both, but the parts make %g", i, got, want)
		}
		if rich.Fails(5, i) == (drawn > 693*time.Millisecond) { // above the median
			failures++
		}
	}
	if failures < 400 || failures > 600 {
		t.Errorf("failures go with long service times: %d of 1000 agree", failures)
	}
}

func TestDrawsAreTheSameEverywhere(t *testing.T) {
	var hash uint64
	for _, text := range []string{
		"synthetic(base=1ms,per_item=20us,per_weight=1ns,dist=exponential,errors=10%)",
		"synthetic(base=1ms,per_item=20us,dist=lognormal(sigma=1),jitter=10%)",
		"synthetic(base=1ms,jitter=1)",
	} {
		spec := mustSpec(t, text)
		for i := range uint64(1000) {
			hash = hash*31 + uint64(spec.ServiceTime(42, i, int(i%64)+1, int64(i)))
			if spec.Fails(42, i) {
				hash++
			}
		}
	}
	if want := uint64(0x1d955027486bc82a); hash != want {
		t.Errorf("hash %#x, want %#x", hash, want)
	}
}

func BenchmarkServiceTime(b *testing.B) {
	for _, dist := range []string{"fixed", "exponential", "lognormal(sigma=1)"} {
		b.Run("dist="+dist, func(b *testing.B) {
			spec := mustSpec(b, "synthetic(base=1ms,per_item=20us,dist="+dist+")")
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				spec.ServiceTime(1, i, 64, 64)
			}
		})
	}
}
