// Effects of knobs whose values lie on a line.

package sweep

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ferryctl/bench"
)

// along judges curves over levels that lie on a line.
func (e *Effect) along(a Axis, curves [][]float64) {
	order := make([]int, len(a.Values))
	for i := range order {
		order[i] = i
	}
	order = slices.DeleteFunc(order, func(at int) bool { // of a sweep that was stopped
		return !slices.ContainsFunc(curves, func(c []float64) bool { return !math.IsNaN(c[at]) })
	})
	slices.SortStableFunc(order, func(x, y int) int {
		if a.Values[x].Amount < a.Values[y].Amount {
			return -1
		}
		return 1
	})
	values := make([]Value, len(order))
	for i, at := range order {
		values[i] = a.Values[at]
	}
	for n, c := range curves {
		sorted := make([]float64, len(order))
		for i, at := range order {
			sorted[i] = c[at]
		}
		curves[n] = sorted
	}
	e.Comparisons = len(curves)
	if len(curves) == 0 {
		e.Text = e.untold()
		return
	}
	flat := e.flatFrom(curves)
	if e.Nothing = flat == 0; e.Nothing {
		e.Text = e.nothing()
		return
	}
	if flat < len(values)-1 {
		e.Beyond = values[flat].Text
	}
	e.line(a, values[:flat+1], curves)
	e.ends(values, curves, flat)
	e.peak(values[:flat+1], curves)
	e.Text = e.alongWords(values, curves, flat)
}

// flatFrom returns the first level from which on nearly all curves stay the same, of
// those that go on from there, if at least half of all do.
func (e *Effect) flatFrom(curves [][]float64) int {
	last := len(curves[0]) - 1
	for from := range last {
		on := count(curves, func(c []float64) bool {
			return slices.ContainsFunc(c[from+1:], func(v float64) bool { return !math.IsNaN(v) })
		})
		flat := count(curves, func(c []float64) bool {
			end := math.NaN()
			for i := last; i >= from; i-- {
				switch {
				case math.IsNaN(c[i]):
				case math.IsNaN(end):
					end = c[i]
				case !e.same(c[i], end):
					return false
				}
			}
			return true
		})
		if float64(flat) >= nearlyAll*float64(len(curves)) && 2*on >= len(curves) {
			return from
		}
	}
	return last
}

// line fits one slope to all curves, each with a height of its own, if times are
// compared with times: what a delay costs is a part of the delay.
func (e *Effect) line(a Axis, values []Value, curves [][]float64) {
	if a.Unit() != e.Figure.Unit || a.Unit() == "" || len(values) < 2 {
		return
	}
	var xs, ys []float64
	for _, c := range curves {
		var x, y []float64
		for i, v := range values {
			if !math.IsNaN(c[i]) && !math.IsInf(v.Amount, 0) {
				x, y = append(x, v.Amount), append(y, c[i])
			}
		}
		if len(x) < 2 {
			continue
		}
		mx, my := stat.Mean(x, nil), stat.Mean(y, nil)
		for i := range x {
			xs, ys = append(xs, x[i]-mx), append(ys, y[i]-my)
		}
	}
	if len(xs) < 3 { // two points always lie on a line
		return
	}
	_, slope := stat.LinearRegression(xs, ys, nil, true)
	if fit := stat.RSquared(xs, ys, nil, 0, slope); fit >= lineFits {
		e.Slope = bench.Some(slope)
	}
}

// ends compares the first level with the one after which nothing changes.
func (e *Effect) ends(values []Value, curves [][]float64, flat int) {
	var changes []float64
	for _, c := range curves {
		if change := c[flat]/c[0] - 1; !math.IsNaN(change) && !math.IsInf(change, 0) {
			changes = append(changes, change)
		}
	}
	if len(changes) > 0 {
		e.Change, e.Least, e.Most = bench.Some(median(changes)), bench.Some(slices.Min(changes)), bench.Some(slices.Max(changes))
	}
}

// peak looks for a level between the first and the last that is better than both
// at nearly all settings of the others.
func (e *Effect) peak(values []Value, curves [][]float64) {
	obj := Objective{e.Figure, e.Figure.More}
	last, most := len(values)-1, 0
	for i := 1; i < last; i++ {
		wins := count(curves, func(c []float64) bool {
			for _, end := range []float64{c[0], c[last]} {
				if math.IsNaN(c[i]) || math.IsNaN(end) || e.same(c[i], end) || !obj.better(c[i], end) {
					return false
				}
			}
			for _, v := range c[:last+1] {
				if obj.better(v, c[i]) {
					return false
				}
			}
			return true
		})
		if 2*wins > len(curves) && wins > most {
			most, e.Best = wins, values[i].Text
		}
	}
}
