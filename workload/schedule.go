// Schedules: when the items of one process arrive, and several processes as one.

package workload

import (
	"math"
	"math/bits"
	"time"

	"ferryctl/internal/detmath"
)

// A process gives the arrival times of one arrival process.
//
// Time is first counted in expected arrivals: a process of unit rate, whose n-th
// item comes at n (constant) or at the sum of n+1 exponential gaps of mean 1
// (Poisson). That count is then mapped to a time by the inverse of the
// cumulative rate, the number of arrivals expected up to a time. This is exact
// for any rate that changes with time (Çinlar, "Introduction to Stochastic
// Processes", 1975, ch. 4), and only whole sums are ever rounded to
// nanoseconds, so the rounding neither accumulates nor biases the rate.
type process struct {
	kind   ArrivalKind
	gaps   detmath.Stream
	n      uint64  // items given so far
	whole  int64   // expected arrivals so far are whole + part, 0 <= part < 1;
	part   float64 // kept apart, the sum stays exact after any number of items
	curve  curve
	phases *phases // bursty, else nil
	last   time.Duration
}

func newProcess(a Arrivals, r Rate, seed uint64, lane string) process {
	p := process{kind: a.Kind, gaps: detmath.NewStream(seed, "gap", lane), curve: newCurve(r)}
	if a.Kind == Bursty {
		p.phases = newPhases(a, detmath.NewStream(seed, "phase", lane))
	}
	return p
}

// next returns the offset of the next item; offsets never decrease. ok is false
// if it lies beyond the largest Duration, 292 years.
func (p *process) next() (at time.Duration, ok bool) {
	var ns float64
	if p.kind == Constant {
		if at, ok = p.curve.exact(p.n); ok {
			p.n++
			return at, true
		}
		ns = p.curve.inverse(float64(p.n))
	} else {
		sum := p.part + p.gaps.Exponential(p.n)
		step := int64(sum)
		p.whole, p.part = p.whole+step, sum-float64(step)
		expected := float64(p.whole) + p.part
		if p.phases != nil {
			expected = p.phases.base(expected, &p.curve)
		}
		ns = p.curve.inverse(expected)
	}
	p.n++
	if !(ns < math.MaxInt64) {
		return 0, false
	}
	p.last = max(p.last, time.Duration(ns))
	return p.last, true
}

// A curve is the cumulative rate of a [Rate] and its inverse. With rates in
// arrivals per nanosecond, the expected arrivals up to t on a ramp from f to g
// over d are f t + (g-f) t²/(2d) as long as t < d, then area + g (t-d).
type curve struct {
	from, to float64 // arrivals per ns
	period   float64 // ns per arrival at the rate to
	over     float64 // ns; 0 if the rate is steady
	area     float64 // expected arrivals during the ramp
	perSec   uint64  // the steady rate if it is a whole number per second since the start, else 0
	since    float64 // ns; where a steady rate began that is not the first
	before   float64 // arrivals expected until then
}

func newCurve(r Rate) curve {
	if r.IsRamp() {
		c := curve{from: r.Ramp.From / 1e9, to: r.Ramp.To / 1e9, period: 1e9 / r.Ramp.To, over: float64(r.Ramp.Over)}
		c.area = float64(float64(c.over*(c.from+c.to)) * 0.5)
		return c
	}
	c := curve{to: r.PerSecond / 1e9, period: 1e9 / r.PerSecond}
	if whole := uint64(r.PerSecond); float64(whole) == r.PerSecond {
		c.perSec = whole
	}
	return c
}

// exact returns the time of the n-th arrival at a steady whole rate, n seconds
// divided by the rate, rounded down once.
func (c *curve) exact(n uint64) (time.Duration, bool) {
	hi, lo := bits.Mul64(n, uint64(time.Second))
	if c.perSec == 0 || hi >= c.perSec {
		return 0, false
	}
	ns, _ := bits.Div64(hi, lo, c.perSec)
	return time.Duration(ns), ns <= math.MaxInt64
}

// inverse returns the time in ns at which so many arrivals are expected.
func (c *curve) inverse(expected float64) float64 {
	switch {
	case expected <= 0:
		return 0
	case c.over == 0:
		return c.since + float64((expected-c.before)*c.period)
	case expected >= c.area:
		return c.over + float64((expected-c.area)*c.period)
	}
	// The root of the quadratic in the form that does not cancel.
	rise := (c.to - c.from) / c.over
	square := max(0, float64(c.from*c.from)+float64(float64(2*rise)*expected))
	return float64(2*expected) / (c.from + math.Sqrt(square))
}

// expected returns the arrivals expected up to ns.
func (c *curve) expected(ns float64) float64 {
	if c.over == 0 {
		return c.before + float64(c.to*(ns-c.since))
	}
	if ns >= c.over {
		return c.area + float64(c.to*(ns-c.over))
	}
	rise := (c.to - c.from) / c.over
	return float64(ns * (c.from + float64(float64(rise*ns)*0.5)))
}

// phases are the states of a bursty process. They map the arrivals expected with
// the states' factors to those expected without them.
type phases struct {
	lengths detmath.Stream
	index   uint64 // of the current state; state 0 is the first
	on      bool
	mean    [2]float64 // ns, of off and on
	factor  [2]float64 // of off and on
	endNs   float64    // end of the current state
	start   float64    // arrivals expected with the factors, at the state's start
	end     float64    // and at its end
	first   float64    // arrivals expected without the factors, at the state's start
}

func newPhases(a Arrivals, lengths detmath.Stream) *phases {
	p := &phases{
		lengths: lengths,
		mean:    [2]float64{float64(a.Off), float64(a.On)},
		factor:  [2]float64{a.offFactor(), a.Factor},
	}
	// Before its first state the process is in the other one, of length 0.
	startsOn := lengths.Again(1).Unit(0) < p.mean[1]/(p.mean[0]+p.mean[1])
	p.on = !startsOn
	return p
}

// base returns the arrivals expected without the factors at the time at which so
// many are expected with them; it is called with ascending values. [Spec]'s
// bounds keep the number of states between two arrivals small.
func (p *phases) base(expected float64, c *curve) float64 {
	for expected >= p.end {
		p.on = !p.on
		p.first = c.expected(p.endNs)
		p.endNs += float64(p.mean[p.state()] * p.lengths.Exponential(p.index))
		p.index++
		p.start = p.end
		p.end += float64(p.factor[p.state()] * (c.expected(p.endNs) - p.first))
	}
	return p.first + (expected-p.start)/p.factor[p.state()]
}

func (p *phases) state() int {
	if p.on {
		return 1
	}
	return 0
}
