// The knobs' values as the rest of the program uses them.

package settings

import (
	"math"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/slo"
	"ferryctl/lanes/fairshare"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// Unlimited is the value of BatchSize, BatchWeight, InFlight, Queue and
// QueueWeight that bounds nothing; written "unlimited".
const Unlimited int64 = math.MaxInt64

// Never is the BatchDelay after which no batch leaves; written "never".
const Never time.Duration = math.MaxInt64

// The kernels.
const (
	Make   = "make"
	Keyed  = "keyed"
	PerKey = "perkey"
)

// The clocks.
const (
	Real    = "real"
	Virtual = "virtual"
	Both    = "both" // one after the other, and how far they are apart
)

// Settings are the effective values of all knobs. Make them with [Default] and
// change them with [Settings.Set], which keeps their sources and resolves what
// excludes each other; a field that is changed directly has no source.
//
// Settings are a value: a copy shares nothing that either side changes.
type Settings struct {
	Profile string // name of the profile that they started from; "" for none

	// The kernel.
	Kernel      string            // Make, Keyed or PerKey
	BatchSize   int64             // inputs; >= 1, or Unlimited
	BatchWeight int64             // weight; >= 1, or Unlimited
	BatchDelay  time.Duration     // >= 0, or Never; 0 leaves at once
	InFlight    int64             // batches; >= 1, or Unlimited
	Queue       int64             // inputs waiting; >= 1, or Unlimited
	QueueWeight int64             // weight waiting; >= 1, or Unlimited
	Direct      bool              // direct calls; of PerKey only, else false
	Share       []fairshare.Share // weights of share lanes and groups; nil: none has one
	RoomPolicy  string            // Guaranteed, Partitioned or Shared; without effect if Share is nil

	// The load. One of Rate, LaneRate, Clients and Trace says when items arrive.
	Rate     workload.Rate           // zero if none
	LaneRate []workload.LaneRate     // nil if none
	Clients  int                     // callers of a closed loop; 0 for an open loop
	Arrivals workload.Arrivals       // of Rate and LaneRate; FromTrace with a Trace
	Keys     uint64                  // distinct keys; 0 with a Trace
	KeySkew  float64                 // Zipf exponent, 0 is uniform
	Weights  workload.Weights        // zero is always 1
	Lanes    []workload.LaneFraction // share-lane tags by fraction; nil for none
	Trace    string                  // path of a recorded load; "" for none
	Speed    float64                 // divides a trace's offsets; > 0

	Backend backend.Spec

	// The run. With neither Duration nor Items, it lasts as long as the trace.
	Clock     string        // "real"
	Seed      uint64        // of all chance
	SeedGiven bool          // false if the seed has yet to be drawn, or was
	Duration  time.Duration // time during which items arrive, warm-up included; 0 if not bounded
	Items     uint64        // items offered, warm-up included; 0 if not bounded
	Warmup    Warmup        // the first part of the run, in no figure
	Drain     time.Duration // longest wait for the items still in flight at the end; 0 does not wait
	Repeat    int           // measurements of each point of a sweep; 0 leaves it to the sweep. One run heeds it not

	SLO []slo.Term // nil for none

	given map[string]assignment // never changed in place
}

// Warmup is the length of the warm-up: a part of the run, or a duration. At most
// one of the fields is not zero; if both are zero there is none.
type Warmup struct {
	Fraction float64       // of the run's duration, or of its items: 0.05 for 5%
	Duration time.Duration // from the run's start
}

// String writes w as the knob is written: "5%", "2s".
func (w Warmup) String() string {
	if w.Fraction != 0 {
		return units.FormatPercent(w.Fraction)
	}
	return units.FormatDuration(w.Duration)
}

// Default returns the settings in which every knob has its default. They are
// those of the profile blank.
func Default() Settings {
	s := Settings{given: make(map[string]assignment, len(table))}
	for _, k := range table {
		if k.Default != "" {
			s.given[k.Name] = k.mustRead(k.Default, "default")
		}
	}
	s.apply(nil, s.resolve())
	return s
}

// Workload returns the description of the load.
func (s Settings) Workload() workload.Spec {
	return workload.Spec{
		Seed:      s.Seed,
		Arrivals:  s.Arrivals,
		Rate:      s.Rate,
		LaneRates: s.LaneRate,
		Closed:    s.Clients > 0,
		Keys:      s.Keys,
		KeySkew:   s.KeySkew,
		Weights:   s.Weights,
		Lanes:     s.Lanes,
		Trace:     s.Trace,
		Speed:     s.Speed,
		Items:     s.Items,
		Duration:  s.Duration,
	}
}
