// What a sweep is to measure: settled before anything starts.

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/workload/units"
)

// A sweepPlan is a sweep that nothing speaks against.
type sweepPlan struct {
	space      *sweep.Space // that of a new sweep; nil to resume one
	header     sweep.Header
	store      *sweep.Store // that of one to resume; nil for a new one
	jobs       int
	objectives []sweep.Objective
	trust      sweep.Trust
	outputs    []output
	dir        string // of --out or --resume; "" for none
	again      string // the flags with which to resume, beside --resume
	display
}

// planSweep settles everything before anything starts, and reports every fault at
// once.
func planSweep(m messenger, knobs *knobFlags, args []string, parse error) (*sweepPlan, error) {
	faults := []error{parse}
	if len(args) > 0 {
		faults = append(faults, hint(fmt.Errorf("ferryctl sweep takes no arguments, got %q", strings.Join(args, " ")),
			didYouMean("--profile "+args[0])))
	}
	one := func(flag, otherwise string) string {
		v, err := knobs.one(flag)
		if faults = append(faults, err); v == "" {
			return otherwise
		}
		return v
	}
	p := &sweepPlan{}
	var err error
	p.objectives, err = sweep.ParseObjectives(one("objectives", sweep.DefaultObjectives))
	faults = append(faults, behind("flag --objectives: ", err))
	p.trust, err = sweep.ParseTrust(one("trust", sweep.Trusts[0]))
	faults = append(faults, behind("flag --trust: ", err))
	resumed := one("resume", "")
	p.dir = one("out", resumed)
	p.outputs, err = parseOutputs(knobs.all("output"), p.dir, sweepForms)
	faults = append(faults, err)
	p.again = again(knobs)
	jobs, err := number("jobs", one("jobs", ""), 1024)
	if faults = append(faults, err); resumed != "" {
		faults = append(faults, alone(knobs))
		if errors.Join(faults...) == nil {
			faults = append(faults, p.resume(resumed, buildName(knobs.env.build)))
		}
	} else {
		faults = append(faults, p.begin(m, knobs, one))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, errors.Join(err, p.close())
	}
	clock := p.header.Clock
	switch p.jobs = jobs; {
	case jobs == 0:
		p.jobs = sweep.Jobs(clock)
	case jobs > 1 && clock != settings.Virtual:
		faults = append(faults, hint(fmt.Errorf("flag --jobs %d with clock %s: runs at once would disturb each other: want 1", jobs, clock), "--clock virtual"))
	}
	faults = append(faults, checkOutputs(p.outputs, p.dir, filesInUse(knobs.env, p.base())), p.spared())
	if err := errors.Join(faults...); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// behind puts a prefix before each of the errors that err joins.
func behind(prefix string, err error) error {
	var all []error
	for _, e := range leaves(err) {
		all = append(all, fmt.Errorf("%s%w", prefix, e))
	}
	return errors.Join(all...)
}

// number reads the value of a flag that counts something, 0 if it was not given.
func number(flag, text string, most int64) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := units.ParseCount(text)
	if err == nil && (n < 1 || n > most) {
		err = fmt.Errorf("%s is out of range: want 1 to %s", text, units.FormatCount(most))
	}
	if err != nil {
		return 0, fmt.Errorf("flag --%s: %w", flag, err)
	}
	return int(n), nil
}

// begin settles a new sweep.
func (p *sweepPlan) begin(m messenger, knobs *knobFlags, one func(flag, otherwise string) string) error {
	var faults []error
	points, err := number("sample", one("sample", ""), sweep.MaxPoints)
	faults = append(faults, err)
	sample := sweep.Sample{Points: points}
	if sample.Points > 0 {
		sample.Design = one("design", sweep.Designs[0])
	} else if one("design", "") != "" {
		faults = append(faults, errors.New("flag --design: all points are measured: want --sample with it"))
	}
	skip := one("skip-impossible", "no")
	if skip != "yes" && skip != "no" {
		faults = append(faults, fmt.Errorf("flag --skip-impossible: %q: want yes or no", skip))
	}
	base, axes, warnings, err := knobs.mergeAxes()
	m.warn(warnings)
	if err != nil {
		return errors.Join(append(faults, err)...)
	}
	if p.space, err = sweep.NewSpace(base, axes, sample, skip == "yes"); err != nil {
		if impossible, ok := errors.AsType[*sweep.ImpossibleError](err); ok && !impossible.All {
			err = errors.Join(err, hint(fmt.Errorf("%d points can't be run", impossible.Points), "--skip-impossible yes leaves them out"))
		}
		return errors.Join(append(faults, err)...)
	}
	if err := errors.Join(append(faults, p.checkTraces())...); err != nil {
		return err
	}
	p.header, err = sweep.NewHeader(p.space, sweep.Repeats(p.space.Base), buildName(knobs.env.build))
	return err
}

// checkTraces looks into every trace that points replay.
func (p *sweepPlan) checkTraces() error {
	faults := []error{checkTrace(p.space.Base)}
	for _, a := range p.space.Axes {
		if a.Knob != "trace" {
			continue
		}
		for _, v := range a.Values[1:] { // the base has the first
			s := p.space.Base
			faults = append(faults, s.Set(a.Knob, v.Text, a.Source), checkTrace(s))
		}
	}
	return errors.Join(faults...)
}

// resume opens the sweep to go on with.
func (p *sweepPlan) resume(dir, version string) error {
	store, err := sweep.Open(dir, version)
	if err != nil {
		return fmt.Errorf("flag --resume %s: %w", dir, plainError(err))
	}
	p.store, p.space, p.header = store, store.Space, store.Header
	return nil
}

// spared refuses outputs that would take the place of the sweep's own file.
func (p *sweepPlan) spared() error {
	if p.dir == "" {
		return nil
	}
	own := follow(filepath.Join(p.dir, sweep.File))
	for _, o := range p.outputs {
		if o.file != "" && follow(o.file) == own {
			return fmt.Errorf("output %s: is the file in which the sweep keeps its runs; want another file", o)
		}
	}
	return nil
}

func (p *sweepPlan) base() settings.Settings {
	if p.space == nil {
		return settings.Settings{}
	}
	return p.space.Base
}

func (p *sweepPlan) close() error {
	if p.store == nil {
		return nil
	}
	return p.store.Close()
}

// what says what the sweep is, in a line.
func (p *sweepPlan) what() string {
	text := human.Count(float64(p.header.Points)) + " points"
	if p.header.Repeat > 1 {
		text += fmt.Sprintf(", each measured %d times", p.header.Repeat)
	}
	return text
}
