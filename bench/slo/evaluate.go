// Judging figures by terms.

package slo

import (
	"cmp"
	"fmt"
	"math"
)

// Figures are what a run measured. What is not known is NaN.
type Figures struct {
	Samples    uint64                             // items done: those behind the latencies
	Percentile func(percent float64) (ns float64) // of the sojourn; asked only if Samples > 0, never nil then
	Mean       float64                            // ns, of the sojourn
	Max        float64                            // ns, of the sojourn
	Throughput float64                            // items done per second; NaN if there was no time
	Offered    uint64                             // items offered: those behind the ratios
	Rejected   uint64                             // of those offered
	Failed     uint64                             // of those offered

	Unfairness   float64 // the worst share lane's error, as a part of all service; NaN if it cannot be told,
	FairnessNote string  // … for this reason; "" if nobody has a share
}

// An Outcome is how a term fared.
type Outcome struct {
	Value float64 // in the metric's unit; 0 unless Known
	Known bool    // false if there is no data, and then OK is false too
	OK    bool
	Note  string // why there is no value, or why it should be doubted; "" if neither
}

// enoughBeyond is how many samples must lie beyond a percentile for it to be
// more than an anecdote.
const enoughBeyond = 10

// Evaluate judges f by t. A term without data is missed.
func (t Term) Evaluate(f Figures) Outcome {
	value, missing := t.value(f)
	if missing == "" && (math.IsNaN(value) || math.IsInf(value, 0)) {
		missing = "no data: the figure was not measured"
	}
	if missing != "" {
		return Outcome{Note: missing}
	}
	return Outcome{Value: value, Known: true, OK: t.Op.holds(value, t.Bound), Note: t.doubt(f)}
}

// value picks the term's figure out of f, or says why there is none.
func (t Term) value(f Figures) (value float64, missing string) {
	switch t.Metric {
	case Throughput:
		return f.Throughput, ""
	case Fairness:
		if math.IsNaN(f.Unfairness) {
			return 0, "no data: " + cmp.Or(f.FairnessNote, "no share lane has a share")
		}
		return f.Unfairness, ""
	case Rejected, Failed:
		if f.Offered == 0 {
			return 0, "no data: nothing was offered"
		}
		n := f.Rejected
		if t.Metric == Failed {
			n = f.Failed
		}
		return float64(n) / float64(f.Offered), ""
	}
	if f.Samples == 0 {
		return 0, "no data: no item was done"
	}
	switch t.Metric {
	case Percentile:
		return f.Percentile(t.Percent), ""
	case Mean:
		return f.Mean, ""
	case Max:
		return f.Max, ""
	}
	return 0, "no data: unknown metric"
}

// doubt says if a percentile rests on too few samples.
func (t Term) doubt(f Figures) string {
	if t.Metric != Percentile {
		return ""
	}
	beyond := float64(f.Samples) * min(t.Percent, 100-t.Percent) / 100
	if beyond >= enoughBeyond*(1-1e-9) { // 100-99.9 is not exact in binary
		return ""
	}
	return fmt.Sprintf("%d samples are few for %s: fewer than %d lie beyond it", f.Samples, t.Name(), enoughBeyond)
}
