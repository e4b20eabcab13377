// Arrival processes: how irregularly items arrive, and how people write that.

package workload

import (
	"errors"
	"fmt"
	"math"
	"time"

	"ferryctl/workload/units"
)

// An ArrivalKind is a kind of arrival process.
type ArrivalKind uint8

// The kinds of arrival processes.
const (
	Poisson   ArrivalKind = iota // independent exponential gaps
	Constant                     // equal gaps, the first item at once
	Bursty                       // Poisson whose rate switches between two levels
	FromTrace                    // the recorded offsets
)

// Arrivals is an arrival process. The zero value is Poisson.
//
// A bursty process is a two-state modulated Poisson process. It stays in the
// state "on" for an exponential time with mean On and in "off" for one with mean
// Off, in turn, and starts in one of them with the probability of finding it
// there. While on, the rate is Factor times the rate that is asked for; while
// off it is (On + Off - Factor*On) / Off times that rate, so that its mean over
// time is the rate that is asked for. Hence 1 <= Factor <= (On + Off) / On; at
// the upper end nothing arrives while off.
type Arrivals struct {
	Kind    ArrivalKind
	Factor  float64       // bursty
	On, Off time.Duration // bursty; mean lengths of the states, at least MinPhase
}

// MinPhase is the shortest mean length of a state of a bursty process.
const MinPhase = time.Microsecond

const arrivalForms = "poisson, constant, bursty(factor=4,on=1s,off=9s) or trace"

// ParseArrivals reads "poisson", "constant", "bursty(factor=4,on=1s,off=9s)", or
// "trace".
func ParseArrivals(s string) (Arrivals, error) {
	name, args, err := units.Call(s)
	if err != nil {
		return Arrivals{}, fmt.Errorf("%w: want %s", err, arrivalForms)
	}
	var a Arrivals
	var params []units.Param
	switch name {
	case "poisson":
		a.Kind = Poisson
	case "constant":
		a.Kind = Constant
	case "trace":
		a.Kind = FromTrace
	case "bursty":
		a.Kind = Bursty
		params = []units.Param{
			{Name: "factor", Set: setNumber(&a.Factor)},
			{Name: "on", Set: setDuration(&a.On)},
			{Name: "off", Set: setDuration(&a.Off)},
		}
	default:
		return Arrivals{}, unknown(name, "arrival process", arrivalForms, "poisson", "constant", "bursty", "trace")
	}
	if err = units.Bind(name, args, params...); err == nil {
		err = a.validate()
	}
	if err != nil {
		return Arrivals{}, err
	}
	return a, nil
}

func setDuration(to *time.Duration) func(string) error {
	return func(s string) (err error) {
		*to, err = units.ParseDuration(s)
		return err
	}
}

// String writes a so that [ParseArrivals] reads it back.
func (a Arrivals) String() string {
	switch a.Kind {
	case Poisson:
		return "poisson"
	case Constant:
		return "constant"
	case FromTrace:
		return "trace"
	default:
		return fmt.Sprintf("bursty(factor=%s,on=%s,off=%s)",
			units.FormatNumber(a.Factor), units.FormatDuration(a.On), units.FormatDuration(a.Off))
	}
}

func (a Arrivals) validate() error {
	if a.Kind > FromTrace {
		return fmt.Errorf("kind %d is unknown: want %s", a.Kind, arrivalForms)
	}
	if a.Kind != Bursty {
		return nil
	}
	var faults []error
	for _, phase := range []struct {
		name string
		mean time.Duration
	}{{"on", a.On}, {"off", a.Off}} {
		if phase.mean < MinPhase {
			faults = append(faults, fmt.Errorf("bursty: %s %v is too short: want at least %v", phase.name, phase.mean, MinPhase))
		}
	}
	if top := a.maxFactor(); faults == nil && !(a.Factor >= 1 && a.Factor <= top) {
		faults = append(faults, fmt.Errorf("bursty: factor %v is out of range: want 1 to (on+off)/on = %v, where off brings nothing", a.Factor, top))
	} else if math.IsNaN(a.Factor) || a.Factor < 1 {
		faults = append(faults, fmt.Errorf("bursty: factor %v is out of range: want at least 1", a.Factor))
	}
	return errors.Join(faults...)
}

// maxFactor is the factor at which the rate while off is 0.
func (a Arrivals) maxFactor() float64 {
	return (float64(a.On) + float64(a.Off)) / float64(a.On)
}

// offFactor is the rate while off, as a multiple of the mean.
func (a Arrivals) offFactor() float64 {
	if a.Factor >= a.maxFactor() {
		return 0
	}
	return max(0, (float64(a.On)+float64(a.Off)-float64(a.Factor*float64(a.On)))/float64(a.Off))
}
