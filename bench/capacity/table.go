// The answer for people, and its curve for programs that read tables.

package capacity

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
)

// Formats are the names that [Answer.Write] knows, the first being the default.
var Formats = []string{"table", "json", "csv"}

// Write writes the answer: table for people, json all of it, csv a row for each
// point of the curve.
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

func (a *Answer) writeTable(w io.Writer) error {
	var b strings.Builder
	for _, section := range []func(*strings.Builder){a.heading, a.answer, a.draws, a.curve, a.realTime, a.notes} {
		section(&b)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (a *Answer) heading(b *strings.Builder) {
	name, drawn, stopped := tune.Plain(a.Profile), "", ""
	if name == "" {
		name = "(no profile)"
	}
	if a.SeedDrawn {
		drawn = " (drawn)"
	}
	if !a.Complete {
		stopped = "; stopped before its end"
	}
	fmt.Fprintf(b, "capacity %s   seed %d%s\n\n", name, a.Seed, drawn)
	tune.Wrap(b, "SLO       ", strings.Join(a.SLO, ", "))
	tune.Wrap(b, "Search    ", fmt.Sprintf("%s in virtual time, %s, each to %s of the rate%s", count(a.Runs, "run"), count(a.Seeds, "seed"), human.Percent(a.Within), stopped))
	b.WriteByte('\n')
}

func (a *Answer) answer(b *strings.Builder) {
	tune.Wrap(b, "Capacity  ", a.Text)
	if v, ok := a.Headroom.Get(); ok {
		text := fmt.Sprintf("the load of %s may grow by %s", human.Rate(a.Nominal), human.Percent(v))
		if v < 0 {
			text = fmt.Sprintf("none: the load of %s is above what keeps the SLO, which is %s of it", human.Rate(a.Nominal), human.Percent(1+v))
		}
		tune.Wrap(b, "Headroom  ", text)
	}
	if len(a.Fails) > 0 && a.Found {
		tune.Wrap(b, "First     ", strings.Join(a.Fails, ", ")+" is missed beyond it")
	}
	if a.Limits != "" {
		tune.Wrap(b, "Bound by  ", a.Limits+" (throughput / latency)")
	}
	if v, ok := a.Knee.Get(); ok {
		tune.Wrap(b, "Knee      ", fmt.Sprintf("%s: of the curve's rates, where throughput over mean sojourn is greatest", human.Rate(v)))
	}
	if a.For != nil {
		tune.Wrap(b, "Instances ", a.For.Text)
	}
	b.WriteByte('\n')
	for _, o := range a.Odd {
		tune.Wrap(b, "  - ", o.Text)
	}
	if len(a.Odd) > 0 {
		b.WriteByte('\n')
	}
}

func (a *Answer) draws(b *strings.Builder) {
	if len(a.BySeed) == 0 {
		return
	}
	rows := [][]string{{"seed", "kept at", "missed at"}}
	for _, x := range a.BySeed {
		rows = append(rows, []string{strconv.FormatUint(x.Seed, 10), rate(x.Low), rate(x.High)})
	}
	fmt.Fprintln(b, "By seed, each a draw of the arrivals")
	tune.Columns(b, rows)
	b.WriteByte('\n')
}

func rate(n bench.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return human.Rate(v)
}

func (a *Answer) curve(b *strings.Builder) {
	if len(a.Curve) == 0 {
		return
	}
	head := []string{"rate", "", "SLO kept"}
	for _, f := range shown() {
		head = append(head, f.Short)
	}
	rows := [][]string{append(head, "p99, least to most", "bound by")}
	for _, p := range a.Curve {
		row := []string{human.Rate(p.Rate), p.Place, fmt.Sprintf("%d of %d", p.Kept, p.Of)}
		for _, f := range shown() {
			row = append(row, say(f, p.Figures[f.Name].Median))
		}
		p99, _ := lab.FigureOf("p99") // it is one of them
		x := p.Figures[p99.Name]
		rows = append(rows, append(row, say(p99, x.Least)+" to "+say(p99, x.Most), p.Limits))
	}
	fmt.Fprintln(b, "Load and latency around it, medians over the seeds")
	tune.Columns(b, rows)
	b.WriteByte('\n')
}

func say(f sweep.Figure, n bench.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return f.Say(v)
}

func (a *Answer) realTime(b *strings.Builder) {
	for i, c := range a.Confirmed {
		if i == 0 {
			fmt.Fprintln(b, "In real time, against the same load in virtual time")
		}
		kept := "SLO kept"
		if !c.Kept {
			kept = "SLO missed: " + strings.Join(c.Missed, ", ")
		}
		tune.Wrap(b, "  ", tune.Plain(fmt.Sprintf("%s, %s it, %s s: %s, measurement %s", human.Rate(c.Rate), c.Place, strconv.FormatFloat(c.Seconds, 'g', 4, 64), kept, c.Verdict)))
		tune.Gaps(b, c.Figures)
		if c.Reason != "" {
			tune.Wrap(b, "  - ", tune.Plain(c.Reason))
		}
		for _, r := range c.Reasons {
			tune.Wrap(b, "  - ", tune.Plain(r))
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
		tune.Wrap(b, "  - ", tune.Plain(w))
	}
}

// writeCSV writes a row for each point of the curve.
func (a *Answer) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	head := []string{"rate_per_s", "place", "kept", "seeds", "limits"}
	for _, f := range shown() {
		head = append(head, f.Name, f.Name+"_least", f.Name+"_most")
	}
	_ = out.Write(head) // Error says whether it went well
	for _, p := range a.Curve {
		row := []string{bench.Some(p.Rate).String(), p.Place, strconv.Itoa(p.Kept), strconv.Itoa(p.Of), p.Limits}
		for _, f := range shown() {
			x := p.Figures[f.Name]
			row = append(row, x.Median.String(), x.Least.String(), x.Most.String())
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}
