// Laying text out in columns.

package export

import (
	"strings"

	"ferryctl/bench"
)

// width is the most columns a table takes.
const width = 100

// A grid is rows of cells. The first column is flush left, the others flush
// right, and a cell beyond the last titled column is a note, flush left.
type grid struct {
	rows  [][]string
	notes int         // index from which cells are notes
	parts []bench.Num // of the rows below the first, each as a part of all; nil if they are none
	spans []span      // of the rows below the first, intervals that a page draws; nil if they have none
	below string      // a line below it; "" for none
}

func (g *grid) row(cells ...string) { g.rows = append(g.rows, cells) }

// part adds a row that is a part of all, which is drawn as a bar behind it.
func (g *grid) part(ratio bench.Num, cells ...string) {
	g.row(cells...)
	g.parts = append(g.parts, ratio)
}

// A span is an interval on a line from -1 to 1; what is missing is not drawn.
type span struct {
	low, high, at bench.Num
	reach         float64 // what 1 stands for
	beyond        float64 // where at would be, if that is outside of it; 0 otherwise
	class         string  // good or bad, "" for neither
}

// span adds a row with an interval, which a page draws behind it.
func (g *grid) span(s span, cells ...string) {
	g.row(cells...)
	g.spans = append(g.spans, s)
}

// drawBars turns the parts into notes.
func (g *grid) drawBars() {
	for i, part := range g.parts {
		g.rows[i+1] = append(g.rows[i+1], bar(part.Or(0), barColumns))
	}
	g.parts = nil
}

// write appends the rows to b, each indented by two columns but for the first.
func (g *grid) write(b *strings.Builder) {
	g.alignMarks()
	g.drawBars()
	wide := g.widths()
	for i, cells := range g.rows {
		line := ""
		for c, cell := range cells {
			pad := ""
			if c < len(wide) {
				pad = strings.Repeat(" ", max(0, wide[c]-columns(cell)))
			}
			switch {
			case c == 0 && i == 0:
				line = cell + pad + "  "
			case c == 0:
				line = "  " + cell + pad
			case c >= g.notes:
				line += "  " + cell + pad
			default:
				line += "  " + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	if g.below != "" {
		b.WriteString("  " + g.below + "\n")
	}
}

// alignMarks gives the cells of a column that holds a marked figure a space where
// the mark would be, so that the figures stand below one another.
func (g *grid) alignMarks() {
	marked := map[int]bool{}
	for _, cells := range g.rows {
		for c, cell := range cells {
			marked[c] = marked[c] || c > 0 && c < g.notes && strings.HasSuffix(cell, mark)
		}
	}
	for _, cells := range g.rows {
		for c, cell := range cells {
			if marked[c] && !strings.HasSuffix(cell, mark) {
				cells[c] += " "
			}
		}
	}
}

// takes says whether a title fits above the first column without making it wider.
func (g *grid) takes(title string) bool {
	if g.rows[0][0] != "" {
		for _, cells := range g.rows[1:] {
			if columns(cells[0])+2 >= columns(title) {
				return true
			}
		}
	}
	return false
}

// widths returns each column's width. The heading of the first column stands
// two columns further left than what is below it.
func (g *grid) widths() []int {
	var wide []int
	for i, cells := range g.rows {
		for c, cell := range cells {
			if c == len(wide) {
				wide = append(wide, 0)
			}
			need := columns(cell)
			if i == 0 && c == 0 {
				need -= 2
			}
			wide[c] = max(wide[c], need)
		}
	}
	return wide
}

// wrap writes text in lines of at most width columns; the first begins with
// first, the others with as many spaces.
func wrap(b *strings.Builder, first, text string) {
	indent := strings.Repeat(" ", columns(first))
	line := first
	empty := true
	for word := range strings.FieldsSeq(text) {
		for columns(indent)+columns(word) > width { // longer than a whole line: cut it
			head, rest := split(word, width-columns(indent))
			if !empty {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = indent
			}
			b.WriteString(line + head + "\n")
			line, empty, word = indent, true, rest
		}
		if !empty && columns(line)+1+columns(word) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// split cuts s after as many characters as fit into so many columns, at least one.
func split(s string, fit int) (head, rest string) {
	used := 0
	for i, r := range s {
		if used += runeColumns(r); used > fit && i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// eighths are blocks of one eighth to a whole column.
var eighths = []rune("▏▎▍▌▋▊▉█")

// bar draws a part of one over so many columns; what is not nothing is never
// drawn as nothing.
func bar(part float64, over int) string {
	if !(part > 0) {
		return ""
	}
	n := max(1, int(min(part, 1)*float64(over*8)+0.5))
	out := strings.Repeat("█", n/8)
	if n%8 > 0 {
		out += string(eighths[n%8-1])
	}
	return out
}

// sparkline draws one column per value, from nothing to top.
func sparkline(values []float64, top float64) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		switch {
		case v < 0: // no value
			b.WriteByte(' ')
		case top <= 0:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[min(7, int(v/top*8))])
		}
	}
	return b.String()
}
