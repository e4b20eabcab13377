// Effects: what each knob does to a figure, in numbers and in words.

package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// An Effect is what one knob does to one figure, over all points that can be
// trusted. Of a grid, points are compared that differ in this knob alone.
type Effect struct {
	Knob   string
	Figure Figure

	// Comparisons is how many settings of the other knobs the effect was seen at; of
	// a sample, how many points there are.
	Comparisons int

	Nothing bool      // no change beyond Within, or none that a sample can tell
	Within  float64   // changes of this part of a figure, and less, count as none
	Beyond  string    // the value beyond which the knob changes nothing; "" if there is none
	Change  bench.Num // median of the figure at Beyond, or at the last value, over that at the first, minus 1
	Least   bench.Num // the smallest of these
	Most    bench.Num // the largest
	Slope   bench.Num // of a line, in units of the figure per unit of the knob; missing where a line does not fit
	Best    string    // the value at which the figure is best: of words, or where it is between first and last
	Text    string    // all of this as a sentence
}

// Changes that count as none.
const (
	sameWithin     = 0.01  // of a figure
	sameRatio      = 0.001 // of a figure that is a ratio itself
	sameMeasured   = 0.05  // of a figure that was measured once, by the real clock
	nearlyAll      = 0.90  // of the comparisons
	lineFits       = 0.90  // of the variance of the figure, where the others are the same
	leastPoints    = 20    // of a sample that says anything
	deviations     = 3.0   // standard deviations of a rank correlation that are chance
	chanceOfChoice = 0.01  // of a difference between words that is chance
)

// effects returns those of all axes on a figure.
func (r *Report) effects(f Figure) []Effect {
	var usable []Outcome
	for _, o := range r.Outcomes {
		if r.Trust.takes(o.Verdict) && o.Of(f).Known() {
			usable = append(usable, o)
		}
	}
	within := r.within(f, usable)
	var all []Effect
	for i, a := range r.Space.Axes {
		e := Effect{Knob: a.Knob, Figure: f, Within: within}
		switch {
		case r.Space.Sample.Points > 0:
			r.sampled(&e, i, usable)
		case a.Numeric():
			e.along(a, r.curves(i, f, usable))
		default:
			e.among(a, r.curves(i, f, usable))
		}
		all = append(all, e)
	}
	return all
}

// within is how far apart two values of a figure may be and count as the same: as
// far as the runs of one point are, if there are several.
func (r *Report) within(f Figure, usable []Outcome) float64 {
	var spreads []float64
	for _, o := range usable {
		if s := o.SpreadOf(f); !math.IsNaN(s) && !math.IsInf(s, 0) {
			spreads = append(spreads, s)
		}
	}
	switch {
	case len(spreads) > 0:
		return math.Max(sameWithin, median(spreads))
	case r.Header.Clock != settings.Virtual:
		return sameMeasured
	}
	return sameWithin
}

// same says whether two values of the figure count as the same.
func (e *Effect) same(a, b float64) bool {
	apart := math.Abs(a - b)
	return apart <= e.Within*math.Max(math.Abs(a), math.Abs(b)) || e.Figure.Unit == "ratio" && apart <= sameRatio
}

// curves returns the figure by the axis' levels, a curve for each setting of the
// other axes at which at least two levels are known; NaN where one is not.
func (r *Report) curves(axis int, f Figure, usable []Outcome) [][]float64 {
	byOthers := map[string][]float64{}
	var order []string
	for _, o := range usable {
		levels := r.Space.Point(o.Point).Levels
		var key strings.Builder
		for i, l := range levels {
			if i != axis {
				key.WriteString(strconv.Itoa(l) + ",")
			}
		}
		c := byOthers[key.String()]
		if c == nil {
			c = slices.Repeat([]float64{math.NaN()}, len(r.Space.Axes[axis].Values))
			byOthers[key.String()] = c
			order = append(order, key.String())
		}
		c[levels[axis]] = o.Of(f).Or(math.NaN())
	}
	var curves [][]float64
	for _, key := range order {
		if known := len(byOthers[key]) - count(byOthers[key], math.IsNaN); known >= 2 {
			curves = append(curves, byOthers[key])
		}
	}
	return curves
}

func count[T any](all []T, is func(T) bool) int {
	n := 0
	for _, v := range all {
		if is(v) {
			n++
		}
	}
	return n
}
