// The answer of a search for the highest rate.

package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/human"
)

// WriteCapacity writes an answer in the named format. CSV has a row for each point of
// the curve. The error names the formats there are if format is none of them.
func WriteCapacity(w io.Writer, format string, a *capacity.Answer) error {
	c := capable{a}
	doc := answered{
		asked: &a.Asked, name: "capacity", answer: a, heading: c.heading(), found: c.found(), sections: c.sections(),
		rows: c.rows, charts: c.charts, cards: c.cards(), gauges: c.gauges,
	}
	mark := pageMark{"good", "found"}
	switch {
	case a.Unbracketed == "never_kept":
		mark = pageMark{"bad", "no rate keeps the SLO"}
	case a.Unbracketed == "never_missed":
		mark = pageMark{"fair", "no rate misses the SLO"}
	case !a.Found:
		mark = pageMark{"bad", "no answer"}
	case !a.Monotone:
		mark = pageMark{"fair", "missed below it too"}
	}
	doc.marks = append(doc.marks, mark)
	if v, ok := a.Headroom.Get(); ok && v < 0 {
		doc.marks = append(doc.marks, pageMark{"bad", "the load is above it"})
	}
	for _, x := range a.Confirmed {
		if x.Place == "at" {
			doc.marks = append(doc.marks, realMark(x.Confirmed))
		}
	}
	return doc.write(w, format)
}

// A capable is an answer that is being written.
type capable struct{ *capacity.Answer }

func (c capable) heading() []cell {
	return []cell{
		{"SLO", plain(strings.Join(c.SLO, ", "))},
		{"Search", fmt.Sprintf("%s in virtual time, %s, each to %s of the rate%s", counted(c.Runs, "run"), counted(c.Seeds, "seed"), human.Percent(c.Within), stopped(&c.Asked))},
	}
}

// found says what the search came to.
func (c capable) found() []cell {
	lines := []cell{{"Capacity", plain(c.Text)}}
	add := func(name, text string) { lines = append(lines, cell{name, text}) }
	if v, ok := c.Headroom.Get(); ok {
		text := fmt.Sprintf("the load of %s may grow by %s", human.Rate(c.Nominal), human.Percent(v))
		switch {
		case !c.Found:
			text = fmt.Sprintf("the load of %s may grow by at least %s", human.Rate(c.Nominal), human.Percent(v))
		case v < 0:
			text = fmt.Sprintf("none: the load of %s is above what keeps the SLO, which is %s of it", human.Rate(c.Nominal), human.Percent(1+v))
		}
		add("Headroom", text)
	}
	if len(c.Fails) > 0 && c.Found {
		text := plain(strings.Join(c.Fails, ", ")) + " is missed beyond it"
		if c.Unfair != "" {
			text += ", for share lane " + shorten(plain(c.Unfair), laneColumns)
		}
		add("First", text)
	}
	if c.Limits != "" {
		add("Bound by", fmt.Sprintf("%s (%s)", limitsText(c.Limits), boundBy(&c.Asked)))
	}
	if c.Knee.Known() {
		add("Knee", rate(c.Knee)+": of the curve's rates, where throughput over mean sojourn is greatest")
	}
	if c.For != nil {
		add("Instances", plain(c.For.Text))
	}
	return lines
}

func (c capable) sections() []section {
	var all []section
	if len(c.Odd) > 0 {
		s := section{id: "odd", title: "On the wrong side of it"}
		for _, o := range c.Odd {
			s.list = append(s.list, plain(o.Text))
		}
		all = append(all, s)
	}
	if len(c.Curve) > 0 {
		all = append(all, c.curve())
	}
	if len(c.BySeed) > 0 {
		g := grid{notes: 99}
		g.row("seed", "kept at", "missed at")
		for _, x := range c.BySeed {
			g.row(strconv.FormatUint(x.Seed, 10), rate(x.Low), rate(x.High))
		}
		all = append(all, section{id: "seeds", title: "By seed, each a draw of the arrivals", grid: &g})
	}
	for i, x := range c.Confirmed {
		all = append(all, gapSection(i, fmt.Sprintf("%s, %s it", human.Rate(x.Rate), plain(x.Place)), plain(strings.Join(x.Missed, ", ")), x.Confirmed))
	}
	if len(c.Tried) > 0 {
		g := grid{notes: 99}
		g.row("rate", "SLO kept")
		for i, x := range c.Tried {
			if i == documentPoints {
				g.below = fmt.Sprintf("and %s more, in the JSON form", human.Count(float64(len(c.Tried)-documentPoints)))
				break
			}
			g.row(human.Rate(x.Rate), fmt.Sprintf("%d of %d", x.Kept, x.Of))
		}
		all = append(all, section{id: "tried", title: "Every rate that was tried", grid: &g, folded: true, beside: true})
	}
	return all
}

// curve has the rates around the answer.
func (c capable) curve() section {
	figures := capacity.Figures()
	g := grid{notes: 4 + len(figures)}
	head := []string{"rate", "", "SLO kept"}
	for _, f := range figures {
		head = append(head, f.Short)
	}
	g.row(append(head, "p99, least to most", "bound by")...)
	p99 := figureNamed("p99")
	for _, p := range c.Curve {
		row := []string{human.Rate(p.Rate), plain(p.Place), fmt.Sprintf("%d of %d", p.Kept, p.Of)}
		for _, f := range figures {
			row = append(row, figure(p.Figures[f.Name].Median, f.Say))
		}
		x := p.Figures[p99.Name]
		g.row(append(row, figure(x.Least, p99.Say)+" to "+figure(x.Most, p99.Say), limitsText(p.Limits))...)
	}
	return section{id: "curve", title: "Load and latency around it, medians over the seeds", grid: &g}
}

