// The outcome of a point: its runs together.

package sweep

import (
	"math"
	"slices"

	"ferryctl/bench"
)

// An Outcome is what the runs of one point came to. Each figure is the median of
// the runs' own: percentiles are never averaged.
type Outcome struct {
	Point   int
	Runs    int           // that were made
	Verdict bench.Verdict // the worst of them
	Reason  string        // the first reason of the run with that verdict; "" if it is VALID
	SLO     Met           // met in all runs, missed in one
	Limits  Limits        // of the first run
	Figures []bench.Num   // as in [Figures]; missing where no run has it
	Spread  []float64     // of each figure: largest minus smallest, over the median; NaN for less than two runs
}

// Met says whether an SLO was met.
type Met string

// What an SLO can be.
const (
	NoSLO  Met = ""
	SLOMet Met = "met"
	Missed Met = "missed"
)

// Of returns a figure of the outcome.
func (o Outcome) Of(f Figure) bench.Num {
	i := slices.IndexFunc(Figures, func(g Figure) bool { return g.Name == f.Name })
	if i < 0 || o.Figures == nil {
		return bench.Num{}
	}
	return o.Figures[i]
}

// SpreadOf returns the spread of a figure.
func (o Outcome) SpreadOf(f Figure) float64 {
	i := slices.IndexFunc(Figures, func(g Figure) bool { return g.Name == f.Name })
	if i < 0 || o.Spread == nil {
		return math.NaN()
	}
	return o.Spread[i]
}

// outcomeOf puts the runs of a point together.
func outcomeOf(runs []Record) Outcome {
	o := Outcome{Point: runs[0].Point, Runs: len(runs), Verdict: bench.Valid, Limits: LimitsOf(runs[0].Result)}
	for _, r := range runs {
		m := r.Result.Measurement
		if worse(m.Verdict, o.Verdict) {
			o.Verdict = m.Verdict
			if len(m.Reasons) > 0 {
				o.Reason = m.Reasons[0]
			}
		}
		for _, term := range r.Result.SLO {
			switch {
			case !term.OK:
				o.SLO = Missed
			case o.SLO == NoSLO:
				o.SLO = SLOMet
			}
		}
	}
	for _, f := range Figures {
		var values []float64
		for _, r := range runs {
			if v, ok := f.of(r.Result).Get(); ok {
				values = append(values, v)
			}
		}
		mid, spread := summarize(values)
		o.Figures, o.Spread = append(o.Figures, mid), append(o.Spread, spread)
	}
	return o
}

// worse says whether a is a worse verdict than b.
func worse(a, b bench.Verdict) bool {
	order := []bench.Verdict{bench.Valid, bench.Suspect, bench.Invalid}
	return slices.Index(order, a) > slices.Index(order, b)
}

// summarize returns the median of values and how far they are apart, as a part of
// it.
func summarize(values []float64) (mid bench.Num, spread float64) {
	if len(values) == 0 {
		return bench.Num{}, math.NaN()
	}
	m := median(values)
	if len(values) < 2 {
		return bench.Some(m), math.NaN()
	}
	apart := slices.Max(values) - slices.Min(values)
	if apart == 0 {
		return bench.Some(m), 0
	}
	return bench.Some(m), apart / math.Abs(m)
}

// median returns the middle of values, the mean of the two in the middle if they
// are even in number. There is at least one.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1] + (s[n/2]-s[n/2-1])/2
}
