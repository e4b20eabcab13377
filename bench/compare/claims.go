// What the rows allow to claim.

package compare

import (
	"hash/fnv"
	"math"

	"ferryctl/bench"
)

// How often an interval's samples are drawn anew: less often in large sweeps.
const (
	mostResamples  = 10_000
	leastResamples = 400
	allResamples   = 4_000_000
)

// judge adjusts the p-values for their number and says what they allow to claim.
func (c *Comparison) judge() {
	var all []*float64
	adjusted := make([]float64, len(c.Rows))
	for i, r := range c.Rows {
		if p, ok := r.P.Get(); ok {
			adjusted[i] = p
			all = append(all, &adjusted[i])
		}
	}
	c.Tests = len(all)
	holm(all)
	c.Resamples = min(c.Resamples, max(leastResamples, allResamples/max(1, c.Tests)))
	for i := range c.Rows {
		r := &c.Rows[i]
		if !r.P.Known() {
			continue
		}
		r.Adjusted = bench.Some(adjusted[i])
		if min(r.CountA, r.CountB) > 1 { // one run says nothing of how far another would be from it
			low, high := interval(r.before, r.after, c.Resamples, seedOf(c.Sides[r.Side], r.Cell, r.Figure.Figure.Name))
			r.Low, r.High = bench.Some(low), bench.Some(high)
		}
		level := Alpha / float64(c.Tests)
		switch {
		case leastP(r.CountA, r.CountB) > level:
			r.Claim, r.Need = TooFew, needed(level)
		case adjusted[i] > Alpha || r.Difference.Or(0) == 0:
			r.Claim = Unclear
		case r.Figure.Better(r.After.Or(0), r.Before.Or(0)):
			r.Claim = Better
		default:
			r.Claim = Worse
			if c.beyond(*r) {
				r.Claim = Regression
			}
		}
	}
}

// least is how many parts of one a ratio has to move by before it counts: 0.1
// percentage points.
const leastRatio = 0.001

// beyond says whether a worsening is larger than the threshold.
func (c *Comparison) beyond(r Row) bool {
	limit, ok := c.Threshold.Get()
	if !ok || r.Figure.Figure.Unit == "ratio" && math.Abs(r.Difference.Or(0)) < leastRatio {
		return false
	}
	change, known := r.Change.Get()
	return !known || math.Abs(change) > limit // from nothing to something is more than any part
}

// Count returns how many rows have a claim.
func (c *Comparison) Count(claim Claim) (n int) {
	for _, r := range c.Rows {
		if r.Claim == claim {
			n++
		}
	}
	return n
}

// seedOf makes the seed of a row's resampling from what it is about.
func seedOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // never fails
	}
	return h.Sum64()
}
