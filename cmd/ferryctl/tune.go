package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload/units"
)

const tuneLong = `Find the settings that are best by one figure among those that keep an SLO.

Knobs of the kernel that vary are given as lists or ranges, as for ferryctl sweep.
If none is given, batch_size, batch_delay, in_flight and, where they matter,
batch_weight, queue and direct vary around what the profile says. The search is in
virtual time and measures a part of the grid; all points see the same arrivals. The
leaders are measured again with other seeds, and the best few in real time
(--confirm), beside the same load in virtual time.

The answer has the recommended settings, as a command and with --save as a profile;
what each change buys; between which values each knob does no harm; the next best;
what happens if rate and skew are off by 20 %; and what binds. An SLO that no point
meets names the terms that fail and the nearest point. An SLO that says nothing of
rejected or throughput gets the term rejected<=0.1%.

Figures are those of ferryctl sweep --objectives, and cost: the time that a done
input takes the backend. Without --maximize or --minimize it is throughput, and of
points that are equal in it the one with the lowest p99.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 3 no point
meets the SLO, or the best one misses it in real time, 4 measurement invalid, 130,
143 or 129 after SIGINT, SIGTERM or SIGHUP.`

const tuneExamples = `  ferryctl tune --profile hotkeys --minimize p99 --items 20k --confirm 0
  ferryctl tune --profile overload --maximize throughput --slo 'p99<=40ms,rejected<=40%' --queue 125..2k:x2 --batch-size 16..128:x2 --items 50k --confirm 0
  ferryctl tune --profile heavy --minimize cost --slo 'p99<=20ms' --items 20k --confirm 0 -o json`

// What a tune may be asked for.
const (
	tuneMaxPoints  = sweep.MaxPoints
	tuneMaxConfirm = 6
	tuneConfirm    = 2
)

var tuneForms = forms{tune.Formats, "tune"}

// newTune builds `ferryctl tune`.
func newTune(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tune [flags]",
		Short:   "find the best settings under an SLO",
		Long:    tuneLong,
		Example: tuneExamples,
	}
	knobs := addKnobs(cmd, env)
	cmd.Flags().Lookup("clock").DefValue = settings.Virtual
	knobs.add(cmd, "maximize", "", "FIGURE", "Search", "look for the most of a figure (default throughput)")
	knobs.add(cmd, "minimize", "", "FIGURE", "Search", "look for the least of a figure: p99, mean, cost, ...")
	knobs.add(cmd, "points", "", "N", "Search", "most points that are measured to find the best (default 15 % of the grid, at least 40)")
	knobs.add(cmd, "seeds", "", "N", "Search", "with how many seeds the leaders are measured (default 5)")
	knobs.add(cmd, "jobs", "", "N", "Search", "runs at once in virtual time; changes no figure (default one for each processor)")
	knobs.add(cmd, "confirm", "", "N", "Search", "measure so many of the best in real time, 0 for none (default 2)")
	knobs.add(cmd, "confirm-for", "", "DURATION", "Search", "how long each of these runs lasts (default 5s)")
	knobs.add(cmd, "save", "", "FILE", "Output", "write the recommended settings as a profile; never over a file that is there")
	return searching(cmd, env, knobs, tune.Formats, planTune)
}

// A search is what tune and capacity have in common, settled before anything starts.
type search interface {
	run(env *environ, m messenger, ascii bool) error
}

// searching adds what is common to commands that search: outputs, faults of flags
// reported all at once, and the run.
func searching[P search](cmd *cobra.Command, env *environ, knobs *knobFlags, formats []string, settle func(messenger, *knobFlags, []string, error) (P, error)) *cobra.Command {
	knobs.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write the answer as "+strings.Join(formats, ", ")+", repeatable; the table goes to stdout unless another format does")
	knobs.add(cmd, "out", "", "DIR", "Output", "write every format into a folder")
	ascii := cmd.Flags().Bool("ascii", false, "write the table and the live line without characters beyond ASCII")
	cmd.Flags().Lookup("ascii").Annotations = map[string][]string{sectionKey: {"Output"}}
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	_ = cmd.MarkFlagDirname("out")                                                                                    // so is this one
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		rest, parse := knobs.reparse(cmd)
		if parse == nil {
			return usage(err)
		}
		_, err = settle(messengerOf(cmd, env), knobs, rest, parse)
		return usage(err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := settle(messengerOf(cmd, env), knobs, args, nil)
		if err != nil {
			return usage(err)
		}
		return p.run(env, messengerOf(cmd, env), *ascii)
	}
	return cmd
}

// A tunePlan is a search that nothing speaks against.
type tunePlan struct {
	query   *tune.Query
	jobs    int
	outputs []output
	dir     string
	save    string
}

