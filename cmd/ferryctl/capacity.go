package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/capacity"
	"ferryctl/bench/export"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload/units"
)

const capacityLong = `Find the highest rate that keeps an SLO, as an interval with its confidence.

The rate of the load (rate, or lane_rate in its proportions) varies; all else stays.
The search is in virtual time. Each seed, a draw of the arrivals, has a highest rate
of its own, found by bisection; the answer goes from the least of them to the most.
An SLO that is missed below the answer, or kept above it, is said, and so is one that
no rate misses, or keeps. The duration of the profile holds at every rate; with
--items a run gets shorter as the rate rises, and a room may outlast it. If other knobs
vary, by lists and ranges as for ferryctl sweep, each of at most 200 settings gets a
search of its own, and the answer says which has the highest.

The answer also has the load-latency curve around it, the headroom of the load as it
is, and with --for how many instances take a rate together. --confirm 1 measures the
answer in real time too, 2 a rate above it, 3 one below it. An SLO that says nothing
of rejected or throughput gets the term rejected<=0.1%.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 3 no rate keeps
the SLO, or it is missed in real time, 4 measurement invalid in real time, 130, 143
or 129 after SIGINT, SIGTERM or SIGHUP.`

const capacityExamples = `  ferryctl capacity --profile hotkeys --slo 'p99<=20ms' --duration 2s
  ferryctl capacity --profile overload --slo 'p99<=100ms,rejected<=0.1%' --for 1M/s --duration 2s
  ferryctl capacity --profile heavy --slo 'p99<=50ms' --seeds 3 --duration 2s -o csv
  ferryctl capacity --profile overload --slo 'p99<=100ms' --batch-size 32,128 --in-flight 2,4 --seeds 2 --duration 1s`

var capacityForms = forms{export.SearchFormats, "capacity"}

// newCapacity builds `ferryctl capacity`.
func newCapacity(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "capacity [flags]",
		Short:   "find the highest rate that keeps an SLO",
		Long:    capacityLong,
		Example: capacityExamples,
	}
	knobs := addKnobs(cmd, env)
	cmd.Flags().Lookup("clock").DefValue = settings.Virtual
	knobs.add(cmd, "for", "", "RATE", "Search", "say how many instances take this rate together")
	knobs.add(cmd, "seeds", "", "N", "Search", "how many draws of the arrivals (default 6)")
	knobs.add(cmd, "within", "", "PERCENT", "Search", "how near each seed's rate is found (default 1%)")
	knobs.add(cmd, "most", "", "RATE", "Search", "highest rate that is tried (default 1024 times the load's)")
	knobs.add(cmd, "jobs", "", "N", "Search", "runs at once in virtual time; changes no figure (default one for each processor)")
	knobs.add(cmd, "confirm", "", "N", "Search", "measure so many points in real time (default 0)")
	knobs.add(cmd, "confirm-for", "", "DURATION", "Search", "how long each of these runs lasts (default 5s)")
	searching(cmd, env, knobs, export.SearchFormats, planCapacity)
	return cmd
}

// A capacityPlan is a search that nothing speaks against.
type capacityPlan struct {
	searchPlan
	query *capacity.Query
	grid  *capacity.GridQuery // instead, if other knobs vary
}

// planCapacity settles everything before anything starts, and reports every fault at
// once.
func planCapacity(m messenger, knobs *knobFlags, args []string, parse error) (*capacityPlan, error) {
	f := &faulty{knobs: knobs, faults: []error{parse, noArguments("capacity", args)}}
	p := &capacityPlan{}
	q := capacity.Query{
		Seeds: f.number("seeds", capacity.MaxSeeds), Confirm: f.count("confirm", capacity.MaxConfirm, 0), Last: f.duration("confirm-for"),
		For: f.amount("for", units.ParseRate), Most: f.amount("most", units.ParseRate), Within: f.amount("within", units.ParsePercent),
	}
	p.searchPlan = f.plan(capacityForms)
	start, axes, err := knobs.startAndAxes(m)
	if f.add(err); err != nil {
		return nil, errors.Join(f.faults...)
	}
	q.Start = start
	f.add(checkTrace(start), checkOutputs(p.outputs, p.dir, filesInUse(knobs.env, start)))
	if p.query, err = capacity.Ask(q); err == nil && len(axes) > 0 {
		p.grid, err = capacity.AskGrid(q, axes)
	}
	f.add(err)
	return p, errors.Join(f.faults...)
}

// amount returns that of a flag, 0 if it was not given; 0 itself is refused.
func (f *faulty) amount(flag string, parse func(string) (float64, error)) float64 {
	text := f.one(flag)
	if text == "" {
		return 0
	}
	v, err := parse(text)
	if err == nil && v <= 0 {
		err = fmt.Errorf("%s: want more than nothing", text)
	}
	f.add(behind("flag --"+flag+": ", err))
	return v
}

// run searches, writes the answer, and returns the error that carries the exit code.
func (p *capacityPlan) run(env *environ, m messenger, d display) error {
	tracker := &capacity.Tracker{}
	s := &searched{
		start: p.query.Start, title: "ferryctl capacity",
		begins: fmt.Sprintf("the highest rate by %d seeds", p.query.Seeds),
		line:   func() string { return capacityLine(tracker.Progress(), tracker.Between()) },
		wrote:  func(messenger) error { return nil },
	}
	if p.grid == nil {
		var answer *capacity.Answer
		s.board = capacityBoard(nil, tracker)
		s.find = func(l lab.Lab) (err error) {
			answer, err = capacity.Find(p.query, l, tracker)
			return err
		}
		s.write = func(w io.Writer, format string) error { return export.WriteCapacity(w, format, answer) }
		s.status = func() (int, error) { return answer.Status(0) }
		return p.search(env, m, d, s)
	}
	var grid *capacity.Grid
	s.begins += fmt.Sprintf(" at each of %d settings", p.grid.Space().Len())
	s.board = capacityBoard(p.grid.Space().Axes, tracker)
	s.find = func(l lab.Lab) (err error) {
		grid, err = capacity.FindGrid(p.grid, l, tracker)
		return err
	}
	s.write = func(w io.Writer, format string) error { return export.WriteCapacityGrid(w, format, grid) }
	s.status = func() (int, error) { return grid.Status() }
	return p.search(env, m, d, s)
}

// capacityLine says where the search is, the most important first.
func capacityLine(p lab.Progress, b capacity.Bracket) string {
	return strings.Join(append(searchParts(p), betweenLines(b)...), ", ")
}

// betweenLines says what is known of the capacity so far.
func betweenLines(b capacity.Bracket) (lines []string) {
	if b.Low > 0 {
		lines = append(lines, "kept at "+human.Rate(b.Low))
	}
	if b.High > 0 && !math.IsInf(b.High, 1) {
		lines = append(lines, "missed at "+human.Rate(b.High))
	}
	return lines
}
