// The table's sections on where time went, why batches left, and the machinery.

package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// barColumns is how wide a bar is that means all.
const barColumns = 40

func split5(b *strings.Builder, r *bench.Result) {
	g := splitGrid(r)
	g.write(b)
	b.WriteByte('\n')
}

// splitGrid has the five parts of an item's mean time.
func splitGrid(r *bench.Result) grid {
	mean := r.Latency.Sojourn.Mean
	g := grid{notes: 3}
	g.row("Where the time goes", "mean", "part")
	for _, part := range []struct {
		name string
		ns   bench.Num
	}{
		{"lag, hand-over", r.Split.Lag},
		{"batch forming", r.Split.Forming},
		{"key's turn", r.Split.Turn},
		{"in-flight slot", r.Split.Slot},
		{"service", r.Split.Service},
	} {
		ratio := bench.Ratio(part.ns.Or(0), mean.Or(0))
		if !part.ns.Known() {
			ratio = bench.Num{}
		}
		g.part(ratio, part.name, duration(part.ns), percent(ratio))
	}
	return g
}

func batches(b *strings.Builder, r *bench.Result) {
	g := leftGrid(r)
	g.write(b)
	b.WriteByte('\n')
}

// leftGrid has the reasons why batches left, and their sizes below.
func leftGrid(r *bench.Result) grid {
	x := r.Batches
	delay := "delay passed"
	if d, _ := r.Settings.Get("batch_delay"); d == "0s" {
		delay = "a slot was free"
	}
	g := grid{notes: 3}
	g.row("Why batches left", "batches", "part")
	for _, why := range []struct {
		name string
		n    uint64
	}{
		{"full by size", x.Left.Size},
		{"full by weight", x.Left.Weight},
		{delay, x.Left.Delay},
		{"key freed", x.Left.Freed},
		{"direct call", x.Left.Direct},
		{"close, flush", x.Left.Close},
	} {
		if why.n > 0 {
			ratio := bench.Ratio(float64(why.n), float64(x.Count))
			g.part(ratio, why.name, human.Count(float64(why.n)), percent(ratio))
		}
	}
	if x.Count == 0 {
		g.row("none", "0", missing)
	}
	if x.Count > 0 {
		g.below = fmt.Sprintf("%s batches, %s; inputs in a batch: mean %s, p50 %s, p99 %s, max %s",
			human.Count(float64(x.Count)), rate(r.Rates.Batches), short(x.Size.Mean), count(x.Size.P50), count(x.Size.P99), count(x.Size.Max))
	}
	return g
}

func machinery(b *strings.Builder, r *bench.Result) {
	lines := machines(r)
	for _, l := range lines {
		wrap(b, fmt.Sprintf("%-11s", l.name), l.text)
	}
	if len(lines) > 0 {
		b.WriteByte('\n')
	}
}

// machines has a line each for the room, the backend, the generator and the checks.
func machines(r *bench.Result) []cell {
	var lines []cell
	line := func(name string, parts ...string) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
		if len(parts) > 0 {
			lines = append(lines, cell{name, strings.Join(parts, "; ")})
		}
	}
	with := func(n bench.Num, f func(float64) string, format string) string {
		if v, ok := n.Get(); ok {
			return fmt.Sprintf(format, f(v))
		}
		return ""
	}
	room, m := r.Room, r.Measurement
	weight := room.MaxQueuedWeight
	if weight == room.MaxQueued { // of weight 1 each: nothing new
		weight = bench.Num{}
	}
	calls := "calls in flight at most %s"
	if r.Batches.Left.Direct > 0 {
		calls += ", direct ones included"
	}
	waiting := with(room.MaxQueued, human.Count, "at most %s")
	if !room.MeanQueued.Known() {
		waiting = with(room.MaxQueued, human.Count, "at most %s inputs waiting")
	}
	if most, ok := room.MaxQueued.Get(); ok && most == 0 {
		waiting = "no input waited"
		room.MeanQueued = bench.Num{}
	}
	line("Room", with(room.MeanQueued, human.Short, "%s inputs waiting on average"), waiting,
		with(weight, human.Short, "weight at most %s"), with(room.MaxInFlight, human.Count, calls))
	waited := m.BackendWaited
	if waited.Or(0) == 0 { // it has no limit, or never came to it
		waited = bench.Num{}
	}
	line("Backend", with(m.ServiceAsked, human.Duration, "asked to take %s a call"), with(m.ServiceActual, human.Duration, "took %s"),
		with(waited, human.Duration, "before that a call waited %s for the backend's concurrency"))
	if c := r.CostModel; c != nil {
		line("Cost model", plain(c.File)+", SHA-256 "+fmt.Sprintf("%.12s", c.SHA256)+", calibrated from "+plain(c.Backend))
	}
	line("Generator", with(m.GeneratorCeiling, human.Rate, "ceiling %s"), with(m.GeneratorLoad, human.Percent, "load %s of it"),
		with(m.Callers, human.Count, "callers at most %s"))
	line("Checks", with(m.LittlesLawGap, human.Percent, "Little's law off by %s"), with(m.GCCount, human.Count, "garbage collections: %s"),
		with(m.GCMaxPause, human.Duration, "longest pause up to %s"))
	return lines
}

