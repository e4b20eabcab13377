// The statistics: a rank test, what it can tell at best, and an interval.

package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"
)

// rankTest returns the p-value of Mann and Whitney's test that both samples are of
// one law. Samples without any difference have 1.
func rankTest(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	t := &benchmath.DefaultThresholds
	c := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), t), benchmath.NewSample(slices.Clone(b), t))
	if math.IsNaN(c.P) {
		return 1
	}
	return min(c.P, 1)
}

// leastP is the smallest p-value that samples of these sizes can have: that of the
// two orders in which all of one stand before all of the other, 2 in n1+n2 over n1.
func leastP(n1, n2 int) float64 {
	p := 2.0
	for i := 1; i <= min(n1, n2); i++ {
		p *= float64(i) / float64(max(n1, n2)+i)
	}
	return min(p, 1)
}

// needed returns how many runs a side can tell something at a level, as many on
// each side. A level of 0 can't be reached.
func needed(level float64) int {
	for n := 1; n < 100; n++ {
		if leastP(n, n) <= level {
			return n
		}
	}
	return 100
}

// holm adjusts p-values for their number, in place (Holm 1979): the smallest counts
// as many times as there are tests, the next one time less, and none counts less
// than one before it.
func holm(p []*float64) {
	slices.SortFunc(p, func(a, b *float64) int {
		switch {
		case *a < *b:
			return -1
		case *a > *b:
			return 1
		}
		return 0
	})
	least := 0.0
	for i, v := range p {
		least = max(least, min(1, *v*float64(len(p)-i)))
		*v = least
	}
}

// coverage of the intervals.
const coverage = 0.95

// interval returns the percentile bootstrap of the difference of medians, b minus
// a. It is drawn from the seed alone.
func interval(a, b []float64, resamples int, seed uint64) (low, high float64) {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) //nolint:gosec // a resampling that is to be the same every time
	differences := make([]float64, resamples)
	from, to := make([]float64, len(a)), make([]float64, len(b))
	draw := func(into, of []float64) float64 {
		for i := range into {
			into[i] = of[rng.IntN(len(of))]
		}
		slices.Sort(into)
		return middle(into)
	}
	for i := range differences {
		differences[i] = draw(to, b) - draw(from, a)
	}
	slices.Sort(differences)
	tail := int(float64(resamples) * (1 - coverage) / 2)
	return differences[tail], differences[resamples-1-tail]
}

// middle returns the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1] + (sorted[n/2]-sorted[n/2-1])/2
}

func median(values []float64) float64 { return middle(slices.Sorted(slices.Values(values))) }
