// The flags of a sweep: knobs that take several values, and those to go on with.

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// mergeAxes returns the settings that all layers give together, and the knobs that
// take several values.
func (k *knobFlags) mergeAxes() (base settings.Settings, axes []sweep.Axis, warnings, err error) {
	base, as, warnings, err := k.layers()
	faults := []error{err, base.Set("clock", settings.Virtual, "default")}
	byKnob := map[string]sweep.Axis{}
	for _, a := range as {
		knob, ok := settings.Lookup(a.knob)
		if !ok {
			continue // nobody assigns to what is no knob
		}
		axis, err := sweep.Parse(knob, a.value, a.source)
		switch {
		case err != nil:
			faults = append(faults, err)
		case axis.Varies():
			byKnob[a.knob] = axis
		default:
			delete(byKnob, a.knob) // it is outranked
			faults = append(faults, base.Set(a.knob, a.value, a.source))
		}
	}
	for _, knob := range settings.Knobs() {
		if axis, ok := byKnob[knob.Name]; ok {
			axes = append(axes, axis)
		}
	}
	if _, drawn := byKnob["seed"]; !drawn && !base.SeedGiven {
		base.Seed = rand.Uint64N(seedBelow)
	}
	return base, axes, warnings, errors.Join(faults...)
}

// ofResume are the flags that a resumed sweep takes beside --resume: those that
// change nothing in its runs.
var ofResume = []string{"resume", "jobs", "objectives", "trust", "output"}

// alone refuses other flags beside --resume.
func alone(knobs *knobFlags) error {
	var faults []error
	for _, g := range knobs.given {
		if !slices.Contains(ofResume, g.flag) {
			faults = append(faults, hint(fmt.Errorf("flag --%s with --resume: the folder says what is measured: want neither knobs nor --out", g.flag),
				"a sweep with other settings is a new one: --out with another folder"))
		}
	}
	return errors.Join(faults...)
}

// again are the flags of this session that one which goes on with it should have.
func again(knobs *knobFlags) string {
	var b strings.Builder
	for _, g := range knobs.given {
		if g.flag != "resume" && slices.Contains(ofResume, g.flag) {
			b.WriteString(" --" + g.flag + " " + quoted(g.value))
		}
	}
	return b.String()
}

// quoted writes an argument as a shell reads it.
func quoted(arg string) string {
	if plainScalar.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
