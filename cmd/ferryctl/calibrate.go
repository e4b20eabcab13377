package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ferryctl/bench"
	"ferryctl/bench/backend"
	"ferryctl/bench/calibrate"
	"ferryctl/bench/human"
	"ferryctl/workload/units"
)

const calibrateLong = `Fit a cost model to real calls of a backend, for virtual time.

It makes calls one at a time, of every size with every weight, in rounds that each
have an order of their own; and calls of one kind several at once, which shows a
limit of the backend's own. What describes them goes to stdout, or to a file, as
YAML: what a call, an item and a unit of weight cost, how calls scatter, how many
are served at once, how many fail, how well all that fits, and how it was got.
A run takes it with --backend model:FILE. With --clock both it is held to the
backend that it was got from.

Ctrl-C stops it; the model of the calls made by then is written, marked as not
complete.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 4 the calls do
not fit such a model, 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP.`

const calibrateExamples = `  ferryctl calibrate --backend 'synthetic(base=1ms,per_item=20us)' --rounds 3 -o model.yaml
  ferryctl calibrate --profile hotkeys --sizes 1,8,64 --rounds 3 > model.yaml
  ferryctl bench --clock both --backend model:model.yaml`

// newCalibrate builds `ferryctl calibrate`.
func newCalibrate(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "calibrate [flags]",
		Short:   "fit a backend's cost model to real calls",
		Long:    calibrateLong,
		Example: calibrateExamples,
	}
	knobs := &knobFlags{env: env}
	d := calibrate.Default()
	add := func(name, short, form, section, doc, value string) {
		knobs.add(cmd, name, short, form, section, doc)
		cmd.Flags().Lookup(name).DefValue = value
	}
	add("backend", "", "synthetic(...)", "Backend", "what is called; see ferryctl help values", "")
	add("profile", "", "NAME|FILE", "Backend", "take the backend and the seed from a profile", "")
	add("sizes", "", "N,...", "Calls", "items in a batch", list(d.Sizes, units.FormatCount))
	add("item-weights", "", "N,...", "Calls", "weights of an item; one alone leaves open what weight costs", list(d.Weights, units.FormatSize))
	add("concurrency", "", "N,...", "Calls", "calls at once, to find a limit of the backend's own", list(d.Concurrency, units.FormatCount))
	add("rounds", "", "N", "Calls", "calls of each kind, at least 3", strconv.Itoa(d.Rounds))
	add("warmup-calls", "", "N", "Calls", "calls that come first and count for nothing", strconv.Itoa(d.Warmup))
	add("budget", "", "DURATION", "Calls", "time after which no further round begins, once there were 3", units.FormatDuration(d.Budget))
	add("seed", "", "N", "Calls", "of the order of the calls, and of the backend's chance; drawn and printed if not given", "")
	add("output", "o", "FILE", "Output", "write the model there instead of to stdout", "")
	cmd.Flags().SortFlags = false
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles) // the flag is there
	planned(cmd, env, knobs, planCalibration, func(cmd *cobra.Command, c *calibration) error {
		return attend(env, messengerOf(cmd, env), "stopping, fitting the calls made so far", func(m messenger, scr *screen, stop *stopper) error {
			return c.run(env, m, scr, stop)
		})
	})
	return cmd
}

// run makes the calls, fits the model and writes it.
func (c *calibration) run(env *environ, m messenger, scr *screen, stop *stopper) error {
	if c.drawn {
		m.say("seed %d was drawn; --seed %d repeats these calls", c.design.Seed, c.design.Seed)
	}
	here := bench.EnvironmentHere(buildName(env.build))
	b, err := backend.New(c.backend, c.design.Seed)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer b.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-stop.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	shown := &progress{screen: scr, live: !env.plain(), width: env.width}
	calls, err := calibrate.Measure(ctx, b, c.design, func(p calibrate.Progress) {
		shown.tell(time.Now(), "calibrating", func() string { return calibrating(p) })
	})
	scr.clear()
	if err != nil {
		return &exitError{exitFailed, err}
	}
	model, err := calibrate.Fit(calls)
	if err != nil {
		return conclude(nil, stop.code(), fmt.Errorf("no model: %w", err))
	}
	src := &model.Source
	src.Command, src.Backend, src.Seed, src.Started = c.command(), c.backend.String(), c.design.Seed, here.Started
	src.Version, src.Go, src.OS, src.Arch, src.CPUs, src.CPUModel = here.Version, here.Go, here.OS, here.Arch, here.CPUs, here.CPUModel
	sumUp(m, model)
	var text bytes.Buffer
	if err := model.Write(&text); err != nil {
		return err
	}
	wrote := func(o output) { m.say("wrote the %s to %s", o.format, clean(o.file)) }
	written := writeOutputs([]output{c.output}, "", env.stdout, wrote, func(w io.Writer, _ string) error {
		_, err := w.Write(text.Bytes())
		return err
	})
	if stop.code() != 0 || written != nil {
		return conclude(nil, stop.code(), written)
	}
	if !calibrate.Fits(model) {
		return &exitError{exitInvalid, fmt.Errorf("the model does not describe the calls: those of one kind are %s off on average", human.Percent(model.Fit.LackOfFit))}
	}
	return nil
}

// calibrating says where a calibration is.
func calibrating(p calibrate.Progress) string {
	switch {
	case p.AtOnce > 0:
		return fmt.Sprintf("calibrating: %d calls at once", p.AtOnce)
	case p.Round > 0:
		return fmt.Sprintf("calibrating: round %d of at most %d", p.Round, p.Rounds)
	}
	return "calibrating: warming up"
}

// sumUp says what was found.
func sumUp(m messenger, model *backend.Model) {
	f := model.Fit
	cost := func(name string, v, se float64) string {
		return fmt.Sprintf("%s %s ± %s", name, human.Duration(v), human.Duration(se))
	}
	m.say("%s; %s; %s (standard errors)", cost("a call costs", model.Base, f.BaseError), cost("an item", model.PerItem, f.PerItemError), cost("a unit of weight", model.PerWeight, f.PerWeightError))
	m.say("%d calls of %d kinds, R² %.4f; they scatter in the shape %s, from %s (p1) to %s (p99) beside the mean", f.Calls, f.Cells, f.RSquared, model.Scatter.Shape, human.Duration(f.ResidualP1), human.Duration(f.ResidualP99))
	limit := fmt.Sprintf("no limit is met with %d calls at once", model.Range.MaxInFlight)
	if model.Concurrency > 0 {
		limit = fmt.Sprintf("of %d calls at once %d are served", model.Range.MaxInFlight, model.Concurrency)
	}
	m.say("%s; %s of %d calls failed", limit, human.Percent(model.Errors), model.Source.Calls)
	for _, w := range model.Warnings {
		m.warn(errors.New(w))
	}
}
