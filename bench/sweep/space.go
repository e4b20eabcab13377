// The space: a base of settings, the axes that vary from it, and its points.

package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench/backend"
	"ferryctl/bench/settings"
)

// A Space is the points of a sweep: every combination of its axes' values, or a
// sample of them. Make it with [NewSpace]; it does not change.
type Space struct {
	Base    settings.Settings // what all points have in common; on the axes, any of their values
	Axes    []Axis            // those that vary, in the order of the table of knobs
	Sample  Sample
	LeftOut int // combinations that no run can have, and that were left out as asked

	drawn    [][]Value               // of a sample: its points
	models   map[string]backend.Spec // what the texts of the axis backend stand for, their files read
	possible []int                   // of a grid with some left out: the numbers of the others, from 0
}

// A Sample says how many points are drawn from the space, and how; the zero
// Sample is all of them.
type Sample struct {
	Points int    `json:"points"` // that are drawn; some may coincide, and are measured once
	Design string `json:"design"` // Halton or LatinHypercube
}

// A Point is one combination of values.
type Point struct {
	Number int     // from 1
	Values []Value // one for each axis
	Levels []int   // where each is among its axis' values; -1 in an interval
}

// NewSpace checks that each of its points can be run, unless leaveOut says to do
// without those that can't: combinations such as direct calls of a kernel that
// has none. Axes with one value are set in the base. The error holds every fault.
func NewSpace(base settings.Settings, axes []Axis, sample Sample, leaveOut bool) (*Space, error) {
	s := &Space{Base: base, Sample: sample}
	order := map[string]int{}
	for i, k := range settings.Knobs() {
		order[k.Name] = i
	}
	axes = slices.Clone(axes)
	slices.SortStableFunc(axes, func(a, b Axis) int { return cmp.Compare(order[a.Knob], order[b.Knob]) })
	for _, a := range axes {
		if a.Varies() {
			s.Axes = append(s.Axes, a)
			continue
		}
		if err := s.Base.Set(a.Knob, a.Values[0].Text, a.Source); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(s.bounded(), s.readModels()); err != nil {
		return nil, err
	}
	if sample.Points > 0 {
		s.drawn = draw(s.Axes, sample, base.Seed)
	}
	// The base has a value on each axis, so that it is as valid as the points are.
	if len(s.Axes) > 0 {
		if err := s.set(&s.Base, s.at(0), Point{}); err != nil {
			return nil, err
		}
	}
	return s, s.check(leaveOut)
}

// bounded refuses spaces that are too large, and samples that can't be drawn.
func (s *Space) bounded() error {
	var faults []error
	size := 1.0
	for _, a := range s.Axes {
		size *= float64(len(a.Values))
		if a.Between != nil && s.Sample.Points == 0 {
			faults = append(faults, fmt.Errorf("%s: %s has no step: want one, such as :+1, :x2 or :log:8, or a sample of the points in between", labelled(a.Source, a.Knob), a.Text))
			size = 0
		}
	}
	n := s.Sample.Points
	switch {
	case n < 0 || n > MaxPoints:
		faults = append(faults, fmt.Errorf("a sample of %d points: want 1 to %d", n, MaxPoints))
	case n > 0 && !slices.Contains(Designs, s.Sample.Design):
		faults = append(faults, fmt.Errorf("unknown design %q: want one of %s", s.Sample.Design, strings.Join(Designs, ", ")))
	case n > 0 && len(s.Axes) == 0:
		faults = append(faults, errors.New("a sample of one point: want a knob with several values to draw from"))
	case n == 0 && size > MaxPoints:
		faults = append(faults, fmt.Errorf("the grid has %.6g points, more than %d: want larger steps, or a sample of it", size, MaxPoints))
	}
	return errors.Join(faults...)
}

// Len returns how many points there are.
func (s *Space) Len() int {
	if s.possible != nil {
		return len(s.possible)
	}
	return s.size()
}

// size counts the impossible ones too.
func (s *Space) size() int {
	if s.Sample.Points > 0 {
		return len(s.drawn)
	}
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// Point returns the point with the number, 1 to Len.
func (s *Space) Point(number int) Point {
	at := number - 1
	if s.possible != nil {
		at = s.possible[at]
	}
	p := s.at(at)
	p.Number = number
	return p
}

// at returns a combination by its place, from 0: the last axis varies fastest.
func (s *Space) at(place int) Point {
	p := Point{Levels: make([]int, len(s.Axes))}
	if s.drawn != nil {
		p.Values = s.drawn[place]
		for i, a := range s.Axes {
			p.Levels[i] = slices.IndexFunc(a.Values, func(v Value) bool { return v.Text == p.Values[i].Text })
		}
		return p
	}
	p.Values = make([]Value, len(s.Axes))
	for i := len(s.Axes) - 1; i >= 0; i-- {
		values := s.Axes[i].Values
		p.Levels[i] = place % len(values)
		p.Values[i] = values[p.Levels[i]]
		place /= len(values)
	}
	return p
}

// Settings returns those of a point in its given repeat, from 1.
func (s *Space) Settings(p Point, repeat int) (settings.Settings, error) {
	at := s.Base
	err := s.set(&at, p, Point{})
	at.Seed += uint64(max(repeat, 1) - 1) //nolint:gosec // not negative; seeds wrap
	return at, err
}

// set changes to to the values of p, where they differ from those of before.
func (s *Space) set(to *settings.Settings, p, before Point) error {
	for i, a := range s.Axes {
		if before.Values != nil && before.Values[i] == p.Values[i] {
			continue
		}
		if err := to.Set(a.Knob, p.Values[i].Text, a.Source); err != nil {
			return err
		}
		if a.Knob == "backend" {
			to.Backend = s.models[p.Values[i].Text]
		}
	}
	return nil
}

// String writes the point as flags.
func (s *Space) String(p Point) string {
	parts := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		parts[i] = a.Knob + " " + p.Values[i].Text
	}
	return strings.Join(parts, ", ")
}
