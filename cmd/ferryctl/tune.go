package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferryctl/bench/export"
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

var tuneForms = forms{export.SearchFormats, "tune"}

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
	searching(cmd, env, knobs, export.SearchFormats, planTune)
	return cmd
}

// A tunePlan is a search that nothing speaks against.
type tunePlan struct {
	searchPlan
	query *tune.Query
	save  string
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
	p.save = f.one("save")
	p.searchPlan = f.plan(tuneForms)
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
	return p, errors.Join(f.faults...)
}

// run searches, writes the answer, and returns the error that carries the exit code.
func (p *tunePlan) run(env *environ, m messenger, d display) error {
	tracker := &tune.Tracker{}
	var answer *tune.Answer
	return p.search(env, m, d, &searched{
		start: p.query.Start, title: "ferryctl tune",
		begins: human.Count(float64(p.query.Space().Len())) + " points",
		line:   func() string { return tuneLine(tracker.Progress(), tracker.Best(), p.query.Objective) },
		board:  tuneBoard(p.query, tracker),
		find: func(l lab.Lab) (err error) {
			answer, err = tune.Find(p.query, l, tracker)
			return err
		},
		write: func(w io.Writer, format string) error { return export.WriteTune(w, format, answer) },
		wrote: func(m messenger) error {
			switch {
			case p.save == "":
				return nil
			case !answer.Found || !answer.Complete:
				m.say("%s is not written: there are no settings that a search to its end recommends", clean(p.save))
				return nil
			}
			err := saveProfile(p.save, answer.Recommended.Knobs, p.query)
			if err == nil {
				m.say("wrote the recommended settings to %s", clean(p.save))
			}
			return err
		},
		status: func() (int, error) { return answer.Status(0) },
	})
}

// tuneLine says where the search is, the most important first.
func tuneLine(p lab.Progress, b *tune.Best, o sweep.Objective) string {
	parts := searchParts(p)
	if b != nil {
		parts = append(parts, bestLine(b, o))
	}
	return strings.Join(parts, ", ")
}

// bestLine says what is best so far.
func bestLine(b *tune.Best, o sweep.Objective) string {
	missed := ""
	if !b.Met {
		missed = ", which misses the SLO"
	}
	return fmt.Sprintf("best %s %s (%s)%s", o.Figure.Short, o.Figure.Say(b.Value), clean(b.Settings), missed)
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
