// The session of a search: rates, each measured once with each seed.

package capacity

import (
	"math"
	"slices"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload/units"
)

// A probe is a rate with a seed.
type probe struct {
	rate float64
	seed int
}

// A session measures rates and remembers them.
type session struct {
	q       *Query
	lab     lab.Lab
	tracker *Tracker
	at      []string // the values on the axes, if there are any
	shots   map[probe]*lab.Shot
}

// measure makes the runs that are missing.
func (s *session) measure(probes []probe) error {
	var all []settings.Settings
	var fresh []probe
	for _, p := range probes {
		if s.shots[p] == nil && !slices.Contains(fresh, p) {
			fresh, all = append(fresh, p), append(all, s.q.at(p.rate, p.seed))
		}
	}
	s.tracker.Expect(len(all))
	shots, err := lab.Measure(s.lab, all, lab.Keep, func(i int) { s.tracker.Trying(s.texts(fresh[i])) }, func(i int, shot *lab.Shot) {
		s.tracker.Ended()
		s.tracker.Tried(s.texts(fresh[i]), shot)
	})
	for i, shot := range shots {
		if shot != nil {
			s.shots[fresh[i]] = shot
		}
	}
	return err
}

// texts names a probe: the values on the axes, and its rate.
func (s *session) texts(p probe) []string {
	return append(slices.Clone(s.at), units.FormatRate(p.rate))
}

// keeps says whether the SLO is kept there. A run whose figures say nothing, for its
// items did not end, does not keep it.
func (s *session) keeps(p probe) bool {
	shot := s.shots[p]
	return shot != nil && shot.Verdict != bench.Invalid && shot.Met()
}

// all returns a rate with every seed.
func (s *session) all(rate float64) []probe {
	out := make([]probe, s.q.Seeds)
	for i := range out {
		out[i] = probe{rate, i}
	}
	return out
}

// rates returns those that were measured, ascending.
func (s *session) rates() []float64 {
	var out []float64
	for p := range s.shots {
		out = append(out, p.rate)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// spread returns the median of a figure over the seeds at a rate, and its least and
// most.
func (s *session) spread(rate float64, f sweep.Figure) (mid, least, most bench.Num) {
	var all []float64
	for _, p := range s.all(rate) {
		if shot := s.shots[p]; shot != nil {
			if v, ok := shot.Of(f).Get(); ok {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	return bench.Some(middle(all)), bench.Some(all[0]), bench.Some(all[len(all)-1])
}

// middle returns the median of sorted values.
func middle(all []float64) float64 {
	n := len(all)
	return all[(n-1)/2]/2 + all[n/2]/2
}

// tidy rounds a rate to four digits, so that it can be typed.
func tidy(rate float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(rate))-3)
	if scale < 1 {
		inverse := math.Round(1 / scale)
		return math.Round(rate*inverse) / inverse
	}
	return math.Round(rate/scale) * scale
}
