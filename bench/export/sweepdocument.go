// The sections of a sweep's document.

package export

import (
	"fmt"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
)

// sweepName is the title of a sweep's document.
func sweepName(r *sweep.Report) string {
	name := plain(r.Header.Profile)
	if name == "" {
		name = "(no profile)"
	}
	return "ferryctl sweep " + name
}

// sweepFacts are what stands below the title.
func sweepFacts(r *sweep.Report) string {
	h := r.Header
	facts := []string{"clock " + plain(h.Clock), fmt.Sprintf("seed %d", h.Seed), counted(h.Points, "point")}
	if h.Sample != nil {
		facts[2] += ", " + plain(h.Sample.Design) + " sample"
	}
	if h.Repeat > 1 {
		facts[2] += fmt.Sprintf(", each measured %d times", h.Repeat)
	}
	if !r.Complete {
		facts = append(facts, fmt.Sprintf("stopped at %d of %d runs", r.Runs, h.Points*h.Repeat))
	}
	return strings.Join(facts, " · ")
}

// documentPoints is how many points a document lists; the CSV form has them all.
const documentPoints = 500

// sweepDocumentOf returns the sections of a sweep.
func sweepDocumentOf(r *sweep.Report) []section {
	text, list := trustOf(r)
	all := []section{{id: "measurement", title: "Measurement", text: []string{text}, list: list}}
	front := section{id: "pareto", title: "Pareto set", text: []string{frontTitle(r)[len("Pareto set: "):]}}
	if len(r.Front) == 0 {
		front.text = append(front.text, noFront)
	} else {
		g := frontGrid(r, "point")
		front.grid = &g
	}
	all = append(all, front)
	if len(r.Effects) > 0 && len(r.Outcomes) > 0 {
		var texts []string
		for _, e := range r.Effects {
			texts = append(texts, plain(e.Text))
		}
		all = append(all, section{id: "effects", title: "What each knob does", list: texts})
	}
	if len(r.Bound) > 0 {
		bound := tabled("limits", boundGrid(r), limitParts(sharesBind(r)))
		bound.title = "What binds"
		all = append(all, bound)
	}
	if n := len(r.Outcomes); n > 0 {
		points := pointsGrid(r, "point")
		if n > documentPoints {
			points.rows = points.rows[:documentPoints+1]
			points.below += fmt.Sprintf("   and %s more, in the CSV form", human.Count(float64(n-documentPoints)))
		}
		all = append(all, section{id: "points", title: "All points", grid: &points, folded: n > pointRows})
	}
	return append(all, settingsTable(r.Header.Axes, r.Header.Base), section{id: "reproduce", title: "Reproduce", paste: sweepCommand(r)})
}

// trustOf says how far the points can be trusted.
func trustOf(r *sweep.Report) (text string, list []string) {
	n := r.Verdicts()
	var parts []string
	for _, v := range []bench.Verdict{bench.Valid, bench.Suspect, bench.Invalid} {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", human.Count(float64(n[v])), v))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no point was measured"}
	}
	for _, o := range r.Outcomes {
		if o.Verdict == bench.Valid {
			continue
		}
		if len(list) == reasonRows {
			list = append(list, "…")
			break
		}
		list = append(list, plain(fmt.Sprintf("%s at point %d: %s", o.Verdict, o.Point, o.Reason)))
	}
	if r.Header.Repeat == 1 && r.Header.Clock != "virtual" && len(r.Outcomes) > 0 {
		list = append(list, "each point was measured once: how far another measurement would be from it is not known")
	}
	return strings.Join(parts, ", "), list
}

// settingsTable lists the knobs that vary, and the others with who gave them.
func settingsTable(axes, base []sweep.AxisText) section {
	g := grid{notes: 1}
	g.row("knob", "value", "")
	varies := map[string]bool{}
	for _, a := range axes {
		varies[a.Knob] = true
		g.row(plain(a.Knob), plain(a.Text), "varies")
	}
	for _, s := range base {
		if !varies[s.Knob] {
			g.row(plain(s.Knob), plain(s.Text), plain(s.Source))
		}
	}
	return section{id: "settings", title: "Settings", grid: &g}
}
