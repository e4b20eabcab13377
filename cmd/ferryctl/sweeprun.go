// Running a sweep: from the plan to the exit code.

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/export"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/tui"
)

// sweepNews is what a first signal starts in a sweep.
const sweepNews = "no further point is begun, finishing those that run"

// run makes the sweep, writes its outputs, and returns the error that carries its
// exit code.
func (p *sweepPlan) run(env *environ, m messenger) error {
	if err := p.open(); err != nil {
		return usage(err)
	}
	return attend(env, m, sweepNews, func(m messenger, scr *screen, stop *stopper) error {
		p.announce(m)
		failed := p.sweep(env, scr, p.runner(env, stop))
		scr.clear()
		return p.finish(env, m, scr, stop, failed)
	})
}

func (p *sweepPlan) runner(env *environ, stop *stopper) sweep.Runner {
	return sweep.Runner{
		Run: env.run, Jobs: p.jobs, Version: buildName(env.build), Stop: stop.stop, Kill: stop.kill,
		Tracker: sweep.NewTracker(p.objectives, p.trust),
	}
}

// open makes the store of a new sweep. Without --out it is a folder for as long as
// the sweep takes, which stays if it does not come to its end.
func (p *sweepPlan) open() error {
	if p.store != nil {
		return nil
	}
	dir := p.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "ferryctl-sweep-"); err != nil {
			return fmt.Errorf("a folder for the points: %w", err)
		}
	}
	store, err := sweep.Create(dir, p.space, p.header)
	switch {
	case errors.Is(err, sweep.ErrHoldsSweep):
		return hint(fmt.Errorf("flag --out %s: it %w: want another folder, or to go on with it", dir, err), "ferryctl sweep --resume "+quoted(dir))
	case err != nil:
		return fmt.Errorf("flag --out %s: %w", dir, plainError(err))
	}
	p.store = store
	return nil
}

// announce says what begins.
func (p *sweepPlan) announce(m messenger) {
	held, all := p.store.Len()
	for _, r := range p.space.Base.Replaced() {
		m.say("%s %s (%s) gives way to %s (%s)", r.Knob, r.Text, r.Source, r.By, r.BySource)
	}
	if p.header.SeedDrawn && held == 0 {
		m.say("seed %d was drawn; --seed %d repeats this sweep", p.header.Seed, p.header.Seed)
	}
	switch n := p.space.LeftOut; n {
	case 0:
	case 1:
		m.say("1 combination that no run can have is left out")
	default:
		m.say("%s combinations that no run can have are left out", human.Count(float64(n)))
	}
	if s := p.space.Sample; s.Points > p.space.Len()+p.space.LeftOut {
		m.say("of %s points that were drawn, %s differ; each is measured once", human.Count(float64(s.Points)), human.Count(float64(p.space.Len()+p.space.LeftOut)))
	}
	if p.store.Cut > 0 {
		m.say("the last record was cut off and is measured anew")
	}
	if held > 0 {
		m.say("%s of %s runs are there already", human.Count(float64(held)), human.Count(float64(all)))
	}
}

// sweep makes the runs and shows how it is getting on.
func (p *sweepPlan) sweep(env *environ, scr *screen, runner sweep.Runner) error {
	line := &progress{screen: scr, live: !env.plain(), width: env.width}
	line.show(p.what() + ", " + strconv.Itoa(p.jobs) + " at once")
	w := watching{
		line: func() string { return sweepLine(runner.Tracker.Progress(), p.space) },
		common: tui.Common{
			Title: "ferryctl sweep", Profile: p.space.Base.Profile, Seed: p.header.Seed, Virtual: p.header.Clock == settings.Virtual,
		},
		limits: limitsOf(p.space.Base.SLO),
		board:  p.board(runner.Tracker),
	}
	return w.watch(env, scr, line, p.display, func() error { return runner.Sweep(p.store) })
}

// sweepLine says where the sweep is, the most important first.
func sweepLine(s sweep.Progress, space *sweep.Space) string {
	parts := []string{fmt.Sprintf("%s of %s points", human.Count(float64(s.PointsDone)), human.Count(float64(s.Points)))}
	if s.Runs != s.Points {
		parts = append(parts, fmt.Sprintf("%s of %s runs", human.Count(float64(s.RunsDone)), human.Count(float64(s.Runs))))
	}
	if s.ETA > 0 {
		parts = append(parts, human.Duration(float64(s.ETA))+" left")
	}
	for i, b := range s.Best {
		parts = append(parts, fmt.Sprintf("best %s %s (%s)", b.Objective.Figure.Short, b.Objective.Figure.Say(b.Mark.Figures[i]), clean(space.String(space.Point(b.Mark.Point)))))
	}
	return strings.Join(parts, ", ")
}

