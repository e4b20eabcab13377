package bench

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// durations draws times over the whole range, beyond the histogram's too.
func durations(t *rapid.T, most int) []time.Duration {
	scale := rapid.SampledFrom([]int64{10, 1e4, 1e7, 1e10, int64(time.Hour), 5 * int64(time.Hour), math.MaxInt64})
	n := rapid.IntRange(1, most).Draw(t, "n")
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(rapid.Int64Range(0, scale.Draw(t, "scale")).Draw(t, "d"))
	}
	return out
}

func TestPercentilesLieWithinTheExtremesAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHist(rapid.SampledFrom([]int{2, 3}).Draw(t, "digits"))
		all := durations(t, 50)
		for _, d := range all {
			h.record(d)
		}
		l := h.latency()
		if l.Count != uint64(len(all)) || l.Min != Some(float64(slices.Min(all))) || l.Max != Some(float64(slices.Max(all))) {
			t.Fatalf("%+v is not of %v", l, all)
		}
		last := l.Min.Or(-1)
		for _, p := range Percentiles {
			at := l.At(p.Name).Or(-1)
			if at < last || at > l.Max.Or(-1) {
				t.Fatalf("%s is %v, below %v or above the maximum %v", p.Name, at, last, l.Max)
			}
			last = at
		}
	})
}

func TestPercentilesAreWithinTheHistogramsPrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHist(3)
		all := durations(t, 200)
		for i := range all {
			all[i] %= time.Hour
			h.record(all[i])
		}
		slices.Sort(all)
		for _, p := range Percentiles {
			rank := clampTo(int64(p.Percent/100*float64(len(all))+0.5), 1, int64(len(all)))
			exact := float64(all[rank-1])
			if got := float64(h.percentile(p.Percent)); got < exact || got > exact*1.001+1 {
				t.Fatalf("%s is %v, the exact value is %v", p.Name, got, exact)
			}
		}
	})
}

func TestValuesBeyondTheRangeAreCountedNotLost(t *testing.T) {
	h := newHist(3)
	h.record(time.Second)
	h.record(2 * time.Hour)
	h.record(-time.Second) // a broken clock
	l := h.latency()
	if l.Count != 3 || l.Overflow != 1 || l.Max != Some(float64(2*time.Hour)) || l.Min != Some(0) {
		t.Errorf("got %+v, want 3 values from 0 to 2 h, one of them beyond the range", l)
	}
	if want := float64(2*time.Hour+time.Second) / 3; l.Mean != Some(want) {
		t.Errorf("mean is %v, want %v", l.Mean, want)
	}
}

func TestSumsDoNotOverflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b sum128
		want := new(big.Int)
		for i, v := range rapid.SliceOfN(rapid.Uint64(), 1, 50).Draw(t, "values") {
			if i%2 == 0 {
				a.add(v)
			} else {
				b.add(v)
			}
			want.Add(want, new(big.Int).SetUint64(v))
		}
		a.merge(b)
		if a.big().Cmp(want) != 0 {
			t.Fatalf("sum is %v, want %v", a.big(), want)
		}
		if f, _ := new(big.Float).SetInt(want).Float64(); a.float() != f {
			t.Fatalf("sum as a float is %v, want %v", a.float(), f)
		}
	})
}

func TestMergingIsRecordingTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, both := newHist(3), newHist(3), newHist(3)
		for _, d := range durations(t, 30) {
			a.record(d)
			both.record(d)
		}
		for _, d := range durations(t, 30) {
			b.record(d)
			both.record(d)
		}
		a.merge(&b)
		if got, want := a.latency(), both.latency(); !equalLatency(got, want) {
			t.Fatalf("merged %+v, recorded together %+v", got, want)
		}
		if a.encode() != both.encode() {
			t.Fatal("the merged histogram differs from the one recorded together")
		}
	})
}

func equalLatency(a, b Latency) bool {
	ok := slices.Equal(a.TooFew, b.TooFew)
	a.TooFew, b.TooFew = nil, nil
	return ok && a.Count == b.Count && a.Overflow == b.Overflow && a.Mean == b.Mean && a.Min == b.Min && a.Max == b.Max &&
		a.P50 == b.P50 && a.P90 == b.P90 && a.P95 == b.P95 && a.P99 == b.P99 && a.P999 == b.P999
}

