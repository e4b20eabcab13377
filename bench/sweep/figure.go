// The figures of a point: those that objectives, effects and tables are about.

package sweep

import (
	"errors"
	"fmt"
	"strings"

	"ferryctl/bench"
	"ferryctl/workload/units"
)

// A Figure is one figure of a result.
type Figure struct {
	Name  string // as the column of the CSV form
	Short string // as people call it, and as objectives do
	Unit  string // "ns", "1/s", "ratio", "inputs" or "" for a number
	More  bool   // more is better

	of func(*bench.Result) bench.Num
}

// Of returns the figure of a result.
func (f Figure) Of(r *bench.Result) bench.Num { return f.of(r) }

// Figures in the order in which reports list them. The first few are in every
// table.
var Figures = []Figure{
	{"throughput_per_s", "throughput", "1/s", true, func(r *bench.Result) bench.Num { return r.Rates.Throughput }},
	{"rejected_ratio", "rejected", "ratio", false, func(r *bench.Result) bench.Num { return r.Rates.Rejected }},
	{"sojourn_mean_ns", "mean", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.Mean }},
	{"sojourn_p50_ns", "p50", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.P50 }},
	{"sojourn_p90_ns", "p90", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.P90 }},
	{"sojourn_p95_ns", "p95", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.P95 }},
	{"sojourn_p99_ns", "p99", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.P99 }},
	{"sojourn_p999_ns", "p99.9", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.P999 }},
	{"sojourn_max_ns", "max", "ns", false, func(r *bench.Result) bench.Num { return r.Latency.Sojourn.Max }},
	{"failed_ratio", "failed", "ratio", false, func(r *bench.Result) bench.Num {
		return bench.Ratio(float64(r.Counts.Failed), float64(r.Counts.Offered))
	}},
	{"batches_per_s", "batches", "1/s", false, func(r *bench.Result) bench.Num { return r.Rates.Batches }},
	{"batches_size_mean", "batch", "inputs", true, func(r *bench.Result) bench.Num { return r.Batches.Size.Mean }},
	{"room_mean_queued", "queued", "inputs", false, func(r *bench.Result) bench.Num { return r.Room.MeanQueued }},
	{"split_forming_ns", "forming", "ns", false, func(r *bench.Result) bench.Num { return r.Split.Forming }},
	{"split_turn_ns", "turn", "ns", false, func(r *bench.Result) bench.Num { return r.Split.Turn }},
	{"split_slot_ns", "slot", "ns", false, func(r *bench.Result) bench.Num { return r.Split.Slot }},
	{"split_service_ns", "service", "ns", false, func(r *bench.Result) bench.Num { return r.Split.Service }},
	{"fairness_worst_error_ratio", "unfairness", "ratio", false, func(r *bench.Result) bench.Num { return r.Fairness.WorstErrorRatio }},
}

// Cost is what a done input costs the backend: the time that its calls take, by the
// input. It is no figure of a sweep's forms, since these have all it is made of.
var Cost = Figure{"cost_ns", "cost", "ns", false, func(r *bench.Result) bench.Num {
	calls, ok := r.Rates.Batches.Get()
	each, known := r.Measurement.ServiceActual.Get()
	if !ok || !known {
		return bench.Num{}
	}
	return bench.Ratio(calls*each, r.Rates.Throughput.Or(0))
}}

// An Objective is a figure, and which way is better.
type Objective struct {
	Figure Figure
	More   bool // more is better
}

// String writes the objective as [ParseObjectives] reads it.
func (o Objective) String() string {
	switch {
	case o.More == o.Figure.More:
		return o.Figure.Short
	case o.More:
		return "max:" + o.Figure.Short
	}
	return "min:" + o.Figure.Short
}

// Better says whether a is a better value than b.
func (o Objective) Better(a, b float64) bool { return o.better(a, b) }

func (o Objective) better(a, b float64) bool {
	if o.More {
		return a > b
	}
	return a < b
}

// Objectives of a sweep are at least one and at most so many.
const maxObjectives = 5

// DefaultObjectives is the text of those that nobody has to give.
const DefaultObjectives = "throughput,p99"

// ParseObjectives reads a list of figures, by either of their names. A figure with
// max: or min: before it goes the other way than usual. The error holds every
// fault.
func ParseObjectives(text string) ([]Objective, error) {
	var out []Objective
	var faults []error
	var names []string
	for _, f := range Figures {
		names = append(names, f.Short)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		way, name, directed := strings.Cut(strings.TrimSpace(part), ":")
		if !directed {
			way, name = "", way
		}
		f, ok := figureOf(name)
		switch {
		case directed && way != "max" && way != "min":
			faults = append(faults, fmt.Errorf("%q: want max: or min: before %s, or neither", part, name))
		case !ok:
			hint := ""
			if near := units.Nearest(name, names); near != "" {
				hint = ", did you mean " + near
			}
			faults = append(faults, fmt.Errorf("unknown figure %q%s: want some of %s", name, hint, strings.Join(names, ", ")))
		case seen[f.Name]:
			faults = append(faults, fmt.Errorf("%s is given twice", name))
		default:
			seen[f.Name] = true
			out = append(out, Objective{f, way == "max" || way == "" && f.More})
		}
	}
	if len(out) > maxObjectives {
		faults = append(faults, fmt.Errorf("%d objectives: want at most %d: with more, hardly any point is worse than another in all of them", len(out), maxObjectives))
	}
	return out, errors.Join(faults...)
}

// figureOf finds a figure by either of its names.
func figureOf(name string) (Figure, bool) {
	for _, f := range Figures {
		if f.Name == name || f.Short == name {
			return f, true
		}
	}
	return Figure{}, false
}
