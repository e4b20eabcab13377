// Checking the leaders with other arrivals, and doing without what costs nothing.

package tune

import (
	"math"
	"slices"
)

// What the check does.
const (
	leaders     = 6     // measured with all seeds at once
	checkRounds = 3     // so many times, until one of them meets the SLO with all seeds
	sameFirst   = 0.005 // part of the objective that a simpler setting may cost
	sameSecond  = 0.01  // part of what decides among equals
)

// check measures the leaders with all seeds and returns the best of them. One seed
// is one draw of the arrivals: the best of many points with it is partly the one
// that suits this draw.
func (s *session) check() (*point, error) {
	s.tracker.Phase("check")
	ranked := s.scoring.best(slices.DeleteFunc(slices.Clone(s.asked), func(p *point) bool { return p.spot == nil }))
	var checked []*point
	for round := range checkRounds {
		next := ranked[min(len(ranked), round*leaders):min(len(ranked), (round+1)*leaders)]
		if err := s.measure(next, s.q.Seeds); err != nil {
			return s.whole(checked), err
		}
		checked = append(checked, next...)
		if best := s.whole(checked); best == nil || s.scoring.of(best).class < classMissed {
			return best, nil
		}
	}
	return s.whole(checked), nil
}

// whole returns the best of the points that were measured with all seeds, nil if
// none was.
func (s *session) whole(points []*point) *point {
	for _, p := range s.scoring.best(points) {
		if len(p.shots) >= s.q.Seeds {
			return p
		}
	}
	return nil
}

// simplify puts one knob after the other back to where it was, or to the value that
// is nearest to that, as long as it costs nothing: a change that buys nothing is only one more to explain. It is a
// matter of settings that meet the SLO; where none do, the nearest stays.
func (s *session) simplify(best *point) (*point, error) {
	at := best
	if s.scoring.of(best).class >= classMissed {
		return at, nil
	}
	for i := range s.order {
		back := s.with(at, i, s.order[i][nearestOf(s.order[i], s.startText(i))].Text)
		if back == nil || back == at {
			continue
		}
		if err := s.measure([]*point{back}, s.q.Seeds); err != nil {
			return at, err
		}
		if s.costless(best, back) {
			at = back
		}
	}
	return at, nil
}

// costless says whether b is as good as a, as near as makes no difference.
func (s *session) costless(a, b *point) bool {
	x, y := s.scoring.of(a), s.scoring.of(b)
	return y.class <= x.class && within(x.first, y.first, sameFirst) && within(x.second, y.second, sameSecond) ||
		s.scoring.compare(y, x) < 0
}

// within says whether two values are no further apart than a part of the first.
func within(a, b, part float64) bool { return math.Abs(b-a) <= part*math.Abs(a) }

// with returns p with another value on one axis, nil if that can't be run.
func (s *session) with(p *point, axis int, text string) *point {
	texts := slices.Clone(p.texts)
	texts[axis] = text
	return s.point(texts)
}
