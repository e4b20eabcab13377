package workload_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/workload"
)

// pRefuse is the probability below which a sample is taken not to follow its
// law. The seeds are fixed, so a test that passes once passes always.
const pRefuse = 1e-4

// chiSquare fails the test if the counts do not fit the expectations, which need
// not be whole; cells that expect less than 10 are joined with the next.
func chiSquare(t *testing.T, counts []int, expected []float64) {
	t.Helper()
	var sum, observed, want float64
	cells := 0
	for i := range counts {
		observed += float64(counts[i])
		want += expected[i]
		if want >= 10 {
			sum += (observed - want) * (observed - want) / want
			observed, want = 0, 0
			cells++
		}
	}
	if cells < 2 {
		t.Fatalf("only %d cells can be tested", cells)
	}
	if p := (distuv.ChiSquared{K: float64(cells - 1)}).Survival(sum); p < pRefuse {
		t.Errorf("chi-square %.1f over %d cells has p = %.2g", sum, cells, p)
	}
}

// kolmogorov fails the test if the sample does not fit the continuous cdf.
func kolmogorov(t *testing.T, sample []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	d := 0.0
	for i, x := range sample {
		f := cdf(x)
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
	}
	// The tail of Kolmogorov's distribution, whose first term is ample here.
	if p := 2 * math.Exp(-2*n*d*d); p < pRefuse {
		t.Errorf("Kolmogorov distance %.5f of %d values has p = %.2g", d, len(sample), p)
	}
}

// take returns n items of the sequence.
func take(t *testing.T, s workload.Spec, n int) []workload.Item {
	t.Helper()
	src, err := workload.New(s)
	if err != nil {
		t.Fatal(err)
	}
	items := make([]workload.Item, n)
	for i := range items {
		if !src.Next(&items[i]) {
			t.Fatalf("the sequence ends after %d items: %v", i, src.Err())
		}
	}
	return items
}

// zipfSum is the sum of k^-s over k = a … b: term by term, and in the far tail by
// the Euler-Maclaurin formula, whose error there is far below the sum's rounding.
func zipfSum(a, b uint64, s float64) float64 {
	const direct = 2000
	sum := 0.0
	for k := a; k <= min(b, direct); k++ {
		sum += math.Pow(float64(k), -s)
	}
	if b <= direct {
		return sum
	}
	x, y := float64(max(a, direct+1)), float64(b)
	integral := math.Log(y / x)
	if s != 1 {
		integral = math.Pow(x, 1-s) * math.Expm1((1-s)*integral) / (1 - s)
	}
	fx, fy := math.Pow(x, -s), math.Pow(y, -s)
	return sum + integral + (fx+fy)/2 + s/12*(fx/x-fy/y)
}

// TestZipfMatchesItsLaw holds the keys against the exact law: each of the first
// 50 ranks, then cells that grow by a tenth.
func TestZipfMatchesItsLaw(t *testing.T) {
	const n = 300_000
	for _, keys := range []uint64{2, 3, 10, 1000, 100_000, workload.MaxKeys} {
		for _, skew := range []float64{0, 0.01, 0.5, 0.99, 1 - 1e-9, 1 - 1e-15, 1, 1 + 1e-12, 1.005, 1.1, 2, 5} {
			t.Run(fmt.Sprintf("keys=%d/skew=%v", keys, skew), func(t *testing.T) {
				var uppers []uint64 // each cell's last rank, from 1
				for last := uint64(0); last < keys; {
					last = min(last+max(1, (last-min(last, 50))/10), keys)
					uppers = append(uppers, last)
				}
				expected := make([]float64, len(uppers))
				total, below := zipfSum(1, keys, skew), uint64(0)
				for i, upper := range uppers {
					expected[i] = n * zipfSum(below+1, upper, skew) / total
					below = upper
				}
				counts := make([]int, len(uppers))
				for _, it := range take(t, workload.Spec{Seed: 1, Rate: workload.Rate{Max: true}, Keys: keys, KeySkew: skew}, n) {
					cell, _ := slices.BinarySearch(uppers, it.Key+1)
					if cell == len(uppers) {
						t.Fatalf("key %d of %d", it.Key, keys)
					}
					counts[cell]++
				}
				chiSquare(t, counts, expected)
			})
		}
	}
}

func TestZipfOfExtremesStaysInRange(t *testing.T) {
	for _, skew := range []float64{0, 5e-324, 1e-17, math.Nextafter(1, 0), 1, math.Nextafter(1, 2), 30, 700, 1e6, 1e300} {
		for _, keys := range []uint64{1, 2, workload.MaxKeys} {
			top := uint64(0)
			for _, it := range take(t, workload.Spec{Rate: workload.Rate{Max: true}, Keys: keys, KeySkew: skew}, 20_000) {
				top = max(top, it.Key)
			}
			if top >= keys || skew >= 30 && top > 0 {
				t.Errorf("skew %v, %d keys: the highest key is %d", skew, keys, top)
			}
		}
	}
}

