// The session of a search: its points, each measured once with each seed.

package tune

import (
	"slices"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// A point is a value for each axis, on the grid or off it, and what was measured
// there.
type point struct {
	texts []string
	spot  []int       // where it is on the grid, by the order of the values; nil if it is off it
	terms []slo.Term  // of the SLO
	shots []*lab.Shot // one for each seed so far
}

// median returns that of a figure over the seeds; 0 if it is unknown, which a score
// has a class for.
func (p *point) median(f sweep.Figure) float64 {
	var all []float64
	for _, s := range p.shots {
		if v, ok := s.Of(f).Get(); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	n := len(all)
	return all[(n-1)/2]/2 + all[n/2]/2
}

// A session measures points and remembers them.
type session struct {
	q       *Query
	lab     lab.Lab
	tracker *Tracker
	scoring scoring

	order  [][]sweep.Value // of each axis, its values by amount; words as they were given
	exists map[string]bool // the points of the grid that can be run
	points map[string]*point
	asked  []*point // in the order in which they were first measured
	found  int      // how many of them it took to find the best
	runs   int
}

func newSession(q *Query, l lab.Lab, t *Tracker) *session {
	if t == nil {
		t = &Tracker{} // for nobody
	}
	s := &session{q: q, lab: l, tracker: t, scoring: newScoring(q.Objective), exists: map[string]bool{}, points: map[string]*point{}}
	for _, a := range q.space.Axes {
		values := slices.Clone(a.Values)
		if a.Numeric() {
			slices.SortStableFunc(values, byAmount)
		}
		s.order = append(s.order, values)
	}
	for n := range q.space.Len() {
		p := q.space.Point(n + 1)
		texts := make([]string, len(p.Values))
		for i, v := range p.Values {
			texts[i] = v.Text
		}
		s.exists[strings.Join(texts, "\x00")] = true
	}
	return s
}

// at returns the point of the grid at a spot, nil if there is none that can be run.
func (s *session) at(spot []int) *point {
	texts := make([]string, len(spot))
	for i, l := range spot {
		if l < 0 || l >= len(s.order[i]) {
			return nil
		}
		texts[i] = s.order[i][l].Text
	}
	return s.point(texts)
}

// point returns the point of these values, nil if it can't be run.
func (s *session) point(texts []string) *point {
	key := strings.Join(texts, "\x00")
	if p := s.points[key]; p != nil {
		return p
	}
	p := &point{texts: slices.Clone(texts), terms: s.q.Start.SLO}
	if s.exists[key] {
		for i, text := range texts {
			p.spot = append(p.spot, slices.IndexFunc(s.order[i], func(v sweep.Value) bool { return v.Text == text }))
		}
	} else if at, err := s.settings(p, 0); err != nil || at.Validate() != nil {
		return nil
	}
	s.points[key] = p
	return p
}

// settings returns those of a point by the seed with a number, from 0.
func (s *session) settings(p *point, seed int) (settings.Settings, error) {
	at := s.q.space.Base
	for i, a := range s.q.space.Axes {
		if err := at.Set(a.Knob, p.texts[i], a.Source); err != nil {
			return at, err
		}
	}
	at.Seed += uint64(seed) //nolint:gosec // not negative; seeds wrap
	return at, nil
}

// measure makes the runs that some points lack to have been measured with so many
// seeds. Points that are nil, or there twice, are passed over.
func (s *session) measure(points []*point, seeds int) error {
	var all []settings.Settings
	var of []*point
	seen := map[*point]bool{}
	for _, p := range points {
		if p == nil || seen[p] {
			continue
		}
		seen[p] = true
		for seed := len(p.shots); seed < seeds; seed++ {
			at, err := s.settings(p, seed)
			if err != nil {
				return err
			}
			all, of = append(all, at), append(of, p)
		}
	}
	s.tracker.Expect(len(all))
	shots, err := lab.Measure(s.lab, all, lab.Keep, func(i int) { s.tracker.Trying(of[i].texts) }, func(i int, shot *lab.Shot) {
		s.tracker.Ended()
		s.tracker.Tried(of[i].texts, shot)
	})
	for i, shot := range shots {
		if shot == nil {
			continue
		}
		p := of[i]
		if at, err := s.settings(p, len(p.shots)); err != nil || at.Seed != all[i].Seed {
			continue // one before it was not made
		}
		if len(p.shots) == 0 {
			s.asked = append(s.asked, p)
		}
		p.shots = append(p.shots, shot)
		s.runs++
	}
	s.tell()
	return err
}

// tell shows the best so far to whoever looks on.
func (s *session) tell() {
	if best := s.leader(); best != nil {
		s.tracker.best.Store(&Best{Settings: s.say(best), Texts: best.texts, Value: best.median(s.scoring.first.Figure), Met: s.scoring.of(best).class < classMissed, Points: len(s.asked)})
	}
}

// leader is the best point that was measured, nil before the first.
func (s *session) leader() *point {
	var best *point
	for _, p := range s.asked {
		if p.spot != nil && (best == nil || s.scoring.compare(s.scoring.of(p), s.scoring.of(best)) < 0) {
			best = p
		}
	}
	return best
}

// say writes a point as settings.
func (s *session) say(p *point) string {
	parts := make([]string, len(p.texts))
	for i, a := range s.q.space.Axes {
		parts[i] = a.Knob + " " + p.texts[i]
	}
	return strings.Join(parts, ", ")
}
