package tui

import (
	"cmp"
	"math"
	"slices"
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
	Name       string // the settings that tell it from the others
	State      State
	Throughput float64   // per second; NaN if not measured
	P99        float64   // of the sojourn, nanoseconds; NaN if not measured
	Meets      bool      // the objective
	Figures    []string  // one for each of Points.Columns
	Order      []float64 // what the columns are ordered by, NaN last; may be shorter
	Best       bool
}

// Points is a table of points that can be ordered and scrolled. The zero Points
// is empty. It is a component: whoever owns it passes on the keys.
type Points struct {
	Columns []string // names of the figures
	Rows    []Point
	Sort    int // the column to order by, the largest first; negative keeps the rows' order
	Top     int // the first row shown
}

// NextSort orders by the next column, and after the last by none.
func (p *Points) NextSort() {
	if p.Sort++; p.Sort >= len(p.Columns) {
		p.Sort = -1
	}
}

// Scroll moves the rows, within what there is.
func (p *Points) Scroll(by int) { p.Top = min(max(p.Top+by, 0), max(len(p.Rows)-1, 0)) }

// sorted returns the rows in order.
func (p *Points) sorted() []Point {
	rows := slices.Clone(p.Rows)
	if p.Sort < 0 {
		return rows
	}
	of := func(r Point) float64 {
		if p.Sort >= len(r.Order) || math.IsNaN(r.Order[p.Sort]) {
			return math.Inf(-1)
		}
		return r.Order[p.Sort]
	}
	slices.SortStableFunc(rows, func(a, b Point) int { return cmp.Compare(of(b), of(a)) })
	return rows
}

// View draws as much of the table as fits.
func (p *Points) View(t Theme, columns, lines int) string {
	g := newGrid(columns, lines, newLook(t))
	p.draw(g.all())
	return g.String()
}

func (p *Points) draw(a area) {
	if len(p.Rows) == 0 {
		a.put(1, 0, dim, "no point yet")
		return
	}
	t := table{top: p.Top, columns: []column{{name: "point", text: true, wanted: -2}, {name: "state", text: true, wanted: -1}}}
	if p.Sort >= 0 && p.Sort < len(p.Columns) {
		t.marked = p.Columns[p.Sort]
	}
	for i, name := range p.Columns {
		t.columns = append(t.columns, column{name: name, wanted: i})
	}
	for _, r := range p.sorted() {
		name := tableCell{r.Name, plain}
		if r.Best {
			name = tableCell{a.g.look.here + " " + r.Name, focus}
		}
		row := []tableCell{name, stateCell(r)}
		for i := range p.Columns {
			text := "–"
			if i < len(r.Figures) && r.Figures[i] != "" {
				text = r.Figures[i]
			}
			row = append(row, tableCell{text, plain})
		}
		t.rows = append(t.rows, row)
	}
	t.draw(a)
}

func stateCell(p Point) tableCell {
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
	if p.Meets {
		return tableCell{"meets", good}
	}
	return tableCell{"misses", plain}
}
