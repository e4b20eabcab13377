package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// near says whether two numbers differ by at most tolerance, relatively.
func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Abs(want)
}

func TestLogAndExpAgreeWithMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500_000 {
		x := math.Float64frombits(rng.Uint64N(0x7fe<<52-1<<52) + 1<<52) // any normal number
		switch rng.IntN(3) {
		case 0:
			x = rng.Float64() + 1e-300
		case 1:
			x = 1 + (rng.Float64()-0.5)*math.Exp2(-float64(rng.IntN(52)))
		}
		if got, want := logOf(x), math.Log(x); !near(got, want, 6e-16) {
			t.Fatalf("log %v is %v, want %v", x, got, want)
		}
		y := (rng.Float64()*2 - 1) * math.Exp2(float64(rng.IntN(40)-30))
		y = min(max(y, -707), 709)
		if got, want := expOf(y), math.Exp(y); !near(got, want, 6e-16) {
			t.Fatalf("exp %v is %v, want %v", y, got, want)
		}
		if got, want := expm1(y), math.Expm1(y); !near(got, want, 2e-15) {
			t.Fatalf("expm1 %v is %v, want %v", y, got, want)
		}
		if v := max(y, -0.99999); !near(log1p(v), math.Log1p(v), 2e-15) {
			t.Fatalf("log1p %v is %v, want %v", v, log1p(v), math.Log1p(v))
		}
	}
}

func TestLogAndExpAtTheirEdges(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{logOf(1), 0},
		{logOf(0), math.Inf(-1)},
		{logOf(-1), math.Inf(-1)},
		{logOf(math.MaxFloat64), math.Log(math.MaxFloat64)},
		{logOf(1.0 / (1 << 54)), -54 * math.Ln2},
		{expOf(0), 1},
		{expOf(math.Inf(1)), math.Inf(1)},
		{expOf(710), math.Inf(1)},
		{expOf(-746), 0},
		{expOf(math.Inf(-1)), 0},
		{expm1(math.Inf(-1)), -1},
		{log1p(-1), math.Inf(-1)},
	} {
		if !near(c.got, c.want, 6e-16) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	if got := expOf(math.NaN()); got == got {
		t.Errorf("exp NaN is %v", got)
	}
}

func TestNormalQuantileAgreesWithGonum(t *testing.T) {
	for p := 1.0 / (1 << 53); p < 0.5; p *= 1.001 {
		want := distuv.UnitNormal.Quantile(p)
		if got := normalQuantile(p); !near(got, want, 4e-15) {
			t.Fatalf("quantile of %v is %v, want %v", p, got, want)
		}
		if got, want := normalQuantile(1-p), distuv.UnitNormal.Quantile(1-p); !near(got, want, 4e-15) && math.Abs(got) > 1e-3 {
			t.Fatalf("quantile of %v is %v, want %v", 1-p, got, want)
		}
	}
	if got := normalQuantile(0.5); got != 0 {
		t.Errorf("the median is %v", got)
	}
}
