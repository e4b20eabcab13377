// The way from the query to the answer.

package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// Find searches, and returns the answer. When it is stopped, it returns what it has
// so far with [lab.ErrStopped]; when a run fails, with that error. What it does does
// not depend on the lab's number of jobs.
func Find(q *Query, l lab.Lab, t *Tracker) (*Answer, error) {
	s := newSession(q, l, t)
	s.tracker.Begin(s.estimate(), 2*time.Duration(q.Confirm)*q.For)
	a := s.blank()
	best, err := s.recommend()
	if best == nil {
		best = s.leader()
	}
	if best == nil {
		return a, err
	}
	s.fill(a, best)
	if err == nil {
		err = s.explain(a, best)
	}
	if err == nil {
		err = s.confirm(a, best)
	}
	a.Runs = s.runs
	for _, p := range s.asked {
		a.Points = append(a.Points, s.candidate(p))
	}
	a.Complete = err == nil
	return a, err
}

// estimate is how many runs a search takes, about.
func (s *session) estimate() int {
	lines := 0
	for _, values := range s.order {
		lines += len(values)
	}
	return min(s.q.space.Len(), s.q.Points) + (leaders+2*len(s.order)+4)*s.q.Seeds + lines
}

// recommend searches, checks and simplifies.
func (s *session) recommend() (*point, error) {
	if err := s.search(); err != nil {
		return nil, err
	}
	best, err := s.check()
	if err != nil || best == nil {
		return best, err
	}
	return s.simplify(best)
}

// blank returns an answer with all that is known before the first run.
func (s *session) blank() *Answer {
	q := s.q
	a := &Answer{
		Asked:     lab.About(Schema, q.searchCommand(), q.before(), q.Implied, q.Seeds),
		Objective: Objective{q.Objective.Figure.Name, q.Objective.Figure.Unit, q.Objective.More},
		Axes:      []Axis{}, Grid: q.space.Len(),
		Buys: []Buys{}, Free: []Free{}, Alternatives: []Candidate{}, Robust: []Variation{}, Obstacles: []Obstacle{},
		Confirmed: []Confirmation{}, Points: []Candidate{},
	}
	for i, axis := range q.space.Axes {
		x := Axis{Knob: axis.Knob, Values: []string{}, Start: s.startText(i)}
		for _, v := range s.order[i] {
			x.Values = append(x.Values, v.Text)
		}
		a.Axes = append(a.Axes, x)
	}
	return a
}

// fill says what the recommended settings are, and whether they are any good.
func (s *session) fill(a *Answer, best *point) {
	c := s.candidate(best)
	a.Recommended, a.Searched = &c, s.found
	if a.Searched == 0 { // stopped on the way
		a.Searched = s.onGrid()
	}
	a.Found = s.scoring.of(best).class < classMissed
	a.Command = s.command(best)
	if c.Verdict != "VALID" {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the measurement of the recommended settings is %s: %s", c.Verdict, c.Reason))
	}
	a.Binding = s.binding(best)
	if !a.Found {
		a.Obstacles = s.obstacles(best)
		if k := s.q.Start.Kernel; !slices.ContainsFunc(s.q.space.Axes, func(x sweep.Axis) bool { return x.Knob == "kernel" }) {
			a.Warnings = append(a.Warnings, fmt.Sprintf("only kernel %s was tried, and each has limits of its own: --kernel make,keyed,perkey --direct off tries all", k))
		}
	}
}

