// A comparison in the forms that people and other programs read.

package export

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/compare"
	"ferryctl/bench/human"
)

// ComparisonFormats are the names that [WriteComparison] knows, the first being the
// default.
var ComparisonFormats = []string{"table", "json", "csv", "html", "md"}

// ComparisonSchema names the document that a comparison is written as.
const ComparisonSchema = "ferryctl.comparison/v1"

// WriteComparison writes a comparison in the named format. The error names the
// formats there are if format is none of them.
func WriteComparison(w io.Writer, format string, c *compare.Comparison) error {
	switch format {
	case "table":
		return writeComparisonTable(w, c)
	case "json":
		return writeComparisonJSON(w, c)
	case "csv":
		return writeRows(w, comparisonCSV(c))
	case "html":
		return writeComparisonHTML(w, c)
	case "md":
		return markdown(w, comparisonName, comparisonFacts(c), comparisonDocument(c))
	}
	return fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(ComparisonFormats, ", "))
}

const comparisonName = "ferryctl compare"

// comparisonFacts names the sides.
func comparisonFacts(c *compare.Comparison) string {
	var names []string
	for _, s := range c.Sides {
		names = append(names, plain(s))
	}
	return names[0] + " against " + strings.Join(names[1:], ", ")
}

func writeComparisonTable(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	wrap(&b, "compare ", comparisonFacts(c))
	writeSections(&b, comparisonDocument(c))
	_, err := io.WriteString(w, b.String())
	return err
}

// comparisonRows is how many rows of a comparison of sweeps are shown; JSON has
// them all.
const comparisonRows = 60

// comparisonDocument returns the sections of a comparison.
func comparisonDocument(c *compare.Comparison) []section {
	var all []section
	for side := 1; side < len(c.Sides); side++ {
		title := plain(c.Sides[side])
		if c.Cells > len(c.Sides)-1 {
			all = append(all, claimsSection(c, side))
			title += ", by setting"
		}
		g := grid{notes: 99}
		g.row("figure", "before", "after", "change", "difference, 95 %", "p", "runs", "claim")
		reach := reachOf(c, side)
		hidden := 0
		for _, r := range c.Rows {
			switch {
			case r.Side != side:
			case len(g.rows) > comparisonRows, c.Cells > len(c.Sides)-1 && !claimed(r):
				hidden++
			default:
				g.span(spanOf(r, reach), comparisonRow(r)...)
			}
		}
		if hidden > 0 {
			g.below = fmt.Sprintf("and %s more, in the JSON form", human.Count(float64(hidden)))
		}
		all = append(all, section{id: "side" + strconv.Itoa(side), title: title, grid: &g})
	}
	if len(c.LeftOut) > 0 {
		all = append(all, section{id: "left", title: "Left out", list: plainAll(c.LeftOut)})
	}
	if len(c.Notes) > 0 {
		all = append(all, section{id: "notes", title: "What else differs", list: plainAll(c.Notes)})
	}
	return append(all, section{id: "claims", title: "What can be claimed", list: claimWords(c)})
}

// claimed says whether a row is worth showing among hundreds.
func claimed(r compare.Row) bool {
	return r.Claim == compare.Better || r.Claim == compare.Worse || r.Claim == compare.Regression
}

func comparisonRow(r compare.Row) []string {
	say := r.Figure.Figure.Say
	name := r.Figure.Figure.Short
	if r.Cell != "" {
		name += " at " + plain(r.Cell)
	}
	between := missing
	if r.Low.Known() {
		between = apart(r.Low, say) + " to " + apart(r.High, say)
	}
	p := missing
	if v, ok := r.Adjusted.Get(); ok && r.Claim != compare.TooFew {
		p = fmt.Sprintf("%.3f", v)
		if v < 0.0005 {
			p = "<0.001"
		}
	}
	claim := string(r.Claim)
	if r.Claim == compare.TooFew {
		claim += fmt.Sprintf(", need %d", r.Need)
	}
	return []string{
		name, figure(r.Before, say), figure(r.After, say), factor(r.Change), between, p,
		fmt.Sprintf("%d+%d", r.CountA, r.CountB), claim,
	}
}

// factor writes a change as a percentage, or as how many times as much it is if that
// is more than twice.
func factor(n bench.Num) string {
	if v, ok := n.Get(); ok && v > 1 {
		return human.Short(1+v) + "x"
	}
	return signed(n)
}

