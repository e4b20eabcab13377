// What the documents of searches have in common.

package export

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// SearchFormats are the names that [WriteTune] and [WriteCapacity] know, the first
// being the default.
var SearchFormats = []string{"table", "json", "csv", "html", "md", "prom"}

// An answered is an answer in the parts that its forms are made of.
type answered struct {
	asked    *lab.Asked
	name     string // of the command
	facts    []string
	answer   any    // for JSON
	heading  []cell // what was asked
	found    []cell // and what that came to; if none, the first of the sections says it
	sections []section
	rows     iter.Seq[[]string] // of the CSV form, the heading first
	charts   func() []chart
	marks    []pageMark
	cards    []pageCard
	gauges   func(*families)
}

// write writes an answer in one of the SearchFormats.
func (a *answered) write(w io.Writer, format string) error {
	switch format {
	case "table":
		return a.writeTable(w)
	case "json":
		return writeJSON(w, a.answer)
	case "csv":
		return writeRows(w, a.rows)
	case "html":
		return a.writeHTML(w)
	case "md":
		return markdown(w, a.title(), strings.Join(a.allFacts(), " · "), a.document())
	case "prom":
		f := &families{names: map[string]*family{}, run: []string{"profile", plain(a.asked.Profile)}}
		f.add("ferryctl_complete", "1 if the search went to its end", yes(a.asked.Complete))
		a.gauges(f)
		return f.write(w)
	}
	return fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(SearchFormats, ", "))
}

func (a *answered) title() string { return "ferryctl " + a.name + " " + a.profile() }

func (a *answered) profile() string {
	if name := plain(a.asked.Profile); name != "" {
		return name
	}
	return "(no profile)"
}

func (a *answered) allFacts() []string {
	seed := fmt.Sprintf("seed %d", a.asked.Seed)
	if a.asked.SeedDrawn {
		seed += " (drawn)"
	}
	facts := append(slices.Clone(a.facts), seed)
	if !a.asked.Complete {
		facts = append(facts, "stopped before its end")
	}
	return facts
}

// headingColumns is how wide the names of a heading's lines are in the plain table.
const headingColumns = 10

func (a *answered) writeTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString(a.name + " " + shorten(a.profile(), 40) + "   " + strings.Join(a.allFacts(), "   ") + "\n\n")
	for _, line := range slices.Concat(a.heading, a.found) {
		wrap(&b, fmt.Sprintf("%-*s", headingColumns, line.name), line.text)
	}
	writeSections(&b, a.document())
	_, err := io.WriteString(w, b.String())
	return err
}

// atTop makes a section of lines that a plain table has at its top.
func atTop(id, title string, lines []cell) section {
	s := pairs(id, title, "", "", lines)
	s.beside = true
	return s
}

// document returns the sections: the answer, what was asked, what else is the answer's
// own, and what all answers have.
func (a *answered) document() []section {
	first, rest := a.sections[:min(1, len(a.sections))], a.sections[min(1, len(a.sections)):]
	if len(a.found) > 0 {
		first, rest = []section{atTop("answer", "Answer", a.found)}, a.sections
	}
	all := slices.Concat(first, []section{atTop("asked", "What was searched", a.heading)}, rest)
	if len(a.asked.Warnings) > 0 {
		all = append(all, section{id: "warnings", title: "Warnings", list: plainAll(a.asked.Warnings)})
	}
	if len(a.asked.Settings) > 0 {
		s := settingsTable(nil, a.asked.Settings)
		s.beside = true
		all = append(all, s)
	}
	if a.asked.Search != "" {
		all = append(all, section{id: "reproduce", title: "Reproduce", paste: plain(a.asked.Search), beside: true})
	}
	return all
}

func (a *answered) writeHTML(w io.Writer) error {
	sections := append(a.document(), everyRow(a.rows))
	p, err := pageOf(a.title(), strings.Join(a.allFacts(), " · "), sections, a.charts())
	if err != nil {
		return err
	}
	p.Marks, p.Cards = a.marks, a.cards
	if !a.asked.Complete {
		p.Marks = append(p.Marks, pageMark{"fair", "incomplete"})
	}
	return p.write(w)
}

// stopped is what a line on the search ends with.
func stopped(a *lab.Asked) string {
	if a.Complete {
		return ""
	}
	return "; stopped before its end"
}

// boundBy says what the parts of limits are; share lanes have one if there are shares.
func boundBy(a *lab.Asked) string {
	share := a.Setting("share")
	return limitParts(share != "" && share != "none")
}

// gapSection sets a run by both clocks side by side.
func gapSection(i int, what, missed string, c lab.Confirmed) section {
	s := section{id: "real" + strconv.Itoa(i+1), title: fmt.Sprintf("In real time, %s", what)}
	met := "SLO met"
	if missed != "" {
		met = "SLO missed: " + missed
	}
	s.list = []string{fmt.Sprintf("%s; %s s, against the same load in virtual time; measurement %s", met, strconv.FormatFloat(c.Seconds, 'g', 4, 64), plain(string(c.Verdict)))}
	if c.Reason != "" {
		s.list = append(s.list, plain(c.Reason))
	}
	s.list = append(s.list, plainAll(c.Reasons)...)
	if len(c.Figures) > 0 {
		g := modelGrid(c.Figures)
		g.rows[0][0] = "figure"
		s.grid = &g
	}
	return s
}

// realMark says how the answer fared in real time.
func realMark(c lab.Confirmed) pageMark {
	switch {
	case c.Verdict == bench.Invalid:
		return pageMark{"bad", "INVALID in real time"}
	case len(c.Missed) > 0:
		return pageMark{"bad", "SLO missed in real time"}
	case c.Verdict != bench.Valid:
		return pageMark{"fair", "SLO met in real time, SUSPECT"}
	}
	return pageMark{"good", "SLO met in real time"}
}

// lineOf returns the SLO's terms that a plot of a figure shows as lines.
func lineOf(terms []string, f sweep.Figure) []plotBound {
	var out []plotBound
	for _, b := range latencyBounds(terms) {
		if b.figure == f.Short {
			out = append(out, b.plotBound)
		}
	}
	return out
}

// figureNamed finds a figure; one that is unknown, of a file from elsewhere, is shown
// as a number.
func figureNamed(name string) sweep.Figure {
	if f, ok := lab.FigureOf(name); ok {
		return f
	}
	return sweep.Figure{Name: name, Short: plain(name)}
}

// yes is 1 for yes and 0 for no.
func yes(is bool) bench.Num {
	if is {
		return bench.Some(1)
	}
	return bench.Some(0)
}

// partOf writes a number of all and its part.
func partOf(n, all int) string {
	return fmt.Sprintf("%s of %s points (%s)", human.Count(float64(n)), human.Count(float64(all)), human.Percent(float64(n)/float64(max(1, all))))
}
