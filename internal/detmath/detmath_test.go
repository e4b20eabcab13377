package detmath_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/internal/detmath"
)

// apart is the relative distance of two numbers.
func apart(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / max(math.Abs(want), math.SmallestNonzeroFloat64)
}

func TestFunctionsAgreeWithPackageMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := map[string]float64{}
	note := func(name string, x, got, want float64) {
		if d := apart(got, want); d > worst[name] {
			worst[name] = d
			if d > 1e-15 {
				t.Errorf("%s(%v) = %v, want %v: apart by %g", name, x, got, want, d)
			}
		}
	}
	for range 200_000 {
		x := math.Exp(rng.Float64()*1400 - 700)
		note("log", x, detmath.Log(x), math.Log(x))
		near := 1 + (rng.Float64()-0.5)/float64(uint64(1)<<rng.IntN(50))
		note("log near 1", near, detmath.Log(near), math.Log(near))
		y := rng.Float64()*1400 - 700
		note("exp", y, detmath.Exp(y), math.Exp(y))
		small := (rng.Float64() - 0.5) / 8
		note("exp near 0", small, detmath.Exp(small), math.Exp(small))
	}
	t.Logf("worst relative distances: %v", worst)
}

func TestFunctionsKeepTheirEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ got, want float64 }{
		{detmath.Log(0), -inf},
		{detmath.Log(1), 0},
		{detmath.Log(inf), inf},
		{detmath.Log(-1), math.NaN()},
		{detmath.Log(math.NaN()), math.NaN()},
		{detmath.Log(math.SmallestNonzeroFloat64), -1074 * math.Ln2}, // package math is wrong here on amd64
		{detmath.Exp(0), 1},
		{detmath.Exp(inf), inf},
		{detmath.Exp(1000), inf},
		{detmath.Exp(-inf), 0},
		{detmath.Exp(-1000), 0},
		{detmath.Exp(math.NaN()), math.NaN()},
		{detmath.Normal(0.5), 0},
		{detmath.Normal(0), math.NaN()},
		{detmath.Normal(1), math.NaN()},
		{detmath.Normal(math.NaN()), math.NaN()},
		{detmath.Unit(0), 0x1p-53},
		{detmath.Unit(math.MaxUint64), 1 - 0x1p-53},
	} {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestNormalIsTheInverseOfTheNormalLaw(t *testing.T) {
	law := distuv.UnitNormal
	for _, p := range []float64{1e-300, 1e-20, 1e-10, 1e-5, 0.01, 0.07, 0.08, 0.3, 0.5, 0.7, 0.925, 0.93, 0.999, 1 - 1e-9} {
		z := detmath.Normal(p)
		if d := apart(law.CDF(z), p); d > 1e-12*max(1, z*z) {
			t.Errorf("Normal(%g) = %v, where the law is %v: apart by %g", p, z, law.CDF(z), d)
		}
		if p > 1e-5 && math.Abs(z+detmath.Normal(1-p)) > 1e-9 {
			t.Errorf("Normal(%g) is not opposite to Normal(%g)", p, 1-p)
		}
	}
}

func TestNeighbouringDrawsLookUnrelated(t *testing.T) {
	// Neighbouring seeds, streams and indices must look unrelated: each bit of
	// the difference is as often set as not.
	const n = 20_000
	for name, other := range map[string]func(i uint64) uint64{
		"index":  func(i uint64) uint64 { return detmath.Bits(1, 2, i+1) },
		"seed":   func(i uint64) uint64 { return detmath.Bits(2, 2, i) },
		"stream": func(i uint64) uint64 { return detmath.Bits(1, 3, i) },
	} {
		var set [64]int
		for i := range uint64(n) {
			for d := detmath.Bits(1, 2, i) ^ other(i); d != 0; d &= d - 1 {
				set[bits.TrailingZeros64(d)]++
			}
		}
		for b, count := range set { // five standard deviations
			if math.Abs(float64(count)-n/2) > 5*math.Sqrt(n)/2 {
				t.Errorf("next %s: bit %d differs %d times in %d", name, b, count, n)
			}
		}
	}
}

func TestBitsAreTheSameEverywhere(t *testing.T) {
	var sum uint64
	for i := range uint64(1000) {
		b := detmath.Bits(42, 7, i)
		u := detmath.Unit(b)
		sum = sum*31 + b
		sum = sum*31 + math.Float64bits(detmath.Log(u))
		sum = sum*31 + math.Float64bits(detmath.Exp(20*u))
		sum = sum*31 + math.Float64bits(detmath.Normal(u))
	}
	if want := uint64(0xd729dd6bc3260e7); sum != want {
		t.Errorf("hash %#x, want %#x", sum, want)
	}
}

func BenchmarkLog(b *testing.B) {
	x := 1.0
	for b.Loop() {
		x = detmath.Log(x) + 2
	}
}

func BenchmarkExp(b *testing.B) {
	x := 1.0
	for b.Loop() {
		x = detmath.Exp(-x)
	}
}

func BenchmarkNormal(b *testing.B) {
	x := 0.3
	for b.Loop() {
		x = 0.5 + detmath.Normal(x)/100
	}
}
