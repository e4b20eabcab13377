package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench"
	"ferryctl/bench/export"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/workload"
)

// A runner makes one run; it is bench.Run but in tests.
type runner func(settings.Settings, bench.Options) (*bench.Result, error)

const benchLong = `Run one load against a real batcher and report what happened to each input.

The result goes to stdout, progress to stderr. Ctrl-C stops offering, drains and
reports; once more leaves within a second. Knobs come from flags, then from the
environment (FERRYCTL_BATCH_SIZE=16), then from the profile, then from their
defaults; ferryctl profiles show prints what they add up to. ferryctl help values
says how values are written and what they mean: laws of weights and arrivals, the
fields of the backend, the terms of an SLO. A trace is replayed whole and without
warm-up unless these are given.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 3 SLO
missed, 4 measurement invalid, 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP.`

const benchExamples = `  ferryctl bench --profile hotkeys
  ferryctl bench --profile heavy --batch-weight 1MiB -o json=heavy.json
  ferryctl bench --kernel make --rate 200k/s --duration 10s --slo 'p99<=5ms'`

// newBench builds `ferryctl bench`.
func newBench(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench [flags]",
		Short:   "run one load against a batcher and report",
		Long:    benchLong,
		Example: benchExamples,
	}
	knobs := addKnobs(cmd, env)
	knobs.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write the result as "+strings.Join(export.Formats, ", ")+", repeatable; the table goes to stdout unless another format does")
	knobs.add(cmd, "out", "", "DIR", "Output", "write every format into a folder, as result.json and so on")
	knobs.add(cmd, "capture-worst", "", "DURATION=FILE", "Output", "write the arrivals of the interval with the highest p99, and of so long before it, as a trace to replay; or DURATION FILE")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(export.Formats, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	_ = cmd.MarkFlagDirname("out")                                                                                           // so is this one
	displayed(cmd, env, knobs, planBench, func(env *environ, m messenger, p *plan, d display) error {
		p.display = d
		return p.run(env, m)
	})
	return cmd
}

// A plan is a run that nothing speaks against.
type plan struct {
	settings settings.Settings
	capture  capture
	outputs  []output
	dir      string // of --out
	display
}

// planBench settles everything before anything starts. It reports every fault
// in arguments, flags, environment, profile and output files at once, and warns
// through m of what is odd but no fault.
func planBench(m messenger, knobs *knobFlags, args []string, parse error) (*plan, error) {
	s, warnings, unsettled := knobs.merge()
	m.warn(warnings)
	worst, err := knobs.one("capture-worst")
	captured, args, uncaptured := parseCapture(worst, args, s)
	faults := []error{parse}
	if len(args) > 0 {
		faults = append(faults, hint(fmt.Errorf("ferryctl bench takes no arguments, got %q", strings.Join(args, " ")),
			didYouMean("--profile "+args[0])))
	}
	faults = append(faults, unsettled, err, uncaptured, checkTrace(s), checkOnce(s))
	dir, err := knobs.one("out")
	faults = append(faults, err)
	outs, err := parseOutputs(knobs.all("output"), dir, runForms)
	outs = append(outs, captured.outputs()...)
	faults = append(faults, err, checkOutputs(outs, dir, filesInUse(knobs.env, s)))
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return &plan{settings: s, capture: captured, outputs: outs, dir: dir}, nil
}

// checkOnce refuses what only a sweep does.
func checkOnce(s settings.Settings) error {
	if s.Repeat <= 1 {
		return nil
	}
	return hint(fmt.Errorf("%s: repeat %d: one run is made once: want 1", s.Source("repeat"), s.Repeat),
		fmt.Sprintf("ferryctl sweep --repeat %d measures the same settings several times", s.Repeat))
}

// checkTrace says why the trace could not be read, if there is one: a run of
// some other length should not find out after the ceiling was measured.
func checkTrace(s settings.Settings) error {
	if s.Trace == "" {
		return nil
	}
	info, err := os.Stat(s.Trace)
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("is a folder; want a CSV file")
	case !info.Mode().IsRegular(): // a pipe would be drained by the first of its readers
		err = errors.New("is no regular file; want one: it is read twice, for the generator's ceiling and for the run")
	default:
		return beginsWell(s)
	}
	return fmt.Errorf("%s: trace %s: %w", s.Source("trace"), s.Trace, plainError(err))
}

