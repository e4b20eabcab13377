// What both rooms share: the settings, the bounds, and the account of what
// waits and what is out.

package lanes

import (
	"fmt"
	"math/bits"
	"time"

	"ferryctl/lanes/fairshare"
)

// Unlimited and Never are the settings that bound nothing.
const (
	Unlimited = int(^uint(0) >> 1)
	Never     = time.Duration(1<<63 - 1)
)

// Config holds a room's settings. The room trusts them: whoever builds one
// checks first that every bound is at least 1 and the delay at least 0.
type Config struct {
	MaxBatchSize    int           // most inputs a batch holds; >= 1
	MaxBatchWeight  int64         // most weight a batch of two or more holds; >= 1
	MaxBatchDelay   time.Duration // a partial batch leaves this long after its oldest input came; 0: at once; [Never]: full batches only
	MaxInFlight     int           // most batches out at once, direct calls not counted; >= 1
	MaxQueued       int           // most inputs waiting; >= 1
	MaxQueuedWeight int64         // most weight waiting; >= 1
	Direct          bool          // Lanes: an input of an idle key is claimed instead of admitted, if MaxBatchDelay is 0
	Ranked          bool          // Lanes: a lane is ordered by rank; otherwise rank is ignored
	Parallel        bool          // Lanes: a key may have any number of batches out, and no direct calls

	// Lanes: the share lanes, and how they divide the room. The room works on a
	// clone of the node, which must be idle. nil: there are none, and every
	// input's Share is fairshare.Untagged.
	Shares *fairshare.Node
	Policy RoomPolicy
}

// Input is what comes to the door.
type Input[E any] struct {
	Entry  E
	Weight int64          // >= 0
	Rank   int64          // ignored unless the room is Ranked
	Share  fairshare.Leaf // its share lane, with Cost; see Config.Shares
	Cost   int64          // what its call is charged for it, in service units; >= 1 with share lanes
}

// Admission is the answer to an input at the door.
type Admission uint8

// The answers. Only the first two let the input in.
const (
	Admitted        Admission = iota // it waits
	Claimed                          // its key was idle and is now its own: the caller runs the call itself, then releases
	FullCount                        // rejected: MaxQueued inputs wait
	FullWeight                       // rejected: with it, more than MaxQueuedWeight would wait
	TooHeavy                         // rejected, and always will be: alone it weighs more than MaxQueuedWeight, or than its share lane may hold
	FullShareCount                   // rejected: its share lane holds its part of MaxQueued, and the rest is taken or kept for others
	FullShareWeight                  // rejected: the same by MaxQueuedWeight
	Closed                           // the room is closed
)

var admissionNames = [...]string{
	"admitted", "claimed", "full by count", "full by weight", "too heavy",
	"share lane full by count", "share lane full by weight", "closed",
}

func (a Admission) String() string { return admissionNames[a] }

// Left says why a batch left the room.
type Left uint8

// The reasons. They are looked at in this order, so a full batch that is also
// overdue left by size.
const (
	LeftSize   Left = iota // it held MaxBatchSize inputs
	LeftWeight             // the next input would have passed MaxBatchWeight, or none of any weight could follow
	LeftDelay              // its oldest input had waited MaxBatchDelay (of a zero delay, too)
	LeftFreed              // the key's previous call was over (zero delay)
	LeftDirect             // it never waited: a direct call
	LeftClose              // it was flushed, and nothing else would have let it go

	LeftReasons = 6 // how many there are
)

var leftNames = [...]string{"size", "weight", "delay", "freed", "direct", "close"}

func (l Left) String() string { return leftNames[l] }

// Ref names an input in its room, from Admit until it is taken, withdrawn or
// drained. The zero Ref names nothing.
type Ref struct {
	slot int32
	seq  uint64
}

// Wait is an input's time in the room by cause. The sum is the time from Admit
// to Take.
type Wait struct {
	Forming time.Duration // for the batch to be full or due
	Turn    time.Duration // for the call of the same key that was out (Lanes only)
	Slot    time.Duration // for one of the MaxInFlight batches, in the ready line
}

// Taken is an input that left with a batch.
type Taken[E any] struct {
	Entry  E
	At     time.Duration // when it was admitted
	Weight int64
	Rank   int64
	Wait   Wait
}

// Batch is what Take hands out. A caller may pass the same Batch to Take again:
// Items is reused.
type Batch[E any] struct {
	Items  []Taken[E] // never empty; in dispatch order
	Weight int64      // of all items
	Left   Left
	Lane   LaneRef // for Release, and if not Parallel names the busy lane; zero for a Queue
	Share  fairshare.Leaf
}

// LaneRef names a lane that has a call out, from Take or a claim until Release.
type LaneRef int32

// Stats is what a room tells of itself.
type Stats struct {
	Queued       int   // inputs waiting
	QueuedWeight int64 // their weight
	InFlight     int   // batches out
	Direct       int   // direct calls out
	Lanes        int   // lanes in memory: with inputs waiting or a call out
	Closed       bool

	// Highest values since construction or ResetPeaks. PeakInFlight counts
	// batches and direct calls.
	PeakQueued       int
	PeakQueuedWeight int64
	PeakInFlight     int

	QueuedSeconds float64 // the integral of Queued over time, in input-seconds
}

