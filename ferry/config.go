// The settings of a batcher and what may be in them.

package ferry

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// Unlimited is the setting of a count or a weight that bounds nothing.
const Unlimited = math.MaxInt

// Never is the MaxBatchDelay with which only full batches leave. What is left
// at the end leaves with Flush.
const Never = lanes.Never

// Config holds the settings that every batcher has. There are no defaults:
// how much may wait and run is the user's to say.
type Config struct {
	// MaxBatchSize is the most inputs that one call gets; at least 1, or
	// [Unlimited]. A batch that reaches it leaves as soon as a slot is free.
	MaxBatchSize int

	// MaxBatchWeight is the most weight (see [WithWeigh]) that one call gets,
	// in the caller's unit; at least 1; 0 means [Unlimited]. An input heavier
	// than this goes alone.
	MaxBatchWeight int64

	// MaxBatchDelay is how long the oldest input waits for company before its
	// batch leaves, full or not; at least 0. 0 leaves at once, which still
	// makes batches whenever calls are slower than callers. [Never] waits for
	// full batches.
	MaxBatchDelay time.Duration

	// MaxInFlightBatches is the most batches that run at once; at least 1, or
	// [Unlimited]. PerKey's direct calls are no batches and come on top.
	MaxInFlightBatches int

	// MaxQueued is the most inputs that wait, those in flight not counted; at
	// least 1, or [Unlimited], which is an overload's way to use up the memory.
	MaxQueued int

	// MaxQueuedWeight is the most weight that waits; at least 1; 0 means
	// [Unlimited].
	MaxQueuedWeight int64
}

// PerKeyConfig holds the settings of [PerKey].
type PerKeyConfig struct {
	Config

	// NoDirect makes the inputs of idle keys wait for a worker like all
	// others. Otherwise, with a MaxBatchDelay of 0, the caller of an idle key
	// runs its own call on its own goroutine, on top of MaxInFlightBatches. That
	// is the fastest way through for calls that do not wait on their context;
	// one that does pays for a context of its own, about as much as a hand-over
	// to a worker.
	NoDirect bool
}

// Settings are the effective settings of a batcher.
type Settings struct {
	Kernel string // "make", "keyed" or "perkey"
	PerKeyConfig
	Shares
}

// String returns the settings as a person reads them, such as
//
//	keyed: MaxBatchSize 64, MaxBatchWeight unlimited, MaxBatchDelay 1ms, MaxInFlightBatches 8, MaxQueued 10000, MaxQueuedWeight unlimited
//
// with what only some batchers have at the end: NoDirect and share lanes.
func (s Settings) String() string {
	s = s.Effective()
	delay := s.MaxBatchDelay.String()
	if s.MaxBatchDelay == Never {
		delay = "never"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: MaxBatchSize %s, MaxBatchWeight %s, MaxBatchDelay %s, MaxInFlightBatches %s, MaxQueued %s, MaxQueuedWeight %s",
		s.Kernel, amount(int64(s.MaxBatchSize)), amount(s.MaxBatchWeight), delay,
		amount(int64(s.MaxInFlightBatches)), amount(int64(s.MaxQueued)), amount(s.MaxQueuedWeight))
	if s.Kernel == "perkey" {
		fmt.Fprintf(&b, ", NoDirect %t", s.NoDirect)
	}
	if s.Lanes != "" {
		fmt.Fprintf(&b, ", share lanes %s, room %s, Quantum %d", s.Lanes, s.Policy, s.Quantum)
	}
	return b.String()
}

// amount writes a count or a weight that may be no bound at all.
func amount(n int64) string {
	if n >= Unlimited {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}

// Validate reports every fault at once, each with its field and its bound.
func (c Config) Validate() error {
	var faults []error
	atLeast := func(field string, v, least int64, zero string) {
		if v < least {
			faults = append(faults, fmt.Errorf("ferry: %s %d is less than the allowed %d%s", field, v, least, zero))
		}
	}
	atLeast("MaxBatchSize", int64(c.MaxBatchSize), 1, "")
	atLeast("MaxBatchWeight", c.MaxBatchWeight, 0, " (0 is unlimited)")
	if c.MaxBatchDelay < 0 {
		faults = append(faults, fmt.Errorf("ferry: MaxBatchDelay %s is less than the allowed 0s", c.MaxBatchDelay))
	}
	atLeast("MaxInFlightBatches", int64(c.MaxInFlightBatches), 1, "")
	atLeast("MaxQueued", int64(c.MaxQueued), 1, "")
	atLeast("MaxQueuedWeight", c.MaxQueuedWeight, 0, " (0 is unlimited)")
	e := c.effective()
	if heavy := e.MaxBatchWeight < Unlimited && e.MaxBatchWeight <= e.MaxQueuedWeight; !heavy && c.MaxBatchDelay == Never && c.MaxQueued >= 1 && c.MaxBatchSize > c.MaxQueued {
		faults = append(faults, fmt.Errorf("ferry: MaxBatchSize %s is greater than MaxQueued %d, and no MaxBatchWeight within MaxQueuedWeight is set, so that with a MaxBatchDelay of Never no batch would ever fill",
			amount(int64(c.MaxBatchSize)), c.MaxQueued))
	}
	return errors.Join(faults...)
}

// effective resolves the zeros that stand for something.
func (c Config) effective() Config {
	if c.MaxBatchWeight == 0 {
		c.MaxBatchWeight = Unlimited
	}
	if c.MaxQueuedWeight == 0 {
		c.MaxQueuedWeight = Unlimited
	}
	return c
}

// Effective returns the settings with the zeros resolved that stand for
// something, as a batcher with these settings reports them.
func (s Settings) Effective() Settings {
	s.Config = s.Config.effective()
	s.Shares = s.Shares.effective(s.MaxBatchSize)
	return s
}

// Validate reports every fault at once.
func (s Settings) Validate() error {
	return errors.Join(s.Config.Validate(), s.Shares.validate(s.MaxQueued, s.MaxQueuedWeight))
}

// Room returns the settings of the waiting room alone, for a shell of another
// kind around package lanes, such as a simulation. ranked says whether inputs
// have ranks. The settings must be valid.
func (s Settings) Room(ranked bool) lanes.Config {
	s = s.Effective()
	var node *fairshare.Node
	if s.Lanes != "" {
		node, _ = s.node() // of valid settings there is one
	}
	return lanes.Config{
		Shares: node, Policy: s.Policy, Parallel: s.Kernel != "perkey",
		MaxBatchSize:    s.MaxBatchSize,
		MaxBatchWeight:  s.MaxBatchWeight,
		MaxBatchDelay:   s.MaxBatchDelay,
		MaxInFlight:     s.MaxInFlightBatches,
		MaxQueued:       s.MaxQueued,
		MaxQueuedWeight: s.MaxQueuedWeight,
		Direct:          s.Kernel == "perkey" && !s.NoDirect,
		Ranked:          ranked,
	}
}
