package detmath_test

import (
	"math"
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

// The arguments that functions are tried with, from a source of chance.

// anyNormal is any positive, normal, finite number.
func anyNormal(rng *rand.Rand) float64 {
	return math.Float64frombits(rng.Uint64N(0x7fe<<52) + 1<<52)
}

// nearOne is 1, give or take a half or a power of 2 times as much.
func nearOne(rng *rand.Rand) float64 {
	return 1 + (rng.Float64()-0.5)*math.Exp2(-float64(rng.IntN(52)))
}

// anyPower is one of the exponents of e that give a normal number, of any size.
func anyPower(rng *rand.Rand) float64 {
	if rng.IntN(2) == 0 {
		return rng.Float64()*1416 - 707
	}
	y := (rng.Float64()*2 - 1) * math.Exp2(float64(rng.IntN(70)-60))
	return min(max(y, -708), 709.78)
}

// aboveMinusOne is a number above -1, of any size.
func aboveMinusOne(rng *rand.Rand) float64 {
	switch rng.IntN(3) {
	case 0:
		return anyNormal(rng)
	case 1:
		return -rng.Float64()
	}
	return max(anyPower(rng), -0.99999)
}

func TestFunctionsAgreeWithPackageMath(t *testing.T) {
	for name, c := range map[string]struct {
		ours, math func(float64) float64
		argument   func(*rand.Rand) float64
		tolerance  float64
	}{
		"log":           {detmath.Log, math.Log, anyNormal, 6e-16},
		"log of (0, 1)": {detmath.Log, math.Log, func(rng *rand.Rand) float64 { return rng.Float64() + 1e-300 }, 6e-16},
		"log near 1":    {detmath.Log, math.Log, nearOne, 6e-16},
		"log1p":         {detmath.Log1p, math.Log1p, aboveMinusOne, 6e-16},
		"exp":           {detmath.Exp, math.Exp, anyPower, 6e-16},
		"expm1":         {detmath.Expm1, math.Expm1, anyPower, 1e-15},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		worst, at := 0.0, 0.0
		for range 500_000 {
			x := c.argument(rng)
			if d := apart(c.ours(x), c.math(x)); d > worst {
				worst, at = d, x
			}
		}
		t.Logf("%s: %.2g at %v", name, worst, at)
		if !(worst <= c.tolerance) {
			t.Errorf("%s of %v is %v, want %v: apart by %.2g", name, at, c.ours(at), c.math(at), worst)
		}
	}
}

// TestSubnormalNumbersAreNumbers holds what is smaller than any normal number
// against the functions' own laws, since package math is wrong there on amd64.
func TestSubnormalNumbersAreNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		x := math.Float64frombits(rng.Uint64N(1<<uint(1+rng.IntN(52))-1) + 1)
		if got, want := detmath.Log(x), math.Log(x*(1<<52))-52*math.Ln2; apart(got, want) > 6e-16 {
			t.Fatalf("log %v is %v, want %v", x, got, want)
		}
		y := -707 - rng.Float64()*39
		got, want := detmath.Exp(y), math.Exp(y+100)*math.Exp(-100) // 100 moves y by a rounding
		if math.Abs(got-want) > 1e-13*want+math.SmallestNonzeroFloat64 {
			t.Fatalf("exp %v is %v, want %v", y, got, want)
		}
	}
}

func TestFunctionsKeepTheirEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	const smallest, least = math.SmallestNonzeroFloat64, 0x1p-1022 // of all numbers, of the normal ones
	for name, c := range map[string]struct {
		f       func(float64) float64
		x, want float64
	}{
		"log 0":           {detmath.Log, 0, -inf},
		"log -0":          {detmath.Log, math.Copysign(0, -1), -inf},
		"log 1":           {detmath.Log, 1, 0},
		"log inf":         {detmath.Log, inf, inf},
		"log -1":          {detmath.Log, -1, nan},
		"log -inf":        {detmath.Log, -inf, nan},
		"log NaN":         {detmath.Log, nan, nan},
		"log 2^-54":       {detmath.Log, 0x1p-54, -54 * math.Ln2},
		"log max":         {detmath.Log, math.MaxFloat64, 1024 * math.Ln2},
		"log least":       {detmath.Log, least, -1022 * math.Ln2},
		"log subnormal":   {detmath.Log, least / 2, -1023 * math.Ln2},
		"log smallest":    {detmath.Log, smallest, -1074 * math.Ln2},
		"log1p 0":         {detmath.Log1p, 0, 0},
		"log1p -1":        {detmath.Log1p, -1, -inf},
		"log1p -1.1":      {detmath.Log1p, -1.1, nan},
		"log1p smallest":  {detmath.Log1p, smallest, smallest},
		"log1p -smallest": {detmath.Log1p, -smallest, -smallest},
		"log1p inf":       {detmath.Log1p, inf, inf},
		"log1p NaN":       {detmath.Log1p, nan, nan},
		"exp 0":           {detmath.Exp, 0, 1},
		"exp 709.782":     {detmath.Exp, 709.782, math.Exp(709.782)},
		"exp 709.783":     {detmath.Exp, 709.783, inf},
		"exp 710":         {detmath.Exp, 710, inf},
		"exp 1000":        {detmath.Exp, 1000, inf},
		"exp inf":         {detmath.Exp, inf, inf},
		"exp -745":        {detmath.Exp, -745, smallest},
		"exp -745.2":      {detmath.Exp, -745.2, 0},
		"exp -1000":       {detmath.Exp, -1000, 0},
		"exp -inf":        {detmath.Exp, -inf, 0},
		"exp NaN":         {detmath.Exp, nan, nan},
		"expm1 0":         {detmath.Expm1, 0, 0},
		"expm1 smallest":  {detmath.Expm1, smallest, smallest},
		"expm1 -50":       {detmath.Expm1, -50, -1},
		"expm1 -inf":      {detmath.Expm1, -inf, -1},
		"expm1 710":       {detmath.Expm1, 710, inf},
		"expm1 NaN":       {detmath.Expm1, nan, nan},
		"normal 1/2":      {detmath.Normal, 0.5, 0},
		"normal 0":        {detmath.Normal, 0, nan},
		"normal 1":        {detmath.Normal, 1, nan},
		"normal -1":       {detmath.Normal, -1, nan},
		"normal 2":        {detmath.Normal, 2, nan},
		"normal NaN":      {detmath.Normal, nan, nan},
	} {
		got := c.f(c.x)
		if math.IsNaN(got) != math.IsNaN(c.want) || apart(got, c.want) > 3e-16 {
			t.Errorf("%s is %v, want %v", name, got, c.want)
		}
	}
}

func TestNormalAgreesWithGonum(t *testing.T) {
	for p := 0x1p-53; p < 0.5; p *= 1.001 {
		if got, want := detmath.Normal(p), distuv.UnitNormal.Quantile(p); apart(got, want) > 4e-15 {
			t.Fatalf("the quantile at %v is %v, want %v", p, got, want)
		}
		got, want := detmath.Normal(1-p), distuv.UnitNormal.Quantile(1-p)
		if apart(got, want) > 4e-15 && math.Abs(got) > 1e-3 {
			t.Fatalf("the quantile at %v is %v, want %v", 1-p, got, want)
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

// BenchmarkFunctions says how long a function takes from argument to result, as
// each argument is made of the result before.
func BenchmarkFunctions(b *testing.B) {
	for _, bench := range []struct {
		name string
		next func(float64) float64
	}{
		{"log", func(x float64) float64 { return detmath.Log(x) + 2 }},
		{"log1p", func(x float64) float64 { return detmath.Log1p(0.1 + x) }},
		{"exp", func(x float64) float64 { return detmath.Exp(-x) }},
		{"expm1", func(x float64) float64 { return 0.1 + detmath.Expm1(-x) }},
		{"normal", func(x float64) float64 { return 0.5 + detmath.Normal(x)/100 }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			x := 0.3
			for b.Loop() {
				x = bench.next(x)
			}
		})
	}
}
