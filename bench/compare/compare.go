// The comparison: sides into rows.

package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// Alpha is how likely any false claim among all of a comparison may be.
const Alpha = 0.05

// Options say what is compared and what counts.
type Options struct {
	Figures   []sweep.Objective // with the way that is better
	Trust     sweep.Trust
	Threshold bench.Num // a worsening by more than this part is a regression; missing: none is

	resamples int // in tests: most of an interval; 0 for mostResamples
}

// A Claim is what can be said of a difference.
type Claim string

// The claims.
const (
	Better     Claim = "better"
	Worse      Claim = "worse"
	Regression Claim = "REGRESSION" // worse by more than the threshold
	Unclear    Claim = "~"          // it may be chance
	Identical  Claim = "identical"  // all runs of both sides have the same figure
	TooFew     Claim = "too few"    // no order of so few runs would be more than chance
	NoData     Claim = "no data"    // a side has no run with the figure
)

// A Row is one figure of one cell, on the first side and on another.
type Row struct {
	Side   int    // index of the other side
	Cell   string // the knobs that tell cells apart; "" if there is one cell
	Figure sweep.Objective

	Before, After  bench.Num // medians
	CountA, CountB int
	Change         bench.Num // After over Before, minus 1; missing where Before is 0
	Difference     bench.Num // After minus Before
	Low, High      bench.Num // 95 % interval of the difference
	P, Adjusted    bench.Num // of the rank test; missing where there was none
	Claim          Claim
	Need           int // with TooFew: runs a side that would do

	before, after []float64
}

// A Comparison is all rows and what has to be said beside them.
type Comparison struct {
	Sides     []string
	Figures   []sweep.Objective
	Threshold bench.Num
	Cells     int // compared, for each of the other sides
	LeftOut   []string
	Notes     []string // where the sides differ beside their figures
	Apart     bool     // a side was measured by the real clock, and all of it before or after the first
	Tests     int
	Resamples int
	Rows      []Row
}

// Compare compares every other side with the first. The error says all that speaks
// against it.
func Compare(sides []*Side, o Options) (*Comparison, error) {
	if len(sides) < 2 {
		return nil, errors.New("one side alone: want at least two")
	}
	c := &Comparison{Figures: o.Figures, Threshold: o.Threshold, Resamples: cmp.Or(o.resamples, mostResamples)}
	var faults []error
	for _, s := range sides {
		c.Sides = append(c.Sides, s.Name)
		faults = append(faults, c.admit(s, o.Trust))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	axes := axesOf(sides)
	base, _ := sides[0].cells(axes)
	for i, s := range sides[1:] {
		order, by := s.cells(axes)
		if err := oneSetting(sides[0], axes); err != nil {
			return nil, err
		}
		if err := oneSetting(s, axes); err != nil {
			return nil, err
		}
		common := 0
		for _, a := range base {
			b := by[a.key]
			if b == nil {
				continue
			}
			common++
			c.notes(sides[0], s, a, b, axes)
			for _, f := range o.Figures {
				c.Rows = append(c.Rows, row(i+1, a, b, f))
			}
		}
		if common == 0 {
			return nil, fmt.Errorf("%s and %s have no setting of %s in common: want sweeps whose grids meet", sides[0].Name, s.Name, strings.Join(axes, ", "))
		}
		if n := len(base) - common; n > 0 {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%d of %d settings are in %s alone", n, len(base), sides[0].Name))
		}
		if n := len(order) - common; n > 0 {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%d of %d settings are in %s alone", n, len(order), s.Name))
		}
		c.Cells += common
	}
	c.judge()
	return c, nil
}

// admit drops the runs of a sweep that can't be trusted, and refuses others.
func (c *Comparison) admit(s *Side, trust sweep.Trust) error {
	var faults []error
	kept := s.runs[:0:0]
	for _, x := range s.runs {
		why := untrusted(x, trust)
		switch {
		case why == "":
			kept = append(kept, x)
		case !s.Sweep && len(faults) < 10:
			faults = append(faults, fmt.Errorf("%s: %s", x.name, why))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if n := len(s.runs) - len(kept); n > 0 {
		c.LeftOut = append(c.LeftOut, fmt.Sprintf("%d of %d runs of %s can't be trusted; --trust suspect or --trust all takes in more", n, len(s.runs), s.Name))
	}
	if len(s.runs) > 0 && len(kept) == 0 {
		return fmt.Errorf("%s: no run of %d can be compared, such as the first: %s", s.Name, len(s.runs), untrusted(s.runs[0], trust))
	}
	if s.runs = kept; len(kept) == 0 {
		return fmt.Errorf("%s holds no run", s.Name)
	}
	c.noteDoubted(s)
	return nil
}

// axesOf returns the knobs that tell cells apart: those that vary in any sweep. A
// side that is no sweep has one cell, so it is compared as one.
func axesOf(sides []*Side) []string {
	var axes []string
	for _, s := range sides {
		if !s.Sweep {
			return nil
		}
		for _, a := range s.Axes {
			if !slices.Contains(axes, a) && a != "seed" {
				axes = append(axes, a)
			}
		}
	}
	return axes
}

// oneSetting refuses a side whose runs are not repeats of one setting in each cell.
func oneSetting(s *Side, axes []string) error {
	order, _ := s.cells(axes)
	for _, c := range order {
		for _, x := range c.runs[1:] {
			for _, k := range s.knobs {
				if a, b := s.knob(c.runs[0], k), s.knob(x, k); k != "seed" && a != b {
					return fmt.Errorf("%s holds runs of different settings, such as %s %s and %s %s: want repeats of one setting on a side, or sweeps on all of them",
						s.Name, k, a, k, b)
				}
			}
		}
	}
	return nil
}

// row compares one figure of one cell.
func row(side int, a, b *cell, f sweep.Objective) Row {
	r := Row{Side: side, Cell: a.key, Figure: f}
	before, after := values(a, f), values(b, f)
	r.CountA, r.CountB = len(before), len(after)
	if len(before) == 0 || len(after) == 0 {
		r.Claim = NoData
		return r
	}
	ma, mb := median(before), median(after)
	r.Before, r.After, r.Difference = bench.Some(ma), bench.Some(mb), bench.Some(mb-ma)
	if ma != 0 {
		r.Change = bench.Some(mb/ma - 1)
	}
	if all := append(slices.Clone(before), after...); slices.Min(all) == slices.Max(all) {
		r.Claim = Identical
		return r
	}
	r.P = bench.Some(rankTest(before, after))
	r.before, r.after = before, after
	return r
}

// values returns the known values of a figure.
func values(c *cell, f sweep.Objective) (out []float64) {
	at := slices.IndexFunc(sweep.Figures, func(g sweep.Figure) bool { return g.Name == f.Figure.Name })
	for _, x := range c.runs {
		if v, ok := x.figures[at].Get(); ok {
			out = append(out, v)
		}
	}
	return out
}
