// The answer of a search for settings.

package export

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
)

// WriteTune writes an answer in the named format. CSV has a row for each point that
// was measured. The error names the formats there are if format is none of them.
func WriteTune(w io.Writer, format string, a *tune.Answer) error {
	t := tuned{a}
	f := t.figure()
	way := "minimise "
	if a.Objective.More {
		way = "maximise "
	}
	doc := answered{
		asked: &a.Asked, name: "tune", facts: []string{way + f.Short}, answer: a, heading: t.heading(), sections: t.sections(),
		rows: t.rows, charts: t.charts, cards: t.cards(), gauges: t.gauges,
	}
	met := pageMark{"good", "meets the SLO"}
	switch {
	case a.Recommended == nil:
		met = pageMark{"bad", "nothing was measured"}
	case !a.Found:
		met = pageMark{"bad", "no point meets the SLO"}
	case len(a.SLO) == 0:
		met = pageMark{"good", "no SLO"}
	}
	doc.marks = append(doc.marks, met)
	if a.Recommended != nil {
		doc.marks = append(doc.marks, verdictMark(a.Recommended.Verdict))
	}
	for _, c := range a.Confirmed {
		if c.Rank == 1 {
			doc.marks = append(doc.marks, realMark(c.Confirmed))
		}
	}
	return doc.write(w, format)
}

// A tuned is an answer that is being written.
type tuned struct{ *tune.Answer }

func (t tuned) figure() sweep.Figure { return figureNamed(t.Objective.Figure) }

func (t tuned) heading() []cell {
	var lines []cell
	for i, x := range t.Axes {
		name := "Varies"
		if i > 0 {
			name = ""
		}
		lines = append(lines, cell{name, plain(x.Knob + " " + strings.Join(x.Values, ","))})
	}
	if len(t.SLO) > 0 {
		lines = append(lines, cell{"SLO", plain(strings.Join(t.SLO, ", "))})
	}
	return append(lines, cell{"Search", fmt.Sprintf("%s, %s in all, the leaders with %s%s",
		partOf(t.Searched, t.Grid), counted(t.Runs, "run"), counted(t.Seeds, "seed"), stopped(&t.Asked))})
}

// tuneFigures are those of a row, beside the objective.
var tuneFigures = []string{"throughput", "rejected", "mean", "p99", "cost"}

// columns are the figures of a row.
func (t tuned) columns() []sweep.Figure {
	var out []sweep.Figure
	if f := t.figure(); !slices.Contains(tuneFigures, f.Short) {
		out = append(out, f)
	}
	for _, short := range tuneFigures {
		out = append(out, figureNamed(short))
	}
	return out
}

// grid begins a table of points.
func (t tuned) grid(first string) grid {
	head := []string{first}
	for _, x := range t.Axes {
		head = append(head, shorten(plain(x.Knob), knobColumns))
	}
	for _, f := range t.columns() {
		head = append(head, f.Short)
	}
	if len(t.SLO) > 0 {
		head = append(head, "SLO met")
	}
	g := grid{notes: len(head)}
	g.row(append(head, "bound by")...)
	return g
}

func (t tuned) row(g *grid, c *tune.Candidate, name string) {
	row := []string{name}
	for _, x := range t.Axes {
		row = append(row, shorten(plain(c.Knobs[x.Knob]), knobColumns))
	}
	for _, f := range t.columns() {
		row = append(row, figure(c.Figures[f.Name], f.Say))
	}
	if len(t.SLO) > 0 {
		row = append(row, fmt.Sprintf("%d of %d", c.SLOMet, c.Seeds))
	}
	g.row(append(row, limitsText(c.Limits))...)
}

func (t tuned) sections() []section {
	all := []section{t.recommended()}
	if t.Start != nil || len(t.Buys) > 0 {
		s := section{id: "buys", title: "What each change buys"}
		for _, x := range t.Buys {
			s.list = append(s.list, plain(x.Text))
		}
		if len(t.Buys) == 0 {
			s.list = []string{"nothing is to be changed: no other settings are better"}
		}
		all = append(all, s)
	}
	if len(t.Free) > 0 {
		s := section{id: "free", title: fmt.Sprintf("How far each knob may go alone (%s within %s, the SLO no worse)", t.figure().Short, human.Percent(tune.Harmless))}
		for _, x := range t.Free {
			s.list = append(s.list, plain(x.Text))
		}
		all = append(all, s)
	}
	if len(t.Alternatives) > 0 {
		g := t.grid("rank")
		for i := range t.Alternatives {
			t.row(&g, &t.Alternatives[i], strconv.Itoa(i+2))
		}
		all = append(all, section{id: "next", title: "Next best", grid: &g})
	}
	if len(t.Robust) > 0 {
		all = append(all, t.loads())
	}
	for i, c := range t.Confirmed {
		var knobs []string
		for _, k := range slices.Sorted(maps.Keys(c.Knobs)) {
			knobs = append(knobs, plain(k+" "+c.Knobs[k]))
		}
		all = append(all, gapSection(i, fmt.Sprintf("rank %d: %s", c.Rank, strings.Join(knobs, ", ")), plain(strings.Join(c.Missed, ", ")), c.Confirmed))
	}
	if len(t.Points) > 0 {
		all = append(all, t.points())
	}
	return all
}

