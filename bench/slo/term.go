// What a term is and how it is written.

package slo

import (
	"strings"
	"time"

	"ferryctl/workload/units"
)

// A Metric is a figure that a term bounds.
type Metric uint8

// The metrics. Latencies are sojourn times of the items that were done.
const (
	Percentile Metric = iota + 1 // of the sojourn, Term.Percent of it
	Mean                         // of the sojourn
	Max                          // of the sojourn
	Throughput                   // items done per second
	Rejected                     // part of the offered items that was rejected
	Failed                       // part of the offered items that failed
	Fairness                     // the worst share lane's error against its share, as a part of all service
)

var metricNames = map[Metric]string{
	Mean: "mean", Max: "max", Throughput: "throughput", Rejected: "rejected", Failed: "failed", Fairness: "fairness",
}

// An Op says on which side of its bound a figure should be.
type Op string

// The comparisons.
const (
	AtMost  Op = "<="
	Below   Op = "<"
	AtLeast Op = ">="
	Above   Op = ">"
)

// holds says whether value stands to bound as o asks. It is false for a NaN.
func (o Op) holds(value, bound float64) bool {
	switch o {
	case AtMost:
		return value <= bound
	case Below:
		return value < bound
	case AtLeast:
		return value >= bound
	case Above:
		return value > bound
	}
	return false
}

// upper says whether o bounds from above.
func (o Op) upper() bool { return o == AtMost || o == Below }

// A Term is one condition of an objective.
type Term struct {
	Metric  Metric
	Percent float64 // of a Percentile, within [1, 100): 99.9 for p99.9
	Op      Op
	Bound   float64 // in the metric's Unit
}

// The units of metrics, as results name them.
const (
	Nanoseconds = "ns"
	PerSecond   = "per_s"
	Ratio       = "ratio" // a fraction: 0.001 for 0.1%
)

// Unit returns the unit of m's values.
func (m Metric) Unit() string {
	switch m {
	case Throughput:
		return PerSecond
	case Rejected, Failed, Fairness:
		return Ratio
	default:
		return Nanoseconds
	}
}

// Name returns the metric as it is written in the term: p99.9, mean, rejected.
func (t Term) Name() string {
	if t.Metric == Percentile {
		return "p" + units.FormatNumber(t.Percent)
	}
	return metricNames[t.Metric]
}

// String writes t so that [Parse] reads it back.
func (t Term) String() string { return t.Name() + string(t.Op) + t.Format(t.Bound) }

// Format writes a value of the term's metric with its unit.
func (t Term) Format(value float64) string {
	switch t.Metric.Unit() {
	case PerSecond:
		return units.FormatRate(value)
	case Ratio:
		return units.FormatPercent(value)
	default:
		return units.FormatDuration(time.Duration(value))
	}
}

// Format writes an objective so that [Parse] reads it back.
func Format(terms []Term) string {
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.String()
	}
	return strings.Join(texts, ",")
}