type item[E any] struct {
	entry  E
	at     time.Duration
	weight int64
	rank   int64
	cost   int64
	seq    uint64 // arrival order; never 0 for an allocated item
	lane   int32

	next, prev      int32 // in arrival order
	left, right, up int32 // in rank order (see rank.go)

	forming, turn time.Duration // the lane's clocks when it came
}

// room is the account that both rooms keep.
type room struct {
	cfg     Config
	now     time.Duration // the latest time seen
	seq     uint64        // of the newest input
	flushed uint64        // inputs up to this one are due whatever their age
	closed  bool

	stats  Stats  // but for Direct
	areaHi uint64 // integral of queued over time, input-nanoseconds, 128 bits
	areaLo uint64
	direct int // calls out
}

// advance moves the room's clock to now. Callers that read their clocks before
// they got hold of the room may come in another order than they read them: an
// earlier time counts as the latest one seen.
func (r *room) advance(now time.Duration) time.Duration {
	if now > r.now {
		hi, lo := bits.Mul64(uint64(r.stats.Queued), uint64(now-r.now))
		var carry uint64
		r.areaLo, carry = bits.Add64(r.areaLo, lo, 0)
		r.areaHi += hi + carry
		r.now = now
	}
	return r.now
}

// door answers an input of this weight that has to wait.
func (r *room) door(weight int64) Admission {
	switch {
	case weight > r.cfg.MaxQueuedWeight:
		return TooHeavy
	case r.stats.Queued >= r.cfg.MaxQueued:
		return FullCount
	case weight > r.cfg.MaxQueuedWeight-r.stats.QueuedWeight:
		return FullWeight
	}
	return Admitted
}

func (r *room) enter(weight int64) {
	r.stats.Queued++
	r.stats.QueuedWeight += weight
	r.stats.PeakQueued = max(r.stats.PeakQueued, r.stats.Queued)
	r.stats.PeakQueuedWeight = max(r.stats.PeakQueuedWeight, r.stats.QueuedWeight)
}

func (r *room) leave(weight int64) {
	r.stats.Queued--
	r.stats.QueuedWeight -= weight
}

func (r *room) out(direct bool) {
	if direct {
		r.direct++
	} else {
		r.stats.InFlight++
	}
	if n := r.stats.InFlight + r.direct; n > r.stats.PeakInFlight { // seldom, so seldom written
		r.stats.PeakInFlight = n
	}
}

func (r *room) back(direct bool) {
	n := &r.stats.InFlight
	if direct {
		n = &r.direct
	}
	if *n == 0 {
		panic(fmt.Sprintf("lanes: release with nothing out (direct=%t)", direct))
	}
	*n--
}

// slotFree says whether another batch may go out.
func (r *room) slotFree() bool { return r.stats.InFlight < r.cfg.MaxInFlight }

// deadline returns when an input that came at this time makes its batch due.
func (r *room) deadline(at time.Duration) time.Duration {
	if r.cfg.MaxBatchDelay > Never-at {
		return Never
	}
	return at + r.cfg.MaxBatchDelay
}

// due says whether the oldest input, it, makes its batch leave though partial.
func (r *room) due(at time.Duration, seq uint64, now time.Duration) bool {
	return seq <= r.flushed || (r.cfg.MaxBatchDelay != Never && r.deadline(at) <= now)
}

// early says whether a partial batch with this oldest input could leave only
// because it was flushed.
func (r *room) early(at, now time.Duration) bool {
	return r.cfg.MaxBatchDelay == Never || r.deadline(at) > now
}

// leftBy names the bound that a batch is full by, or else the given cause.
func (r *room) leftBy(n int, weight int64, more bool, cause Left) Left {
	switch {
	case n >= r.cfg.MaxBatchSize:
		return LeftSize
	case more || weight >= r.cfg.MaxBatchWeight:
		return LeftWeight
	}
	return cause
}

// full says whether a batch from n waiting inputs of this total weight is
// stopped by a bound: more inputs would not make it larger.
func (r *room) full(n int, weight int64) bool {
	return n >= r.cfg.MaxBatchSize || weight >= r.cfg.MaxBatchWeight
}

// fits says whether a batch of n inputs and this weight takes one more.
func (r *room) fits(n int, weight, more int64) bool {
	return n == 0 || (n < r.cfg.MaxBatchSize && more <= r.cfg.MaxBatchWeight-weight)
}

// Queued returns how many inputs wait.
func (r *room) Queued() int { return r.stats.Queued }

// Stats returns the room's account as of the latest time it was told.
func (r *room) Stats() Stats {
	s := r.stats
	s.Closed, s.Direct = r.closed, r.direct
	s.QueuedSeconds = (float64(r.areaHi)*0x1p64 + float64(r.areaLo)) / 1e9
	return s
}

// ResetPeaks starts a new window for the peaks: each becomes its present value.
func (r *room) ResetPeaks() {
	r.stats.PeakQueued = r.stats.Queued
	r.stats.PeakQueuedWeight = r.stats.QueuedWeight
	r.stats.PeakInFlight = r.stats.InFlight + r.direct
}

// Config returns the settings in force.
func (r *room) Config() Config { return r.cfg }
