// The cost model: what a batch's service time is and whether it fails, as pure
// functions.

package backend

import (
	"math"
	"math/bits"
	"time"

	"ferryctl/internal/detmath"
)

// The purposes of the draws, each with a stream of its own, so that switching one
// feature on leaves the draws of the others as they were. Changing a name
// changes the runs of every seed.
const (
	forService = "service time"
	forJitter  = "jitter"
	forFailure = "failure"
)

// Free says whether every batch takes no time at all.
func (s Spec) Free() bool {
	if s.Kind == ModelKind {
		return s.Model != nil && s.Model.Base == 0 && s.Model.PerItem == 0 && s.Model.PerWeight == 0
	}
	return s.Base == 0 && s.PerItem == 0 && s.PerWeight == 0
}

// MeanServiceTime returns the model's mean for a batch of items that weigh
// weight together: Base + PerItem*items + PerWeight*weight, at most
// MaxServiceTime. Negative counts are taken for 0.
func (s Spec) MeanServiceTime(items int, weight int64) time.Duration {
	if s.Model != nil {
		return time.Duration(math.Round(s.Model.Mean(items, weight)))
	}
	return addTime(addTime(s.Base, timesCount(s.PerItem, int64(items))), timesCount(s.PerWeight, weight))
}

// ServiceTime returns how long the batch numbered batch takes: a draw with the
// mean [Spec.MeanServiceTime], spread by Dist and then by Jitter, and cut at
// MaxServiceTime. It is a pure function of its arguments, the same on every
// machine.
func (s Spec) ServiceTime(seed, batch uint64, items int, weight int64) time.Duration {
	if s.Model != nil {
		return s.Model.serviceTime(seed, batch, items, weight)
	}
	mean := s.MeanServiceTime(items, weight)
	if mean == 0 || s.Dist.Shape == Fixed && s.Jitter == 0 {
		return mean
	}
	drawn := float64(mean)
	switch draws := detmath.NewStream(seed, forService); s.Dist.Shape {
	case Exponential:
		drawn = float64(drawn * draws.Exponential(batch))
	case Lognormal:
		drawn = float64(drawn * lognormal(s.Dist.Sigma, draws.Unit(batch)))
	default:
	}
	if s.Jitter != 0 {
		u := detmath.NewStream(seed, forJitter).Unit(batch)
		drawn = float64(drawn * (1 + float64(s.Jitter*(float64(2*u)-1))))
	}
	return time.Duration(min(math.Round(drawn), float64(MaxServiceTime)))
}

// Extrapolates says whether a call lies outside of what a calibrated model was
// fitted to: a batch of items that weigh weight together, and inFlight calls inside
// the backend, it included. A backend without a model never extrapolates.
func (s Spec) Extrapolates(items int, weight int64, inFlight int) bool {
	return s.Model != nil && !s.Model.Range.Holds(items, weight, inFlight)
}

// Fails says whether the batch numbered batch fails, a pure function too.
func (s Spec) Fails(seed, batch uint64) bool {
	return s.Errors > 0 && detmath.NewStream(seed, forFailure).Unit(batch) < s.Errors
}

// timesCount returns cost times n, at most MaxServiceTime.
func timesCount(cost time.Duration, n int64) time.Duration {
	if cost <= 0 || n <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(cost), uint64(n))
	if high != 0 || low > uint64(MaxServiceTime) {
		return MaxServiceTime
	}
	return time.Duration(low)
}

// addTime returns a + b, at most MaxServiceTime; neither is more than that.
func addTime(a, b time.Duration) time.Duration { return min(a+b, MaxServiceTime) }
