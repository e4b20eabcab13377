// The table of knobs.

package settings

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/slo"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// Bounds of knobs.
const (
	MaxClients  = 1_000_000
	MaxItems    = 1_000_000_000_000
	MinDuration = time.Millisecond
	MaxDuration = 30 * 24 * time.Hour
	MaxDelay    = time.Hour // of batch_delay, unless never
	MaxWarmup   = 0.9       // as a part of the run
	MaxSkew     = 1e6
	MaxSpeed    = 1e9
	MaxRepeat   = 1000
)

// table is in the order in which outputs list the knobs.
var table = []Knob{
	word(Knob{Name: "kernel", Section: "kernel", Default: PerKey, Example: Make, Doc: "the batcher: one room, one keyed room, or a line for each key"},
		func(s *Settings) *string { return &s.Kernel }, []string{Make, Keyed, PerKey}, nil),
	limit(Knob{Name: "batch_size", Section: "kernel", Default: "64", Example: "16", Doc: "most inputs in a batch"},
		func(s *Settings) *int64 { return &s.BatchSize }, units.ParseLimit, units.FormatLimit),
	limit(Knob{Name: "batch_weight", Section: "kernel", Default: "unlimited", Example: "1MiB", Doc: "most weight in a batch"},
		func(s *Settings) *int64 { return &s.BatchWeight }, units.ParseSizeLimit, units.FormatSizeLimit),
	batchDelay(),
	limit(Knob{Name: "in_flight", Section: "kernel", Default: "8", Example: "4", Doc: "most batches that run at once"},
		func(s *Settings) *int64 { return &s.InFlight }, units.ParseLimit, units.FormatLimit),
	limit(Knob{Name: "queue", Section: "kernel", Default: "10k", Example: "500", Doc: "most inputs that wait; more are rejected"},
		func(s *Settings) *int64 { return &s.Queue }, units.ParseLimit, units.FormatLimit),
	limit(Knob{Name: "queue_weight", Section: "kernel", Default: "unlimited", Example: "64MiB", Doc: "most weight that waits; more is rejected"},
		func(s *Settings) *int64 { return &s.QueueWeight }, units.ParseSizeLimit, units.FormatSizeLimit),
	direct(),
	share(),
	roomPolicy(),

	of(Knob{Name: "rate", Section: "workload", Form: "RATE|max|ramp:…", Default: "10k/s", Example: "ramp:1k/s..80k/s/60s", Doc: "arrivals per second of an open loop"},
		func(s *Settings) *workload.Rate { return &s.Rate }, workload.ParseRate, workload.Rate.String),
	of(Knob{Name: "lane_rate", Section: "workload", Form: "LANE=RATE,…", Example: "gold=5k/s,free=20k/s", Doc: "arrivals per second of each share lane, instead of rate"},
		func(s *Settings) *[]workload.LaneRate { return &s.LaneRate }, workload.ParseLaneRates, workload.FormatLaneRates),
	optional(Knob{Name: "clients", Section: "workload", Form: "N", Example: "64", Doc: "callers of a closed loop, instead of rate"},
		func(s *Settings) *int { return &s.Clients }, MaxClients),
	of(Knob{Name: "arrivals", Section: "workload", Form: "PROCESS", Default: "poisson", Example: "bursty(factor=4,on=1s,off=9s)", Doc: "how arrivals scatter: poisson, constant, bursty(…), trace"},
		func(s *Settings) *workload.Arrivals { return &s.Arrivals }, workload.ParseArrivals, workload.Arrivals.String),
	optional(Knob{Name: "keys", Section: "workload", Form: "N", Default: "1", Example: "100k", Doc: "distinct keys"},
		func(s *Settings) *uint64 { return &s.Keys }, workload.MaxKeys),
	number(Knob{Name: "key_skew", Section: "workload", Default: "0", Example: "1.1", Doc: "Zipf exponent of the keys' popularity, 0 for uniform"},
		func(s *Settings) *float64 { return &s.KeySkew }, 0, MaxSkew),
	weights(),
	lanes(),

	of(Knob{Name: "backend", Section: "backend", Form: "synthetic(…)|model:FILE", Default: backend.Synthetic, Example: "synthetic(base=1ms,per_item=20us)", Doc: "what a batch call does and how long it takes"},
		func(s *Settings) *backend.Spec { return &s.Backend }, backend.ParseSpec, backend.Spec.String),

	word(Knob{Name: "clock", Section: "run", Default: "real", Example: "real", Doc: "the clock that the run goes by: virtual is simulated time, exact and at once; both compares them"},
		func(s *Settings) *string { return &s.Clock }, []string{Real, Virtual, Both}, nil),
	seed(),
	duration(),
	optional(Knob{Name: "items", Section: "run", Form: "N", Example: "1M", Doc: "how many items arrive, instead of duration"},
		func(s *Settings) *uint64 { return &s.Items }, MaxItems),
	warmup(),
	span(Knob{Name: "drain", Section: "run", Default: "10s", Example: "1m", Doc: "longest wait at the end for what is in flight"},
		func(s *Settings) *time.Duration { return &s.Drain }, 0, MaxDuration),
	optional(Knob{Name: "repeat", Section: "run", Form: "N", Example: "5", Doc: "how often a sweep measures each of its points, with the seeds seed, seed+1 and so on"},
		func(s *Settings) *int { return &s.Repeat }, MaxRepeat),

	trace(),
	speed(),
	objective(),
}