// beginsWell says what is wrong with the first lines of the trace.
func beginsWell(s settings.Settings) error {
	source, err := workload.New(workload.Spec{
		Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: s.Trace,
		Rate: workload.Rate{Max: true}, Speed: 1, // whatever its offsets
	})
	switch {
	case err == nil:
		return source.Close()
	case errors.As(err, new(*workload.TraceError)):
		return fmt.Errorf("%s: %w", s.Source("trace"), err)
	}
	return fmt.Errorf("%s: trace %s: %w", s.Source("trace"), s.Trace, plainError(err))
}

// seedBelow bounds a drawn seed: short enough to type, and held exactly by
// readers of JSON that know no integers.
const seedBelow = 1 << 32

// run makes the run, writes its outputs, and returns the error that carries its
// exit code.
func (p *plan) run(env *environ, m messenger) error {
	return attend(env, m, "no longer offering, draining what is in the room", func(m messenger, scr *screen, stop *stopper) error {
		return p.attended(env, m, scr, stop)
	})
}

// attended is run with somebody to hear of it.
func (p *plan) attended(env *environ, m messenger, scr *screen, stop *stopper) error {
	for _, r := range p.settings.Replaced() {
		m.say("%s %s (%s) gives way to %s (%s)", r.Knob, r.Text, r.Source, r.By, r.BySource)
	}
	if !p.settings.SeedGiven {
		p.settings.Seed = rand.Uint64N(seedBelow)
		m.say("seed %d was drawn; --seed %d repeats this run's load", p.settings.Seed, p.settings.Seed)
	}
	progress := &progress{screen: scr, live: !env.plain(), width: env.width}
	result, failed := p.watched(env, scr, progress, bench.Options{Stop: stop.stop, Kill: stop.kill, Version: buildName(env.build)})
	scr.clear()
	if result == nil {
		return &exitError{exitFailed, failed}
	}
	if stop.code() != exitDone {
		result.Complete = false // also when it was only the drain that was asked to hurry
	}
	progress.writing(env)
	wrote := func(o output) { m.say("wrote %s to %s", o.format, clean(o.file)) }
	written := writeOutputs(p.outputs, p.dir, p.stdout(env, scr, stop), wrote, func(w io.Writer, format string) error {
		if format == captureFormat {
			at, err := bench.CaptureWorst(w, result, p.settings, p.capture.before)
			if err == nil {
				m.say("the worst interval begins %s into the run", human.Duration(float64(at)))
			}
			return err
		}
		if p.ascii && format == export.Formats[0] {
			w = asciiWriter{w}
		}
		return export.Write(w, format, result)
	})
	scr.clear()
	return conclude(result, stop.code(), errors.Join(failed, written))
}

// conclude maps what came of a run to the error that ends the command: a signal
// outranks a failure, and both outrank the verdicts.
func conclude(r *bench.Result, signal int, failed error) error {
	switch {
	case signal != 0:
		return &exitError{signal, failed}
	case failed != nil:
		return &exitError{exitFailed, failed}
	}
	var faults []error
	if r.Measurement.Verdict == bench.Invalid {
		for i, reason := range r.Measurement.Reasons {
			word := "invalid"
			if i > 0 && i >= r.Measurement.InvalidReasons {
				word = "suspect"
			}
			faults = append(faults, fmt.Errorf("measurement %s: %s", word, reason))
		}
	}
	for _, term := range r.SLO {
		if !term.OK {
			faults = append(faults, fmt.Errorf("SLO missed: %s: %s", term.Term, measured(term)))
		}
	}
	if code := r.ExitStatus(0); code != exitDone {
		return &exitError{code, errors.Join(faults...)}
	}
	return nil
}

// measured says what came of a term.
func measured(term bench.SLO) string {
	value, known := term.Value.Get()
	switch {
	case !known:
		return cmp.Or(term.Note, "no data")
	case term.Unit == slo.PerSecond:
		return human.Rate(value)
	case term.Unit == slo.Ratio:
		return human.Percent(value)
	default:
		return human.Duration(value)
	}
}