// apart writes a difference with its sign.
func apart(n bench.Num, say func(float64) string) string {
	return figure(n, func(v float64) string {
		if v < 0 {
			return "-" + say(-v)
		}
		return "+" + say(v)
	})
}

// claimsSection counts the claims by figure, for a comparison of sweeps.
func claimsSection(c *compare.Comparison, side int) section {
	claims := []compare.Claim{compare.Better, compare.Worse, compare.Regression, compare.Unclear, compare.Identical, compare.TooFew, compare.NoData}
	g := grid{notes: 99}
	head := []string{"figure"}
	for _, claim := range claims {
		head = append(head, string(claim))
	}
	g.row(append(head, "median change")...)
	for _, f := range c.Figures {
		row := []string{f.Figure.Short}
		counts := map[compare.Claim]int{}
		var changes []float64
		for _, r := range c.Rows {
			if r.Side == side && r.Figure.Figure.Name == f.Figure.Name {
				counts[r.Claim]++
				if v, ok := r.Change.Get(); ok {
					changes = append(changes, v)
				}
			}
		}
		for _, claim := range claims {
			row = append(row, human.Count(float64(counts[claim])))
		}
		change := missing
		if len(changes) > 0 {
			slices.Sort(changes)
			change = factor(bench.Some(changes[len(changes)/2]))
		}
		g.row(append(row, change)...)
	}
	return section{id: "count" + strconv.Itoa(side), title: plain(c.Sides[side]) + ", settings by claim", grid: &g}
}

// claimWords says what the claims rest on.
func claimWords(c *compare.Comparison) []string {
	var out []string
	if c.Tests > 0 {
		text := fmt.Sprintf("%s, p by Mann and Whitney's rank test, Holm's for all of them: the chance of any false claim is below %s",
			counted(c.Tests, "test"), percent(bench.Some(compare.Alpha)))
		if c.Apart {
			text += ", if the machine was the same for both sides, which were measured one after the other"
		}
		out = append(out, text)
	}
	need := 0
	for _, r := range c.Rows {
		need = max(need, r.Need)
	}
	if need > 0 {
		out = append(out, fmt.Sprintf("too few runs to claim anything of %s: want at least %d a side, or fewer figures",
			counted(c.Count(compare.TooFew), "difference"), need))
	}
	if limit, ok := c.Threshold.Get(); ok {
		out = append(out, fmt.Sprintf("%s by more than %s", counted(c.Count(compare.Regression), "regression"), human.Percent(limit)))
	}
	if n := c.Count(compare.Unclear); n > 0 {
		out = append(out, "~ is no proof that nothing differs: the interval says how large a difference may be")
	}
	return out
}

// How far an interval's picture goes, at least and at most.
const (
	leastReach = 0.01
	mostReach  = 0.5
)

// reachOf returns how far the pictures of intervals go either way, as a part of what
// was before: as far as the farthest does, but no farther than half of it, so that
// one figure that is many times what it was leaves room for the others.
func reachOf(c *compare.Comparison, side int) float64 {
	reach := leastReach
	for _, r := range c.Rows {
		if r.Side == side {
			for _, v := range []bench.Num{r.Low, r.High} {
				reach = max(reach, math.Abs(partBefore(r, v).Or(0)))
			}
		}
	}
	return min(reach, mostReach)
}

// partBefore returns a difference as a part of what was before; of ratios, which may
// have been nothing, as it is.
func partBefore(r compare.Row, v bench.Num) bench.Num {
	if r.Figure.Figure.Unit == "ratio" {
		return v
	}
	before := math.Abs(r.Before.Or(0))
	if !v.Known() || before == 0 {
		return bench.Num{}
	}
	return bench.Some(v.Or(0) / before)
}

// spanOf pictures a row's interval.
func spanOf(r compare.Row, reach float64) span {
	at := func(v bench.Num) bench.Num {
		part, ok := partBefore(r, v).Get()
		if !ok {
			return bench.Num{}
		}
		return bench.Some(min(max(part/reach, -1), 1))
	}
	s := span{low: at(r.Low), high: at(r.High), at: at(r.Difference), reach: reach}
	if part := partBefore(r, r.Difference).Or(0); math.Abs(part) > reach {
		s.beyond = part
	}
	switch r.Claim {
	case compare.Better:
		s.class = "good"
	case compare.Worse, compare.Regression:
		s.class = "bad"
	}
	return s
}

