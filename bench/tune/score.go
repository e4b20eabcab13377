// How good a point is: one order over all of them.

package tune

import (
	"cmp"
	"slices"
	"strconv"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// Classes of points, from best to worst.
const (
	classMet     = iota // the SLO is met
	classDoubted        // the SLO is met by what ended, and the slowest had not ended when the drain did
	classMissed
	classInvalid // its figures are not those of the settings
)

// A score places a point among others. Figures count to three digits, as in tables:
// what differs in none of them is no reason to prefer a point.
type score struct {
	class  int
	missed float64 // how far the SLO is from being met, over all terms and seeds at worst
	first  float64 // the objective; a median over the seeds
	second float64 // what decides among equals
}

// scoring compares scores.
type scoring struct {
	first, second sweep.Objective
}

// newScoring chooses what decides among points that are equal by the objective: the
// tail, or where that is the objective already the cost.
func newScoring(o sweep.Objective) scoring {
	second := "p99"
	if o.Figure.Unit == "ns" && o.Figure.Short != "cost" {
		second = "cost"
	}
	f, _ := lab.FigureOf(second) // it is one of them
	return scoring{o, sweep.Objective{Figure: f, More: f.More}}
}

// of returns the score of a point that was measured with one or more seeds.
func (s scoring) of(p *point) score {
	out := score{class: classMet}
	for _, shot := range p.shots {
		class := classMet
		switch met := shot.Met(); {
		case shot.Verdict == bench.Invalid, !shot.Of(s.first.Figure).Known():
			class = classInvalid
		case !met:
			class = classMissed
		case shot.Stuck:
			class = classDoubted
		}
		out.class = max(out.class, class)
		out.missed = max(out.missed, shot.Missed(p.terms))
	}
	out.first, out.second = rounded(p.median(s.first.Figure)), rounded(p.median(s.second.Figure))
	return out
}

// compare returns a negative number if a is better than b.
func (s scoring) compare(a, b score) int {
	if by := cmp.Compare(a.class, b.class); by != 0 {
		return by
	}
	if a.class >= classMissed {
		if by := cmp.Compare(rounded(a.missed), rounded(b.missed)); by != 0 {
			return by
		}
	}
	for _, x := range []struct {
		o    sweep.Objective
		a, b float64
	}{{s.first, a.first, b.first}, {s.second, a.second, b.second}} {
		switch {
		case x.o.Better(x.a, x.b):
			return -1
		case x.o.Better(x.b, x.a):
			return 1
		}
	}
	return 0
}

// best returns the points by their scores, best first; equals keep their order.
func (s scoring) best(points []*point) []*point {
	out := slices.Clone(points)
	slices.SortStableFunc(out, func(a, b *point) int { return s.compare(s.of(a), s.of(b)) })
	return out
}

// rounded is v to three digits.
func rounded(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil { // it was written as a number just now
		return v
	}
	return out
}
