// What commands that search have in common: their flags and their run.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
	"ferryctl/tui"
)

// A search is a plan to look for something.
type search interface {
	run(env *environ, m messenger, d display) error
}

// searching adds to a command that searches what all of these have.
func searching[P search](cmd *cobra.Command, env *environ, knobs *knobFlags, formats []string, settled settle[P]) {
	knobs.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write the answer as "+strings.Join(formats, ", ")+", repeatable; the table goes to stdout unless another format does")
	knobs.add(cmd, "out", "", "DIR", "Output", "write every format into a folder")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	_ = cmd.MarkFlagDirname("out")                                                                                    // so is this one
	displayed(cmd, env, knobs, settled, func(env *environ, m messenger, p P, d display) error { return p.run(env, m, d) })
}

// A searchPlan is what the plans of searches have in common.
type searchPlan struct {
	jobs    int
	outputs []output
	dir     string
}

// plan reads the flags of a searchPlan.
func (f *faulty) plan(names forms) searchPlan {
	p := searchPlan{jobs: f.number("jobs", 1024), dir: f.one("out")}
	if p.jobs == 0 {
		p.jobs = sweep.Jobs(settings.Virtual)
	}
	outs, err := parseOutputs(f.knobs.all("output"), p.dir, names)
	f.add(err)
	p.outputs = outs
	return p
}

// searched is a search that is about to be made.
type searched struct {
	start  settings.Settings
	title  string // of the screen
	begins string // what is said first
	line   func() string
	board  func(over bool) *tui.Board
	find   func(lab.Lab) error
	write  func(w io.Writer, format string) error
	wrote  func(messenger) error // what else there is to write
	status func() (code int, err error)
}

// search makes the search, writes its answer, and returns the error that carries
// the exit code.
func (p *searchPlan) search(env *environ, m messenger, d display, s *searched) error {
	return attend(env, m, "no further run is begun, finishing those that run", func(m messenger, scr *screen, stop *stopper) error {
		for _, r := range s.start.Replaced() {
			m.say("%s %s (%s) gives way to %s (%s)", r.Knob, r.Text, r.Source, r.By, r.BySource)
		}
		if !s.start.SeedGiven {
			m.say("seed %d was drawn; --seed %d repeats this search", s.start.Seed, s.start.Seed)
		}
		line := &progress{screen: scr, live: !env.plain(), width: env.width}
		line.show(fmt.Sprintf("%s, %d at once", s.begins, p.jobs))
		w := watching{
			line: s.line, board: s.board, limits: limitsOf(s.start.SLO),
			common: tui.Common{Title: s.title, Profile: s.start.Profile, Seed: s.start.Seed, Virtual: true},
		}
		failed := w.watch(env, scr, line, d, func() error {
			return s.find(lab.Lab{Run: env.run, Jobs: p.jobs, Version: buildName(env.build), Stop: stop.stop, Kill: stop.kill})
		})
		scr.clear()
		if errors.Is(failed, lab.ErrStopped) && stop.code() != exitDone {
			failed = nil // whoever stopped it knows
		}
		line.writing(env)
		wrote := func(o output) { m.say("wrote %s to %s", o.format, clean(o.file)) }
		written := writeOutputs(p.outputs, p.dir, d.stdout(env, scr, stop), wrote, func(w io.Writer, format string) error {
			if d.ascii && format == "table" {
				w = asciiWriter{w}
			}
			return s.write(w, format)
		})
		scr.clear()
		return concluded(stop.code(), errors.Join(failed, written, s.wrote(m)), s.status)
	})
}

// concluded is the error that ends a search: a signal outranks a failure, and both
// outrank what the answer says.
func concluded(signal int, failed error, status func() (int, error)) error {
	switch {
	case signal != 0:
		return &exitError{signal, failed}
	case failed != nil:
		return &exitError{exitFailed, failed}
	}
	code, err := status()
	if code == exitDone {
		return nil
	}
	return &exitError{code, err}
}

// searchParts says how far a search is.
func searchParts(p lab.Progress) []string {
	parts := []string{fmt.Sprintf("%s: %s of about %s runs", p.Phase, human.Count(float64(p.RunsDone)), human.Count(float64(p.Runs)))}
	if p.ETA > 0 {
		parts = append(parts, human.Duration(float64(p.ETA))+" left")
	}
	return parts
}
