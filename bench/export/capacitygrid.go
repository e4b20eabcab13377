// The answer of a search for the highest rate at each of several settings.

package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
)

// WriteCapacityGrid writes the answers in the named format. CSV has a row for each of
// the settings. The error names the formats there are if format is none of them.
func WriteCapacityGrid(w io.Writer, format string, g *capacity.Grid) error {
	c := capacities{g}
	doc := answered{
		asked: &g.Asked, name: "capacity", answer: g, heading: c.heading(), found: []cell{{"Capacity", plain(g.Text)}}, sections: []section{c.table()},
		rows: c.rows, charts: func() []chart { return nil }, gauges: c.gauges,
	}
	if g.Best == 0 {
		doc.marks = []pageMark{{"bad", "no rate keeps the SLO"}}
	} else {
		doc.marks = []pageMark{{"good", "found"}}
		best := g.Points[g.Best-1].Answer
		doc.cards = []pageCard{{"capacity", rate(best.Median), rate(best.Low) + " to " + rate(best.High)}, {"headroom", signed(best.Headroom), human.Rate(best.Nominal) + " is the load"}}
	}
	return doc.write(w, format)
}

// capacities are answers that are being written.
type capacities struct{ *capacity.Grid }

func (c capacities) heading() []cell {
	within := 0.0
	if len(c.Points) > 0 {
		within = c.Points[0].Answer.Within
	}
	return []cell{
		{"SLO", plain(strings.Join(c.SLO, ", "))},
		{"Varies", plain(strings.Join(c.Varies, ", "))},
		{"Search", fmt.Sprintf("%s in virtual time, %s at each of %s, each to %s of the rate%s", counted(c.Runs, "run"), counted(c.Seeds, "seed"),
			counted(len(c.Points), "setting"), human.Percent(within), stopped(&c.Asked))},
	}
}

// table has the settings, the highest capacity first.
func (c capacities) table() section {
	g := grid{notes: 5 + len(c.Varies)}
	head := append([]string{"point"}, plainAll(c.Varies)...)
	g.row(append(head, "kept at", "missed at", "median", "headroom", "first missed", "bound by")...)
	points := slices.Clone(c.Points)
	slices.SortStableFunc(points, func(a, b capacity.GridPoint) int {
		switch x, y := a.Answer.Low.Or(-1), b.Answer.Low.Or(-1); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, p := range points {
		a := p.Answer
		name := strconv.Itoa(p.Number)
		if p.Number == c.Best {
			name += "*"
		}
		row := []string{name}
		for _, knob := range c.Varies {
			row = append(row, plain(p.Knobs[knob]))
		}
		first := plain(strings.Join(a.Fails, ", "))
		if a.Unbracketed == "never_kept" {
			first = "missed at any rate"
		}
		g.row(append(row, rate(a.Low), rate(a.High), rate(a.Median), signed(a.Headroom), first, limitsText(a.Limits))...)
	}
	g.below = "* the highest: kept with every seed"
	return section{id: "settings", title: "Capacity by setting, the highest first", grid: &g}
}

// rows are those of the CSV form.
func (c capacities) rows(yield func([]string) bool) {
	head := []string{"point"}
	for _, knob := range c.Varies {
		head = append(head, inert(knob))
	}
	head = append(head, "low_per_s", "high_per_s", "median_per_s", "confidence_ratio", "headroom_ratio", "knee_per_s", "unbracketed", "monotone", "first_missed", "limits")
	if !yield(head) {
		return
	}
	for _, p := range c.Points {
		a, row := p.Answer, []string{strconv.Itoa(p.Number)}
		for _, knob := range c.Varies {
			row = append(row, inert(p.Knobs[knob]))
		}
		row = append(row, decimal(a.Low), decimal(a.High), decimal(a.Median), decimal(a.Confidence), decimal(a.Headroom), decimal(a.Knee),
			inert(a.Unbracketed), strconv.FormatBool(a.Monotone), inert(strings.Join(a.Fails, ", ")), inert(a.Limits))
		if !yield(row) {
			return
		}
	}
}

func (c capacities) gauges(f *families) {
	for _, p := range c.Points {
		labels := []string{"point", strconv.Itoa(p.Number)}
		for _, knob := range c.Varies {
			labels = append(labels, knob, plain(p.Knobs[knob]))
		}
		for _, x := range []struct {
			name, help string
			v          bench.Num
		}{
			{"ferryctl_capacity_low_per_s", "rate that keeps the SLO with every seed", p.Answer.Low},
			{"ferryctl_capacity_high_per_s", "rate that misses the SLO with every seed", p.Answer.High},
			{"ferryctl_capacity_median_per_s", "median of the seeds' highest rates", p.Answer.Median},
		} {
			f.add(x.name, x.help, x.v, labels...)
		}
	}
}

// consistentGrid refuses what no search can have come to.
func consistentGrid(g *capacity.Grid) error {
	if g.Best < 0 || g.Best > len(g.Points) || len(g.Points) > capacity.MaxGrid {
		return fmt.Errorf("point %d of %d is the best of at most %d", g.Best, len(g.Points), capacity.MaxGrid)
	}
	for _, knob := range g.Varies {
		if _, ok := settings.Lookup(knob); !ok {
			return fmt.Errorf("%q varies, which is no knob", knob)
		}
	}
	for i, p := range g.Points {
		if p.Answer == nil || p.Number != i+1 {
			return fmt.Errorf("point %d is without an answer, or out of order", i+1)
		}
		if err := consistentCapacity(p.Answer); err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
	}
	return nil
}