func batchDelay() Knob {
	k := Knob{Name: "batch_delay", Section: "kernel", Form: "DURATION|never", Default: "0s", Example: "5ms", Doc: "longest wait for a batch to fill"}
	k = of(k, func(s *Settings) *time.Duration { return &s.BatchDelay }, units.ParseDelay, units.FormatDelay)
	k.check = func(s *Settings) error {
		if d := s.BatchDelay; d < 0 || d > MaxDelay && d != Never {
			return fmt.Errorf("%s is out of range: want 0s to %s, or never", d, units.FormatDuration(MaxDelay))
		}
		return nil
	}
	return k
}

func direct() Knob {
	k := Knob{Name: "direct", Section: "kernel", Form: "on|off", Words: []string{"on", "off"}, Default: "on", Example: "off", Doc: "direct calls: the caller of an idle key runs its own call (perkey)"}
	parse := func(text string) (bool, error) {
		switch text {
		case "on", "off":
			return text == "on", nil
		}
		return false, fmt.Errorf("unknown value %.40q: want on or off", text)
	}
	return of(k, func(s *Settings) *bool { return &s.Direct }, parse, func(on bool) string {
		if on {
			return "on"
		}
		return "off"
	})
}

// number is a knob for a plain decimal number between least and most.
func number(k Knob, field func(*Settings) *float64, least, most float64) Knob {
	k.Form, k.Numeric = "NUMBER", true
	k = of(k, field, units.ParseNumber, units.FormatNumber)
	k.json = func(s *Settings) any { return *field(s) }
	k.check = func(s *Settings) error {
		if v := *field(s); !(v >= least && v <= most) {
			return fmt.Errorf("%v is out of range: want %s to %s", v, units.FormatNumber(least), units.FormatNumber(most))
		}
		return nil
	}
	return notWithTrace(k)
}

func weights() Knob {
	k := Knob{Name: "weights", Section: "workload", Form: "N|LAW(…)", Numeric: true, Default: "1", Example: "lognormal(median=4KiB,sigma=1)", Doc: "the items' weights: constant, uniform, lognormal, pareto"}
	return notWithTrace(of(k, func(s *Settings) *workload.Weights { return &s.Weights }, workload.ParseWeights, workload.Weights.String))
}

// notWithTrace makes k absent while a trace brings its own values.
func notWithTrace(k Knob) Knob {
	get, json := k.get, k.json
	k.get = func(s *Settings) string {
		if s.Trace != "" {
			return ""
		}
		return get(s)
	}
	if json != nil {
		k.json = func(s *Settings) any {
			if s.Trace != "" {
				return nil
			}
			return json(s)
		}
	}
	return k
}

func lanes() Knob {
	k := Knob{Name: "lanes", Section: "workload", Form: "LANE=FRACTION,…", Example: "gold=0.2,free=0.8", Doc: "share lanes that items are tagged with, parts of the whole that add up to 1"}
	k = of(k, func(s *Settings) *[]workload.LaneFraction { return &s.Lanes }, workload.ParseLaneFractions, workload.FormatLaneFractions)
	k.check = func(s *Settings) error { return wholeOf(s.Lanes) }
	return k
}

// wholeWithin is how far the fractions of the share lanes may be from a whole.
const wholeWithin = 1e-6

// wholeOf refuses fractions that are not those of one whole: whoever writes 0.1
// and 0.5 has forgotten a lane, and would not get a tenth.
func wholeOf(lanes []workload.LaneFraction) error {
	sum := 0.0
	for _, l := range lanes {
		sum += l.Fraction
	}
	if len(lanes) == 0 || math.Abs(sum-1) <= wholeWithin {
		return nil
	}
	want := "parts of the whole that add up to 1 or 100%"
	if len(lanes) <= 8 {
		parts := make([]string, len(lanes))
		for i, l := range lanes {
			parts[i] = l.Lane + "=" + strconv.FormatFloat(l.Fraction/sum, 'g', 7, 64)
		}
		want += ", such as " + strings.Join(parts, ",")
	}
	return fmt.Errorf("the fractions add up to %s: want %s", strconv.FormatFloat(sum, 'g', 7, 64), want)
}

