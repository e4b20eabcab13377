// The description of a workload, and what is refused in it.

package workload

import (
	"errors"
	"fmt"
	"math"
	"time"

	"ferryctl/workload/units"
)

// A Spec describes a sequence of items. [New] makes the sequence.
//
// Exactly one of four things says when items arrive: Rate, LaneRates, Closed, or
// a trace (Arrivals.Kind [FromTrace] and Trace). A trace may also be taken
// without its offsets, with Closed or Rate.Max.
type Spec struct {
	Seed      uint64         // of all chance; any value
	Arrivals  Arrivals       // the arrival process; zero is Poisson
	Rate      Rate           // arrivals per second of all items together
	LaneRates []LaneRate     // instead of Rate: one independent process for each lane
	Closed    bool           // closed loop: whoever takes an item decides when; offsets are 0
	Keys      uint64         // distinct keys, 1 … MaxKeys; not used with a trace
	KeySkew   float64        // Zipf exponent of the keys' popularity, >= 0; 0 is uniform; not used with a trace
	Weights   Weights        // law of the weights; zero is always 1; not used with a trace
	Lanes     []LaneFraction // tag items by fraction; empty leaves them untagged
	Trace     string         // path of a recorded sequence, in the form that the package comment shows
	Speed     float64        // divides a trace's offsets, > 0: 10 is ten times as fast; without a trace 0 or 1
	Items     uint64         // end after so many items; 0 is no bound
	Duration  time.Duration  // end before the first item whose offset is not below it; 0 is no bound
}

// Validate reports every fault of s at once, each with the name of its knob. It
// does not open the trace.
func (s Spec) Validate() error {
	var faults []error
	add := func(knob, format string, args ...any) {
		faults = append(faults, fmt.Errorf(knob+": "+format, args...))
	}
	check := func(knob string, err error) {
		if err != nil {
			faults = append(faults, prefixed(knob, err))
		}
	}
	check("arrivals", s.Arrivals.validate())
	check("rate", s.Rate.validate())
	check("lane_rate", validateLaneRates(s.LaneRates))
	check("lanes", validateFractions(s.Lanes))
	s.validateSchedule(add)
	if s.Arrivals.Kind != FromTrace {
		if s.Keys < 1 || s.Keys > MaxKeys {
			add("keys", "%d is out of range: want 1 to %s", s.Keys, units.FormatCount(MaxKeys))
		}
		if !(s.KeySkew >= 0) || math.IsInf(s.KeySkew, 0) {
			add("key_skew", "%v is out of range: want a finite number >= 0, such as 1.1", s.KeySkew)
		}
		check("weights", s.Weights.validate())
	}
	if s.Duration < 0 {
		add("duration", "%v is negative: want more than 0s, or none", s.Duration)
	}
	if s.Items > 0 && s.Duration > 0 {
		add("items", "conflicts with duration: want one of the two")
	}
	return errors.Join(faults...)
}

// validateSchedule checks that one thing says when items arrive.
func (s Spec) validateSchedule(add func(knob, format string, args ...any)) {
	traced := s.Arrivals.Kind == FromTrace
	switch {
	case !s.Rate.IsZero() && len(s.LaneRates) > 0:
		add("lane_rate", "conflicts with rate: want one of the two")
	case s.Closed && !s.Rate.IsZero():
		add("rate", "conflicts with clients, a closed loop: want one of the two")
	case s.Closed && len(s.LaneRates) > 0:
		add("lane_rate", "conflicts with clients, a closed loop: want one of the two")
	case traced && (!s.Rate.IsZero() && !s.Rate.Max || len(s.LaneRates) > 0):
		add("trace", "conflicts with rate and lane_rate: the trace has its own offsets; want speed to change them")
	case !traced && s.Rate.IsZero() && len(s.LaneRates) == 0 && !s.Closed:
		add("rate", "none given: want one of rate, lane_rate, clients and trace")
	}
	if len(s.LaneRates) > 0 && len(s.Lanes) > 0 {
		add("lane_rate", "conflicts with lanes by fraction: the rates already say how often a lane comes")
	}
	if (s.Closed || s.Rate.Max) && (s.Arrivals.Kind == Constant || s.Arrivals.Kind == Bursty) {
		add("arrivals", "%s needs a rate: a closed loop and the rate max have no schedule", s.Arrivals)
	}
	s.validateBursts(add)
	switch {
	case traced && s.Trace == "":
		add("trace", "none given: want the path of a file for the arrivals trace")
	case !traced && s.Trace != "":
		add("trace", "conflicts with the arrivals %s: want the arrivals trace", s.Arrivals)
	case traced && len(s.Lanes) > 0:
		add("lanes", "conflicts with trace, which has its own lanes")
	}
	if traced && (!(s.Speed > 0) || math.IsInf(s.Speed, 0)) {
		add("speed", "%v is out of range: want a finite number above 0, such as 10", s.Speed)
	} else if !traced && s.Speed != 0 && s.Speed != 1 {
		add("speed", "%v needs a trace: want a rate instead", s.Speed)
	}
}

// maxPhases bounds how many states of a bursty process are expected to pass
// between two arrivals; with more, the process is as good as Poisson, and each
// item would cost the time to step through them.
const maxPhases = 200

func (s Spec) validateBursts(add func(knob, format string, args ...any)) {
	if s.Arrivals.Kind != Bursty || s.Arrivals.validate() != nil {
		return
	}
	rates := []Rate{s.Rate}
	for _, l := range s.LaneRates {
		rates = append(rates, l.Rate)
	}
	cycle := s.Arrivals.On.Seconds() + s.Arrivals.Off.Seconds()
	for _, r := range rates {
		if r.IsZero() || r.Max || r.validate() != nil {
			continue
		}
		if least := float64(2*r.longestGap()) / maxPhases; cycle < least {
			add("arrivals", "%s: on+off is too short for the rate %s, which leaves up to %v between items: want at least %v",
				s.Arrivals, r, seconds(r.longestGap()), seconds(least))
		}
	}
}

// seconds returns s seconds as a duration, the longest one if that is longer.
func seconds(s float64) time.Duration {
	if ns := float64(s * 1e9); ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

// prefixed puts the knob's name before each of the errors that err joins.
func prefixed(knob string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", knob, err)
	}
	var faults []error
	for _, e := range joined.Unwrap() {
		faults = append(faults, prefixed(knob, e))
	}
	return errors.Join(faults...)
}
