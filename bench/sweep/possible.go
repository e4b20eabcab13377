// Which points of a space can be run.

package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench/backend"
	"ferryctl/bench/settings"
)

// check looks at every point before any is run. Points that differ in few values
// have the same faults, so each fault is reported once, with how often.
func (s *Space) check(leaveOut bool) error {
	var possible []int
	var order []string
	count, first := map[string]int{}, map[string]Point{}
	at, before := s.Base, Point{}
	for place := range s.size() {
		p := s.at(place)
		err := s.set(&at, p, before)
		if before = p; err != nil {
			return err // no parser may refuse now what it took before
		}
		if err := errors.Join(at.Validate(), s.overruled(at)); err != nil {
			for _, e := range apart(err) {
				if count[e]++; count[e] == 1 && len(order) < maxFaults {
					order, first[e] = append(order, e), p
				}
			}
			continue
		}
		possible = append(possible, place)
	}
	bad := s.size() - len(possible)
	switch {
	case bad == 0:
		return nil
	case leaveOut && len(possible) > 0:
		s.possible, s.LeftOut = possible, bad
		return nil
	}
	faults := make([]error, len(order))
	for i, text := range order {
		faults[i] = errors.New(text)
		if s.size() > 1 {
			faults[i] = fmt.Errorf("%s (at %s of %d points, such as %s)", text, fmt.Sprint(count[text]), s.size(), s.String(first[text]))
		}
	}
	return &ImpossibleError{Faults: faults, Points: bad, All: len(possible) == 0}
}

// overruled says which axes have no effect at a point, since another knob takes
// their place.
func (s *Space) overruled(at settings.Settings) error {
	var faults []error
	for _, r := range at.Replaced() {
		if slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Knob == r.Knob }) {
			faults = append(faults, fmt.Errorf("%s (%s) varies to no effect: %s (%s) takes its place: want one of them", r.Knob, r.Source, r.By, r.BySource))
		}
	}
	return errors.Join(faults...)
}

// An ImpossibleError says that some points of a space can't be run.
type ImpossibleError struct {
	Faults []error // each kind once
	Points int     // how many can't
	All    bool    // that is all of them
}

func (e *ImpossibleError) Error() string   { return errors.Join(e.Faults...).Error() }
func (e *ImpossibleError) Unwrap() []error { return e.Faults }

// apart returns the texts of the errors that err joins.
func apart(err error) []string {
	var texts []string
	for line := range strings.Lines(err.Error()) {
		texts = append(texts, strings.TrimSuffix(line, "\n"))
	}
	return texts
}

// readModels reads the files of calibrated models, once for all points.
func (s *Space) readModels() error {
	var faults []error
	load := func(b backend.Spec, source string) backend.Spec {
		loaded, err := b.Load()
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", labelled(source, "backend"), err))
		}
		return loaded
	}
	s.Base.Backend = load(s.Base.Backend, s.Base.Source("backend"))
	s.models = map[string]backend.Spec{}
	for _, a := range s.Axes {
		if a.Knob != "backend" {
			continue
		}
		for _, v := range a.Values {
			spec, err := backend.ParseSpec(v.Text)
			if err != nil {
				return err // no parser may refuse now what it took before
			}
			s.models[v.Text] = load(spec, a.Source)
		}
	}
	return errors.Join(faults...)
}
