// Rates: how many items arrive in a second, and how people write that.

package workload

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"ferryctl/workload/units"
)

// Rates lie between MinRate and MaxRate arrivals per second. The upper bound is
// one arrival per nanosecond, the finest step of a schedule.
const (
	MinRate = 1e-9
	MaxRate = 1e9
)

// A Rate says how often items arrive: at a steady rate, along a ramp, or as
// fast as they can be taken. The zero Rate is none given. At most one of the
// three parts is set.
type Rate struct {
	PerSecond float64 // steady; arrivals per second
	Max       bool    // no schedule: every item's offset is 0
	Ramp      Ramp    // used if Over > 0
}

// A Ramp is a rate that changes linearly with time from From to To over a
// duration and then stays at To. From may be 0; To may not.
type Ramp struct {
	From, To float64 // arrivals per second
	Over     time.Duration
}

const rateForms = "50k/s, max or ramp:1k/s..80k/s/60s"

// ParseRate reads "50k/s", "max", or "ramp:1k/s..80k/s/60s": from 1k/s to 80k/s
// within the first 60 seconds.
func ParseRate(s string) (Rate, error) {
	if s == "max" {
		return Rate{Max: true}, nil
	}
	ramp, isRamp := strings.CutPrefix(s, "ramp:")
	if !isRamp {
		perSecond, err := units.ParseRate(s)
		if err != nil {
			return Rate{}, fmt.Errorf("%w, or one of %s", err, rateForms)
		}
		return valid(Rate{PerSecond: perSecond}, "0/s")
	}
	from, rest, ok := strings.Cut(ramp, "..")
	slash := strings.LastIndexByte(rest, '/')
	if !ok || slash < 0 {
		return Rate{}, fmt.Errorf("%q is not a ramp: want from, to and duration as in ramp:1k/s..80k/s/60s", s)
	}
	var r Rate
	var errs [3]error
	r.Ramp.From, errs[0] = units.ParseRate(from)
	r.Ramp.To, errs[1] = units.ParseRate(rest[:slash])
	r.Ramp.Over, errs[2] = units.ParseDuration(rest[slash+1:])
	if err := errors.Join(errs[:]...); err != nil {
		return Rate{}, fmt.Errorf("ramp: %w", err)
	}
	if r.Ramp.Over == 0 {
		return Rate{}, errors.New("ramp: a duration of 0s is no ramp: want more, or a steady rate")
	}
	return valid(r, "")
}

// valid returns r if it may be used. A steady rate of zero is told apart from no
// rate here, since the type cannot.
func valid(r Rate, zero string) (Rate, error) {
	if r.IsZero() {
		return Rate{}, fmt.Errorf("%s is no rate: want more than 0/s, such as 0.5/s", zero)
	}
	if err := r.validate(); err != nil {
		return Rate{}, err
	}
	return r, nil
}

// IsZero says whether no rate is given.
func (r Rate) IsZero() bool { return r == Rate{} }

// IsRamp says whether the rate changes with time.
func (r Rate) IsRamp() bool { return r.Ramp != Ramp{} }

// String writes r so that [ParseRate] reads it back; the zero Rate gives "".
func (r Rate) String() string {
	switch {
	case r.Max:
		return "max"
	case r.IsRamp():
		return fmt.Sprintf("ramp:%s..%s/%s", units.FormatRate(r.Ramp.From), units.FormatRate(r.Ramp.To), units.FormatDuration(r.Ramp.Over))
	case r.IsZero():
		return ""
	}
	return units.FormatRate(r.PerSecond)
}

// At returns the rate in arrivals per second at an offset from the run's start;
// for Max it is +Inf.
func (r Rate) At(t time.Duration) float64 {
	switch {
	case r.Max:
		return math.Inf(1)
	case !r.IsRamp():
		return r.PerSecond
	case t >= r.Ramp.Over:
		return r.Ramp.To
	}
	part := float64(max(t, 0)) / float64(r.Ramp.Over)
	return r.Ramp.From + float64(part*(r.Ramp.To-r.Ramp.From))
}

func (r Rate) validate() error {
	var faults []error
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	check := func(what string, perSecond, low float64) {
		if !(perSecond >= low && perSecond <= MaxRate) {
			add("%s%s is out of range: want %s to %s, or max", what,
				units.FormatRate(perSecond), units.FormatRate(low), units.FormatRate(MaxRate))
		}
	}
	forms := 0
	for _, given := range []bool{r.PerSecond != 0, r.Max, r.IsRamp()} {
		if given {
			forms++
		}
	}
	if forms > 1 {
		add("more than one of a steady rate, max and a ramp: want one")
	}
	if r.PerSecond != 0 {
		check("", r.PerSecond, MinRate)
	}
	if r.IsRamp() {
		check("ramp from ", r.Ramp.From, 0)
		check("ramp to ", r.Ramp.To, MinRate)
		if r.Ramp.Over <= 0 {
			add("ramp over %v: want a duration above 0s", r.Ramp.Over)
		}
	}
	return errors.Join(faults...)
}

// longestGap bounds the mean time between two arrivals, in seconds, wherever the
// rate is lowest. A ramp from 0 that rises by a per second in a second brings
// its first arrival after about sqrt(2/a).
func (r Rate) longestGap() float64 {
	if !r.IsRamp() {
		return 1 / r.PerSecond
	}
	first := 1 / r.Ramp.From
	if r.Ramp.To > r.Ramp.From {
		first = min(first, math.Sqrt(float64(2*r.Ramp.Over.Seconds())/(r.Ramp.To-r.Ramp.From)))
	}
	return max(first, 1/r.Ramp.To)
}