func (t tuned) recommended() section {
	if t.Recommended == nil {
		return section{id: "recommended", title: "Nothing was measured"}
	}
	s := section{id: "recommended", title: "Recommended", paste: plain(t.Command)}
	name := "best"
	if !t.Found {
		s.title, name = "Nothing that was measured meets the SLO; nearest to it", "nearest"
		if t.Start != nil && t.Start.Seeds > 0 && t.Start.SLOMet == t.Start.Seeds {
			s.title = "None of the settings to choose from meets the SLO, the start does; nearest to it"
		}
	}
	g := t.grid("")
	t.row(&g, t.Recommended, name)
	if t.Start != nil {
		t.row(&g, t.Start, "start")
	}
	s.grid = &g
	for _, o := range t.Obstacles {
		s.list = append(s.list, plain(o.Text))
	}
	if t.Binding.Text != "" && t.Found {
		s.list = append(s.list, plain(t.Binding.Text))
	}
	s.list = append(s.list, fmt.Sprintf("bound by %s (%s)", limitsText(t.Binding.Limits), boundBy(&t.Asked)))
	return s
}

// loads says what happens under other loads.
func (t tuned) loads() section {
	f := t.figure()
	g := grid{notes: 4}
	g.row("load", "", f.Short, "change", "SLO")
	for _, v := range t.Robust {
		met := "met"
		if !v.SLOMet {
			met = "missed: " + plain(strings.Join(v.Missed, ", "))
		}
		if !v.Verdict {
			met += " (measurement not VALID)"
		}
		g.row(plain(v.Knob)+" "+factor(bench.Some(v.By)), shorten(plain(v.Value), knobColumns), figure(v.Figure, f.Say), factor(v.Change), met)
	}
	return section{id: "loads", title: "If the load is off", grid: &g}
}

// points lists all points that were measured.
func (t tuned) points() section {
	g := t.grid("point")
	for i := range t.Points {
		if i == documentPoints {
			g.below = fmt.Sprintf("and %s more, in the CSV form", human.Count(float64(len(t.Points)-documentPoints)))
			break
		}
		mark := ""
		if t.isBest(&t.Points[i]) {
			mark = "*"
		}
		t.row(&g, &t.Points[i], strconv.Itoa(i+1)+mark)
	}
	return section{id: "points", title: "All points", grid: &g, folded: len(t.Points) > pointRows, beside: true}
}

func (t tuned) isBest(c *tune.Candidate) bool {
	return t.Recommended != nil && maps.Equal(c.Knobs, t.Recommended.Knobs)
}

// rows are those of the CSV form.
func (t tuned) rows(yield func([]string) bool) {
	head := []string{"point", "recommended", "on_grid", "seeds", "slo_met", "verdict", "limits"}
	for _, x := range t.Axes {
		head = append(head, inert(x.Knob))
	}
	for _, f := range lab.Figures {
		head = append(head, f.Name)
	}
	if !yield(head) {
		return
	}
	for i := range t.Points {
		c := &t.Points[i]
		row := []string{
			strconv.Itoa(i + 1), strconv.FormatBool(t.isBest(c)), strconv.FormatBool(c.OnGrid), strconv.Itoa(c.Seeds), strconv.Itoa(c.SLOMet),
			inert(string(c.Verdict)), inert(c.Limits),
		}
		for _, x := range t.Axes {
			row = append(row, inert(c.Knobs[x.Knob]))
		}
		for _, f := range lab.Figures {
			row = append(row, decimal(c.Figures[f.Name]))
		}
		if !yield(row) {
			return
		}
	}
}

// cards have the recommended figures, each beside what it was.
func (t tuned) cards() []pageCard {
	if t.Recommended == nil {
		return nil
	}
	var cards []pageCard
	for _, f := range t.columns() {
		card := pageCard{Label: f.Short, Value: figure(t.Recommended.Figures[f.Name], f.Say)}
		if t.Start != nil {
			card.Note = figure(t.Start.Figures[f.Name], f.Say) + " at the start"
		}
		cards = append(cards, card)
	}
	return cards
}

// plane returns the figures that the points are plotted by: the objective, and what it
// is bought with. A latency is bought with cost, all else with the latency that the
// SLO bounds.
func (t tuned) plane() (x, y sweep.Objective) {
	f := t.figure()
	objective := sweep.Objective{Figure: f, More: t.Objective.More}
	if f.Unit == "ns" && f.Short != "cost" {
		return sweep.Objective{Figure: figureNamed("cost")}, objective
	}
	latency := figureNamed("p99")
	for _, b := range latencyBounds(t.SLO) {
		if g, ok := lab.FigureOf(b.figure); ok {
			latency = g
			break
		}
	}
	return objective, sweep.Objective{Figure: latency}
}

