// The search for the best point of the grid.

package tune

import (
	"errors"
	"slices"

	"ferryctl/bench/sweep"
)

// What the search does at most.
const (
	descents     = 3  // points of the design from which it goes down
	perAxis      = 5  // points of the design for each axis
	designPart   = 20 // one in so many points of the grid is in the design, at most
	wholeLine    = 24 // values of a knob that are all looked at; of more, so many
	fewWords     = 8  // values that are words, of which all are tried at each step
	restartsMost = 8
)

// errSpent ends a search that has measured all the points that it may.
var errSpent = errors.New("all points are spent")

// search measures points of the grid until none that it looks at is better than the
// best, or all that it may are measured.
func (s *session) search() error {
	err := s.steps()
	if errors.Is(err, errSpent) {
		err = nil
	}
	s.found = s.onGrid()
	return err
}

func (s *session) steps() error {
	if s.q.space.Len() <= s.q.Points {
		return s.everything()
	}
	s.tracker.Phase("design")
	if err := s.design(); err != nil {
		return err
	}
	s.tracker.Phase("descent")
	for _, from := range s.apart(descents) {
		if err := s.descend(from); err != nil {
			return err
		}
	}
	s.tracker.Phase("lines")
	if err := s.lines(s.leader()); err != nil {
		return err
	}
	return s.restart()
}

// everything measures all of a small grid.
func (s *session) everything() error {
	s.tracker.Phase("grid")
	var all []*point
	for n := range s.q.space.Len() {
		p := s.q.space.Point(n + 1)
		texts := make([]string, len(p.Values))
		for i, v := range p.Values {
			texts[i] = v.Text
		}
		all = append(all, s.point(texts))
	}
	return s.measure(all, 1)
}

// poll measures points of the grid and returns them, without those that there are
// none of. It measures no more than there are to spend.
func (s *session) poll(spots [][]int) ([]*point, error) {
	var points, fresh []*point
	for _, spot := range spots {
		p := s.at(spot)
		if p == nil || slices.Contains(points, p) {
			continue
		}
		points = append(points, p)
		if len(p.shots) == 0 {
			fresh = append(fresh, p)
		}
	}
	left := s.q.Points - s.onGrid()
	spent := len(fresh) > left
	if err := s.measure(fresh[:min(len(fresh), max(0, left))], 1); err != nil {
		return nil, err
	}
	if spent {
		return nil, errSpent
	}
	return points, nil
}

// onGrid counts the points of the grid that were measured.
func (s *session) onGrid() int {
	n := 0
	for _, p := range s.asked {
		if p.spot != nil {
			n++
		}
	}
	return n
}

// design measures the start and points all over the grid.
func (s *session) design() error {
	spots := [][]int{s.nearest()}
	n := min(max(4, s.q.space.Len()/designPart), perAxis*len(s.order), s.q.Points/2)
	spread, err := s.spread(n, 0)
	if err != nil {
		return err
	}
	_, err = s.poll(append(spots, spread...))
	return err
}

// spread returns spots of a Latin hypercube of n points over the grid.
func (s *session) spread(n, stream int) ([][]int, error) {
	base := s.q.Start
	base.Seed += uint64(stream) << 32 //nolint:gosec // not negative; seeds wrap
	drawn, err := sweep.NewSpace(base, s.q.space.Axes, sweep.Sample{Points: n, Design: sweep.LatinHypercube}, true)
	if err != nil {
		if _, impossible := errors.AsType[*sweep.ImpossibleError](err); impossible {
			return nil, nil // none of those that were drawn can be run
		}
		return nil, err
	}
	var spots [][]int
	for i := range drawn.Len() {
		spot := make([]int, len(s.order))
		for axis, v := range drawn.Point(i + 1).Values {
			spot[axis] = slices.IndexFunc(s.order[axis], func(o sweep.Value) bool { return o.Text == v.Text }) // words have no amount to compare
		}
		spots = append(spots, spot)
	}
	return spots, nil
}

// nearest returns the spot that is nearest to what the settings are now.
func (s *session) nearest() []int {
	spot := make([]int, len(s.order))
	for i, values := range s.order {
		spot[i] = nearestOf(values, s.startText(i))
	}
	return spot
}

// apart returns up to n of the best points so far of which no two are neighbours.
func (s *session) apart(n int) []*point {
	var out []*point
	for _, p := range s.scoring.best(s.asked) {
		near := slices.ContainsFunc(out, func(q *point) bool {
			far := 0
			for i := range p.spot {
				far = max(far, abs(p.spot[i]-q.spot[i]))
			}
			return far <= 1
		})
		if !near && len(out) < n {
			out = append(out, p)
		}
	}
	return out
}

// restart goes down from further points of the grid while there are points to
// spend.
func (s *session) restart() error {
	for i := range restartsMost {
		s.tracker.Phase("descent")
		spots, err := s.spread(2*len(s.order), i+1)
		if err != nil {
			return err
		}
		points, err := s.poll(spots)
		if err != nil || len(points) == 0 {
			return err
		}
		before := s.leader()
		if err := s.descend(s.scoring.best(points)[0]); err != nil {
			return err
		}
		if s.leader() != before {
			s.tracker.Phase("lines")
			if err := s.lines(s.leader()); err != nil {
				return err
			}
		}
	}
	return nil
}

func abs(n int) int { return max(n, -n) }