func writeComparisonHTML(w io.Writer, c *compare.Comparison) error {
	sections := append(comparisonDocument(c), everyRow(comparisonCSV(c)))
	p, err := pageOf(comparisonName, comparisonFacts(c), sections, nil)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		class string
		claim compare.Claim
	}{{"bad", compare.Regression}, {"bad", compare.Worse}, {"good", compare.Better}, {"fair", compare.TooFew}} {
		if n := c.Count(x.claim); n > 0 {
			p.Marks = append(p.Marks, pageMark{x.class, human.Count(float64(n)) + " " + string(x.claim)})
		}
	}
	if len(p.Marks) == 0 {
		p.Marks = []pageMark{{"fair", "no claim"}}
	}
	return p.write(w)
}

// comparisonCSV returns the rows of the CSV form, the heading first.
func comparisonCSV(c *compare.Comparison) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if !yield([]string{
			"side", "setting", "figure", "unit", "more_is_better", "before", "after", "runs_before", "runs_after", "change_ratio",
			"difference", "difference_low", "difference_high", "p", "p_adjusted", "claim", "runs_needed",
		}) {
			return
		}
		for _, x := range comparisonEntries(c) {
			if !yield([]string{
				inert(x.Side), inert(x.Setting), x.Figure, x.Unit, strconv.FormatBool(x.More), decimal(x.Before), decimal(x.After),
				strconv.Itoa(x.RunsBefore), strconv.Itoa(x.RunsAfter), decimal(x.Change), decimal(x.Difference), decimal(x.Low), decimal(x.High),
				decimal(x.P), decimal(x.Adjusted), x.Claim, decimal(x.Need),
			}) {
				return
			}
		}
	}
}

type comparisonDoc struct {
	Schema    string            `json:"schema"`
	Sides     []string          `json:"sides"`
	Alpha     float64           `json:"alpha"`
	Threshold bench.Num         `json:"threshold_ratio"`
	Cells     int               `json:"settings_compared"`
	Tests     int               `json:"tests"`
	Resamples int               `json:"resamples"`
	LeftOut   []string          `json:"left_out"`
	Notes     []string          `json:"notes"`
	Apart     bool              `json:"measured_one_after_the_other"` // by the real clock
	Rows      []comparisonEntry `json:"rows"`
}

type comparisonEntry struct {
	Side       string    `json:"side"`
	Setting    string    `json:"setting"`
	Figure     string    `json:"figure"`
	Unit       string    `json:"unit"`
	More       bool      `json:"more_is_better"`
	Before     bench.Num `json:"before"`
	After      bench.Num `json:"after"`
	RunsBefore int       `json:"runs_before"`
	RunsAfter  int       `json:"runs_after"`
	Change     bench.Num `json:"change_ratio"`
	Difference bench.Num `json:"difference"`
	Low        bench.Num `json:"difference_low"`
	High       bench.Num `json:"difference_high"`
	P          bench.Num `json:"p"`
	Adjusted   bench.Num `json:"p_adjusted"`
	Claim      string    `json:"claim"`
	Need       bench.Num `json:"runs_needed"`
}

func writeComparisonJSON(w io.Writer, c *compare.Comparison) error {
	d := comparisonDoc{
		Schema: ComparisonSchema, Sides: c.Sides, Alpha: compare.Alpha, Threshold: c.Threshold, Cells: c.Cells, Tests: c.Tests, Resamples: c.Resamples,
		LeftOut: append([]string{}, c.LeftOut...), Notes: append([]string{}, c.Notes...), Apart: c.Apart, Rows: comparisonEntries(c),
	}
	return writeJSON(w, d)
}

// comparisonEntries returns the rows as programs read them.
func comparisonEntries(c *compare.Comparison) []comparisonEntry {
	all := []comparisonEntry{}
	names := map[compare.Claim]string{compare.Unclear: "unclear", compare.TooFew: "too_few", compare.NoData: "no_data", compare.Regression: "regression"}
	for _, r := range c.Rows {
		claim := names[r.Claim]
		if claim == "" {
			claim = string(r.Claim)
		}
		need := bench.Some(math.NaN()) // none
		if r.Need > 0 {
			need = bench.Some(float64(r.Need))
		}
		f := r.Figure.Figure
		all = append(all, comparisonEntry{
			c.Sides[r.Side], r.Cell, f.Name, f.Unit, r.Figure.More, r.Before, r.After, r.CountA, r.CountB,
			r.Change, r.Difference, r.Low, r.High, r.P, r.Adjusted, claim, need,
		})
	}
	return all
}