// planTune settles everything before anything starts, and reports every fault at
// once.
func planTune(m messenger, knobs *knobFlags, args []string, parse error) (*tunePlan, error) {
	f := &faulty{knobs: knobs, faults: []error{parse, noArguments("tune", args)}}
	p := &tunePlan{}
	q := tune.Query{
		Objective: f.objective(), Points: f.number("points", tuneMaxPoints), Seeds: f.number("seeds", tune.MaxSeeds),
		Confirm: f.count("confirm", tuneMaxConfirm, tuneConfirm), For: f.duration("confirm-for"),
	}
	p.jobs, p.save = f.number("jobs", 1024), f.one("save")
	p.outputs, p.dir = f.outputs(tuneForms)
	start, axes, err := knobs.startAndAxes(m)
	if f.add(err); err != nil {
		return nil, errors.Join(f.faults...)
	}
	q.Start, q.Axes = start, axes
	if len(axes) == 0 {
		q.Axes, err = tune.Defaults(start)
		f.add(err)
	}
	f.add(checkTrace(start), checkOutputs(p.outputs, p.dir, filesInUse(knobs.env, start)), checkNew(p.save))
	if p.query, err = tune.Ask(q); err != nil {
		f.add(err)
	}
	if p.jobs == 0 {
		p.jobs = sweep.Jobs(settings.Virtual)
	}
	return p, errors.Join(f.faults...)
}

// run searches, writes the answer, and returns the error that carries the exit code.
func (p *tunePlan) run(env *environ, m messenger, ascii bool) error {
	if ascii {
		m.w = asciiWriter{m.w}
	}
	return attend(env, m, "no further run is begun, finishing those that run", func(m messenger, scr *screen, stop *stopper) error {
		start := p.query.Start
		for _, r := range start.Replaced() {
			m.say("%s %s (%s) gives way to %s (%s)", r.Knob, r.Text, r.Source, r.By, r.BySource)
		}
		if !start.SeedGiven {
			m.say("seed %d was drawn; --seed %d repeats this search", start.Seed, start.Seed)
		}
		tracker := &tune.Tracker{}
		var answer *tune.Answer
		line := &progress{screen: scr, live: !env.plain(), width: env.width}
		line.show(fmt.Sprintf("%s points, %d at once", human.Count(float64(p.query.Space().Len())), p.jobs))
		failed := watching(line, func() string { return tuneLine(tracker.Progress(), p.query.Objective) }, func() (err error) {
			l := lab.Lab{Run: env.run, Jobs: p.jobs, Version: buildName(env.build), Stop: stop.stop, Kill: stop.kill}
			answer, err = tune.Find(p.query, l, tracker)
			return err
		})
		scr.clear()
		if errors.Is(failed, lab.ErrStopped) && stop.code() != exitDone {
			failed = nil // whoever stopped it knows
		}
		written := writeSearch(env, m, scr, p.outputs, p.dir, ascii, answer.Write)
		if p.save != "" && answer.Found && answer.Complete {
			err := saveProfile(p.save, answer.Recommended.Knobs, p.query)
			if written = errors.Join(written, err); err == nil {
				m.say("wrote the recommended settings to %s", clean(p.save))
			}
		}
		return concluded(stop.code(), errors.Join(failed, written), answer.Status)
	})
}

// concluded is the error that ends a search: a signal outranks a failure, and both
// outrank what the answer says.
func concluded(signal int, failed error, status func(int) (int, error)) error {
	switch {
	case signal != 0:
		return &exitError{signal, failed}
	case failed != nil:
		return &exitError{exitFailed, failed}
	}
	code, err := status(0)
	if code == exitDone {
		return nil
	}
	return &exitError{code, err}
}

// tuneLine says where the search is, the most important first.
func tuneLine(s tune.Progress, o sweep.Objective) string {
	parts := []string{fmt.Sprintf("%s: %s of about %s runs", s.Phase, human.Count(float64(s.RunsDone)), human.Count(float64(s.Runs)))}
	if s.ETA > 0 {
		parts = append(parts, human.Duration(float64(s.ETA))+" left")
	}
	if b := s.Best; b != nil {
		missed := ""
		if !b.Met {
			missed = ", which misses the SLO"
		}
		parts = append(parts, fmt.Sprintf("best %s %s (%s)%s", o.Figure.Short, o.Figure.Say(b.Value), clean(b.Settings), missed))
	}
	return strings.Join(parts, ", ")
}

// watching runs work and shows a line now and then while it goes on.
func watching(line *progress, text func() string, work func() error) error {
	every := plainEvery
	if line.live {
		every = liveEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	done := make(chan error, 1)
	go func() { done <- work() }()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			line.show(text())
		}
	}
}

// saved returns the base of the query with the recommended values.
func saved(q *tune.Query, knobs map[string]string) (settings.Settings, error) {
	s := q.Start
	var faults []error
	for _, a := range q.Space().Axes {
		faults = append(faults, s.Set(a.Knob, knobs[a.Knob], "flag of ferryctl tune"))
	}
	if k, ok := settings.Lookup("clock"); ok {
		faults = append(faults, s.Set("clock", k.Default, "flag of ferryctl tune"))
	}
	s.SLO = s.SLO[:len(s.SLO)-len(q.Implied)]
	return s, errors.Join(faults...)
}

// parseSpan reads a duration that is more than nothing.
func parseSpan(text string) (time.Duration, error) {
	d, err := units.ParseDuration(text)
	if err == nil && (d < time.Second || d > time.Hour) {
		err = fmt.Errorf("%s is out of range: want 1s to 1h", text)
	}
	return d, err
}
