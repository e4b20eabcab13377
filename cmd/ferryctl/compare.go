package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench"
	"ferryctl/bench/compare"
	"ferryctl/bench/export"
	"ferryctl/bench/human"
	"ferryctl/bench/sweep"
	"ferryctl/workload/units"
)

const compareLong = `Set runs side by side, and say which differences are more than chance. Each
argument is a side: the JSON form of a run, a folder of such (repeats of one
setting), or the folder of a sweep. Every other side is compared with the first.

A claim needs several runs a side, with seeds of their own: the rank test of
Mann and Whitney is exact for few runs, its p-values are adjusted for how many
figures are compared, and where no order of so few runs would be more than
chance, nothing is claimed and the number that would do is said. Of sweeps, the
settings that all have in common are compared, and how many are not is said. By the
real clock, measure the sides in turn: a machine that others use too is another one
a minute later, and no test tells that from a change.

Runs whose knobs were turned, that were stopped early, or whose measurement is
not VALID are refused, points of sweeps left out, unless --trust takes them.

Exit codes: 0 done, 1 a form could not be written, 2 usage, or what is refused,
3 a regression beyond --threshold, 4 too few runs to tell whether there is one.`

const compareExamples = `  ferryctl compare before/ after/
  ferryctl compare before.json after.json --figures p99,throughput
  ferryctl compare main/ branch/ --threshold 5% -o html=difference.html`

// compareFigures are the figures that nobody has to ask after.
const compareFigures = "throughput,rejected,mean,p50,p99"

var compareForms = forms{export.ComparisonFormats, "comparison"}

// newCompare builds `ferryctl compare`.
func newCompare(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "compare A B... [flags]",
		Short:   "set runs or sweeps side by side, with significance",
		Long:    compareLong,
		Example: compareExamples,
	}
	flags := &knobFlags{env: env}
	flags.add(cmd, "figures", "", "FIGURE,...", "Comparison", "figures to compare, with max: or min: to turn one round (default "+compareFigures+")")
	flags.add(cmd, "threshold", "", "PERCENT", "Comparison", "a figure that is worse by more, beyond chance, is a regression: exit code 3")
	flags.add(cmd, "trust", "", strings.Join(sweep.Trusts, "|"), "Comparison", "measurements that take part; all takes in stopped runs and turned knobs too (default "+sweep.Trusts[0]+")")
	rewrites(cmd, env, flags, strings.Join(export.ComparisonFormats, ", "), planComparison)
	return cmd
}

// planComparison reads all sides and compares them; it reports every fault at once.
func planComparison(f *faulty, args []string) (*rewriting, func() error, error) {
	if len(args) < 2 {
		return nil, nil, fmt.Errorf("ferryctl compare takes at least two runs, folders of runs or sweeps, got %d", len(args))
	}
	var o compare.Options
	var err error
	o.Figures, err = sweep.ParseObjectives(f.or("figures", compareFigures))
	f.add(behind("flag --figures: ", err))
	o.Trust, err = sweep.ParseTrust(f.or("trust", sweep.Trusts[0]))
	f.add(behind("flag --trust: ", err))
	o.Threshold, err = threshold(f.one("threshold"))
	f.add(err)
	var all []stored
	for _, arg := range args {
		found, err := findStored(arg)
		f.add(err)
		all = append(all, found)
	}
	w := &rewriting{forms: compareForms}
	w.settle(f, f.knobs.all("output"), all...)
	if err := errors.Join(f.faults...); err != nil {
		return nil, nil, err
	}
	var sides []*compare.Side
	for _, found := range all {
		s, err := readSide(found)
		f.add(err)
		sides = append(sides, s)
	}
	if err := errors.Join(f.faults...); err != nil {
		return nil, nil, err
	}
	result, err := compare.Compare(sides, o)
	w.write = func(into io.Writer, format string) error { return export.WriteComparison(into, format, result) }
	return w, func() error { return concludeComparison(result) }, err
}

// threshold reads a part, missing if the text is empty.
func threshold(text string) (bench.Num, error) {
	if text == "" {
		return bench.Num{}, nil
	}
	part, err := units.ParsePercent(text)
	if err == nil && !(part >= 0 && part <= 100) {
		err = fmt.Errorf("%s is out of range: want 0%% to 10000%%", text)
	}
	if err != nil {
		return bench.Num{}, fmt.Errorf("flag --threshold: %w", err)
	}
	return bench.Some(part), nil
}

// readSide reads one side, keeping of each run what the comparison needs.
func readSide(found stored) (*compare.Side, error) {
	if found.sweep == "" {
		s := compare.NewSide(found.path, nil)
		var faults []error
		for _, file := range found.files {
			r, err := readRun(file)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			faults = append(faults, s.Add(file, r))
		}
		return s, errors.Join(faults...)
	}
	store, err := readSweep(found.sweep)
	if err != nil {
		return nil, err
	}
	axes := []string{}
	for _, a := range store.Space.Axes {
		axes = append(axes, a.Knob)
	}
	s := compare.NewSide(found.path, axes)
	for record, err := range store.Records() {
		if err == nil {
			err = s.Add(fmt.Sprintf("%s, point %d, run %d", found.path, record.Point, record.Repeat), record.Result)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", found.path, err), store.Close())
		}
	}
	return s, store.Close()
}

// concludeComparison maps a comparison to the error that ends the command. Without
// a threshold nothing was to be decided. With one, a gate that could not have
// failed has not been passed.
func concludeComparison(c *compare.Comparison) error {
	limit, ok := c.Threshold.Get()
	if !ok {
		return nil
	}
	var faults []error
	for _, r := range c.Rows {
		if r.Claim != compare.Regression {
			continue
		}
		at := ""
		if r.Cell != "" {
			at = " at " + r.Cell
		}
		say := r.Figure.Figure.Say
		faults = append(faults, fmt.Errorf("regression: %s: %s%s goes from %s to %s, beyond %s",
			c.Sides[r.Side], r.Figure.Figure.Short, at, say(r.Before.Or(0)), say(r.After.Or(0)), human.Percent(limit)))
		if len(faults) == 10 && c.Count(compare.Regression) > 10 {
			faults = append(faults, fmt.Errorf("and %d more regressions", c.Count(compare.Regression)-10))
			break
		}
	}
	if len(faults) > 0 {
		return &exitError{exitSLOMissed, errors.Join(faults...)}
	}
	if n := c.Count(compare.TooFew); n > 0 {
		need := 0
		for _, r := range c.Rows {
			need = max(need, r.Need)
		}
		return &exitError{exitInvalid, fmt.Errorf("too few runs to tell of %d differences whether they are regressions: want at least %d a side", n, need)}
	}
	if n := c.Count(compare.NoData); n > 0 {
		return &exitError{exitInvalid, fmt.Errorf("%d figures were not measured on both sides: nothing can be said of them", n)}
	}
	return nil
}
