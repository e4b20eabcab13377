// The table of a sweep: the answer on a page, for people.

package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
)

// The table shows this many rows of the Pareto set, and all points of a sweep that
// has no more.
const (
	frontRows  = 20
	pointRows  = 24
	reasonRows = 3
)

func writeSweepTable(w io.Writer, r *sweep.Report) error {
	var b strings.Builder
	for _, section := range []func(*strings.Builder, *sweep.Report){
		sweepHeading, sweepSettings, sweepVerdicts, sweepFront, sweepPoints, sweepEffects, sweepLimits,
	} {
		section(&b, r)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func sweepHeading(b *strings.Builder, r *sweep.Report) {
	h := r.Header
	name := shorten(plain(h.Profile), 40)
	if name == "" {
		name = "(no profile)"
	}
	seed := fmt.Sprintf("seed %d", h.Seed)
	if h.SeedDrawn {
		seed += " (drawn)"
	}
	left := fmt.Sprintf("sweep %s   clock %s   %s", name, h.Clock, seed)
	right := counted(h.Points, "point")
	if h.Sample != nil {
		right += ", " + h.Sample.Design + " sample"
	}
	if h.Repeat > 1 {
		right += fmt.Sprintf(", each measured %d times", h.Repeat)
	}
	if !r.Complete {
		right += fmt.Sprintf("; stopped at %d of %d runs", r.Runs, h.Points*h.Repeat)
	}
	if gap := width - columns(left) - columns(right); gap >= 3 {
		fmt.Fprintf(b, "%s%s%s\n\n", left, strings.Repeat(" ", gap), right)
		return
	}
	fmt.Fprintf(b, "%s\n%s\n\n", left, right)
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return human.Count(float64(n)) + " " + thing + "s"
}

// sweepSettings says what varies, and what somebody has set for all points.
func sweepSettings(b *strings.Builder, r *sweep.Report) {
	varies := map[string]bool{}
	for i, a := range r.Header.Axes {
		varies[a.Knob] = true
		first := "           "
		if i == 0 {
			first = "Varies     "
		}
		wrap(b, first, plain(a.Knob+" "+a.Text))
	}
	var same []string
	for _, s := range r.Header.Base {
		if !varies[s.Knob] && s.Source != "default" && s.Knob != "seed" && s.Knob != "clock" {
			same = append(same, plain(s.Knob+" "+s.Text))
		}
	}
	if len(same) > 0 {
		wrap(b, "The same   ", strings.Join(same, ", "))
	}
	b.WriteByte('\n')
}

// sweepVerdicts says how far the points can be trusted.
func sweepVerdicts(b *strings.Builder, r *sweep.Report) {
	text, list := trustOf(r)
	wrap(b, "Measurement   ", text)
	for _, item := range list {
		wrap(b, "  - ", item)
	}
	b.WriteByte('\n')
}

// pointColumns are the figures of a table of points, beside those of the objectives.
var pointColumns = []string{"throughput", "rejected", "mean", "p99"}

// pointTable begins a table of points.
func pointTable(r *sweep.Report, title string) (g grid, figures []sweep.Figure) {
	head := []string{title}
	for _, a := range r.Space.Axes {
		head = append(head, shorten(plain(a.Knob), knobColumns))
	}
	for _, f := range sweep.Figures {
		objective := slices.ContainsFunc(r.Objectives, func(o sweep.Objective) bool { return o.Figure.Name == f.Name })
		if objective || slices.Contains(pointColumns, f.Short) {
			figures = append(figures, f)
			head = append(head, f.Short)
		}
	}
	if judged(r) {
		head = append(head, "SLO")
	}
	g = grid{notes: len(head)}
	g.row(append(head, "bound by")...)
	return g, figures
}

// knobColumns is how wide a value of a knob is shown.
const knobColumns = 24

// judged says whether there is an objective to meet.
func judged(r *sweep.Report) bool {
	return len(r.Outcomes) > 0 && r.Outcomes[0].SLO != sweep.NoSLO
}

// pointRow adds a point to a table.
func pointRow(g *grid, r *sweep.Report, o sweep.Outcome, figures []sweep.Figure, sign string) {
	row := []string{strconv.Itoa(o.Point) + sign}
	for _, v := range r.Space.Point(o.Point).Values {
		row = append(row, shorten(plain(v.Text), knobColumns))
	}
	for _, f := range figures {
		row = append(row, figure(o.Of(f), f.Say))
	}
	if judged(r) {
		row = append(row, string(o.SLO))
	}
	g.row(append(row, limitsText(o.Limits.String()))...)
}

// limitParts says what the parts of limits are.
func limitParts(shares bool) string {
	if shares {
		return "throughput / latency / share lanes"
	}
	return "throughput / latency"
}

// sharesBind says whether a share lane runs into a limit at any point.
func sharesBind(r *sweep.Report) bool {
	return slices.ContainsFunc(r.Outcomes, func(o sweep.Outcome) bool { return len(o.Limits.Shares) > 0 })
}

// limitColumns is how wide limits are shown: they hold names of share lanes.
const limitColumns = 60

func limitsText(limits string) string { return shorten(plain(limits), limitColumns) }

// frontTitle says what the Pareto set is.
func frontTitle(r *sweep.Report) string {
	var names []string
	for _, o := range r.Objectives {
		way := "least "
		if o.More {
			way = "most "
		}
		names = append(names, way+o.Figure.Short)
	}
	return fmt.Sprintf("Pareto set: %s; no other point is better in one and as good in the rest", strings.Join(names, ", "))
}

func sweepFront(b *strings.Builder, r *sweep.Report) {
	b.WriteString(frontTitle(r) + "\n")
	if len(r.Front) == 0 {
		wrap(b, "  ", noFront)
		b.WriteByte('\n')
		return
	}
	g := frontGrid(r, "  point")
	g.write(b)
	b.WriteByte('\n')
}

const noFront = "empty: no point has these figures and can be trusted; --trust suspect or --trust all takes in the others"

// frontGrid has the first points of the Pareto set.
func frontGrid(r *sweep.Report, title string) grid {
	g, figures := pointTable(r, title)
	for i, point := range r.Front {
		if i == frontRows {
			break
		}
		o, _ := r.Outcome(point) // it is in the set
		pointRow(&g, r, o, figures, marks(o, false))
	}
	if more := len(r.Front) - frontRows; more > 0 {
		g.below = fmt.Sprintf("and %s more, marked in the CSV form", human.Count(float64(more)))
	}
	return g
}

// marks are those behind a point's number.
func marks(o sweep.Outcome, front bool) string {
	out := ""
	if front {
		out = mark
	}
	if o.Verdict != bench.Valid {
		out += "?"
	}
	return out
}

// sweepPoints lists all points of a small sweep.
func sweepPoints(b *strings.Builder, r *sweep.Report) {
	if len(r.Outcomes) == 0 || len(r.Outcomes) > pointRows || len(r.Outcomes) == len(r.Front) {
		return
	}
	b.WriteString("All points\n")
	g := pointsGrid(r, "  point")
	g.write(b)
	b.WriteString("\n")
}

// pointsGrid has a row for each point that was measured.
func pointsGrid(r *sweep.Report, title string) grid {
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	g, figures := pointTable(r, title)
	for _, o := range r.Outcomes {
		pointRow(&g, r, o, figures, marks(o, front[o.Point]))
	}
	g.below = mark + " in the Pareto set   ? measurement not VALID"
	return g
}

func sweepEffects(b *strings.Builder, r *sweep.Report) {
	if len(r.Effects) == 0 || len(r.Outcomes) == 0 {
		return
	}
	b.WriteString("What each knob does\n")
	for _, e := range r.Effects {
		wrap(b, "  - ", plain(e.Text))
	}
	b.WriteByte('\n')
}

func sweepLimits(b *strings.Builder, r *sweep.Report) {
	if len(r.Bound) == 0 {
		return
	}
	g := boundGrid(r)
	g.write(b)
	b.WriteByte('\n')
}

// boundGrid counts the points at which each limit binds.
func boundGrid(r *sweep.Report) grid {
	g := grid{notes: 2}
	g.row("What binds ("+limitParts(sharesBind(r))+")", "points")
	for i, x := range r.Bound {
		if i == frontRows {
			break
		}
		g.part(bench.Ratio(float64(x.Points), float64(len(r.Outcomes))), limitsText(x.Limits), human.Count(float64(x.Points)))
	}
	return g
}
