// What a search keeps of a run: some hundred bytes.

package lab

import (
	"math"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
)

// Figures are those that a search keeps of each run: those of a sweep, and the cost.
var Figures = append(append([]sweep.Figure{}, sweep.Figures...), sweep.Cost)

// FigureOf finds one of them by either of its names.
func FigureOf(name string) (sweep.Figure, bool) {
	for _, f := range Figures {
		if f.Name == name || f.Short == name {
			return f, true
		}
	}
	return sweep.Figure{}, false
}

// A Shot is what is kept of a run.
type Shot struct {
	Figures []bench.Num // as in [Figures]
	Terms   []bench.SLO // as in the result
	Verdict bench.Verdict
	Reason  string // the first of the measurement's; "" if it is VALID
	Limits  sweep.Limits
	Unfair  string // the share lane with the worst error; "" if none can be told
	Done    uint64 // items that the latencies are of
	Offered bench.Num
	Stuck   bool // some items had not ended when the drain did: the latencies lack the slowest
}

// Keep takes from a result what a search keeps.
func Keep(r *bench.Result) *Shot {
	s := &Shot{
		Terms: r.SLO, Verdict: r.Measurement.Verdict, Limits: sweep.LimitsOf(r),
		Unfair: r.Fairness.WorstLane, Done: r.Latency.Sojourn.Count, Offered: r.Rates.Offered, Stuck: r.Counts.InFlightAtEnd > 0,
	}
	if len(r.Measurement.Reasons) > 0 {
		s.Reason = r.Measurement.Reasons[0]
	}
	for _, f := range Figures {
		s.Figures = append(s.Figures, f.Of(r))
	}
	return s
}

// Of returns a figure.
func (s *Shot) Of(f sweep.Figure) bench.Num {
	for i, g := range Figures {
		if g.Name == f.Name {
			return s.Figures[i]
		}
	}
	return bench.Num{}
}

// Met says whether all terms were met; without terms they are.
func (s *Shot) Met() bool {
	for _, t := range s.Terms {
		if !t.OK {
			return false
		}
	}
	return true
}

// farthest is what a term without data counts as, and the most that any does: 1 is
// a factor of e.
const farthest = 20.0

// Missed says how far the terms are from being met, over all that are missed: the
// logarithm of the factor between a figure and its bound. It is 0 if all are met.
func (s *Shot) Missed(terms []slo.Term) float64 {
	sum := 0.0
	for i, t := range s.Terms {
		if !t.OK && i < len(terms) {
			sum += Distance(terms[i], t.Value)
		}
	}
	return sum
}

// Distance says how far a value is on the wrong side of a term's bound, as the
// logarithm of the factor between them; negative on the right side.
func Distance(t slo.Term, value bench.Num) float64 {
	v, ok := value.Get()
	if !ok {
		return farthest
	}
	v, bound := math.Max(v, least(t)), math.Max(t.Bound, least(t))
	far := math.Log(v / bound)
	if strings.HasPrefix(string(t.Op), ">") {
		far = -far
	}
	return math.Max(-farthest, math.Min(far, farthest))
}

// least is below what makes a difference in a metric's unit.
func least(t slo.Term) float64 {
	if t.Metric.Unit() == slo.Ratio {
		return 1e-6
	}
	return 1e-3
}