func seed() Knob {
	return Knob{
		Name: "seed", Section: "run", Form: "N", Numeric: true, Example: "42", Doc: "of all chance; drawn and printed if not given",
		set: func(s *Settings, text string) error {
			v, err := strconv.ParseUint(text, 10, 64)
			if err != nil || text[0] == '+' {
				return fmt.Errorf("%.40q is no seed: want a whole number from 0 to %d", text, uint64(math.MaxUint64))
			}
			s.Seed, s.SeedGiven = v, true
			return nil
		},
		clear: func(s *Settings) { s.Seed, s.SeedGiven = 0, false },
		get: func(s *Settings) string {
			if s.Seed == 0 && !s.SeedGiven {
				return ""
			}
			return strconv.FormatUint(s.Seed, 10)
		},
		json: func(s *Settings) any {
			if s.Seed == 0 && !s.SeedGiven {
				return nil
			}
			return s.Seed
		},
	}
}

func duration() Knob {
	k := span(Knob{Name: "duration", Section: "run", Default: "30s", Example: "1m", Doc: "how long items arrive, warm-up included"},
		func(s *Settings) *time.Duration { return &s.Duration }, MinDuration, MaxDuration)
	get, check := k.get, k.check
	set := k.set
	k.set = func(s *Settings, text string) error {
		if err := set(s, text); err != nil {
			return err
		}
		return check(s) // 0s would look like no bound
	}
	k.get = func(s *Settings) string {
		if s.Duration == 0 {
			return ""
		}
		return get(s)
	}
	k.check = func(s *Settings) error {
		if s.Duration == 0 {
			return nil
		}
		return check(s)
	}
	return k
}

func warmup() Knob {
	k := Knob{Name: "warmup", Section: "run", Form: "DURATION|PERCENT", Default: "5%", Example: "2s", Doc: "first part of the run, in no figure"}
	parse := func(text string) (w Warmup, err error) {
		if strings.HasSuffix(text, "%") {
			w.Fraction, err = units.ParsePercent(text)
		} else if w.Duration, err = units.ParseDuration(text); err != nil {
			err = fmt.Errorf("%w, or a part of the run such as 5%%", err)
		}
		return w, err
	}
	k = of(k, func(s *Settings) *Warmup { return &s.Warmup }, parse, Warmup.String)
	k.check = func(s *Settings) error {
		switch w := s.Warmup; {
		case w.Fraction != 0 && w.Duration != 0:
			return errors.New("both a part and a duration: want one of them")
		case !(w.Fraction >= 0 && w.Fraction <= MaxWarmup):
			return fmt.Errorf("%s is out of range: want 0%% to %s", w, units.FormatPercent(MaxWarmup))
		case w.Duration < 0 || w.Duration > MaxDuration:
			return fmt.Errorf("%s is out of range: want 0s to %s", w.Duration, units.FormatDuration(MaxDuration))
		}
		return nil
	}
	return k
}

func trace() Knob {
	k := Knob{Name: "trace", Section: "workload", Form: "FILE", Example: "load.csv", Doc: "replay a recorded load, CSV offset_us,key,weight,lane; whole and without warm-up unless these are given"}
	same := func(text string) string { return text }
	return of(k, func(s *Settings) *string { return &s.Trace }, func(text string) (string, error) {
		if strings.ContainsRune(text, 0) || len(text) > 4096 {
			return "", fmt.Errorf("%.40q is no path of a file", text)
		}
		return text, nil
	}, same)
}

func speed() Knob {
	k := number(Knob{Name: "speed", Section: "workload", Default: "1", Example: "10", Doc: "how many times as fast a trace is replayed"},
		func(s *Settings) *float64 { return &s.Speed }, 1e-6, MaxSpeed)
	k.clear = func(s *Settings) { s.Speed = 1 }
	idle := func(s *Settings) bool { return s.Trace == "" && s.Speed == 1 } // there is nothing to speed up
	k.get = func(s *Settings) string {
		if idle(s) {
			return ""
		}
		return units.FormatNumber(s.Speed)
	}
	k.json = func(s *Settings) any {
		if idle(s) {
			return nil
		}
		return s.Speed
	}
	return k
}

func objective() Knob {
	k := Knob{Name: "slo", Section: "slo", Form: "TERM,…", Example: "p99<=20ms,rejected<=0.1%", Doc: "objective to judge the run by"}
	return of(k, func(s *Settings) *[]slo.Term { return &s.SLO }, slo.Parse, slo.Format)
}