// charts plots the points.
func (t tuned) charts() []chart {
	x, y := t.plane()
	c := chart{
		ID: "points", Section: "recommended", Kind: "scatter", Title: y.Figure.Short + " by " + x.Figure.Short,
		XUnit: chartUnit(x.Figure), XLabel: x.Figure.Short, YUnit: chartUnit(y.Figure), YLabel: y.Figure.Short, YLog: y.Figure.Unit == "ns",
		Series: []plotted{
			{Label: t.pick(), Color: 1},
			{Label: "start", Color: 2},
			{Label: "Pareto set", Color: 6},
			{Label: "other points", Color: 5},
			{Label: "SLO missed or not VALID", Color: 3},
		},
		Bounds: lineOf(t.SLO, y.Figure),
	}
	if t.Recommended == nil {
		return nil
	}
	var shown []*tune.Candidate
	var marks []sweep.Mark
	for i := range t.Points {
		p := &t.Points[i]
		vx, okX := p.Figures[x.Figure.Name].Get()
		vy, okY := p.Figures[y.Figure.Name].Get()
		if okX && okY {
			shown = append(shown, p)
			if good(p) {
				marks = append(marks, sweep.Mark{Point: len(shown), Figures: []float64{vx, vy}})
			}
		}
	}
	front := map[*tune.Candidate]bool{}
	for _, m := range sweep.Pareto([]sweep.Objective{x, y}, marks) {
		front[shown[m.Point-1]] = true
	}
	slices.SortStableFunc(shown, func(a, b *tune.Candidate) int {
		return cmp.Compare(a.Figures[x.Figure.Name].Or(0), b.Figures[x.Figure.Name].Or(0))
	})
	every := max(1, len(shown)/plotMarks)
	for i, p := range shown {
		kind := 3
		switch {
		case t.isBest(p):
			kind = 0
		case t.Start != nil && maps.Equal(p.Knobs, t.Start.Knobs):
			kind = 1
		case front[p]:
			kind = 2
		case !good(p):
			kind = 4
		}
		if kind > 2 && i%every > 0 {
			continue
		}
		c.plot(kind, p.Figures[x.Figure.Name], p.Figures[y.Figure.Name], t.say(p))
	}
	if len(c.X) == 0 {
		return nil
	}
	return []chart{c}
}

func (t tuned) pick() string {
	if t.Found {
		return "recommended"
	}
	return "nearest"
}

// good says whether a point meets the SLO by a measurement that can be relied on.
func good(p *tune.Candidate) bool { return p.Verdict == bench.Valid && p.SLOMet == p.Seeds }

// say writes a point as settings.
func (t tuned) say(c *tune.Candidate) string {
	var parts []string
	for _, x := range t.Axes {
		parts = append(parts, x.Knob+" "+c.Knobs[x.Knob])
	}
	return plain(strings.Join(parts, ", "))
}

// gauges have the recommended settings and the start; the points are in other forms.
func (t tuned) gauges(f *families) {
	f.add("ferryctl_tune_found", "1 if the recommended settings meet the SLO", yes(t.Found))
	f.add("ferryctl_tune_searched_points", "points of the grid that were measured to find the best", bench.Some(float64(t.Searched)))
	f.add("ferryctl_tune_grid_points", "points of the grid", bench.Some(float64(t.Grid)))
	add := func(place string, c *tune.Candidate) {
		labels := []string{"place", place}
		for _, x := range t.Axes {
			labels = append(labels, knobLabel(x.Knob, c.Knobs[x.Knob])...)
		}
		f.add("ferryctl_tune_slo_met", "part of the seeds with which the SLO is met", bench.Ratio(float64(c.SLOMet), float64(c.Seeds)), labels...)
		for _, g := range lab.Figures {
			base(f, "tune_"+g.Name, c.Figures[g.Name], labels...)
		}
	}
	if t.Recommended != nil {
		add(t.pick(), t.Recommended)
	}
	if t.Start != nil {
		add("start", t.Start)
	}
	for i := range t.Alternatives {
		if i < alternativeGauges {
			add("rank"+strconv.Itoa(i+2), &t.Alternatives[i])
		}
	}
	for _, v := range t.Robust {
		labels := []string{"knob", plain(v.Knob), "value", plain(v.Value)}
		f.add("ferryctl_tune_off_load_slo_met", "1 if the SLO is met under a load that is off", yes(v.SLOMet), labels...)
		base(f, "tune_off_load_"+t.figure().Name, v.Figure, labels...)
	}
}

// alternativeGauges bounds the series of a file from elsewhere.
const alternativeGauges = 20