// rows are those of the CSV form.
func (c capable) rows(yield func([]string) bool) {
	head := []string{"rate_per_s", "place", "kept", "seeds", "limits"}
	for _, f := range capacity.Figures() {
		head = append(head, f.Name, f.Name+"_least", f.Name+"_most")
	}
	if !yield(head) {
		return
	}
	for _, p := range c.Curve {
		row := []string{decimal(bench.Some(p.Rate)), inert(p.Place), strconv.Itoa(p.Kept), strconv.Itoa(p.Of), inert(p.Limits)}
		for _, f := range capacity.Figures() {
			x := p.Figures[f.Name]
			row = append(row, decimal(x.Median), decimal(x.Least), decimal(x.Most))
		}
		if !yield(row) {
			return
		}
	}
}

func (c capable) cards() []pageCard {
	between := missing
	if c.Low.Known() || c.High.Known() {
		between = rate(c.Low) + " to " + rate(c.High)
	}
	value := rate(c.Median)
	if !c.Median.Known() && c.Low.Known() {
		value = "over " + rate(c.Low)
	}
	cards := []pageCard{
		{"capacity", value, between},
		{"confidence", percent(c.Confidence), counted(c.Seeds, "seed")},
		{"headroom", signed(c.Headroom), human.Rate(c.Nominal) + " is the load"},
	}
	if c.Knee.Known() {
		cards = append(cards, pageCard{"knee", rate(c.Knee), "most throughput for its latency"})
	}
	if x := c.For; x != nil {
		cards = append(cards, pageCard{"instances", human.Count(float64(x.N)), "for " + human.Rate(x.Rate) + ", each at " + human.Percent(x.Used)})
	}
	return cards
}

// charts plots latency and throughput over the load.
func (c capable) charts() []chart {
	if len(c.Curve) < 2 {
		return nil
	}
	latency := chart{
		ID: "latency", Section: "curve", Kind: "line", Title: "Latency over load", XUnit: "per_s", XLabel: "offered", YUnit: "ns", YLog: true,
		Series: []plotted{
			{Label: "p99, least of the seeds", Color: 5, Dash: true},
			{Label: "p99, most of the seeds", Color: 4, Dash: true},
			{Label: "p50", Color: 1},
			{Label: "p99", Color: 2},
		},
		Uprights: c.uprights(),
	}
	through := chart{
		ID: "throughput", Section: "curve", Kind: "line", Title: "Throughput over load", XUnit: "per_s", XLabel: "offered", YUnit: "per_s",
		Series: []plotted{{Label: "done", Color: 1, Fill: true}}, Uprights: c.uprights(),
	}
	p50, p99, done := figureNamed("p50"), figureNamed("p99"), figureNamed("throughput")
	latency.Bounds = append(lineOf(c.SLO, p99), lineOf(c.SLO, p50)...)
	for _, p := range c.Curve {
		at := bench.Some(p.Rate)
		latency.X, through.X = append(latency.X, at), append(through.X, at)
		for i, v := range []bench.Num{p.Figures[p99.Name].Least, p.Figures[p99.Name].Most, p.Figures[p50.Name].Median, p.Figures[p99.Name].Median} {
			latency.Series[i].Values = append(latency.Series[i].Values, v)
		}
		through.Series[0].Values = append(through.Series[0].Values, p.Figures[done.Name].Median)
	}
	return []chart{latency, through}
}

// uprights are the ends of the answer, and the load.
func (c capable) uprights() []plotUpright {
	var out []plotUpright
	for _, x := range []struct {
		label string
		at    bench.Num
	}{{"kept", c.Low}, {"missed", c.High}, {"load", bench.Some(c.Nominal)}} {
		if x.at.Known() {
			out = append(out, plotUpright{x.label, x.at})
		}
	}
	return out
}

// curveGauges bounds the series of a file from elsewhere.
const curveGauges = 100

func (c capable) gauges(f *families) {
	f.add("ferryctl_capacity_found", "1 if there is a rate that keeps the SLO and a higher one that does not", yes(c.Found))
	for _, x := range []struct {
		column string
		v      bench.Num
	}{
		{"capacity_low_per_s", c.Low},
		{"capacity_high_per_s", c.High},
		{"capacity_median_per_s", c.Median},
		{"capacity_confidence_ratio", c.Confidence},
		{"capacity_headroom_ratio", c.Headroom},
		{"capacity_knee_per_s", c.Knee},
		{"capacity_load_per_s", bench.Some(c.Nominal)},
	} {
		base(f, x.column, x.v)
	}
	if x := c.For; x != nil {
		f.add("ferryctl_capacity_instances", "instances that take the rate that was asked after", bench.Some(float64(x.N)), "rate", human.Rate(x.Rate))
	}
	for i, p := range c.Curve {
		if i == curveGauges {
			break
		}
		labels := []string{"rate", decimal(bench.Some(p.Rate)), "place", plain(p.Place)}
		f.add("ferryctl_capacity_curve_slo_kept", "part of the seeds with which the SLO is kept at a rate", bench.Ratio(float64(p.Kept), float64(p.Of)), labels...)
		for _, g := range capacity.Figures() {
			base(f, "capacity_curve_"+g.Name, p.Figures[g.Name].Median, labels...)
		}
	}
}
