// A limit of the backend's own on the calls that it serves at once.

package calibrate

import (
	"math"
	"slices"

	"ferryctl/bench/backend"
)

const (
	// limitFrom is how many times as long as alone calls take at once before that
	// is anything.
	limitFrom = 1.3

	// limitWithin is how far from what a limit makes of them the means may be, as a
	// difference of logarithms.
	limitWithin = 0.25
)

// limit finds the backend's concurrency. With a limit of L, n calls at once take
// n/L times as long as alone, once n is more than L.
func limit(m *backend.Model, calls []Call, warn func(string, ...any)) {
	ns, means := byAtOnce(calls)
	if len(ns) == 0 || ns[len(ns)-1] == 1 {
		warn("no calls were made at once: a limit of the backend's own is not known")
	}
	if len(ns) == 0 {
		return
	}
	m.Range.MaxInFlight = max(m.Range.MaxInFlight, ns[len(ns)-1])
	for i, n := range ns {
		m.Fit.ConcurrencyInFlight = append(m.Fit.ConcurrencyInFlight, float64(n))
		m.Fit.ConcurrencyServiceMeanNS = append(m.Fit.ConcurrencyServiceMeanNS, means[i])
	}
	alone, most := means[0], means[len(means)-1]
	if len(ns) < 2 || alone <= 0 || most < limitFrom*alone {
		return
	}
	least, farthest := math.Inf(1), 0.0
	for l := 1; l < ns[len(ns)-1]; l++ {
		if sum, far := limitOff(l, ns, means); sum < least {
			least, farthest, m.Concurrency = sum, far, l
		}
	}
	if farthest > limitWithin {
		m.Concurrency = 0
		warn("%d calls at once take %.1f times as long as %d, but not as a limit on their number would have it: the model lets them take as long as one alone",
			ns[len(ns)-1], most/alone, ns[0])
	}
}

// limitOff returns how far the means are from what the limit makes of a call alone,
// in logarithms: the sum of the squares, and the farthest. What a call alone takes
// is what leaves the least.
func limitOff(l int, ns []int, means []float64) (squares, farthest float64) {
	logs, mean := make([]float64, len(ns)), 0.0
	for i, n := range ns {
		logs[i] = math.Log(means[i] / math.Max(1, float64(n)/float64(l)))
		mean += logs[i] / float64(len(ns))
	}
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
		farthest = max(farthest, math.Abs(x-mean))
	}
	return squares, farthest
}

// byAtOnce returns the numbers of calls at once, ascending, and the mean time of a
// call at each.
func byAtOnce(calls []Call) (ns []int, means []float64) {
	sum, count := map[int]float64{}, map[int]float64{}
	for _, c := range calls {
		if !c.Failed {
			sum[c.InFlight] += float64(c.Time)
			count[c.InFlight]++
		}
	}
	for n := range count {
		ns = append(ns, n)
	}
	slices.Sort(ns)
	for _, n := range ns {
		means = append(means, sum[n]/count[n])
	}
	return ns, means
}
