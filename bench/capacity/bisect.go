// Bracketing the highest rate, and narrowing it down.

package capacity

import (
	"math"

	"ferryctl/bench/tune/lab"
)

// A bracket is a rate that keeps the SLO and a higher one that doesn't; 0 and
// infinity where there is none that was tried.
type bracket struct{ low, high float64 }

// below and above the load's own rate, the scan looks at so many doublings.
const (
	scanDown = 4
	scanUp   = 2
)

// scan looks at rates that double, with the first seed, and brackets the highest
// that keeps the SLO. It looks at all of them: the SLO may be missed below rates at
// which it is kept.
func (s *session) scan() (bracket, error) {
	s.tracker.Phase("scan")
	var probes []probe
	rate := func(k int) float64 { return tidy(s.q.nominal * math.Pow(2, float64(k))) }
	for k := -scanDown; k <= scanUp; k++ {
		if rate(k) <= s.q.Most {
			probes = append(probes, probe{rate(k), 0})
		}
	}
	if err := s.measure(probes); err != nil {
		return bracket{0, math.Inf(1)}, err
	}
	if err := s.ascend(tidy(rate(scanUp))); err != nil {
		return bracket{0, math.Inf(1)}, err
	}
	return s.widen(s.bracketOf(0), 0, 1)
}

// ascend goes on doubling the rate while none has kept the SLO: more load may cut a
// delay short, or reach the throughput that is asked for. It ends where more load
// gets no more throughput.
func (s *session) ascend(top float64) error {
	for s.bracketOf(0).low == 0 && top < tidy(s.q.Most) && s.rises(top) {
		top = math.Min(tidy(2*top), tidy(s.q.Most))
		if err := s.measure([]probe{{top, 0}}); err != nil {
			return err
		}
	}
	return nil
}

// rises says whether a rate gets a twentieth more throughput than half of it did.
func (s *session) rises(rate float64) bool {
	half, full := s.shots[probe{tidy(rate / 2), 0}], s.shots[probe{rate, 0}]
	if half == nil || full == nil {
		return false
	}
	throughput, _ := lab.FigureOf("throughput")
	before, after := half.Of(throughput), full.Of(throughput)
	return before.Known() && after.Or(0) >= 1.05*before.Or(0)
}

// bracketOf returns the bracket among the rates that were measured with a seed.
func (s *session) bracketOf(seed int) bracket {
	b := bracket{0, math.Inf(1)}
	for _, r := range s.rates() {
		p := probe{r, seed}
		switch {
		case s.shots[p] == nil:
		case s.keeps(p):
			b = bracket{r, math.Inf(1)}
		case math.IsInf(b.high, 1):
			b.high = r
		}
	}
	return b
}

// widen goes on until a seed has a bracket, or the rates that are tried end. by is
// the first step as a part of the rate; steps double.
func (s *session) widen(b bracket, seed int, by float64) (bracket, error) {
	for {
		next := s.further(b, by)
		if next == 0 {
			return b, nil
		}
		if err := s.measure([]probe{{next, seed}}); err != nil {
			return b, err
		}
		if b = s.bracketOf(seed); b.low > 0 && !math.IsInf(b.high, 1) {
			return b, nil
		}
		by = math.Min(1, 2*by)
	}
}

// further returns the rate to try next to get a bracket, 0 if there is one or no
// rate is left.
func (s *session) further(b bracket, by float64) float64 {
	switch {
	case b.low > 0 && math.IsInf(b.high, 1):
		if b.low >= tidy(s.q.Most) {
			return 0
		}
		return math.Min(tidy(b.low*(1+by)), tidy(s.q.Most))
	case b.low == 0 && math.IsInf(b.high, 1):
		return tidy(math.Min(s.q.nominal, s.q.Most))
	case b.low == 0:
		next := tidy(b.high / (1 + by))
		if next < s.q.nominal*math.Pow(2, -doublings) {
			return 0
		}
		return next
	}
	return 0
}

// bisect narrows down the bracket of each seed, from that of the first. All seeds
// take a step at once.
func (s *session) bisect(first bracket) ([]bracket, error) {
	s.tracker.Phase("bisect")
	out := make([]bracket, s.q.Seeds)
	var ends []probe
	for seed := 1; seed < s.q.Seeds; seed++ {
		for _, r := range []float64{first.low, first.high} {
			if r > 0 && !math.IsInf(r, 1) {
				ends = append(ends, probe{r, seed})
			}
		}
	}
	if err := s.measure(ends); err != nil {
		return nil, err
	}
	for seed := range out {
		b, err := s.widen(s.bracketOf(seed), seed, 1)
		if err != nil {
			return nil, err
		}
		out[seed] = b
	}
	for {
		var next []probe
		for seed, b := range out {
			if r := s.between(b); r > 0 {
				next = append(next, probe{r, seed})
			}
		}
		if len(next) == 0 {
			return out, nil
		}
		if err := s.measure(next); err != nil {
			return out, err
		}
		for _, p := range next {
			if s.keeps(p) {
				out[p.seed].low = p.rate
			} else {
				out[p.seed].high = p.rate
			}
		}
	}
}

// between returns the rate to try next within a bracket, 0 if it is narrow enough.
func (s *session) between(b bracket) float64 {
	if b.low == 0 || math.IsInf(b.high, 1) || b.high <= b.low*(1+s.q.Within) {
		return 0
	}
	r := tidy(math.Sqrt(b.low * b.high))
	if r <= b.low || r >= b.high {
		return 0
	}
	return r
}
