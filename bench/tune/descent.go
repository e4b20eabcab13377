// Going down from a point: a pattern search over the places of values, and whole
// lines of values.

package tune

import (
	"slices"
)

// descend goes from a point to one that no neighbour beats. The steps of a knob are
// counted in its values, so a knob whose values double is searched by ratios.
func (s *session) descend(from *point) error {
	at := from
	steps := make([]int, len(s.order))
	for i, values := range s.order {
		steps[i] = max(1, len(values)/4)
	}
	for {
		points, err := s.poll(s.around(at.spot, steps))
		if err != nil {
			return err
		}
		next, err := s.step(at, points)
		switch {
		case err != nil:
			return err
		case next != at:
			at = next
			continue
		case shrink(steps):
			continue
		}
		// One knob alone changes nothing for the better; two together may.
		points, err = s.poll(diagonals(at.spot))
		if err != nil {
			return err
		}
		if next = s.better(at, points); next == at {
			return nil
		}
		at = next
	}
}

// step returns the best of the points, or the one that makes all their steps at
// once that are for the better; at itself if none is.
func (s *session) step(at *point, points []*point) (*point, error) {
	next := s.better(at, points)
	joint, moves := slices.Clone(at.spot), 0
	for axis := range at.spot {
		var along []*point
		for _, p := range points {
			if p.spot[axis] != at.spot[axis] {
				along = append(along, p)
			}
		}
		if b := s.better(at, along); b != at {
			joint[axis] = b.spot[axis]
			moves++
		}
	}
	if moves < 2 {
		return next, nil
	}
	all, err := s.poll([][]int{joint})
	return s.better(next, all), err
}

// better returns the best of the points and at, at if it is as good.
func (s *session) better(at *point, points []*point) *point {
	for _, p := range points {
		if s.scoring.compare(s.scoring.of(p), s.scoring.of(at)) < 0 {
			at = p
		}
	}
	return at
}

// shrink halves the steps and says whether that changed one.
func shrink(steps []int) bool {
	changed := false
	for i, n := range steps {
		steps[i] = max(1, n/2)
		changed = changed || steps[i] != n
	}
	return changed
}

// around returns the spots that are a step off in one knob; for a few words, all of
// its values.
func (s *session) around(spot, steps []int) [][]int {
	var out [][]int
	for i := range spot {
		if !s.q.space.Axes[i].Numeric() && len(s.order[i]) <= fewWords {
			for l := range s.order[i] {
				out = append(out, moved(spot, i, l-spot[i]))
			}
			continue
		}
		out = append(out, moved(spot, i, -steps[i]), moved(spot, i, steps[i]))
	}
	return out
}

// diagonals returns the spots that are one off in two knobs.
func diagonals(spot []int) [][]int {
	var out [][]int
	for i := range spot {
		for j := range i {
			for _, a := range []int{-1, 1} {
				for _, b := range []int{-1, 1} {
					out = append(out, moved(moved(spot, i, a), j, b))
				}
			}
		}
	}
	return out
}

func moved(spot []int, axis, by int) []int {
	out := slices.Clone(spot)
	out[axis] += by
	return out
}

// lines looks at all values of each knob through a point, goes on from the best of
// them, and ends when there is none better.
func (s *session) lines(at *point) error {
	for {
		var spots [][]int
		for axis := range s.order {
			spots = append(spots, s.line(at.spot, axis)...)
		}
		points, err := s.poll(spots)
		if err != nil {
			return err
		}
		next, err := s.step(at, points)
		if err != nil {
			return err
		}
		if next == at {
			return nil
		}
		if at = next; !slices.Contains(points, at) {
			continue
		}
		if err := s.descendOne(at); err != nil {
			return err
		}
		at = s.better(at, s.asked)
	}
}

// descendOne goes on by single steps.
func (s *session) descendOne(at *point) error {
	ones := slices.Repeat([]int{1}, len(at.spot))
	for {
		points, err := s.poll(s.around(at.spot, ones))
		if err != nil {
			return err
		}
		next, err := s.step(at, points)
		if err != nil || next == at {
			return err
		}
		at = next
	}
}

// line returns the spots along one knob; of very many values, an even part.
func (s *session) line(spot []int, axis int) [][]int {
	n := len(s.order[axis])
	every := max(1, (n+wholeLine-1)/wholeLine)
	var out [][]int
	for l := 0; l < n; l += every {
		out = append(out, moved(spot, axis, l-spot[axis]))
	}
	return append(out, moved(spot, axis, n-1-spot[axis]))
}
