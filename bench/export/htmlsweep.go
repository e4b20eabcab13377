// The page of a sweep: the Pareto plot, the curve of latency over load, and heat
// maps of two knobs at a time.

package export

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// A heatMap is one figure over two knobs. It is a table, so that it needs no script.
type heatMap struct {
	Title string
	Down  string // the knob whose values head the rows
	Over  string // the knob whose values head the columns
	Head  []string
	Rows  []heatRow
}

type heatRow struct {
	Name  string
	Cells []heatCell
}

// A heatCell's Shade is 0 for the best value of the map, 1 for the worst.
type heatCell struct {
	Text  string
	Shade float64
	Known bool
}

func writeSweepHTML(w io.Writer, r *sweep.Report) error {
	var charts []chart
	if c, ok := paretoChart(r); ok {
		charts = append(charts, c)
	}
	curves := loadCurves(r)
	sections := sweepDocumentOf(r)
	if len(curves) > 0 {
		charts = append(charts, curves...)
		sections = slices.Insert(sections, 2, section{id: "curve", title: "Latency over load"})
	}
	maps := heatMaps(r)
	if len(maps) > 0 {
		sections = slices.Insert(sections, 2, section{id: "heat", title: "Two knobs at a time", text: []string{
			"Each cell is the best over the other knobs; the paler, the better.",
		}})
	}
	p, err := pageOf(sweepName(r), sweepFacts(r), sections, charts)
	if err != nil {
		return err
	}
	for i := range p.Sections {
		if p.Sections[i].ID == "heat" {
			p.Sections[i].Heat = maps
		}
	}
	text, _ := trustOf(r)
	class := "good"
	if r.Verdicts()[bench.Valid] < len(r.Outcomes) || len(r.Outcomes) == 0 {
		class = "fair"
	}
	p.Marks = append(p.Marks, pageMark{class, text})
	if !r.Complete {
		p.Marks = append(p.Marks, pageMark{"fair", "incomplete"})
	}
	p.Cards = bestCards(r)
	return p.write(w)
}

// bestCards has the best point of the set by each objective.
func bestCards(r *sweep.Report) []pageCard {
	var cards []pageCard
	for _, obj := range r.Objectives {
		var best sweep.Outcome
		for _, point := range r.Front {
			o, _ := r.Outcome(point) // it is in the set
			if v, ok := o.Of(obj.Figure).Get(); ok && (best.Point == 0 || obj.Better(v, best.Of(obj.Figure).Or(0))) {
				best = o
			}
		}
		if best.Point > 0 {
			cards = append(cards, pageCard{
				"best " + obj.Figure.Short, figure(best.Of(obj.Figure), obj.Figure.Say), plain(r.Space.String(r.Space.Point(best.Point))),
			})
		}
	}
	return cards
}

// chartUnit is the unit of a figure as plots name it.
func chartUnit(f sweep.Figure) string {
	switch f.Unit {
	case "ns", "ratio":
		return f.Unit
	case "1/s":
		return "per_s"
	}
	return "count"
}

// plotMarks is how many points a plot of points shows.
const plotMarks = 5000

// paretoChart plots all points by the first two objectives.
func paretoChart(r *sweep.Report) (chart, bool) {
	if len(r.Objectives) < 2 || len(r.Outcomes) == 0 {
		return chart{}, false
	}
	x, y := r.Objectives[0].Figure, r.Objectives[1].Figure
	c := chart{
		ID: "front", Section: "pareto", Kind: "scatter", Title: y.Short + " by " + x.Short,
		XUnit: chartUnit(x), XLabel: x.Short, YUnit: chartUnit(y), YLabel: y.Short, YLog: y.Unit == "ns",
		Series: []plotted{{Label: "Pareto set", Color: 1}, {Label: "other points", Color: 5}, {Label: "not VALID or SLO missed", Color: 3}},
	}
	var shown []sweep.Outcome
	for _, o := range r.Outcomes {
		if o.Of(x).Known() && o.Of(y).Known() {
			shown = append(shown, o)
		}
	}
	slices.SortStableFunc(shown, func(a, b sweep.Outcome) int { return cmp.Compare(a.Of(x).Or(0), b.Of(x).Or(0)) })
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	every := max(1, len(shown)/plotMarks)
	for i, o := range shown {
		kind := 1
		switch {
		case front[o.Point]:
			kind = 0
		case o.Verdict != bench.Valid || o.SLO == sweep.Missed:
			kind = 2
		}
		if kind > 0 && i%every > 0 {
			continue
		}
		c.plot(kind, o.Of(x), o.Of(y), plain(fmt.Sprintf("point %d: %s", o.Point, r.Space.String(r.Space.Point(o.Point)))))
	}
	return c, len(c.X) > 0
}

