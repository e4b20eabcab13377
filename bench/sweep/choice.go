// Effects of knobs whose values lie on no line, and those that a sample shows.

package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// among judges curves over levels that are words.
func (e *Effect) among(a Axis, curves [][]float64) {
	if e.Comparisons = len(curves); len(curves) == 0 {
		e.Text = e.untold()
		return
	}
	obj := Objective{e.Figure, e.Figure.More}
	wins := make([]int, len(a.Values))
	different := 0
	for _, c := range curves {
		best := -1
		for i, v := range c {
			if !math.IsNaN(v) && (best < 0 || obj.better(v, c[best])) {
				best = i
			}
		}
		if slices.ContainsFunc(c, func(v float64) bool { return !math.IsNaN(v) && !e.same(v, c[best]) }) {
			different++
			wins[best]++
		}
	}
	if float64(different) <= (1-nearlyAll)*float64(len(curves)) {
		e.Nothing, e.Text = true, e.nothing()
		return
	}
	best := slices.Index(wins, slices.Max(wins))
	e.Best = a.Values[best].Text
	word := "lowest"
	if e.Figure.More {
		word = "highest"
	}
	parts := []string{fmt.Sprintf("%s is %s with %s %s in %d of %s", e.Figure.Short, word, e.Knob, e.Best, wins[best], plural(len(curves), "comparison"))}
	for i, v := range a.Values {
		if text := e.against(curves, i, best); i != best && text != "" {
			parts = append(parts, v.Text+" "+text)
		}
	}
	e.Text = strings.Join(parts, "; ")
}

// against compares two levels by the median over the curves that have both.
func (e *Effect) against(curves [][]float64, level, best int) string {
	var changes, values []float64
	for _, c := range curves {
		if change := c[level]/c[best] - 1; !math.IsNaN(change) && !math.IsInf(change, 0) {
			changes = append(changes, change)
		}
		if !math.IsNaN(c[level]) {
			values = append(values, c[level])
		}
	}
	switch {
	case len(values) == 0:
		return ""
	case len(changes) == 0 || e.Figure.Unit == "ratio":
		return e.Figure.Say(median(values))
	}
	return changed(median(changes))
}

// sampled judges a sample, in which no two points differ in one knob alone: by how
// the figure goes with the knob whatever the others do. The designs spread each
// knob evenly over the others, so that these blur the effect and don't bend it.
func (r *Report) sampled(e *Effect, axis int, usable []Outcome) {
	a := r.Space.Axes[axis]
	var values []Value
	var levels []int
	var ys []float64
	for _, o := range usable {
		p := r.Space.Point(o.Point)
		values, levels, ys = append(values, p.Values[axis]), append(levels, p.Levels[axis]), append(ys, o.Of(e.Figure).Or(0))
	}
	e.Comparisons = len(ys)
	switch {
	case len(ys) < leastPoints:
		e.Text = fmt.Sprintf("a sample of %s that can be trusted is too small to tell what %s does to %s: want at least %d", plural(len(ys), "point"), e.Knob, e.Figure.Short, leastPoints)
	case a.Between != nil || a.Numeric():
		e.ranked(a, values, ys)
	default:
		e.grouped(a, levels, ys)
	}
}

// ranked tests whether the figure goes up or down with the knob, by Spearman's
// rank correlation.
func (e *Effect) ranked(a Axis, values []Value, ys []float64) {
	xs := make([]float64, len(values))
	for i, v := range values {
		xs[i] = v.Amount
	}
	chance := deviations / math.Sqrt(float64(len(xs)-1))
	rho := stat.Correlation(ranks(xs), ranks(ys), nil)
	if !(math.Abs(rho) > chance) {
		e.Nothing = true
		e.Text = fmt.Sprintf("no trend of %s with %s that a sample of %s can tell (rank correlation %+.2f, chance alone up to %.2f)", e.Figure.Short, e.Knob, plural(len(xs), "point"), rho, chance)
		return
	}
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	third := len(order) / 3
	at := func(places []int) float64 {
		var part []float64
		for _, i := range places {
			part = append(part, ys[i])
		}
		return median(part)
	}
	low, high := at(order[:third]), at(order[len(order)-third:])
	e.Change = bench.Some(high/low - 1)
	verb := "rises"
	if rho < 0 {
		verb = "falls"
	}
	e.Text = fmt.Sprintf("%s %s with %s: median %s in the lowest third, %s in the highest (rank correlation %+.2f, %s)",
		e.Figure.Short, verb, e.Knob, e.Figure.Say(low), e.Figure.Say(high), rho, plural(len(xs), "point"))
	e.slope(a, xs, ys)
}

// slope adds that of a line, if times are compared with times and a line says at
// least half of it.
func (e *Effect) slope(a Axis, xs, ys []float64) {
	if a.Unit() != "ns" || e.Figure.Unit != "ns" || slices.ContainsFunc(xs, func(x float64) bool { return math.IsInf(x, 0) }) {
		return
	}
	from, slope := stat.LinearRegression(xs, ys, nil, false)
	fit := stat.RSquared(xs, ys, nil, from, slope)
	if fit < 0.5 {
		return
	}
	e.Slope = bench.Some(slope)
	wide := 2 * math.Abs(slope) * math.Sqrt((1/fit-1)/float64(len(xs)-2)) // two standard errors
	e.Text += fmt.Sprintf("; %.3g ± %.2g ms per ms of %s", slope, wide, e.Knob)
}

// ranks returns each value's rank, ties at their middle.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1)/2 + 1
		}
		from = to
	}
	return out
}

// grouped tests whether the figure differs between words, by the test of Kruskal
// and Wallis.
func (e *Effect) grouped(a Axis, levels []int, ys []float64) {
	all := ranks(ys)
	sums, groups := make([]float64, len(a.Values)), make([][]float64, len(a.Values))
	for i, l := range levels {
		sums[l] += all[i]
		groups[l] = append(groups[l], ys[i])
	}
	n, h, some := float64(len(ys)), 0.0, 0
	for l, g := range groups {
		if len(g) > 0 {
			h += sums[l] * sums[l] / float64(len(g))
			some++
		}
	}
	h = 12/(n*(n+1))*h - 3*(n+1)
	if some < 2 || 1-(distuv.ChiSquared{K: float64(some - 1)}).CDF(math.Max(0, h)) > chanceOfChoice {
		e.Nothing = true
		e.Text = fmt.Sprintf("no difference in %s between the values of %s that a sample of %s can tell", e.Figure.Short, e.Knob, plural(len(ys), "point"))
		return
	}
	obj := Objective{e.Figure, e.Figure.More}
	best := -1
	var parts []string
	for l, g := range groups {
		if len(g) == 0 {
			continue
		}
		if best < 0 || obj.better(median(g), median(groups[best])) {
			best = l
		}
		parts = append(parts, fmt.Sprintf("%s with %s (%s points)", e.Figure.Say(median(g)), a.Values[l].Text, human.Count(float64(len(g)))))
	}
	e.Best = a.Values[best].Text
	e.Text = fmt.Sprintf("%s: median %s %s", e.Knob, e.Figure.Short, strings.Join(parts, ", "))
}
