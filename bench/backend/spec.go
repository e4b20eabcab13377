// The synthetic backend's parameters: their bounds and how they are written.

package backend

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"ferryctl/workload/units"
)

// Synthetic is the Kind of the backend that only lets time pass.
const Synthetic = "synthetic"

// Bounds on a Spec's parameters.
const (
	MaxCost        = time.Hour // of Base, PerItem and PerWeight, each
	MaxSigma       = 10.0
	MaxConcurrency = 1_000_000
)

// MaxServiceTime is the longest that one batch can take; what would be longer
// (a heavy batch, an extreme draw) is cut to it.
const MaxServiceTime = 24 * time.Hour

// A Spec describes a backend. The zero value is the synthetic backend that costs
// nothing: every call succeeds at once.
type Spec struct {
	// Kind is "synthetic", which "" means too, or "model".
	Kind string

	// File is the file of a model, and Model what was read from it: nil until
	// [Spec.Load]. Then Concurrency and Errors are the model's. The other fields
	// are those of the synthetic backend.
	File  string
	Model *Model

	// Base, PerItem and PerWeight give a batch's mean service time: Base +
	// PerItem for each item + PerWeight for each unit of weight. Each is between
	// 0 and MaxCost.
	Base, PerItem, PerWeight time.Duration

	// Dist is how the service time scatters around its mean.
	Dist Dist

	// Jitter spreads the drawn time evenly over ±Jitter of itself, which leaves
	// the mean where it is. It is a fraction between 0 (none) and 1.
	Jitter float64

	// Concurrency is how many calls the backend serves at once; the others wait
	// inside it, first come, first served. 0 is no limit; at most MaxConcurrency.
	Concurrency int

	// Errors is the probability, between 0 and 1, that a call fails. It fails
	// after its service time.
	Errors float64
}

// A Dist is a distribution of service times. The zero value is fixed.
type Dist struct {
	Shape Shape
	Sigma float64 // of Lognormal: the standard deviation of the time's logarithm, 0 to MaxSigma
}

// A Shape is a family of distributions, all scaled to the same mean.
type Shape uint8

// The shapes of service times.
const (
	Fixed       Shape = iota // always the mean
	Exponential              // memoryless
	Lognormal                // exp of a normal with mean ln(mean) - Sigma²/2, which makes its mean the mean
)

// String writes d as in a Spec: fixed, exponential, lognormal(sigma=0.5).
func (d Dist) String() string {
	switch d.Shape {
	case Exponential:
		return "exponential"
	case Lognormal:
		return "lognormal(sigma=" + units.FormatNumber(d.Sigma) + ")"
	default:
		return "fixed"
	}
}

// ParseSpec reads a Spec. The error holds every fault, each saying what would be
// right.
func ParseSpec(text string) (Spec, error) {
	for _, kind := range []string{"sqlite", "postgres", "http", "https"} {
		if strings.HasPrefix(text, kind+":") {
			return Spec{}, fmt.Errorf("the backend %s: is not available yet: want synthetic(…), such as %s", kind, example)
		}
	}
	if file, ok := strings.CutPrefix(text, ModelKind+":"); ok {
		s := Spec{Kind: ModelKind, File: file}
		return s, s.Validate()
	}
	name, args, err := units.Call(text)
	if err != nil {
		return Spec{}, err
	}
	if name != Synthetic {
		return Spec{}, fmt.Errorf("unknown backend %q: want %s, or model:FILE", name, example)
	}
	s := Spec{Kind: Synthetic}
	err = units.Bind(name, args,
		param("base", &s.Base, units.ParseDuration),
		param("per_item", &s.PerItem, units.ParseDuration),
		param("per_weight", &s.PerWeight, units.ParseDuration),
		param("dist", &s.Dist, parseDist),
		param("jitter", &s.Jitter, parseJitter),
		param("concurrency", &s.Concurrency, parseConcurrency),
		param("errors", &s.Errors, units.ParsePercent),
	)
	if err := errors.Join(err, s.Validate()); err != nil {
		return Spec{}, err
	}
	return s, nil
}

