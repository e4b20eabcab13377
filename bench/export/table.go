// The table: one run on one page, for people.

package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/workload/units"
)

// missing stands where there is no figure.
const missing = "–"

// mark follows a percentile with too few samples beyond it.
const mark = "*"

// fewBeyond explains the mark.
var fewBeyond = fmt.Sprintf("%s fewer than %d samples beyond this percentile", mark, bench.EnoughBeyond)

func writeTable(w io.Writer, r *bench.Result) error {
	var b strings.Builder
	for _, section := range []func(*strings.Builder, *bench.Result){
		heading, knobLines, verdicts, load, latencies, split5, batches, machinery, model, overTime, lanes, shares, warnings,
	} {
		section(&b, r)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func heading(b *strings.Builder, r *bench.Result) {
	name := shorten(plain(r.Profile), 40)
	if name == "" {
		name = "(no profile)"
	}
	kernel, _ := r.Settings.Get("kernel")
	seed := fmt.Sprintf("seed %d", r.Seed)
	if r.SeedDrawn {
		seed += " (drawn)"
	}
	left := "bench " + name
	if kernel != "" {
		left += "   kernel " + shorten(plain(kernel), 20)
	}
	left += "   " + seed
	right := seconds(r.Window.Measured) + " measured"
	if warm := r.Window.Warmup.Or(0); warm > 0 {
		right += " after " + seconds(r.Window.Warmup) + " of warm-up"
	}
	if !r.Complete {
		right += ", stopped early"
	}
	if gap := width - columns(left) - columns(right); gap >= 3 {
		fmt.Fprintf(b, "%s%s%s\n\n", left, strings.Repeat(" ", gap), right)
	} else {
		fmt.Fprintf(b, "%s\n%s\n\n", left, right)
	}
}

// knobLines lists the knobs that say anything, as many to a line as fit.
func knobLines(b *strings.Builder, r *bench.Result) {
	const first = "Settings   "
	line := first
	begun, wrapped := false, false
	for _, s := range r.Settings {
		text := settingText(s)
		if text == "" || text == "null" || s.Knob == "kernel" || s.Knob == "seed" || s.Knob == "slo" || s.Knob == "profile" {
			continue
		}
		if why := never(s.Knob, r); why != "" {
			text += why
		}
		item := plain(s.Knob) + " " + text
		if begun && (wrapped || columns(line)+3+columns(item) > width) {
			fmt.Fprintln(b, line)
			line, begun = strings.Repeat(" ", len(first)), false
		}
		if begun {
			line += "   "
		}
		begun, wrapped = true, columns(line)+columns(item) > width
		for columns(line)+columns(item) > width {
			head, rest := breakAt(item, width-columns(line))
			fmt.Fprintln(b, strings.TrimRight(line+head, " "))
			line, item = strings.Repeat(" ", len(first)+min(len(s.Knob)+1, maxHang)), rest
		}
		line += item
	}
	if begun {
		fmt.Fprintf(b, "%s\n\n", line)
	}
}

// maxHang is how far the further lines of a long value hang below its first.
const maxHang = 20

// breakAt cuts a setting to fit so many columns, after a comma if there is one.
func breakAt(s string, fit int) (head, rest string) {
	head, rest = split(s, fit)
	if at := strings.LastIndexByte(head, ','); at > 0 {
		head, rest = s[:at+1], s[at+1:]
	}
	return head, rest
}

// settingText writes a knob's value. Weights have their unit again, which is how
// people write them.
func settingText(s bench.Setting) string {
	text := s.Text()
	if strings.HasSuffix(s.Knob, "_weight") {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			text = units.FormatSizeLimit(v)
		}
	}
	return plain(text)
}

// never says why a setting that is on has no effect.
func never(knob string, r *bench.Result) string {
	on, _ := r.Settings.Get("direct")
	delay, known := r.Settings.Get("batch_delay")
	if knob == "direct" && (on == "on" || on == "true") && known && delay != "0s" {
		return " (never: batch_delay is not 0s)"
	}
	return ""
}

func verdicts(b *strings.Builder, r *bench.Result) {
	fmt.Fprintf(b, "Measurement   %s\n", r.Measurement.Verdict)
	for _, reason := range r.Measurement.Reasons {
		wrap(b, "              - ", plain(reason))
	}
	if len(r.SLO) > 0 {
		g := grid{notes: 1}
		g.row("SLO           " + objectiveState(r))
		for _, t := range r.SLO {
			g.row("            "+termState(t), shorten(plain(t.Term), 40), termValue(t), shorten(plain(t.Note), 30))
		}
		g.write(b)
	}
	b.WriteByte('\n')
}

// objectiveState says whether the whole objective was met.
func objectiveState(r *bench.Result) string {
	met := "MET"
	if sloMet(r) == "false" {
		met = "MISSED"
	}
	if r.Measurement.Verdict == bench.Invalid {
		met += " (on an invalid measurement)"
	}
	return met
}

func termState(t bench.SLO) string {
	if t.OK {
		return "met"
	}
	return "missed"
}

func termValue(t bench.SLO) string {
	v, ok := t.Value.Get()
	switch {
	case !ok:
		return missing
	case t.Unit == "ns":
		return human.Duration(v)
	case t.Unit == "per_s":
		return human.Rate(v)
	}
	return human.Percent(v)
}

func load(b *strings.Builder, r *bench.Result) {
	g := loadGrid(r)
	g.write(b)
	b.WriteByte('\n')
}

// loadGrid says what became of every item.
func loadGrid(r *bench.Result) grid {
	c := r.Counts
	g := grid{notes: 4}
	g.row("Load", "items", "of offered", "per second")
	add := func(name string, n uint64, rate bench.Num, note string) {
		part := ""
		if n > 0 && name != "offered" {
			part = percent(bench.Ratio(float64(n), float64(c.Offered)))
		}
		if n == 0 {
			rate = bench.Num{}
		}
		g.row(name, human.Count(float64(n)), part, optional(rate, human.Rate), note)
	}
	per := func(n uint64) bench.Num { return bench.Ratio(float64(n), r.Window.Measured.Or(0)) }
	add("offered", c.Offered, r.Rates.Offered, "")
	add("done", c.Done, r.Rates.Throughput, "")
	bounds := ""
	if c.Rejected > 0 {
		bounds = fmt.Sprintf("%s by count, %s by weight", count(r.Rates.CountBound), count(r.Rates.WeightBound))
		if r.Rates.PartBound.Or(0) > 0 {
			bounds += fmt.Sprintf(", %s by part", count(r.Rates.PartBound))
		}
	}
	add("rejected", c.Rejected, per(c.Rejected), bounds)
	add("failed", c.Failed, per(c.Failed), "")
	if c.Cancelled > 0 {
		add("cancelled", c.Cancelled, per(c.Cancelled), "")
	}
	add("unsent", c.Unsent, per(c.Unsent), "")
	if c.InFlightAtEnd > 0 {
		add("in flight at end", c.InFlightAtEnd, bench.Num{}, "")
	}
	latest := ""
	if c.LateMaxNS.Or(0) > 0 {
		latest = "by at most " + duration(c.LateMaxNS)
	}
	add("late (over 1 ms)", c.Late, per(c.Late), latest)
	return g
}

func latencies(b *strings.Builder, r *bench.Result) {
	g := latencyGrid(r)
	g.write(b)
	b.WriteByte('\n')
}

func latencyGrid(r *bench.Result) grid {
	g := grid{notes: 99}
	g.row("Latency", "items", "mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max")
	marked := false
	add := func(name string, l bench.Latency) {
		cells := []string{name, human.Count(float64(l.Count)), duration(l.Mean), duration(l.Min)}
		for _, p := range bench.Percentiles {
			cell, few := percentileCell(l, p)
			cells, marked = append(cells, cell), marked || few
		}
		g.row(append(cells, duration(l.Max))...)
	}
	add("sojourn", r.Latency.Sojourn)
	add("wait", r.Latency.Wait)
	add("service", r.Latency.Service)
	add("delivery", r.Latency.Delivery)
	if marked {
		g.below = fewBeyond
	}
	return g
}

// percentileCell returns a percentile's text and whether it is marked.
func percentileCell(l bench.Latency, p bench.Percentile) (string, bool) {
	v := l.At(p.Name)
	if v.Known() && !bench.Enough(l.Count, p.Percent) {
		return duration(v) + mark, true
	}
	return duration(v), false
}

func warnings(b *strings.Builder, r *bench.Result) {
	if len(r.Warnings) == 0 {
		return
	}
	b.WriteString("Warnings\n")
	for _, text := range r.Warnings {
		wrap(b, "  - ", plain(text))
	}
	b.WriteByte('\n')
}

// optional writes a figure with f, or nothing for a missing one.
func optional(n bench.Num, f func(float64) string) string {
	if v, ok := n.Get(); ok {
		return f(v)
	}
	return ""
}

// figure writes a figure with f, or a dash for a missing one.
func figure(n bench.Num, f func(float64) string) string {
	if v, ok := n.Get(); ok {
		return f(v)
	}
	return missing
}

func duration(n bench.Num) string { return figure(n, human.Duration) }
func percent(n bench.Num) string  { return figure(n, human.Percent) }
func count(n bench.Num) string    { return figure(n, human.Count) }
func short(n bench.Num) string    { return figure(n, human.Short) }
func rate(n bench.Num) string     { return figure(n, human.Rate) }

func seconds(n bench.Num) string {
	return figure(n, func(s float64) string { return human.Duration(s * 1e9) })
}
