// Text in lines and columns, and figures by both clocks.

package tune

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// Gaps writes figures by both clocks, and how far they are apart.
func Gaps(b *strings.Builder, figures []bench.ModelFigure) {
	rows := [][]string{{"", "virtual", "real", "gap"}}
	for _, f := range figures {
		rows = append(rows, []string{f.Name, inUnit(f.Unit, f.Virtual), inUnit(f.Unit, f.Real), gap(f)})
	}
	Columns(b, rows)
}

func gap(f bench.ModelFigure) string {
	v, ok := f.Gap.Get()
	if !ok {
		return "-"
	}
	return Signed(v)
}

func inUnit(unit string, n bench.Num) string { return say(sweep.Figure{Unit: unit}, n) }

// width is the most columns of running text.
const width = 100

// Wrap writes text in lines of at most 100 columns; the first begins with first, the
// others with as many spaces.
func Wrap(b *strings.Builder, first, text string) {
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > width {
			b.WriteString(line + "\n")
			line, empty = strings.Repeat(" ", len([]rune(first))), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	b.WriteString(line + "\n")
}

// Columns writes rows whose cells stand below one another, indented by two columns.
func Columns(b *strings.Builder, rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	_ = w.Flush() // to memory
	for line := range strings.Lines(text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// Plain makes text harmless on a terminal and one line.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
