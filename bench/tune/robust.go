// The recommended settings under a load that is not the one they were chosen for,
// and by the real clock.

package tune

import (
	"slices"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// off is how far the load is off, either way.
const off = 0.20

// A shift is a load that is off by a part.
type shift struct {
	knob, value string
	by          float64
	at          settings.Settings
}

// shifts returns the loads that are off: the rate, whatever gives it, and the skew
// of the keys.
func shifts(s settings.Settings) []shift {
	var out []shift
	for _, by := range []float64{-off, off} {
		at := s
		var knob string
		switch {
		case s.Trace != "" && s.Rate.Max:
			continue
		case s.Trace != "":
			knob, at.Speed = "speed", s.Speed*(1+by)
		case s.Clients > 0:
			knob, at.Clients = "clients", max(1, int(float64(s.Clients)*(1+by)+0.5))
		case len(s.LaneRate) > 0:
			knob, at.LaneRate = "lane_rate", slices.Clone(s.LaneRate)
			for i := range at.LaneRate {
				at.LaneRate[i].Rate = scaled(at.LaneRate[i].Rate, 1+by)
			}
		default:
			knob, at.Rate = "rate", scaled(s.Rate, 1+by)
		}
		out = append(out, shift{knob, at.Get(knob), by, at})
	}
	for _, by := range []float64{-off, off} {
		if s.KeySkew > 0 && s.Trace == "" {
			at := s
			at.KeySkew *= 1 + by
			out = append(out, shift{"key_skew", units.FormatNumber(rounded(at.KeySkew)), by, at})
		}
	}
	return out
}

// scaled returns so many times a rate.
func scaled(r workload.Rate, by float64) workload.Rate {
	r.PerSecond, r.Ramp.From, r.Ramp.To = r.PerSecond*by, r.Ramp.From*by, r.Ramp.To*by
	return r
}

// robust measures the point under loads that are off, with all seeds.
func (s *session) robust(best *point) ([]Variation, error) {
	out := []Variation{}
	base, err := s.settings(best, 0)
	if err != nil {
		return out, err
	}
	all := shifts(base)
	var runs []settings.Settings
	for _, x := range all {
		for seed := range s.q.Seeds {
			at := x.at
			at.Seed += uint64(seed) //nolint:gosec // not negative; seeds wrap
			runs = append(runs, at)
		}
	}
	s.tracker.Expect(len(runs))
	shots, err := lab.Measure(s.lab, runs, lab.Keep, func(int) {}, func(int, *lab.Shot) { s.tracker.Ended() })
	if err != nil {
		return out, err
	}
	s.runs += len(runs)
	f := s.scoring.first.Figure
	for i, x := range all {
		p := &point{terms: best.terms, shots: shots[i*s.q.Seeds : (i+1)*s.q.Seeds]}
		v := Variation{Knob: x.knob, Value: x.value, By: x.by, Missed: missedAt(p), Verdict: true}
		v.Figure = figuresOf(p)[f.Name]
		v.Change = change(f, best.median(f), p.median(f))
		v.SLOMet = len(v.Missed) == 0
		for _, shot := range p.shots {
			v.Verdict = v.Verdict && shot.Verdict == bench.Valid
		}
		out = append(out, v)
	}
	return out, nil
}

// confirm measures the best few by both clocks.
func (s *session) confirm(a *Answer, best *point) error {
	if s.q.Confirm == 0 {
		return nil
	}
	s.tracker.Phase("confirm")
	points := append([]*point{best}, s.others(best)...)
	for i, p := range points[:min(len(points), s.q.Confirm)] {
		at, err := s.settings(p, 0)
		if err != nil {
			return err
		}
		r, err := s.lab.Both(at, s.q.For)
		if err != nil {
			return err
		}
		a.Confirmed = append(a.Confirmed, s.confirmed(i+1, p, r))
	}
	return nil
}

func (s *session) confirmed(rank int, p *point, r *bench.Result) Confirmation {
	c := Confirmation{Rank: rank, Knobs: s.knobs(p), Confirmed: lab.ConfirmedBy(r, s.q.For)}
	c.SLOMet = len(c.Missed) == 0
	c.Trust = r.Model != nil && r.Model.Trust
	return c
}
