// The document: a run or a sweep as sections of text and tables, from which the
// Markdown and the HTML form are drawn. Its rows are those of the table.

package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// A section is a heading with text, a list, a table and lines to paste, in this
// order; what is empty is left out.
type section struct {
	id     string // of the heading, and of the charts that belong to it
	title  string
	text   []string
	list   []string
	grid   *grid
	paste  string
	folded bool // long, and rarely needed: HTML opens it on demand
	beside bool // left out of the plain table
}

// writeSections appends the sections to a plain table.
func writeSections(b *strings.Builder, sections []section) {
	for _, s := range sections {
		if s.beside {
			continue
		}
		b.WriteByte('\n')
		if s.grid != nil && s.grid.takes(s.title) {
			s.grid.rows[0][0] = s.title
		} else {
			b.WriteString(s.title + "\n")
			if s.grid != nil {
				s.grid.rows[0][0] = "  " + s.grid.rows[0][0]
			}
		}
		if s.grid != nil {
			s.grid.write(b)
		}
		lines := slices.Concat(s.text, s.list)
		if s.grid != nil && len(lines) > 0 {
			b.WriteByte('\n')
		}
		for _, text := range lines {
			wrap(b, "  - ", text)
		}
		if s.paste != "" {
			b.WriteString("\n  " + s.paste + "\n")
		}
	}
}

// tabled makes a section of a grid, whose first cell is its title; first is what
// stands above the first column instead.
func tabled(id string, g grid, first string) section {
	s := section{id: id, title: strings.TrimSpace(g.rows[0][0]), grid: &g}
	g.rows[0][0] = first
	return s
}

// pairs makes a table of names and values.
func pairs(id, title, name, value string, rows []cell) section {
	g := grid{notes: 1}
	g.row(name, value)
	for _, c := range rows {
		g.row(c.name, c.text)
	}
	return section{id: id, title: title, grid: &g}
}

// runName is the title of a run's document.
func runName(r *bench.Result) string {
	name := plain(r.Profile)
	if name == "" {
		name = "(no profile)"
	}
	return "ferryctl bench " + name
}

// runFacts are what stands below the title.
func runFacts(r *bench.Result) string {
	facts := []string{"clock " + plain(r.Clock), fmt.Sprintf("seed %d", r.Seed), seconds(r.Window.Measured) + " measured"}
	if r.SeedDrawn {
		facts[1] += " (drawn)"
	}
	if r.Window.Warmup.Or(0) > 0 {
		facts[2] += " after " + seconds(r.Window.Warmup) + " of warm-up"
	}
	if kernel, ok := r.Settings.Get("kernel"); ok {
		facts = append([]string{"kernel " + plain(kernel)}, facts...)
	}
	if !r.Complete {
		facts = append(facts, "stopped early")
	}
	if r.Interactive {
		facts = append(facts, "knobs were turned while it ran")
	}
	return strings.Join(facts, " · ")
}

// runDocument returns the sections of a run.
func runDocument(r *bench.Result) []section {
	all := []section{measurementSection(r)}
	if len(r.SLO) > 0 {
		all = append(all, objectiveSection(r))
	}
	if len(r.Warnings) > 0 {
		all = append(all, section{id: "warnings", title: "Warnings", list: plainAll(r.Warnings)})
	}
	all = append(all, tabled("load", loadGrid(r), "outcome"), tabled("split", splitGrid(r), "cause"), tabled("latency", latencyGrid(r), "time"))
	if len(r.Intervals) > 0 {
		all = append(all, intervalSection(r))
	}
	all = append(all, tabled("batches", leftGrid(r), "cause"))
	if len(r.Lanes) > 1 {
		all = append(all, tabled("lanes", laneGrid(r, func(name string) string { return name }), "lane"))
	}
	if r.Fairness.MaxLagUnits.Known() {
		s := tabled("fairness", shareGrid(r, func(name string) string { return name }), "lane")
		s.text = []string{fairness(r.Fairness)}
		all = append(all, s)
	}
	if len(r.Segments) > 0 {
		all = append(all, segmentSection(r))
	}
	if r.Model != nil {
		s := tabled("model", modelGrid(r.Model.Figures), "figure")
		s.text = []string{plain(r.Model.String())}
		all = append(all, s)
	}
	if lines := machines(r); len(lines) > 0 {
		all = append(all, pairs("machinery", "Room, backend, generator, checks", "part", "what it did", lines))
	}
	return append(all, environmentSection(r.Environment), settingsSection(r),
		section{id: "reproduce", title: "Reproduce", paste: Command(r)})
}

