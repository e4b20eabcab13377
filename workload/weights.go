// Weights: how heavy an item is, and how people write that.

package workload

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"ferryctl/internal/detmath"
	"ferryctl/workload/units"
)

// MaxWeight is the largest weight of an item, 2^62, so that two of them can be
// added without overflow.
const MaxWeight int64 = 1 << 62

// A WeightKind is a law of weights.
type WeightKind uint8

// The laws of weights.
const (
	ConstantWeight  WeightKind = iota // always Value
	UniformWeight                     // each whole number of Min … Max equally likely
	LognormalWeight                   // Median times e^(Sigma Z), Z standard normal
	ParetoWeight                      // Min times U^(-1/Alpha), U uniform on (0,1)
)

// Weights is a law of weights. The zero value gives every item the weight 1.
//
// The weights of continuous laws are rounded to the nearest whole number, and
// all are held within 1 … [MaxWeight]. Min, Max, Median and Value lie in that
// range, and Min <= Max; Sigma is >= 0 and Alpha > 0.
type Weights struct {
	Kind   WeightKind
	Value  int64   // constant; 0 stands for 1
	Min    int64   // uniform, pareto
	Max    int64   // uniform
	Median int64   // lognormal
	Sigma  float64 // lognormal
	Alpha  float64 // pareto; with Alpha <= 1 the law has no mean
}

const weightForms = "constant(1), uniform(min=1,max=100), lognormal(median=4KiB,sigma=1) or pareto(min=1KiB,alpha=1.5)"

// ParseWeights reads a law of weights: "4KiB" or "constant(4KiB)",
// "uniform(min=1,max=100)", "lognormal(median=4KiB,sigma=1)",
// "pareto(min=1KiB,alpha=1.5)". Names may be left out, in this order.
func ParseWeights(s string) (Weights, error) {
	if v, err := units.ParseSize(s); err == nil {
		w := Weights{Kind: ConstantWeight, Value: v}
		if v == 0 {
			return Weights{}, errors.New("constant: 0 is too light: want a weight of at least 1")
		}
		return w, w.validate()
	} else if s == "" || s[0] >= '0' && s[0] <= '9' {
		return Weights{}, fmt.Errorf("%w, or one of %s", err, weightForms)
	}
	name, args, err := units.Call(s)
	if err != nil {
		return Weights{}, err
	}
	var w Weights
	value := units.Param{Name: "value", Set: setSize(&w.Value), Optional: args == nil}
	low := units.Param{Name: "min", Set: setSize(&w.Min)}
	high := units.Param{Name: "max", Set: setSize(&w.Max)}
	median := units.Param{Name: "median", Set: setSize(&w.Median)}
	sigma := units.Param{Name: "sigma", Set: setNumber(&w.Sigma)}
	alpha := units.Param{Name: "alpha", Set: setNumber(&w.Alpha)}
	switch name {
	case "constant":
		w.Kind, w.Value = ConstantWeight, 1
		err = units.Bind(name, args, value)
	case "uniform":
		w.Kind = UniformWeight
		err = units.Bind(name, args, low, high)
	case "lognormal":
		w.Kind = LognormalWeight
		err = units.Bind(name, args, median, sigma)
	case "pareto":
		w.Kind = ParetoWeight
		err = units.Bind(name, args, low, alpha)
	default:
		return Weights{}, unknown(name, "law of weights", weightForms, "constant", "uniform", "lognormal", "pareto")
	}
	if err == nil {
		err = w.validate()
	}
	if err != nil {
		return Weights{}, err
	}
	return w, nil
}

// setSize returns a setter for a weight, which must be at least 1.
func setSize(to *int64) func(string) error {
	return func(s string) (err error) {
		if *to, err = units.ParseSize(s); err == nil && *to < 1 {
			err = fmt.Errorf("%s is too light: want at least 1", s)
		}
		return err
	}
}

func setNumber(to *float64) func(string) error {
	return func(s string) (err error) {
		*to, err = units.ParseNumber(s)
		return err
	}
}

// unknown says that name is none of names.
func unknown(name, what, forms string, names ...string) error {
	hint := ""
	if near := units.Nearest(name, names); near != "" {
		hint = ", did you mean " + near
	}
	return fmt.Errorf("unknown %s %q%s: want %s", what, name, hint, forms)
}

// String writes w so that [ParseWeights] reads it back.
func (w Weights) String() string {
	switch w.Kind {
	case UniformWeight:
		return fmt.Sprintf("uniform(min=%s,max=%s)", units.FormatSize(w.Min), units.FormatSize(w.Max))
	case LognormalWeight:
		return fmt.Sprintf("lognormal(median=%s,sigma=%s)", units.FormatSize(w.Median), units.FormatNumber(w.Sigma))
	case ParetoWeight:
		return fmt.Sprintf("pareto(min=%s,alpha=%s)", units.FormatSize(w.Min), units.FormatNumber(w.Alpha))
	default:
		return units.FormatSize(max(w.Value, 1))
	}
}

// validate reports every fault of w.
func (w Weights) validate() error {
	var faults []string
	size := func(name string, v int64) {
		if v < 1 || v > MaxWeight {
			faults = append(faults, fmt.Sprintf("%s %d is out of range: want 1 to %d", name, v, MaxWeight))
		}
	}
	switch w.Kind {
	case ConstantWeight:
		if w.Value != 0 {
			size("value", w.Value)
		}
	case UniformWeight:
		size("min", w.Min)
		size("max", w.Max)
		if w.Min > w.Max {
			faults = append(faults, fmt.Sprintf("min %d is above max %d: want min <= max", w.Min, w.Max))
		}
	case LognormalWeight:
		size("median", w.Median)
		if !(w.Sigma >= 0) || math.IsInf(w.Sigma, 0) {
			faults = append(faults, fmt.Sprintf("sigma %v is out of range: want a finite number >= 0", w.Sigma))
		}
	case ParetoWeight:
		size("min", w.Min)
		if !(w.Alpha > 0) || math.IsInf(w.Alpha, 0) {
			faults = append(faults, fmt.Sprintf("alpha %v is out of range: want a finite number > 0", w.Alpha))
		}
	default:
		faults = append(faults, fmt.Sprintf("kind %d is unknown", w.Kind))
	}
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// A weigher draws weights from a law.
type weigher struct {
	law   Weights
	words detmath.Stream
	span  uint64 // uniform: max - min + 1
}

func newWeigher(law Weights, words detmath.Stream) weigher {
	w := weigher{law: law, words: words}
	if law.Kind == UniformWeight {
		w.span = uint64(law.Max-law.Min) + 1
	}
	w.law.Value = max(law.Value, 1)
	return w
}

// weight returns the weight of item i.
func (w *weigher) weight(i uint64) int64 {
	switch w.law.Kind {
	case UniformWeight:
		above, _ := bits.Mul64(w.words.Word(i), w.span)
		return w.law.Min + int64(above)
	case LognormalWeight:
		z := detmath.Normal(w.words.Unit(i))
		return wholeWeight(float64(float64(w.law.Median) * detmath.Exp(float64(w.law.Sigma*z))))
	case ParetoWeight:
		return wholeWeight(float64(float64(w.law.Min) * detmath.Exp(w.words.Exponential(i)/w.law.Alpha)))
	default:
		return w.law.Value
	}
}

// wholeWeight rounds x into 1 … MaxWeight.
func wholeWeight(x float64) int64 {
	switch {
	case !(x > 1):
		return 1
	case x >= float64(MaxWeight):
		return MaxWeight
	}
	return int64(x + 0.5)
}
