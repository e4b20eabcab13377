// The points of a sweep or a search, as a table.

package tui

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// State is where a point of a sweep or a search is.
type State uint8

// The states of a point.
const (
	Waiting State = iota
	Running
	Measured
	Doubtful // measured, and its measurement is suspect or invalid
	Failed
)

// A Point is one setting that is tried.
type Point struct {
	Number  int
	Values  []string // of each axis
	Levels  []int    // where each is among its axis' values; negative if it is none of them
	State   State
	Meets   bool      // the SLO, if there is one
	Best    bool      // of all, so far
	Figures []float64 // of each figure; NaN, or left out, if not measured
}

// figure returns a figure of the point, NaN if there is none.
func (p *Point) figure(i int) float64 {
	if i < 0 || i >= len(p.Figures) {
		return math.NaN()
	}
	return p.Figures[i]
}

// An Axis is what varies from point to point, with its values in order.
type Axis struct {
	Name   string
	Values []string
}

// A Figure is what is measured at each point.
type Figure struct {
	Name   string
	Format func(float64) string
	More   bool // more is better
}

// better says whether a is better than b; what is not measured is worst.
func (f Figure) better(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return !math.IsNaN(a)
	}
	if f.More {
		return a > b
	}
	return a < b
}

// byFigure is a table of points that can be ordered and scrolled. The zero byFigure
// keeps the points' order and follows the one that runs.
type byFigure struct {
	sort     int // 0 is the points' own order, n the n-th figure, the best first
	top      int // the first row that is shown, once somebody has scrolled
	scrolled bool
}

// next orders by the next figure, and after the last by none.
func (t *byFigure) next(figures int) {
	t.sort = (t.sort + 1) % (figures + 1)
	t.top, t.scrolled = 0, t.sort > 0
}

// scroll moves the rows, within what there is.
func (t *byFigure) scroll(by, rows int) {
	t.top, t.scrolled = min(max(t.top+by, 0), max(rows-1, 0)), true
}

// order returns the indices of the points, in order.
func (t *byFigure) order(b *Board) []int {
	rows := make([]int, len(b.Points))
	for i := range rows {
		rows[i] = i
	}
	if t.sort == 0 || t.sort > len(b.Figures) {
		return rows
	}
	at := t.sort - 1
	f := b.Figures[at]
	slices.SortStableFunc(rows, func(i, j int) int {
		v, w := b.Points[i].figure(at), b.Points[j].figure(at)
		switch {
		case math.IsNaN(v) || math.IsNaN(w):
			return cmp.Compare(boolInt(math.IsNaN(v)), boolInt(math.IsNaN(w)))
		case f.More:
			return cmp.Compare(w, v)
		}
		return cmp.Compare(v, w)
	})
	return rows
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// draw draws as much of the table as fits: only what is shown is written out, be
// there ever so many points.
func (t *byFigure) draw(a area, b *Board, order []int) {
	if len(b.Points) == 0 || len(order) != len(b.Points) {
		a.put(1, 0, dim, "no point yet")
		return
	}
	room := max(a.h-1, 1)
	if !t.scrolled {
		t.top = max(0, b.newest()-room/2)
	}
	t.top = min(t.top, max(len(order)-room, 0))
	shown := table{columns: []column{{name: "point", text: true, wanted: -1}}}
	for i, x := range b.Axes {
		shown.columns = append(shown.columns, column{name: x.Name, wanted: i + 1})
	}
	shown.columns = append(shown.columns, column{name: "state", text: true})
	for i, f := range b.Figures {
		shown.columns = append(shown.columns, column{name: f.Name, wanted: len(b.Axes) + i + 1})
	}
	if t.sort > 0 {
		shown.marked = b.Figures[t.sort-1].Name
	}
	for _, i := range order[t.top:min(t.top+room, len(order))] {
		shown.rows = append(shown.rows, rowOf(a.g.look, b, &b.Points[i]))
	}
	shown.below = len(order) - t.top - len(shown.rows)
	shown.draw(a)
}

// newest returns the first point that runs, or else the last that did; -1 if none
// has.
func (b *Board) newest() int {
	last := -1
	for i := range b.Points {
		switch b.Points[i].State {
		case Running:
			return i
		case Waiting:
		default:
			last = i
		}
	}
	return last
}

// rowOf writes a point out.
func rowOf(l *look, b *Board, p *Point) []tableCell {
	name := tableCell{strconv.Itoa(p.Number), plain}
	if p.Best {
		name = tableCell{l.here + " " + name.text, focus}
	}
	row := []tableCell{name}
	for i := range b.Axes {
		text := "–"
		if i < len(p.Values) {
			text = p.Values[i]
		}
		row = append(row, tableCell{text, plain})
	}
	row = append(row, b.stateCell(p))
	for i, f := range b.Figures {
		text := "–"
		if v := p.figure(i); !math.IsNaN(v) {
			text = f.Format(v)
		}
		row = append(row, tableCell{text, plain})
	}
	return row
}

// stateCell says where a point is, and whether it meets the SLO.
func (b *Board) stateCell(p *Point) tableCell {
	switch p.State {
	case Waiting:
		return tableCell{"waiting", dim}
	case Running:
		return tableCell{"running", accent}
	case Doubtful:
		return tableCell{"doubtful", warn}
	case Failed:
		return tableCell{"failed", bad}
	}
	switch {
	case !b.Judged:
		return tableCell{"measured", plain}
	case p.Meets:
		return tableCell{"meets", good}
	}
	return tableCell{"misses", plain}
}
