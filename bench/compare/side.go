// Sides: runs as they are taken in, reduced to what a comparison needs.

package compare

import (
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// MaxRuns is how many runs a side takes in.
const MaxRuns = sweep.MaxRuns

// maxKnobs bounds what a run that somebody has made up may hold.
const maxKnobs = 1000

// A Side is what one argument of a comparison holds. Make it with [NewSide].
type Side struct {
	Name  string
	Sweep bool     // its runs are points of a sweep, told apart by Axes
	Axes  []string // the knobs that vary in it

	runs  []run
	knobs []string          // in the order of the results
	texts map[string]string // each text once
}

// A run is what a comparison keeps of a result: some hundred bytes.
type run struct {
	name       string
	seed       uint64
	hash       string
	verdict    bench.Verdict
	reason     string
	unfinished bool
	turned     bool // its knobs were turned while it ran
	machine    string
	version    string
	clock      string
	began, end int64       // of a run by the real clock, nanoseconds since 1970; 0 if it is not known
	settings   []string    // by Side.knobs
	figures    []bench.Num // as in [sweep.Figures]
}

// NewSide returns a side without runs. axes are the knobs that vary if it is a
// sweep, nil if it is not.
func NewSide(name string, axes []string) *Side {
	return &Side{Name: name, Sweep: axes != nil, Axes: axes, texts: map[string]string{}}
}

// Add takes a result in; name says where it is from.
func (s *Side) Add(name string, r *bench.Result) error {
	if len(s.runs) == MaxRuns {
		return fmt.Errorf("%s holds more than %d runs", s.Name, MaxRuns)
	}
	if n := len(r.Settings); n > maxKnobs {
		return fmt.Errorf("%s has %d settings: want at most %d", name, n, maxKnobs)
	}
	e := r.Environment
	x := run{
		name: name, seed: r.Seed, hash: s.once(r.WorkloadHash), verdict: r.Measurement.Verdict, unfinished: !r.Complete, turned: r.Interactive,
		machine: s.once(fmt.Sprintf("%s/%s, %d processors, %s", e.OS, e.Arch, e.GOMAXPROCS, e.CPUModel)), version: s.once(e.Version + " " + e.Commit), clock: s.once(r.Clock),
	}
	if !e.Started.IsZero() && !e.Ended.IsZero() {
		x.began, x.end = e.Started.UnixNano(), e.Ended.UnixNano()
	}
	if len(r.Measurement.Reasons) > 0 {
		x.reason = r.Measurement.Reasons[0]
	}
	for _, v := range r.Settings {
		at := slices.Index(s.knobs, v.Knob)
		if at < 0 {
			at = len(s.knobs)
			s.knobs = append(s.knobs, s.once(v.Knob))
		}
		for len(x.settings) <= at {
			x.settings = append(x.settings, "")
		}
		x.settings[at] = s.once(v.Text())
	}
	for _, f := range sweep.Figures {
		x.figures = append(x.figures, f.Of(r))
	}
	s.runs = append(s.runs, x)
	return nil
}

// once returns an equal text that is kept already, if there is one.
func (s *Side) once(text string) string {
	if kept, ok := s.texts[text]; ok {
		return kept
	}
	s.texts[text] = text
	return text
}

// knob returns a run's value of a knob, "" if it has none.
func (s *Side) knob(x run, name string) string {
	if at := slices.Index(s.knobs, name); at >= 0 && at < len(x.settings) {
		return x.settings[at]
	}
	return ""
}

// untrusted says why a run does not take part, "" if it does.
func untrusted(x run, trust sweep.Trust) string {
	switch {
	case trust == "all":
		return ""
	case x.turned:
		return "its knobs were turned while it ran: --trust all takes it"
	case x.unfinished:
		return "it was stopped early: --trust all takes it"
	case x.verdict == bench.Suspect && trust != "suspect":
		return "its measurement is SUSPECT (" + x.reason + "): --trust suspect takes it"
	case x.verdict != bench.Valid && x.verdict != bench.Suspect:
		return "its measurement is INVALID (" + x.reason + "): --trust all takes it"
	}
	return ""
}

// A cell is the runs of one setting on one side.
type cell struct {
	key   string // the values of the knobs that tell cells apart
	runs  []run
	again int // runs in virtual time of a seed that is there already: the same run, no repeat of it
}

// cells groups the runs by the values of some knobs, in the order in which they
// come.
func (s *Side) cells(axes []string) ([]*cell, map[string]*cell) {
	var order []*cell
	by := map[string]*cell{}
	for _, x := range s.runs {
		var parts []string
		for _, a := range axes {
			parts = append(parts, a+" "+s.knob(x, a))
		}
		key := strings.Join(parts, ", ")
		c := by[key]
		if c == nil {
			c = &cell{key: key}
			by[key] = c
			order = append(order, c)
		}
		if x.clock == "virtual" && slices.ContainsFunc(c.runs, func(y run) bool { return y.seed == x.seed && slices.Equal(y.settings, x.settings) }) {
			c.again++
			continue
		}
		c.runs = append(c.runs, x)
	}
	return order, by
}
