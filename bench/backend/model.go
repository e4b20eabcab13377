// The calibrated cost model: a batch's service time as it was fitted to the
// calls of some backend.

package backend

import (
	"math"
	"time"

	"ferryctl/internal/detmath"
)

// ModelKind is the Kind of the backend that follows a calibrated model.
const ModelKind = "model"

// A Model is a cost model and how it was got. Times are in nanoseconds, since a
// unit of weight may cost less than one.
type Model struct {
	Complete bool // false if calibrating was stopped before its end

	// Base, PerItem and PerWeight give a batch's mean service time.
	Base, PerItem, PerWeight float64
	Concurrency              int     // how many calls are served at once; 0 is no limit
	Errors                   float64 // part of the calls that fail

	Scatter Scatter
	Range   Range
	Fit     ModelFit
	Source  ModelSource

	// Warnings are what a reader of figures made with the model should know.
	Warnings []string

	Hash string // SHA-256 of the file that it was read from, hexadecimal
}

// Scatter is how service times scatter around their mean.
type Scatter struct {
	Shape string  // one of the constants below
	Sigma float64 // of ModelLognormal: the standard deviation of the time's logarithm

	// Residuals are the scatter itself, ascending, each as likely as the others:
	// factors of the mean for ModelRelative, nanoseconds beside it for
	// ModelAbsolute. Their mean is 1 and 0.
	Residuals []float64
}

// The shapes of a Scatter.
const (
	ModelFixed       = "fixed"
	ModelExponential = "exponential"
	ModelLognormal   = "lognormal"
	ModelRelative    = "relative"
	ModelAbsolute    = "absolute"
)

var modelShapes = []string{ModelFixed, ModelExponential, ModelLognormal, ModelRelative, ModelAbsolute}

// Range is what the calls were like that the model was fitted to.
type Range struct {
	MinItems, MaxItems   int64
	MinWeight, MaxWeight int64 // of a whole batch
	MaxInFlight          int   // most calls that were inside the backend at once
}

// ModelFit says how well the model describes the calls that it was fitted to.
type ModelFit struct {
	Calls, Cells                                  int     // calls, of so many kinds, made one at a time
	RSquared                                      float64 // part of the times' variance that the mean explains
	BaseError, PerItemError, PerWeightError       float64 // standard errors of the three costs, robust to unequal scatter
	ResidualP1, ResidualP50, ResidualP99          float64 // of time minus mean
	LackOfFit                                     float64 // farthest that the calls of one kind are from the mean on average, beyond chance, as a part of it
	ConcurrencyInFlight, ConcurrencyServiceMeanNS []float64
}

// ModelSource says where a model comes from.
type ModelSource struct {
	Command, Backend      string
	Seed                  uint64
	Calls, Failed         int // in all, those that warmed up left out
	Started               time.Time
	Version, Go, OS, Arch string
	CPUs                  int
	CPUModel              string
}

// Mean returns the mean service time of a batch, in nanoseconds, at most
// MaxServiceTime. Negative counts are taken for 0.
func (m *Model) Mean(items int, weight int64) float64 {
	n, w := float64(max(items, 0)), float64(max(weight, 0))
	return min(m.Base+float64(m.PerItem*n)+float64(m.PerWeight*w), float64(MaxServiceTime))
}

// serviceTime draws the time of a batch, a pure function as [Spec.ServiceTime].
func (m *Model) serviceTime(seed, batch uint64, items int, weight int64) time.Duration {
	t := m.Mean(items, weight)
	switch draws := detmath.NewStream(seed, forService); m.Scatter.Shape {
	case ModelExponential:
		t = float64(t * draws.Exponential(batch))
	case ModelLognormal:
		t = float64(t * lognormal(m.Scatter.Sigma, draws.Unit(batch)))
	case ModelRelative:
		t = float64(t * m.Scatter.residual(draws.Unit(batch)))
	case ModelAbsolute:
		t += m.Scatter.residual(draws.Unit(batch))
	default:
	}
	return time.Duration(math.Round(min(max(t, 0), float64(MaxServiceTime))))
}

// residual returns the one that u, in (0, 1), falls on.
func (s *Scatter) residual(u float64) float64 {
	i := int(float64(u * float64(len(s.Residuals))))
	return s.Residuals[min(i, len(s.Residuals)-1)]
}

// lognormal returns the factor with mean 1 that belongs to u, in (0, 1).
func lognormal(sigma, u float64) float64 {
	return detmath.Exp(float64(sigma*detmath.Normal(u)) - float64(float64(sigma*sigma)/2))
}

// Holds reports whether the range has such a call: a batch of so many items that
// weigh so much, and so many calls inside the backend, it included.
func (r *Range) Holds(items int, weight int64, inFlight int) bool {
	n := int64(items)
	return r.MinItems <= n && n <= r.MaxItems && r.MinWeight <= weight && weight <= r.MaxWeight && inFlight <= r.MaxInFlight
}