func TestWeightsMatchTheirLaws(t *testing.T) {
	const n = 200_000
	for text, cdf := range map[string]func(float64) float64{
		"uniform(min=1,max=1T)":           distuv.Uniform{Min: 0.5, Max: 1e12 + 0.5}.CDF,
		"uniform(min=1T,max=3T)":          distuv.Uniform{Min: 1e12 - 0.5, Max: 3e12 + 0.5}.CDF,
		"lognormal(median=1G,sigma=1)":    distuv.LogNormal{Mu: math.Log(1e9), Sigma: 1}.CDF,
		"lognormal(median=1G,sigma=0.25)": distuv.LogNormal{Mu: math.Log(1e9), Sigma: 0.25}.CDF,
		"lognormal(median=1T,sigma=3)":    distuv.LogNormal{Mu: math.Log(1e12), Sigma: 3}.CDF,
		"pareto(min=1G,alpha=1.5)":        distuv.Pareto{Xm: 1e9, Alpha: 1.5}.CDF,
		"pareto(min=1G,alpha=0.8)":        distuv.Pareto{Xm: 1e9, Alpha: 0.8}.CDF,
	} {
		t.Run(text, func(t *testing.T) {
			law, err := workload.ParseWeights(text)
			if err != nil {
				t.Fatal(err)
			}
			sample := make([]float64, n)
			for i, it := range take(t, workload.Spec{Seed: 2, Rate: workload.Rate{Max: true}, Keys: 1, Weights: law}, n) {
				sample[i] = float64(it.Weight)
			}
			kolmogorov(t, sample, cdf)
		})
	}
}

// TestSmallWeightsAreRoundedToTheNearest holds a law that is coarse in whole
// numbers against the probability of each of them.
func TestSmallWeightsAreRoundedToTheNearest(t *testing.T) {
	const n, top = 200_000, 60
	for text, cdf := range map[string]func(float64) float64{
		"uniform(1,7)":                func(x float64) float64 { return min(max(math.Floor(x)/7, 0), 1) },
		"lognormal(median=5,sigma=1)": distuv.LogNormal{Mu: math.Log(5), Sigma: 1}.CDF,
		"pareto(min=3,alpha=1.5)":     distuv.Pareto{Xm: 3, Alpha: 1.5}.CDF,
	} {
		t.Run(text, func(t *testing.T) {
			law, err := workload.ParseWeights(text)
			if err != nil {
				t.Fatal(err)
			}
			counts, expected := make([]int, top+1), make([]float64, top+1)
			for _, it := range take(t, workload.Spec{Seed: 3, Rate: workload.Rate{Max: true}, Keys: 1, Weights: law}, n) {
				counts[min(it.Weight, top)]++
			}
			for w := 1; w <= top; w++ {
				low, high := cdf(float64(w)-0.5), cdf(float64(w)+0.5)
				if w == 1 {
					low = 0
				}
				if w == top {
					high = 1
				}
				expected[w] = n * (high - low)
			}
			if counts[0] != 0 {
				t.Errorf("%d items weigh nothing", counts[0])
			}
			chiSquare(t, counts, expected)
		})
	}
}

func TestWeightsStayWithinTheirBounds(t *testing.T) {
	for text, want := range map[string][2]int64{
		"1":                              {1, 1},
		"4KiB":                           {4096, 4096},
		"uniform(min=5,max=5)":           {5, 5},
		"lognormal(median=4KiB,sigma=0)": {4096, 4096},
		"lognormal(median=1,sigma=1000)": {1, workload.MaxWeight},
		"pareto(min=1KiB,alpha=0.001)":   {1024, workload.MaxWeight},
		"pareto(min=1KiB,alpha=1000000)": {1024, 1024},
		"pareto(min=9007199254740993,alpha=1000000)": {9007199254740992, 9008000000000000},
	} {
		law, err := workload.ParseWeights(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range take(t, workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: law}, 20_000) {
			if it.Weight < want[0] || it.Weight > want[1] {
				t.Fatalf("%s: an item weighs %d, want %d to %d", text, it.Weight, want[0], want[1])
			}
		}
	}
}

func TestLaneFractionsAreKept(t *testing.T) {
	const n = 300_000
	many := make([]workload.LaneFraction, 40)
	for i := range many {
		many[i] = workload.LaneFraction{Lane: fmt.Sprint("l", i), Fraction: float64(i + 1)}
	}
	for name, lanes := range map[string][]workload.LaneFraction{
		"two":   {{"gold", 0.75}, {"free", 0.25}},
		"three": {{"a", 100}, {"b", 1}, {"c", 7}},
		"many":  many,
	} {
		t.Run(name, func(t *testing.T) {
			counts, expected, sum := make([]int, len(lanes)), make([]float64, len(lanes)), 0.0
			for _, it := range take(t, workload.Spec{Seed: 5, Rate: workload.Rate{Max: true}, Keys: 1, Lanes: lanes}, n) {
				counts[it.Lane]++
			}
			for _, l := range lanes {
				sum += l.Fraction
			}
			for i, l := range lanes {
				expected[i] = n * l.Fraction / sum
			}
			chiSquare(t, counts, expected)
		})
	}
}