// model sets the figures of both clocks side by side.
func model(b *strings.Builder, r *bench.Result) {
	if r.Model == nil {
		return
	}
	g := modelGrid(r.Model.Figures)
	g.write(b)
	wrap(b, "  ", r.Model.String())
	b.WriteByte('\n')
}

// modelGrid sets the figures of both clocks side by side.
func modelGrid(figures []bench.ModelFigure) grid {
	g := grid{notes: 4}
	g.row("Model", "virtual", "real", "gap", "")
	for _, f := range figures {
		say := map[string]func(bench.Num) string{"ns": duration, "1/s": rate, "": percent}[f.Unit]
		if say == nil {
			say = short
		}
		gap := signed(f.Gap)
		if f.Unit == "" && f.Gap.Known() {
			gap = strings.TrimSuffix(gap, "%") + "pp"
		}
		note := ""
		if v, ok := f.Gap.Get(); ok && f.Limit.Known() && math.Abs(v) > f.Limit.Or(0) {
			note = "over its limit of " + percent(f.Limit)
		}
		g.row(strings.TrimSuffix(strings.ReplaceAll(f.Name, "_", " "), " ns"), say(f.Virtual), say(f.Real), gap, note)
	}
	return g
}

// signed writes a ratio with its sign.
func signed(n bench.Num) string {
	v, ok := n.Get()
	switch {
	case !ok:
		return missing
	case v < 0:
		return "-" + human.Percent(-v)
	}
	return "+" + human.Percent(v)
}

// sparkColumns is how many columns a series over time takes at most.
const sparkColumns = 60

// overTime draws throughput and p99 over the window. Where several intervals
// share a column it shows their highest p99, and their throughput together.
func overTime(b *strings.Builder, r *bench.Result) {
	window := r.Window.Measured.Or(0)
	inside := slices.Clone(r.Intervals)
	inside = slices.DeleteFunc(inside, func(in bench.Interval) bool { return in.Start.Or(window) >= window })
	if len(inside) < 3 {
		return
	}
	per := (len(inside) + sparkColumns - 1) / sparkColumns
	var done, p99 []float64
	for part := range slices.Chunk(inside, per) {
		n, long, worst := 0.0, 0.0, -1.0
		for _, in := range part {
			n += float64(in.Done)
			long += in.Length.Or(0)
			worst = max(worst, in.P99.Or(-1))
		}
		if len(done) > 0 && long < inside[0].Length.Or(0)*float64(per)/2 {
			break // a sliver of a column, with a rate by chance
		}
		done, p99 = append(done, bench.Ratio(n, long).Or(-1)), append(p99, worst)
	}
	column := "of " + seconds(bench.Some(inside[0].Length.Or(0)*float64(per)))
	fmt.Fprintf(b, "Over the window, columns %s\n", column)
	g := grid{notes: 1}
	g.row("", "", "")
	g.row("done", sparkline(done, slices.Max(done)), "up to "+human.Rate(max(0, slices.Max(done))))
	if top := slices.Max(p99); top >= 0 {
		g.row("p99", sparkline(p99, top), "up to "+human.Duration(top))
	}
	var body strings.Builder
	g.write(&body)
	b.WriteString(strings.TrimLeft(body.String(), "\n"))
	b.WriteByte('\n')
}
