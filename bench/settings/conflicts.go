// Which knobs exclude each other, and which side gives way.

package settings

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// An exclusion says that two knobs can't both be in force. Of two ranks the
// higher one wins; an exclusion with keep set lets b never replace a.
type exclusion struct {
	a, b string
	keep bool
	when func(a, b assignment) bool // nil means always
	want string                     // what would be right
}

var exclusions = []exclusion{
	{a: "lane_rate", b: "rate", want: "one of them"},
	{a: "clients", b: "rate", want: "one of them"},
	{a: "clients", b: "lane_rate", want: "one of them"},
	{a: "items", b: "duration", want: "one of them"},
	{a: "lane_rate", b: "lanes", keep: true, want: "lane_rate alone, which says how often each share lane comes"},

	{a: "trace", b: "rate", keep: true, when: func(_, b assignment) bool { return b.canonical != "max" }, want: "speed, to change the trace's own offsets, or the rate max"},
	{a: "trace", b: "lane_rate", keep: true, want: "speed, to change the trace's own offsets"},
	{a: "trace", b: "arrivals", keep: true, when: func(_, b assignment) bool { return b.canonical != "trace" }, want: "the arrivals of the trace"},
	{a: "trace", b: "keys", keep: true, want: "the keys of the trace"},
	{a: "trace", b: "key_skew", keep: true, want: "the keys of the trace"},
	{a: "trace", b: "weights", keep: true, want: "the weights of the trace"},
	{a: "trace", b: "lanes", keep: true, want: "the share lanes of the trace"},
	// A trace is replayed whole unless somebody bounds it.
	{a: "trace", b: "duration", keep: true, when: func(_, b assignment) bool { return b.rank == 0 }},

	{a: "clients", b: "arrivals", keep: true, when: scheduled, want: "a rate: a closed loop has no schedule"},
	{a: "rate", b: "arrivals", keep: true, when: func(a, b assignment) bool { return a.canonical == "max" && scheduled(a, b) }, want: "a rate such as 50k/s: max has no schedule"},

	{a: "kernel", b: "direct", keep: true, when: func(a, b assignment) bool { return a.canonical != PerKey && b.canonical == "on" }, want: "direct off, or the kernel perkey, which alone has direct calls"},
}

// scheduled says whether b, a value of arrivals, needs a rate to make sense.
func scheduled(_, b assignment) bool {
	return strings.HasPrefix(b.canonical, "constant") || strings.HasPrefix(b.canonical, "bursty")
}

// between returns the exclusion that holds between x and y, if there is one, and
// whether x is its a.
func between(x, y assignment) (e exclusion, xIsA, ok bool) {
	for _, e := range exclusions {
		switch {
		case x.knob == e.a && y.knob == e.b && (e.when == nil || e.when(x, y)):
			return e, true, true
		case x.knob == e.b && y.knob == e.a && (e.when == nil || e.when(y, x)):
			return e, false, true
		}
	}
	return exclusion{}, false, false
}

// replaces says whether high, of the higher rank, takes the place of low.
func replaces(high, low assignment) bool {
	e, highIsA, ok := between(high, low)
	return ok && (highIsA || !e.keep)
}

// conflicts returns a fault for each pair in force that excludes each other.
func (s Settings) conflicts() []error {
	v := s.resolve()
	var faults []error
	for _, e := range exclusions {
		a, okA := v.inForce[e.a]
		b, okB := v.inForce[e.b]
		if okA && okB && (e.when == nil || e.when(a, b)) {
			faults = append(faults, fmt.Errorf("%s %s (%s) conflicts with %s %s (%s): want %s",
				a.knob, a.text, a.source, b.knob, b.text, b.source, e.want))
		}
	}
	return faults
}

// stalls returns a fault for each combination in which no batch would ever leave.
func (s Settings) stalls() []error {
	if s.BatchDelay != Never {
		return nil
	}
	var faults []error
	if s.BatchSize == Unlimited && s.BatchWeight == Unlimited {
		return append(faults, fmt.Errorf("%s with %s: no batch is ever full: want a delay, or a bound on size or weight",
			s.say("batch_delay"), s.say("batch_size")))
	}
	if s.Queue < s.BatchSize && s.BatchWeight == Unlimited {
		faults = append(faults, fmt.Errorf("%s with %s: no batch is ever full while %s may wait: want a delay, or a queue of at least the batch size",
			s.say("batch_delay"), s.say("batch_size"), s.say("queue")))
	}
	if s.Clients > 0 && !s.clientsFillBatches() {
		faults = append(faults, fmt.Errorf("%s with %s and %s: all clients may come to wait for batches that never fill: want a delay, or so many clients that some batch is always full",
			s.say("batch_delay"), s.say("batch_size"), s.say("clients")))
	}
	return faults
}

// clientsFillBatches says whether the clients of a closed loop are so many that
// they cannot all wait in batches that lack an input, by the pigeonhole principle.
func (s Settings) clientsFillBatches() bool {
	lines := uint64(1)
	if s.Kernel == PerKey {
		if s.Trace != "" {
			return false // its keys are not known
		}
		lines = s.Keys
	}
	high, most := bits.Mul64(uint64(s.BatchSize-1), lines) //nolint:gosec // at least 1
	return high == 0 && uint64(s.Clients) > most           //nolint:gosec // more than 0
}

// standstill returns a fault if no time would ever pass in a run that ends by time:
// in virtual time, clients whose calls take none come again at the same instant.
func (s Settings) standstill() error {
	if s.Clock == Real || s.Clients == 0 || s.Duration == 0 || s.Trace != "" || !s.Backend.Free() {
		return nil
	}
	if s.BatchDelay > 0 && s.BatchDelay != Never && int64(s.Clients) < s.BatchSize && s.BatchWeight == Unlimited {
		return nil // too few to fill a batch, they wait for the delay
	}
	return fmt.Errorf("%s with %s and a backend that takes no time: no run would get to the end of %s: want a backend that takes time, or items instead of duration",
		s.say("clock"), s.say("clients"), s.say("duration"))
}

// lengths returns the faults in how long the parts of the run are.
func (s Settings) lengths() []error {
	var faults []error
	if s.Duration == 0 && s.Items == 0 {
		if s.Trace == "" {
			faults = append(faults, errors.New("neither duration nor items is given: want one of them"))
		}
		if s.Warmup.Fraction != 0 {
			faults = append(faults, fmt.Errorf("%s is a part of a trace of unknown length: want a duration such as 5s, or duration or items", s.say("warmup")))
		}
	}
	if s.Duration > 0 && s.Warmup.Duration >= s.Duration {
		faults = append(faults, fmt.Errorf("%s leaves nothing of %s to measure: want less", s.say("warmup"), s.say("duration")))
	}
	if w := float64(s.Duration) * s.Warmup.Fraction; s.Duration > 0 && s.Duration-time.Duration(w) < MinDuration {
		faults = append(faults, fmt.Errorf("%s leaves less than %s of %s to measure: want a longer run", s.say("warmup"), MinDuration, s.say("duration")))
	}
	return faults
}

// say writes a knob with its value and source, for a message.
func (s Settings) say(knob string) string {
	text, source := s.Get(knob), s.Source(knob)
	if source == "" {
		return knob + " " + text
	}
	return fmt.Sprintf("%s %s (%s)", knob, text, source)
}