// curveMost is how many settings of the other knobs have a curve of their own.
const curveMost = 6

// loadCurves plots latency over the rate, if that varies.
func loadCurves(r *sweep.Report) []chart {
	axis := slices.IndexFunc(r.Space.Axes, func(a sweep.Axis) bool { return a.Knob == "rate" && a.Numeric() && a.Between == nil })
	if axis < 0 || r.Space.Sample.Points > 0 {
		return nil
	}
	values := r.Space.Axes[axis].Values
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a].Amount, values[b].Amount) })
	rank := make([]int, len(values))
	c := chart{ID: "loadcurve", Section: "curve", Kind: "line", Title: "p99", XUnit: "per_s", XLabel: "offered", YUnit: "ns", YLog: true}
	for i, level := range order {
		rank[level] = i
		c.X = append(c.X, bench.Some(values[level].Amount))
	}
	p99 := slices.IndexFunc(sweep.Figures, func(f sweep.Figure) bool { return f.Short == "p99" })
	at := map[string]int{}
	for _, o := range r.Outcomes {
		p := r.Space.Point(o.Point)
		var others []string
		for i, v := range p.Values {
			if i != axis {
				others = append(others, r.Space.Axes[i].Knob+" "+v.Text)
			}
		}
		name := plain(strings.Join(others, ", "))
		if name == "" {
			name = "p99"
		}
		i, known := at[name]
		if !known {
			if len(c.Series) == curveMost {
				continue
			}
			i = len(c.Series)
			at[name] = i
			c.Series = append(c.Series, plotted{Label: name, Color: 1 + i, Values: make([]bench.Num, len(values))})
		}
		c.Series[i].Values[rank[p.Levels[axis]]] = o.Figures[p99]
	}
	if len(c.Series) == 0 {
		return nil
	}
	return []chart{c}
}

// Heat maps have at most so many rows or columns, and there are at most so many.
const (
	heatValues = 40
	heatMost   = 6
)

// heatMaps returns those of each pair of knobs, for the first two objectives.
func heatMaps(r *sweep.Report) []heatMap {
	if r.Space.Sample.Points > 0 {
		return nil
	}
	var all []heatMap
	axes := r.Space.Axes
	for i := range axes {
		for j := i + 1; j < len(axes); j++ {
			if len(axes[i].Values) > heatValues || len(axes[j].Values) > heatValues {
				continue
			}
			for _, obj := range r.Objectives[:min(2, len(r.Objectives))] {
				if len(all) < heatMost {
					all = append(all, heatMapOf(r, i, j, obj))
				}
			}
		}
	}
	return all
}

func heatMapOf(r *sweep.Report, down, over int, obj sweep.Objective) heatMap {
	a, b := r.Space.Axes[down], r.Space.Axes[over]
	m := heatMap{Title: obj.Figure.Short, Down: plain(a.Knob), Over: plain(b.Knob)}
	for _, v := range b.Values {
		m.Head = append(m.Head, plain(v.Text))
	}
	best := make([][]float64, len(a.Values))
	for i := range best {
		best[i] = slices.Repeat([]float64{math.NaN()}, len(b.Values))
	}
	for _, o := range r.Outcomes {
		v, ok := o.Of(obj.Figure).Get()
		if !ok || o.Verdict == bench.Invalid {
			continue
		}
		levels := r.Space.Point(o.Point).Levels
		if at := &best[levels[down]][levels[over]]; math.IsNaN(*at) || obj.Better(v, *at) {
			*at = v
		}
	}
	shade := shades(best, obj.More)
	for i, v := range a.Values {
		row := heatRow{Name: plain(v.Text)}
		for _, x := range best[i] {
			cell := heatCell{Text: missing}
			if !math.IsNaN(x) {
				cell = heatCell{obj.Figure.Say(x), shade(x), true}
			}
			row.Cells = append(row.Cells, cell)
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// shades returns how a value of a map is shaded: by its logarithm if values differ
// by more than ten times, 0 if all are the same to three digits.
func shades(values [][]float64, more bool) func(float64) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, row := range values {
		for _, v := range row {
			if !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	scale := func(v float64) float64 { return v }
	if least > 0 && most > 10*least {
		scale = math.Log
	}
	return func(v float64) float64 {
		if most-least <= 0.001*math.Abs(most) {
			return 0
		}
		part := (scale(v) - scale(least)) / (scale(most) - scale(least))
		if more {
			part = 1 - part
		}
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(part, 'f', 3, 64), 64)
		if err != nil { // it was written as a number just now
			return part
		}
		return rounded
	}
}