func measurementSection(r *bench.Result) section {
	return section{id: "measurement", title: "Measurement", text: []string{string(r.Measurement.Verdict)}, list: plainAll(r.Measurement.Reasons)}
}

func objectiveSection(r *bench.Result) section {
	g := grid{notes: 3}
	g.row("term", "value", "state", "note")
	for _, t := range r.SLO {
		g.row(plain(t.Term), termValue(t), termState(t), plain(t.Note))
	}
	return section{id: "slo", title: "SLO", text: []string{objectiveState(r)}, grid: &g}
}

// intervalRows is how many intervals a document lists.
const intervalRows = 600

func intervalSection(r *bench.Result) section {
	g := grid{notes: 99}
	g.row("from", "offered", "done", "rejected", "failed", "mean", "p50", "p99", "max", "queued", "in flight")
	for i, in := range r.Intervals {
		if i == intervalRows {
			g.below = fmt.Sprintf("and %s more, in the JSON form", human.Count(float64(len(r.Intervals)-i)))
			break
		}
		g.row(seconds(in.Start), human.Count(float64(in.Offered)), human.Count(float64(in.Done)), human.Count(float64(in.Rejected)),
			human.Count(float64(in.Failed)), duration(in.Mean), duration(in.P50), duration(in.P99), duration(in.Max), count(in.Queued), count(in.InFlight))
	}
	return section{id: "time", title: "Over time", grid: &g, folded: true, text: []string{
		"Items count where they ended, so that those of the window that end in the drain stand below it.",
	}}
}

// segmentSection has the parts of a run whose knobs were turned.
func segmentSection(r *bench.Result) section {
	g := grid{notes: 7}
	g.row("from", "offered", "done", "rejected", "mean", "p50", "p99", "changed")
	for _, s := range r.Segments {
		var changed []string
		for _, c := range s.Changed {
			changed = append(changed, plain(c.Knob)+" "+settingText(c))
		}
		p50, _ := percentileCell(s.Latency.Sojourn, bench.Percentiles[0])
		p99, _ := percentileCell(s.Latency.Sojourn, bench.Percentiles[3])
		g.row(seconds(s.Start), rate(s.OfferedPer), rate(s.DonePer), human.Count(float64(s.Counts.Rejected)), duration(s.Latency.Sojourn.Mean), p50, p99,
			strings.Join(changed, ", "))
	}
	return section{id: "segments", title: "Segments between changes", grid: &g}
}

func environmentSection(e bench.Environment) section {
	var rows []cell
	add := func(name, v string) {
		if v != "" {
			rows = append(rows, cell{name, plain(v)})
		}
	}
	some := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	add("ferryctl", strings.TrimSpace(e.Version+" "+e.Commit))
	add("go", e.Go)
	add("system", strings.Trim(e.OS+"/"+e.Arch, "/"))
	add("processor", e.CPUModel)
	add("processors", some(e.CPUs))
	add("GOMAXPROCS", some(e.GOMAXPROCS))
	add("started", stamp(e.Started))
	add("ended", stamp(e.Ended))
	if e.Started.IsZero() {
		add("machine", "none: a run in virtual time is the same on all")
	}
	return pairs("environment", "Environment", "what", "value", rows)
}

func settingsSection(r *bench.Result) section {
	var rows []cell
	for _, s := range r.Settings {
		if text := settingText(s); text != "" && text != "null" {
			rows = append(rows, cell{plain(s.Knob), text + never(s.Knob, r)})
		}
	}
	return pairs("settings", "Settings", "knob", "value", rows)
}

func plainAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = plain(t)
	}
	return out
}
