// The answer for people, and its points for programs that read tables.

package tune

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// Formats are the names that [Answer.Write] knows, the first being the default.
var Formats = []string{"table", "json", "csv"}

// Write writes the answer: table for people, json all of it, csv a row for each
// point that was measured.
func (a *Answer) Write(w io.Writer, format string) error {
	switch format {
	case "table":
		return a.writeTable(w)
	case "json":
		return a.WriteJSON(w)
	case "csv":
		return a.writeCSV(w)
	}
	return fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(Formats, ", "))
}

func (a *Answer) figure() sweep.Figure {
	f, _ := lab.FigureOf(a.Objective.Figure) // it is one of them
	return f
}

func (a *Answer) writeTable(w io.Writer) error {
	var b strings.Builder
	for _, section := range []func(*strings.Builder){a.heading, a.recommended, a.changes, a.ranges, a.next, a.offLoads, a.realTime, a.notes} {
		section(&b)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (a *Answer) heading(b *strings.Builder) {
	way := "minimise"
	if a.Objective.More {
		way = "maximise"
	}
	drawn := ""
	if a.SeedDrawn {
		drawn = " (drawn)"
	}
	name := Plain(a.Profile)
	if name == "" {
		name = "(no profile)"
	}
	fmt.Fprintf(b, "tune %s   %s %s   seed %d%s\n\n", name, way, a.figure().Short, a.Seed, drawn)
	for i, x := range a.Axes {
		first := "Varies    "
		if i > 0 {
			first = "          "
		}
		Wrap(b, first, fmt.Sprintf("%s %s", x.Knob, strings.Join(x.Values, ",")))
	}
	if len(a.SLO) > 0 {
		Wrap(b, "SLO       ", strings.Join(a.SLO, ", "))
	}
	stopped := ""
	if !a.Complete {
		stopped = "; stopped before its end"
	}
	Wrap(b, "Search    ", fmt.Sprintf("%s of %s points (%s), %s runs in all, the leaders with %d seeds%s", human.Count(float64(a.Searched)), human.Count(float64(a.Grid)),
		human.Percent(float64(a.Searched)/float64(max(1, a.Grid))), human.Count(float64(a.Runs)), a.Seeds, stopped))
	b.WriteByte('\n')
}

// shownFigures are those of a row, beside the objective.
var shownFigures = []string{"throughput", "rejected", "mean", "p99", "cost"}

func (a *Answer) row(c *Candidate, name string) []string {
	cells := []string{name}
	for _, x := range a.Axes {
		cells = append(cells, Plain(c.Knobs[x.Knob]))
	}
	for _, short := range a.columns() {
		f, _ := lab.FigureOf(short) // it is one of them
		cells = append(cells, say(f, c.Figures[f.Name]))
	}
	if len(a.SLO) > 0 {
		met := fmt.Sprintf("%d of %d", c.SLOMet, c.Seeds)
		cells = append(cells, met)
	}
	return append(cells, c.Limits)
}

func (a *Answer) columns() []string {
	out := slices.Clone(shownFigures)
	if short := a.figure().Short; !slices.Contains(out, short) {
		out = append([]string{short}, out...)
	}
	return out
}

func (a *Answer) titles(first string) []string {
	cells := []string{first}
	for _, x := range a.Axes {
		cells = append(cells, x.Knob)
	}
	cells = append(cells, a.columns()...)
	if len(a.SLO) > 0 {
		cells = append(cells, "SLO met")
	}
	return append(cells, "bound by")
}

func (a *Answer) recommended(b *strings.Builder) {
	if a.Recommended == nil {
		b.WriteString("Nothing was measured.\n\n")
		return
	}
	title, name := "Recommended", "best"
	if !a.Found {
		title, name = "Nothing that was measured meets the SLO; nearest to it", "nearest"
	}
	fmt.Fprintln(b, title)
	rows := [][]string{a.titles(""), a.row(a.Recommended, name)}
	if a.Start != nil {
		rows = append(rows, a.row(a.Start, "start"))
	}
	Columns(b, rows)
	b.WriteByte('\n')
	for _, o := range a.Obstacles {
		Wrap(b, "  - ", o.Text)
	}
	if len(a.Obstacles) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "  %s\n\n", Plain(a.Command))
	if a.Binding.Text != "" && a.Found {
		Wrap(b, "  - ", a.Binding.Text)
	}
	Wrap(b, "  - ", "bound by "+a.Binding.Limits+" (throughput / latency)")
	b.WriteByte('\n')
}

func (a *Answer) changes(b *strings.Builder) {
	if a.Start == nil && len(a.Buys) == 0 {
		return
	}
	fmt.Fprintln(b, "What each change buys")
	for _, x := range a.Buys {
		Wrap(b, "  - ", Plain(x.Text))
	}
	if len(a.Buys) == 0 {
		Wrap(b, "  - ", "nothing is to be changed: no other settings are better")
	}
	b.WriteByte('\n')
}

func (a *Answer) ranges(b *strings.Builder) {
	if len(a.Free) == 0 {
		return
	}
	fmt.Fprintf(b, "How far each knob may go alone (%s within %s, the SLO no worse)\n", a.figure().Short, human.Percent(harmless))
	for _, x := range a.Free {
		Wrap(b, "  - ", Plain(x.Text))
	}
	b.WriteByte('\n')
}

func (a *Answer) next(b *strings.Builder) {
	if len(a.Alternatives) == 0 {
		return
	}
	rows := [][]string{a.titles("")}
	for i := range a.Alternatives {
		rows = append(rows, a.row(&a.Alternatives[i], strconv.Itoa(i+2)))
	}
	fmt.Fprintln(b, "Next best")
	Columns(b, rows)
	b.WriteByte('\n')
}

func (a *Answer) offLoads(b *strings.Builder) {
	if len(a.Robust) == 0 {
		return
	}
	f := a.figure()
	rows := [][]string{{"load", "", f.Short, "change", "SLO"}}
	for _, v := range a.Robust {
		met := "met"
		if !v.SLOMet {
			met = "missed: " + strings.Join(v.Missed, ", ")
		}
		if !v.Verdict {
			met += " (measurement not VALID)"
		}
		by := "-"
		if x, ok := v.Change.Get(); ok {
			by = Signed(x)
		}
		rows = append(rows, []string{v.Knob + " " + Signed(v.By), Plain(v.Value), say(f, v.Figure), by, met})
	}
	fmt.Fprintln(b, "If the load is off")
	Columns(b, rows)
	b.WriteByte('\n')
}

func (a *Answer) realTime(b *strings.Builder) {
	for i, c := range a.Confirmed {
		if i == 0 {
			fmt.Fprintln(b, "In real time, against the same load in virtual time")
		}
		met := "SLO met"
		if !c.SLOMet {
			met = "SLO missed: " + strings.Join(c.Missed, ", ")
		}
		knobs := []string{}
		for _, k := range slices.Sorted(maps.Keys(c.Knobs)) {
			knobs = append(knobs, k+" "+c.Knobs[k])
		}
		Wrap(b, "  ", Plain(fmt.Sprintf("%d: %s, %s s: %s, measurement %s", c.Rank, strings.Join(knobs, ", "), strconv.FormatFloat(c.Seconds, 'g', 4, 64), met, c.Verdict)))
		Gaps(b, c.Figures)
		if c.Reason != "" {
			Wrap(b, "  - ", Plain(c.Reason))
		}
		for _, r := range c.Reasons {
			Wrap(b, "  - ", Plain(r))
		}
		b.WriteByte('\n')
	}
}

func (a *Answer) notes(b *strings.Builder) {
	if len(a.Warnings) == 0 {
		return
	}
	fmt.Fprintln(b, "Warnings")
	for _, w := range a.Warnings {
		Wrap(b, "  - ", Plain(w))
	}
}

func say(f sweep.Figure, n bench.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return f.Say(v)
}

// writeCSV writes a row for each point.
func (a *Answer) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	head := []string{"point", "recommended", "on_grid", "seeds", "slo_met", "verdict", "limits"}
	for _, x := range a.Axes {
		head = append(head, x.Knob)
	}
	for _, f := range lab.Figures {
		head = append(head, f.Name)
	}
	_ = out.Write(head) // Error says whether it went well
	for i, c := range a.Points {
		best := a.Recommended != nil && maps.Equal(c.Knobs, a.Recommended.Knobs)
		row := []string{strconv.Itoa(i + 1), strconv.FormatBool(best), strconv.FormatBool(c.OnGrid), strconv.Itoa(c.Seeds), strconv.Itoa(c.SLOMet), string(c.Verdict), c.Limits}
		for _, x := range a.Axes {
			row = append(row, c.Knobs[x.Knob])
		}
		for _, f := range lab.Figures {
			row = append(row, c.Figures[f.Name].String())
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}
