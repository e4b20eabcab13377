// The words of effects.

package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ferryctl/bench/human"
)

// Say writes a value of the figure for people.
func (f Figure) Say(v float64) string {
	switch f.Unit {
	case "ns":
		return human.Duration(v)
	case "1/s":
		return human.Rate(v)
	case "ratio":
		return human.Percent(v)
	}
	return human.Short(v)
}

// untold is what is said without a comparison.
func (e *Effect) untold() string {
	return fmt.Sprintf("no two points that can be trusted differ in %s alone: its effect on %s cannot be told", e.Knob, e.Figure.Short)
}

// nothing is what is said of a knob without an effect.
func (e *Effect) nothing() string {
	return fmt.Sprintf("%s changes nothing in %s, within %s (%s)", e.Knob, e.Figure.Short, human.Percent(e.Within), plural(e.Comparisons, "comparison"))
}

// alongWords says what happens along the levels.
func (e *Effect) alongWords(values []Value, curves [][]float64, flat int) string {
	var parts []string
	first, end := values[0].Text, values[flat].Text
	if slope, ok := e.Slope.Get(); ok {
		parts = append(parts, fmt.Sprintf("%s moves %s %s per %s of %s, from %s to %s", e.Figure.Short,
			strconv.FormatFloat(slope, 'g', 3, 64), perUnit(e.Figure.Unit), perUnit(e.Figure.Unit), e.Knob, first, end))
	} else {
		parts = append(parts, e.endsWords(first, end, curves, flat))
	}
	if e.Best != "" {
		word := "lowest"
		if e.Figure.More {
			word = "highest"
		}
		parts = append(parts, word+" at "+e.Best)
	}
	if e.Beyond != "" {
		parts = append(parts, fmt.Sprintf("beyond %s %s changes nothing, within %s", e.Beyond, e.Knob, human.Percent(e.Within)))
	}
	return strings.Join(parts, "; ") + fmt.Sprintf(" (%s)", plural(e.Comparisons, "comparison"))
}

// perUnit is the unit in which a slope is said; the same above and below.
func perUnit(unit string) string {
	if unit == "ns" {
		return "ms"
	}
	return unit
}

// endsWords says how far the figure moves from the first level to the end.
func (e *Effect) endsWords(first, end string, curves [][]float64, flat int) string {
	change, ok := e.Change.Get()
	if e.Figure.Unit == "ratio" || !ok {
		return e.fromTo(first, end, curves, flat)
	}
	both := count(curves, func(c []float64) bool { return !math.IsNaN(c[0]) && !math.IsNaN(c[flat]) })
	up := count(curves, func(c []float64) bool { return c[flat] > c[0] && !e.same(c[flat], c[0]) })
	down := count(curves, func(c []float64) bool { return c[flat] < c[0] && !e.same(c[flat], c[0]) })
	text := fmt.Sprintf("%s from %s to %s: %s ", e.Knob, first, end, e.Figure.Short)
	extent := changed(e.Least.Or(0)) + " to " + changed(e.Most.Or(0))
	few := (1 - nearlyAll) * float64(both)
	switch {
	case up+down == 0:
		return fmt.Sprintf("%s is the same at %s %s and %s, and differs in between", e.Figure.Short, e.Knob, first, end)
	case both == 1:
		return text + moves(change)
	case float64(up) > few && float64(down) > few:
		return text + fmt.Sprintf("rises at %d and falls at %d of %d settings of the others, by %s", up, down, both, extent)
	case 2*(up+down) <= both:
		return text + fmt.Sprintf("changes at no more than %d of %d settings of the others, by %s", up+down, both, extent)
	}
	return text + moves(change) + " in the median, " + extent
}

// fromTo says the medians themselves, where ratios mean nothing.
func (e *Effect) fromTo(first, end string, curves [][]float64, flat int) string {
	var a, b []float64
	for _, c := range curves {
		if !math.IsNaN(c[0]) && !math.IsNaN(c[flat]) {
			a, b = append(a, c[0]), append(b, c[flat])
		}
	}
	if len(a) == 0 {
		return fmt.Sprintf("%s differs, but nowhere was it measured at both %s %s and %s", e.Figure.Short, e.Knob, first, end)
	}
	return fmt.Sprintf("%s from %s to %s: %s goes from %s to %s in the median", e.Knob, first, end, e.Figure.Short, e.Figure.Say(median(a)), e.Figure.Say(median(b)))
}

// Changes that are said as a percentage; smaller and larger ones as a factor.
const (
	halved  = -0.5
	doubled = 1.0
)

// changed writes a change: "+12.5 %", "-3.00 %", "8.50x", "1/340".
func changed(change float64) string {
	switch {
	case change >= doubled:
		return human.Short(1+change) + "x"
	case change <= halved && change > -1:
		return "1/" + human.Short(1/(1+change))
	case change < 0:
		return "-" + human.Percent(-change)
	}
	return "+" + human.Percent(change)
}

// moves says a change as a verb.
func moves(change float64) string {
	switch {
	case change >= doubled:
		return "rises to " + human.Short(1+change) + " times"
	case change <= halved && change > -1:
		return "falls to 1/" + human.Short(1/(1+change))
	case change < 0:
		return "falls by " + human.Percent(-change)
	}
	return "rises by " + human.Percent(change)
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return human.Count(float64(n)) + " " + thing + "s"
}
