// The load-latency curve around the answer.

package capacity

import (
	"math"
	"slices"

	"ferryctl/bench"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// around are the rates of the curve, as parts of the lowest of the answer.
var around = []float64{0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5}

// curveFigures are those of the curve.
var curveFigures = []string{"throughput", "rejected", "mean", "p50", "p99", "batch", "cost"}

// curve measures rates below, at and above the answer. Without one, it is around the
// load's own rate.
func (s *session) curve(a *Answer) error {
	s.tracker.Phase("curve")
	low, high := a.Low.Or(s.q.nominal), a.High.Or(a.Low.Or(s.q.nominal))
	var rates []float64
	var probes []probe
	for _, part := range around {
		if r := tidy(low * part); r <= s.q.Most || part <= 1 {
			rates = append(rates, r)
		}
	}
	rates = append(rates, high)
	slices.Sort(rates)
	rates = slices.Compact(rates)
	for _, r := range rates {
		probes = append(probes, s.all(r)...)
	}
	err := s.measure(probes)
	best := 0.0
	for _, r := range rates {
		p := s.point(r, low, high)
		if p.Of == 0 {
			continue
		}
		a.Curve = append(a.Curve, p)
		power := p.Figures["throughput_per_s"].Median.Or(0) / p.Figures["sojourn_mean_ns"].Median.Or(math.Inf(1))
		if power > best {
			best, a.Knee = power, bench.Some(r)
		}
		if r == low && a.Low.Known() {
			a.Limits = p.Limits
		}
	}
	a.Fails, a.Unfair = s.firstMissed(high)
	return err
}

// point reads a rate of the curve.
func (s *session) point(rate, low, high float64) Point {
	p := Point{Rate: rate, Place: "at", Figures: map[string]Spread{}, Verdict: map[bench.Verdict]int{}}
	switch {
	case rate < low:
		p.Place = "below"
	case rate > high:
		p.Place = "above"
	}
	for _, x := range s.all(rate) {
		shot := s.shots[x]
		if shot == nil {
			continue
		}
		if p.Of++; p.Of == 1 {
			p.Limits = shot.Limits.String()
		}
		if s.keeps(x) {
			p.Kept++
		}
		p.Verdict[shot.Verdict]++
	}
	for _, f := range Figures() {
		var x Spread
		x.Median, x.Least, x.Most = s.spread(rate, f)
		p.Figures[f.Name] = x
	}
	return p
}

// Figures returns the figures that a point of the curve has.
func Figures() []sweep.Figure {
	out := make([]sweep.Figure, len(curveFigures))
	for i, short := range curveFigures {
		out[i], _ = lab.FigureOf(short) // it is one of them
	}
	return out
}

// firstMissed returns the terms that are missed at a rate, with any seed, and of one
// on fairness the share lane whose error it is.
func (s *session) firstMissed(rate float64) (terms []string, lane string) {
	terms = []string{}
	for _, p := range s.all(rate) {
		shot := s.shots[p]
		if shot == nil {
			continue
		}
		for i, t := range shot.Terms {
			if t.OK {
				continue
			}
			if !slices.Contains(terms, t.Term) {
				terms = append(terms, t.Term)
			}
			if lane == "" && i < len(s.q.Start.SLO) && s.q.Start.SLO[i].Metric == slo.Fairness {
				lane = shot.Unfair
			}
		}
	}
	return terms, lane
}