// explain makes the runs that the explanations rest on.
func (s *session) explain(a *Answer, best *point) error {
	s.tracker.Phase("explain")
	if start := s.startPoint(); start != nil {
		if err := s.measure([]*point{start}, s.q.Seeds); err != nil {
			return err
		}
		c := s.candidate(start)
		a.Start = &c
		if start.spot == nil && s.scoring.best([]*point{best, start})[0] == start {
			a.Warnings = append(a.Warnings, "the settings that the search began with are better than any that it was given to choose from")
		}
	}
	for i, p := range s.scoring.best(s.asked) {
		if i < leaders && p != best && len(p.shots) < s.q.Seeds && p.spot != nil {
			if err := s.measure([]*point{p}, s.q.Seeds); err != nil {
				return err
			}
		}
	}
	var err error
	if a.Buys, err = s.buys(best); err != nil {
		return err
	}
	if a.Free, err = s.free(best); err != nil {
		return err
	}
	for _, p := range s.others(best) {
		a.Alternatives = append(a.Alternatives, s.candidate(p))
	}
	a.Robust, err = s.robust(best)
	return err
}

// alternatives are at most so many.
const alternatives = 5

// others returns the best points beside the recommended one, of those measured with
// all seeds. If it meets the SLO, so do they.
func (s *session) others(best *point) []*point {
	met := s.scoring.of(best).class < classMissed
	var out []*point
	for _, p := range s.scoring.best(s.asked) {
		if p == best || len(p.shots) < s.q.Seeds || p.spot == nil || len(out) == alternatives {
			continue
		}
		if class := s.scoring.of(p).class; class == classInvalid || met && class >= classMissed {
			continue
		}
		out = append(out, p)
	}
	return out
}

// candidate writes a point down.
func (s *session) candidate(p *point) Candidate {
	c := Candidate{Knobs: s.knobs(p), Figures: figuresOf(p), Seeds: len(p.shots), OnGrid: p.spot != nil, Verdict: "VALID", Terms: []TermValue{}}
	c.Value = c.Figures[s.scoring.first.Figure.Name]
	for i, shot := range p.shots {
		if i == 0 {
			c.Limits = shot.Limits.String()
		}
		if shot.Met() {
			c.SLOMet++
		}
		if c.Verdict == "VALID" || c.Verdict == "SUSPECT" && shot.Verdict == "INVALID" {
			c.Verdict, c.Reason = shot.Verdict, shot.Reason
		}
	}
	for i, t := range p.terms {
		c.Terms = append(c.Terms, worstOf(p, i, t))
	}
	return c
}

// worstOf returns how a term fared with the seed with which it fared worst.
func worstOf(p *point, term int, t slo.Term) TermValue {
	out := TermValue{Term: t.String(), OK: true}
	for i, shot := range p.shots {
		v := shot.Terms[term]
		if i == 0 || lab.Distance(t, v.Value) > lab.Distance(t, out.Value) {
			out.Value = v.Value
			if t.Metric == slo.Fairness {
				out.Lane = shot.Unfair
			}
		}
		out.OK = out.OK && v.OK
	}
	return out
}

func (s *session) knobs(p *point) map[string]string {
	out := map[string]string{}
	for i, a := range s.q.space.Axes {
		out[a.Knob] = p.texts[i]
	}
	return out
}

// Status returns the exit status that the answer asks for; signal is that of the
// signal that stopped the search, or 0.
func (a *Answer) Status(signal int) (int, error) {
	switch {
	case signal != 0:
		return signal, nil
	case a.Recommended == nil:
		return 1, errors.New("nothing was measured")
	case a.Recommended.Verdict == "INVALID":
		return 4, fmt.Errorf("measurement invalid at the best point: %s", a.Recommended.Reason)
	case !a.Found:
		var faults []error
		for _, o := range a.Obstacles {
			faults = append(faults, errors.New(o.Text))
		}
		return 3, errors.Join(faults...)
	}
	for _, c := range a.Confirmed {
		switch {
		case c.Rank != 1:
		case c.Verdict == "INVALID":
			return 4, fmt.Errorf("in real time the measurement is invalid: %s", c.Reason)
		case !c.SLOMet:
			return 3, fmt.Errorf("SLO met in virtual time, missed in real time: %s", strings.Join(c.Missed, ", "))
		}
	}
	return 0, nil
}
