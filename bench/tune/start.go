// Where the settings are before the search.

package tune

import (
	"math"
	"slices"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// startText returns what the knob of an axis is now.
func (s *session) startText(axis int) string {
	a := s.q.space.Axes[axis]
	now := s.q.Start.Get(a.Knob)
	k, _ := settings.Lookup(a.Knob) // Parse has seen it
	for _, v := range s.order[axis] {
		if same(k, v.Text, now) {
			return v.Text // one text for one value
		}
	}
	return now
}

// startPoint returns the settings as they are now, nil if they can't be run.
func (s *session) startPoint() *point {
	texts := make([]string, len(s.order))
	for i := range texts {
		texts[i] = s.startText(i)
	}
	return s.point(texts)
}

// nearestOf returns which of the values is nearest to a text, by ratio where both
// are more than nothing.
func nearestOf(values []sweep.Value, text string) int {
	if i := slices.IndexFunc(values, func(v sweep.Value) bool { return v.Text == text }); i >= 0 {
		return i
	}
	want := sweep.Amount(text)
	best, least := 0, math.Inf(1)
	for i, v := range values {
		far := math.Abs(v.Amount - want)
		if v.Amount > 0 && want > 0 {
			far = math.Abs(math.Log(v.Amount / want))
		}
		if far < least {
			best, least = i, far
		}
	}
	return best
}