const example = "synthetic(base=1ms,per_item=20us,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)"

// param is an optional parameter that parse reads into dst.
func param[T any](name string, dst *T, parse func(string) (T, error)) units.Param {
	return units.Param{Name: name, Optional: true, Set: func(text string) error {
		v, err := parse(text)
		if err == nil {
			*dst = v
		}
		return err
	}}
}

func parseDist(text string) (Dist, error) {
	name, args, err := units.Call(text)
	if err != nil {
		return Dist{}, err
	}
	switch name {
	case "fixed":
		return Dist{}, units.Bind(name, args)
	case "exponential":
		return Dist{Shape: Exponential}, units.Bind(name, args)
	case "lognormal":
		d := Dist{Shape: Lognormal}
		sigma := param("sigma", &d.Sigma, units.ParseNumber)
		sigma.Optional = false
		return d, units.Bind(name, args, sigma)
	}
	hint := ""
	if near := units.Nearest(name, []string{"fixed", "exponential", "lognormal"}); near != "" {
		hint = ", did you mean " + near
	}
	return Dist{}, fmt.Errorf("unknown distribution %q%s: want fixed, exponential or lognormal(sigma=0.5)", name, hint)
}

// parseJitter reads a fraction, or the same as a percentage.
func parseJitter(text string) (float64, error) {
	if strings.HasSuffix(text, "%") {
		return units.ParsePercent(text)
	}
	return units.ParseNumber(text)
}

func parseConcurrency(text string) (int, error) {
	n, err := units.ParseCount(text)
	return int(min(n, math.MaxInt32)), err // too large either way
}

// String writes s so that [ParseSpec] reads it back, every parameter named.
func (s Spec) String() string {
	if s.Kind == ModelKind {
		return ModelKind + ":" + s.File
	}
	return fmt.Sprintf("synthetic(base=%s,per_item=%s,per_weight=%s,dist=%s,jitter=%s,concurrency=%d,errors=%s)",
		units.FormatDuration(s.Base), units.FormatDuration(s.PerItem), units.FormatDuration(s.PerWeight),
		s.Dist, units.FormatNumber(s.Jitter), s.Concurrency, units.FormatPercent(s.Errors))
}

// Validate returns an error that holds every parameter out of its bounds, or nil.
func (s Spec) Validate() error {
	if s.Kind == ModelKind {
		return checkPath(s.File)
	}
	var faults []error
	check := func(ok bool, format string, a ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("synthetic: "+format, a...))
		}
	}
	check(s.Kind == "" || s.Kind == Synthetic, "unknown kind %q: want %s or %s", s.Kind, Synthetic, ModelKind)
	for _, c := range []struct {
		name string
		cost time.Duration
	}{{"base", s.Base}, {"per_item", s.PerItem}, {"per_weight", s.PerWeight}} {
		check(c.cost >= 0 && c.cost <= MaxCost, "%s %s is out of bounds: want 0s to %s", c.name, c.cost, units.FormatDuration(MaxCost))
	}
	check(s.Dist.Shape <= Lognormal, "unknown shape %d of dist", s.Dist.Shape)
	check(s.Dist.Sigma >= 0 && s.Dist.Sigma <= MaxSigma, "sigma %v is out of bounds: want 0 to %v", s.Dist.Sigma, MaxSigma)
	check(s.Dist.Sigma == 0 || s.Dist.Shape == Lognormal, "sigma is given but dist is %s", s.Dist)
	check(s.Jitter >= 0 && s.Jitter <= 1, "jitter %v is out of bounds: want a fraction from 0 to 1, or 0%% to 100%%", s.Jitter)
	check(s.Concurrency >= 0 && s.Concurrency <= MaxConcurrency, "concurrency %d is out of bounds: want 1 to %d, or 0 for no limit", s.Concurrency, MaxConcurrency)
	check(s.Errors >= 0 && s.Errors <= 1, "errors %v is out of bounds: want 0%% to 100%%", s.Errors)
	return errors.Join(faults...)
}
