// Reading knobs, and checking all of them.

package settings

import (
	"errors"
	"fmt"
	"strings"

	"ferryctl/workload"
)

// Get returns a knob's value as text that [Settings.Set] reads back to the same
// value. It is "" for a knob that is not in force, such as rate in a closed
// loop, and for an unknown one.
func (s Settings) Get(knob string) string {
	k, ok := byName[knob]
	if !ok {
		return ""
	}
	return k.get(&s)
}

// A Value is a knob's effective value, for outputs.
type Value struct {
	Knob string
	Text string // as from [Settings.Get]
	JSON any    // number or string; nil for a knob that is not in force
}

// Values returns the values of all knobs in their settled order.
func (s Settings) Values() []Value {
	values := make([]Value, len(table))
	for i, k := range table {
		v := Value{Knob: k.Name, Text: k.get(&s)}
		switch {
		case k.json != nil:
			v.JSON = k.json(&s)
		case v.Text != "":
			v.JSON = v.Text
		}
		values[i] = v
	}
	return values
}

// Validate returns an error that holds every fault of s, or nil: values out of
// bounds, knobs that conflict, and combinations that make no sense, each with
// the sources of the values and what would be right. It does not open a trace.
func (s Settings) Validate() error {
	var faults []error
	for _, k := range table {
		if k.check == nil {
			continue
		}
		if err := k.check(&s); err != nil {
			faults = append(faults, prefixed(s.label(k.Name)+": ", err))
		}
	}
	if err := s.Backend.Validate(); err != nil {
		faults = append(faults, prefixed(s.label("backend")+": ", err))
	}
	faults = append(faults, s.conflicts()...)
	faults = append(faults, s.stalls()...)
	faults = append(faults, s.shareFaults()...)
	faults = append(faults, s.lengths()...)
	if err := s.standstill(); err != nil {
		faults = append(faults, err)
	}
	if s.Trace == "" && s.Arrivals.Kind == workload.FromTrace {
		faults = append(faults, fmt.Errorf("%s: want a trace, or another arrival process", s.say("arrivals")))
	}
	if s.Clock != Real && s.Rate.Max {
		faults = append(faults, fmt.Errorf("%s: the most that this machine can offer has no meaning in virtual time: want a rate, or clients", s.say("rate")))
	}
	if len(faults) == 0 {
		faults = append(faults, s.workloadFaults())
	}
	return errors.Join(flatten(errors.Join(faults...))...)
}

// workloadFaults returns what the workload itself refuses, with sources.
func (s Settings) workloadFaults() error {
	err := s.Workload().Validate()
	if err == nil {
		return nil
	}
	var faults []error
	for _, e := range flatten(err) {
		knob, _, ok := strings.Cut(e.Error(), ":")
		if _, known := byName[knob]; ok && known && s.Source(knob) != "" {
			e = fmt.Errorf("%s: %w", s.Source(knob), e)
		}
		faults = append(faults, e)
	}
	return errors.Join(faults...)
}

// label names a knob and the source of its value, for a message.
func (s Settings) label(knob string) string {
	if source := s.Source(knob); source != "" {
		return source + ": " + knob
	}
	return knob
}
