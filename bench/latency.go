// From a histogram to the figures of a result, and back from a result's stored
// histogram to any percentile.

package bench

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// EnoughBeyond is how many samples must lie beyond a percentile before it is
// more than an anecdote: p99 wants 1000 samples, p99.9 wants 10000. With fewer
// it is still reported, and marked.
const EnoughBeyond = 10

// A Percentile is one of the percentiles that a [Latency] holds.
type Percentile struct {
	Name    string  // "p50" … "p999", as in the JSON names
	Percent float64 // in (0, 100)
}

// Percentiles are those a [Latency] holds, ascending.
var Percentiles = [...]Percentile{{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p999", 99.9}}

// Enough reports whether count samples are enough for the percentile, which is
// in [0, 100]: at least [EnoughBeyond] of them lie beyond it.
func Enough(count uint64, percent float64) bool {
	// The tiny slack keeps 1000 samples enough for 99 %, whose complement is not
	// exact in binary.
	return float64(count)*(100-percent)/100 >= EnoughBeyond*(1-1e-9)
}

// At returns the named percentile.
func (l Latency) At(name string) Num {
	switch name {
	case "p50":
		return l.P50
	case "p90":
		return l.P90
	case "p95":
		return l.P95
	case "p99":
		return l.P99
	case "p999":
		return l.P999
	}
	return Num{}
}

// latency returns the histogram's figures; with no values all but the counts
// are missing.
func (h *hist) latency() Latency {
	l := Latency{Count: h.count, Overflow: h.overflow, TooFew: []string{}}
	if h.count == 0 {
		return l
	}
	l.Mean, l.Min, l.Max = h.mean(), Some(float64(h.min)), Some(float64(h.max))
	for i, at := range []*Num{&l.P50, &l.P90, &l.P95, &l.P99, &l.P999} {
		p := Percentiles[i]
		*at = Some(float64(h.percentile(p.Percent)))
		if !Enough(h.count, p.Percent) {
			l.TooFew = append(l.TooFew, p.Name)
		}
	}
	return l
}

// PercentileOf returns any percentile, in [0, 100], of a latency from its stored
// histogram, clamped to the exact extremes. It is missing if there are no
// samples, and an error if the histogram cannot be read.
func PercentileOf(l Latency, histogram string, percent float64) (Num, error) {
	if l.Count == 0 {
		return Num{}, nil
	}
	h, err := hdr.Decode([]byte(histogram))
	if err != nil {
		return Num{}, fmt.Errorf("read the stored histogram: %w", err)
	}
	v := float64(h.ValueAtPercentile(percent))
	return Some(min(max(v, l.Min.Or(v)), l.Max.Or(v))), nil
}