func TestNoSamplesGiveNoFigures(t *testing.T) {
	h := newHist(3)
	l := h.latency()
	if l.Mean.Known() || l.P50.Known() || l.Max.Known() || l.Min.Known() || l.Count != 0 {
		t.Errorf("an empty histogram gave %+v", l)
	}
	if got, err := PercentileOf(l, h.encode(), 99); got.Known() || err != nil {
		t.Errorf("its p99 is %v, %v", got, err)
	}
	if h.buckets != nil {
		t.Error("an unused histogram holds memory")
	}
}

func TestAStoredHistogramGivesTheSamePercentiles(t *testing.T) {
	h := newHist(3)
	for i := range 5000 {
		h.record(time.Duration(i*i) * time.Microsecond)
	}
	l := h.latency()
	for _, p := range Percentiles {
		if got, err := PercentileOf(l, h.encode(), p.Percent); err != nil || got != l.At(p.Name) {
			t.Errorf("%s from the stored histogram is %v (%v), want %v", p.Name, got, err, l.At(p.Name))
		}
	}
	if _, err := PercentileOf(l, "rubbish", 50); err == nil {
		t.Error("a broken histogram was read")
	}
}

func TestPercentilesWithTooFewSamplesAreMarked(t *testing.T) {
	for count, want := range map[uint64][]string{
		1: {"p50", "p90", "p95", "p99", "p999"}, 20: {"p90", "p95", "p99", "p999"}, 100: {"p95", "p99", "p999"},
		200: {"p99", "p999"}, 999: {"p99", "p999"}, 1000: {"p999"}, 10000: {},
	} {
		h := newHist(3)
		for range count {
			h.record(ms)
		}
		if got := h.latency().TooFew; !slices.Equal(got, want) {
			t.Errorf("%d samples mark %v, want %v", count, got, want)
		}
	}
}

// What is kept as single values must read as if it had been in buckets, whatever
// the values and at every percentile.
func TestFewValuesReadAsInBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.SampledFrom([]int{2, 3}).Draw(t, "digits")
		value := rapid.Map(rapid.Float64Range(0, 42), func(x float64) int64 { return int64(math.Exp2(x)) - 1 })
		values := rapid.SliceOfN(value, 1, 40).Draw(t, "values")
		few, poured := newHist(digits), newHist(digits)
		poured.pour()
		for _, v := range values {
			few.record(time.Duration(v))
			poured.record(time.Duration(v))
		}
		percent := rapid.Float64Range(0.001, 100).Draw(t, "percent")
		if got, want := few.percentile(percent), poured.percentile(percent); got != want {
			t.Fatalf("p%v of %v is %d among single values, %d in buckets", percent, values, got, want)
		}
		if got, want := few.latency(), poured.latency(); !equalLatency(got, want) || few.poured {
			t.Fatalf("the figures are %+v among single values, %+v in buckets", got, want)
		}
		if few.encode() != poured.encode() {
			t.Fatal("the encoded forms differ")
		}
	})
}

func TestAHistPoursWhenItsValuesAreMany(t *testing.T) {
	h, sum := newHist(3), newHist(3)
	for i := range fewValues {
		h.record(time.Duration(i))
	}
	c := h.clone()
	sum.merge(&c)
	if h.poured || sum.poured {
		t.Fatalf("%d values are in buckets already", fewValues)
	}
	h.record(ms)
	sum.merge(&h) // some of them single, some in buckets
	if !h.poured || !sum.poured || h.buckets.TotalCount() != fewValues+1 || sum.buckets.TotalCount() != 2*fewValues+1 {
		t.Errorf("%d and %d values are in buckets", h.buckets.TotalCount(), sum.buckets.TotalCount())
	}
	h.reset()
	h.record(2 * ms)
	if got := h.latency(); h.poured || got.Count != 1 || got.P99 != Some(float64(2*ms)) || c.count != fewValues {
		t.Errorf("after a reset: %+v", got)
	}
}
