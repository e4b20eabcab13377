// Setting knobs: sources, ranks, and which of the given values are in force.

package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ferryctl/workload/units"
)

// An assignment is a value that was given to a knob, and by whom.
type assignment struct {
	knob, text string
	canonical  string // text as the knob writes it; "" for what it does not show
	source     string
	rank       int
}

// rankOf returns the rank of a source; see the package comment.
func rankOf(source string) int {
	switch {
	case strings.HasPrefix(source, "flag "):
		return 3
	case strings.HasPrefix(source, "env "):
		return 2
	case source == "default":
		return 0
	}
	return 1
}

// Set gives a knob a value, unless a source of higher rank has. source says where
// the value comes from, as in the package comment; it opens the error's message.
// The error holds every fault of the value, and then nothing is changed.
func (s *Settings) Set(knob, value, source string) error {
	k, ok := byName[knob]
	if !ok {
		names := make([]string, len(table))
		for i, k := range table {
			names[i] = k.Name
		}
		hint := "want one of " + strings.Join(names, ", ")
		if near := units.Nearest(knob, names); near != "" {
			hint = "did you mean " + near
		}
		return fmt.Errorf("%s: unknown knob %.40q: %s", source, knob, hint)
	}
	a, err := k.read(value, source)
	if err != nil {
		prefix := source + ": "
		if a.rank < 2 { // a flag's and a variable's name say which knob it is
			prefix += knob + ": "
		}
		return prefixed(prefix, err)
	}
	if old, ok := s.given[knob]; ok && old.rank > a.rank {
		return nil
	}
	before := s.resolve()
	s.given = maps.Clone(s.given)
	if s.given == nil {
		s.given = make(map[string]assignment)
	}
	s.given[knob] = a
	s.apply(before, s.resolve())
	return nil
}

// prefixed puts prefix before each of the errors that err joins.
func prefixed(prefix string, err error) error {
	var faults []error
	for _, e := range flatten(err) {
		faults = append(faults, fmt.Errorf("%s%w", prefix, e))
	}
	return errors.Join(faults...)
}

// flatten returns the errors that errors.Join joined, at any depth.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	parts := joined.Unwrap()
	texts := make([]string, len(parts))
	for i, e := range parts {
		texts[i] = e.Error()
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err} // wraps several errors in a sentence of its own
	}
	var all []error
	for _, e := range parts {
		all = append(all, flatten(e)...)
	}
	return all
}

// A verdict says which of the given values are in force.
type verdict struct {
	inForce  map[string]assignment
	replaced map[string]assignment // a value's knob, and what took its place
}

// resolve decides which of the given values are in force: all but those that a
// value of higher rank excludes. It depends on the values alone, not on the
// order in which they were set.
func (s Settings) resolve() *verdict {
	v := &verdict{make(map[string]assignment, len(s.given)), make(map[string]assignment)}
	var given []assignment
	for _, k := range table {
		if a, ok := s.given[k.Name]; ok {
			given = append(given, a)
		}
	}
	slices.SortStableFunc(given, func(a, b assignment) int { return cmp.Compare(b.rank, a.rank) })
	for i, a := range given {
		by, out := excluded(a, given[:i], v.inForce)
		if out {
			v.replaced[a.knob] = by
			continue
		}
		v.inForce[a.knob] = a
	}
	v.derive()
	return v
}

// derive settles what follows from other knobs where nobody said it: a trace's
// arrivals are its own, and a run of unknown length has no part to warm up in.
func (v *verdict) derive() {
	t, traced := v.inForce["trace"]
	if traced {
		if _, said := v.inForce["arrivals"]; !said {
			v.inForce["arrivals"] = assignment{knob: "arrivals", text: "trace", canonical: "trace", source: t.source, rank: t.rank}
		}
	}
	_, timed := v.inForce["duration"]
	_, counted := v.inForce["items"]
	if v.inForce["warmup"].rank == 0 && !timed && !counted {
		delete(v.inForce, "warmup")
		if traced {
			why := t.source + ": a trace is replayed whole, without warm-up unless given"
			v.inForce["warmup"] = assignment{knob: "warmup", text: "0s", canonical: "0s", source: why, rank: t.rank}
		}
	}
}

// excluded returns the value in force that replaces a, if there is one.
func excluded(a assignment, above []assignment, inForce map[string]assignment) (assignment, bool) {
	for _, b := range above {
		if _, ok := inForce[b.knob]; ok && b.rank > a.rank && replaces(b, a) {
			return b, true
		}
	}
	return assignment{}, false
}

// apply writes the knobs on which after differs from before; a nil before
// differs on all.
func (s *Settings) apply(before, after *verdict) {
	for _, k := range table {
		a, ok := after.inForce[k.Name]
		if before != nil {
			if b, was := before.inForce[k.Name]; was == ok && a == b {
				continue
			}
		}
		if !ok {
			k.clear(s)
		} else {
			k.mustSet(s, a.text)
		}
	}
}

// Source says where a knob's value comes from: the source it was set with, or
// that of the knob which took its place. It is "" if nobody gave one.
func (s Settings) Source(knob string) string {
	v := s.resolve()
	if a, ok := v.inForce[knob]; ok {
		return a.source
	}
	return v.replaced[knob].source
}

// A Replacement is a value that gave way to one of higher rank.
type Replacement struct {
	Knob, Text, Source string // the value that is not in force
	By, BySource       string // the knob that took its place, and who set that
}

// Replaced lists the values that somebody gave and that gave way to another
// knob, in knob order. Defaults that gave way are not listed.
func (s Settings) Replaced() []Replacement {
	v := s.resolve()
	var all []Replacement
	for _, k := range table {
		if by, ok := v.replaced[k.Name]; ok && s.given[k.Name].rank > 0 {
			a := s.given[k.Name]
			all = append(all, Replacement{k.Name, a.text, a.source, by.knob, by.source})
		}
	}
	return all
}
