// What is asked, and what is refused before anything starts.

package capacity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// A Query is a question to [Find]. Make it with [Ask].
type Query struct {
	Start   settings.Settings // with the SLO, the seed and the rate that headroom is against
	Seeds   int               // how many draws of the arrivals; 0 for 6
	Within  float64           // part of the rate to which it is found; 0 for 1 %
	Most    float64           // the highest rate that is tried; 0 for 1024 times the load's
	For     float64           // rate that several instances are to take together; 0 for none
	Confirm int               // points that are measured in real time: at, above and below
	Last    time.Duration     // how long each of these runs lasts; 0 for 5 s

	implied []slo.Term
	nominal float64 // arrivals per second of the load as it is
}

// Bounds and defaults of a query.
const (
	MaxSeeds    = 100
	MaxConfirm  = 3
	seeds       = 6
	within      = 0.01
	leastWithin = 0.001
	mostWithin  = 0.25
	doublings   = 10 // of the load's rate, up and down
	confirmFor  = 5 * time.Second
)

// Ask completes a query and checks it. The error holds every fault.
func Ask(q Query) (*Query, error) {
	var faults []error
	s := q.Start
	if s.Clock != settings.Virtual {
		faults = append(faults, fmt.Errorf("clock %s: the capacity is sought in virtual time, and confirmed in real time: want virtual", s.Clock))
	}
	if len(s.SLO) == 0 {
		faults = append(faults, errors.New("no SLO: any rate keeps none: want one, such as --slo 'p99<=20ms' or --slo 'p99<=20ms,rejected<=0.1%'"))
	}
	switch {
	case s.Trace != "" || s.Clients > 0:
		faults = append(faults, errors.New("a trace or a closed loop has no rate to vary: want a load with rate or lane_rate"))
	case len(s.LaneRate) > 0:
		for _, l := range s.LaneRate {
			q.nominal += l.Rate.PerSecond
			if l.Rate.Ramp.Over > 0 {
				faults = append(faults, fmt.Errorf("lane_rate %s: a ramp is many rates: want a steady one", l.Lane))
			}
		}
	case s.Rate.Max || s.Rate.Ramp.Over > 0:
		faults = append(faults, fmt.Errorf("rate %s: want a steady one, such as 10k/s, to begin with", s.Rate))
	default:
		q.nominal = s.Rate.PerSecond
	}
	if q.Within == 0 {
		q.Within = within
	}
	if q.Within < leastWithin || q.Within > mostWithin {
		faults = append(faults, fmt.Errorf("within %v: want 0.1%% to 25%%", q.Within))
	}
	if q.Most == 0 {
		q.Most = math.Min(q.nominal*math.Pow(2, doublings), workload.MaxRate/4)
	}
	if q.nominal > 0 && q.Most < q.nominal*math.Pow(2, -doublings) {
		faults = append(faults, fmt.Errorf("a highest rate of %v/s: want one that is not so far below the load's", q.Most))
	}
	if q.Seeds == 0 {
		q.Seeds = seeds
	}
	if q.Last == 0 {
		q.Last = confirmFor
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	q.implied = tune.Implied(s.SLO)
	q.Start.SLO = slices.Concat(s.SLO, q.implied)
	loaded, err := s.Backend.Load()
	q.Start.Backend = loaded
	return &q, err
}

// at returns the settings at a rate, with the seed of a number from 0.
func (q *Query) at(rate float64, seed int) settings.Settings {
	s := q.Start
	s.Seed += uint64(seed) //nolint:gosec // not negative; seeds wrap
	if len(s.LaneRate) == 0 {
		s.Rate.PerSecond = rate
		return s
	}
	s.LaneRate = slices.Clone(s.LaneRate)
	for i := range s.LaneRate {
		s.LaneRate[i].Rate.PerSecond *= rate / q.nominal
	}
	return s
}

// command writes the search as a command line, with all that it was told or took for
// granted.
func (q *Query) command() string {
	text := "ferryctl capacity" + lab.Flags(q.Start, q.implied, func(_ string, given bool) bool { return given }) +
		" --seeds " + strconv.Itoa(q.Seeds) + " --within " + units.FormatPercent(q.Within) + " --most " + units.FormatRate(q.Most)
	if q.For > 0 {
		text += " --for " + units.FormatRate(q.For)
	}
	text += " --confirm " + strconv.Itoa(q.Confirm)
	if q.Confirm > 0 {
		text += " --confirm-for " + q.Last.String()
	}
	return text
}