// finish writes what was measured, says how to go on if that is not all, and
// returns the error that ends the command.
func (p *sweepPlan) finish(env *environ, m messenger, scr *screen, stop *stopper, failed error) error {
	defer p.store.Close() // everything in it is on the disk
	report, err := sweep.Analyse(p.store, p.objectives, p.trust)
	if err != nil {
		return &exitError{exitFailed, errors.Join(failed, err)}
	}
	line := &progress{screen: scr, live: !env.plain(), width: env.width}
	line.writing(env)
	written := writeOutputs(p.outputs, p.dir, p.stdout(env, scr, stop), func(o output) { m.say("wrote %s to %s", o.format, clean(o.file)) },
		func(w io.Writer, format string) error {
			if p.ascii && format == export.SweepFormats[0] {
				w = asciiWriter{w}
			}
			return export.WriteSweep(w, format, report, p.store)
		})
	scr.clear()
	if !report.Complete {
		held, all := p.store.Len()
		m.say("%s of %s runs are kept; go on with", human.Count(float64(held)), human.Count(float64(all)))
		m.say("  %s", p.onward())
	} else if p.dir == "" {
		written = errors.Join(written, os.RemoveAll(p.store.Dir()))
	}
	if errors.Is(failed, sweep.ErrStopped) && stop.code() != exitDone {
		failed = nil // whoever stopped it knows
	}
	return concludeSweep(report, stop.code(), errors.Join(failed, written))
}

// onward is the command with which to go on.
func (p *sweepPlan) onward() string {
	return "ferryctl sweep --resume " + clean(quoted(p.store.Dir())) + clean(p.again)
}

// concludeSweep maps what came of a sweep to the error that ends the command.
func concludeSweep(r *sweep.Report, signal int, failed error) error {
	switch {
	case signal != 0:
		return &exitError{signal, failed}
	case failed != nil:
		return &exitError{exitFailed, failed}
	}
	trusted, judged, met := 0, 0, 0
	for _, o := range r.Outcomes {
		if o.Verdict != bench.Invalid {
			trusted++
		}
		if o.SLO != sweep.NoSLO {
			judged++
		}
		if o.SLO == sweep.SLOMet && o.Verdict != bench.Invalid {
			met++
		}
	}
	switch {
	case trusted == 0 && len(r.Outcomes) > 0:
		return &exitError{exitInvalid, fmt.Errorf("measurement invalid at every point, at the first: %s", r.Outcomes[0].Reason)}
	case judged > 0 && met == 0:
		return &exitError{exitSLOMissed, errors.New("SLO missed at every point")}
	}
	return nil
}

// dryRun prints the points, and on stderr how long they would take.
func (p *sweepPlan) dryRun(env *environ, m messenger) error {
	defer p.close()
	return attend(env, m, "leaving the pilot", func(m messenger, _ *screen, stop *stopper) error {
		if err := p.list(env.stdout); err != nil {
			return err
		}
		if p.missing() == 0 {
			m.say("nothing is left to measure")
			return nil
		}
		e, err := p.runner(env, stop).Estimate(p.space, p.missing())
		switch {
		case stop.code() != exitDone:
			return &exitError{code: stop.code()}
		case err != nil:
			return &exitError{exitFailed, err}
		case e.Total == 0:
			m.say("%s; how long they take can't be told: the length of a run is not known before its end", p.what())
			return nil
		}
		m.say("%s, %d at once: about %s, by a pilot of %d (%s to %s a run)", p.what(), p.jobs,
			human.Duration(float64(e.Total)), e.Pilots, human.Duration(float64(e.Least)), human.Duration(float64(e.Most)))
		return nil
	})
}

// missing is how many runs are to be made.
func (p *sweepPlan) missing() int {
	all := p.header.Points * p.header.Repeat
	if p.store != nil {
		held, _ := p.store.Len()
		all -= held
	}
	return all
}

// list writes the points, one to a line, as a table whose columns are tabs.
func (p *sweepPlan) list(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "point")
	for _, a := range p.space.Axes {
		fmt.Fprint(out, "\t", a.Knob)
	}
	fmt.Fprintln(out)
	for number := range p.space.Len() {
		fmt.Fprint(out, number+1)
		for _, v := range p.space.Point(number + 1).Values {
			fmt.Fprint(out, "\t", clean(v.Text))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
