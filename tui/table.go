package tui

import (
	"fmt"
	"slices"
)

// A column is one column of a table. Of those that do not fit, the ones with the
// largest wanted are left out.
type column struct {
	name   string
	text   bool // set flush left; figures are set flush right
	wanted int
}

// A tableCell is one figure or text of a table.
type tableCell struct {
	text string
	ink  ink
}

// A table is a heading and rows, cut to the area that it is drawn in.
type table struct {
	columns []column
	rows    [][]tableCell
	marked  string // the column whose name stands out
	top     int    // the first row that is shown
	below   int    // how many more there are below the rows
}

// draw draws the table. The first column takes the room that is left.
func (t *table) draw(a area) {
	l := a.g.look
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = l.width(c.name)
		for _, row := range t.rows {
			widths[i] = max(widths[i], l.width(row[i].text))
		}
	}
	const most = 28 // of the first column, while others want room
	widths[0] = min(widths[0], most)
	shown := t.fitting(widths, a.w)
	sum := 0
	for _, i := range shown {
		sum += widths[i] + 2
	}
	spread := 0
	if n := len(shown) - 1; n > 0 {
		spread = min(max((a.w-sum)/n, 0), 5)
	}
	put := func(x, y, i int, k tableCell) {
		if t.columns[i].text {
			a.put(x, y, k.ink, l.cut(k.text, widths[i]))
			return
		}
		a.putRight(x+widths[i], y, k.ink, k.text)
	}
	rows := t.rows[min(max(t.top, 0), len(t.rows)):]
	if hidden := max(0, len(rows)-(a.h-1)) + t.below; hidden > 0 && a.h > 2 {
		shown := min(len(rows), a.h-2) // the line that says so takes one too
		a.put(1, a.h-1, dim, fmt.Sprintf("and %d more", len(rows)-shown+t.below))
		rows = rows[:shown]
	}
	x := 1
	for n, i := range shown {
		if n > 0 {
			x += spread
		}
		heading := tableCell{t.columns[i].name, dim}
		if heading.text == t.marked {
			heading.ink = focus
		}
		put(x, 0, i, heading)
		for y, row := range rows {
			put(x, y+1, i, row[i])
		}
		x += widths[i] + 2
	}
}

// fitting returns the columns that fit a width, in order.
func (t *table) fitting(widths []int, width int) []int {
	order := make([]int, len(t.columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return t.columns[i].wanted - t.columns[j].wanted })
	room := width - 1
	var shown []int
	for _, i := range order {
		if widths[i] > room && len(shown) > 0 {
			break
		}
		room -= widths[i] + 2
		shown = append(shown, i)
	}
	slices.Sort(shown)
	return shown
}
