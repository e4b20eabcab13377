// What a calibration is asked for: its flags, read.

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"ferryctl/bench/backend"
	"ferryctl/bench/calibrate"
	"ferryctl/workload/units"
)

// A calibration is one that nothing speaks against.
type calibration struct {
	backend backend.Spec
	design  calibrate.Design
	drawn   bool // its seed
	output  output
}

// planCalibration settles everything before anything starts, and reports every
// fault at once.
func planCalibration(m messenger, knobs *knobFlags, args []string, parse error) (*calibration, error) {
	faults := []error{parse}
	if len(args) > 0 {
		faults = append(faults, fmt.Errorf("ferryctl calibrate takes no arguments, got %q", strings.Join(args, " ")))
	}
	s, warnings, err := knobs.merge()
	m.warn(warnings)
	faults = append(faults, err)
	c := &calibration{backend: s.Backend, design: calibrate.Default(), drawn: !s.SeedGiven, output: output{format: "model"}}
	if c.design.Seed = s.Seed; c.drawn {
		c.design.Seed = rand.Uint64N(seedBelow)
	}
	if s.Backend.Kind == backend.ModelKind {
		faults = append(faults, fmt.Errorf("%s: backend %s is a model already: want a backend that can be called", s.Source("backend"), s.Backend))
	}
	take := func(flag string, set func(text string) error) {
		text, err := knobs.one(flag)
		if err == nil && text != "" {
			if err = set(text); err != nil {
				err = fmt.Errorf("flag --%s: %w", flag, err)
			}
		}
		faults = append(faults, err)
	}
	whole := func(into *int) func(string) error {
		return func(text string) error {
			n, err := units.ParseCount(text)
			*into = int(min(n, 1<<31-1)) // too large either way
			return err
		}
	}
	take("sizes", func(text string) (err error) {
		sizes, err := parseList(text, units.ParseCount)
		c.design.Sizes = ints(sizes)
		return err
	})
	take("item-weights", func(text string) (err error) {
		c.design.Weights, err = parseList(text, units.ParseSize)
		return err
	})
	take("concurrency", func(text string) (err error) {
		at, err := parseList(text, units.ParseCount)
		c.design.Concurrency = ints(at)
		return err
	})
	take("rounds", whole(&c.design.Rounds))
	take("warmup-calls", whole(&c.design.Warmup))
	take("budget", func(text string) (err error) {
		c.design.Budget, err = units.ParseDuration(text)
		return err
	})
	take("output", func(text string) error {
		if text != "-" {
			c.output.file = text
		}
		return checkOutputs([]output{c.output}, "", filesInUse(knobs.env, s))
	})
	if errors.Join(faults...) == nil {
		faults = append(faults, c.design.Validate())
	}
	return c, errors.Join(faults...)
}

// parseList reads values with commas between them.
func parseList(text string, parse func(string) (int64, error)) (list []int64, err error) {
	var faults []error
	for part := range strings.SplitSeq(text, ",") {
		v, err := parse(strings.TrimSpace(part))
		list, faults = append(list, v), append(faults, err)
	}
	return list, errors.Join(faults...)
}

func ints(list []int64) []int {
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = int(min(v, 1<<31-1)) // too large either way
	}
	return out
}

// list writes values with commas between them.
func list[T int | int64](values []T, format func(int64) string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = format(int64(v))
	}
	return strings.Join(parts, ",")
}

// command is what makes the same calls again.
func (c *calibration) command() string {
	d := c.design
	return fmt.Sprintf("ferryctl calibrate --backend '%s' --sizes %s --item-weights %s --concurrency %s --rounds %d --warmup-calls %d --budget %s --seed %d",
		c.backend, list(d.Sizes, units.FormatCount), list(d.Weights, units.FormatSize), list(d.Concurrency, units.FormatCount),
		d.Rounds, d.Warmup, units.FormatDuration(d.Budget), d.Seed)
}
