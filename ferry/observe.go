// What a batcher tells of itself: an Observer hears of every step, Metrics is
// the account so far.

package ferry

import (
	"time"

	"ferryctl/lanes"
)

// Left says why a batch left the waiting room.
type Left uint8

// The reasons, also indices of [Metrics.Batches]. A full batch that is overdue
// as well left by size or weight.
const (
	LeftSize   = Left(lanes.LeftSize)   // it held MaxBatchSize inputs
	LeftWeight = Left(lanes.LeftWeight) // MaxBatchWeight was reached, or the next input would have passed it
	LeftDelay  = Left(lanes.LeftDelay)  // its oldest input had waited MaxBatchDelay; with a delay of 0, at once
	LeftFreed  = Left(lanes.LeftFreed)  // the key's previous call was over (zero delay)
	LeftDirect = Left(lanes.LeftDirect) // a direct call, which never waited
	LeftClose  = Left(lanes.LeftClose)  // it was flushed: Flush let it go. Close lets nothing go
)

// String returns "size", "weight", "delay", "freed", "direct" or "close".
func (l Left) String() string { return lanes.Left(l).String() }

// Wait is an input's time in the waiting room by cause. The sum is the time from
// its admission until its batch was taken.
type Wait struct {
	Forming time.Duration // for the batch to be full or due
	Turn    time.Duration // for the call of the same key that was out (PerKey)
	Slot    time.Duration // for one of the MaxInFlightBatches
}

// Batch describes a batch that was taken.
type Batch struct {
	Size   int // inputs that go to the call: those whose callers still wait
	Weight int64
	Left   Left
}

// Observer holds hooks on the life of inputs and batches, in the manner of
// net/http/httptrace. A nil hook costs nothing. Hooks run outside every lock,
// many at once, and hold up only the goroutine that they run on.
//
// An input that waits is told by Submitted, Admitted, Taken (with its batch) and
// Answered; that of a direct call by Submitted, Claimed and Answered; one turned
// away by Submitted, Rejected and Answered; one that finds the batcher closed, or
// its context done, by Submitted and Answered. An input that is answered
// [ErrUnknownShare] or a [CostError] is told by none.
//
// There is no hook for the end of a call: to time calls, wrap the call. It knows
// its error, its context and its inputs.
//
// A hook that panics on its caller's goroutine is the caller's panic; an input
// that was admitted by then is served all the same, and its answer lost. A panic
// in Taken or Claimed, which run just before a call, counts as one of the call.
type Observer[I any] struct {
	// Submitted: Do was called. On the caller's goroutine.
	Submitted func(in I)
	// Admitted: the input waits. On the caller's goroutine; a worker may be
	// quicker, so Taken of the same input may be told before.
	Admitted func(in I)
	// Claimed: the input's key was idle; its direct call follows. On the
	// caller's goroutine.
	Claimed func(in I)
	// Rejected: the waiting room was full; err is a *RejectedError. On the
	// caller's goroutine.
	Rejected func(in I, err error)
	// Taken: a batch left the room; its call follows. On the worker's
	// goroutine. waits[i] is of ins[i]; both are valid during the hook only.
	Taken func(b Batch, ins []I, waits []Wait)
	// Answered: Do is about to return err. On the caller's goroutine. Not told of
	// a Do that panics, or whose goroutine its direct call ends.
	Answered func(in I, err error)
}

// Metrics is a consistent account of a batcher, as of one instant:
//
//	Submitted = Done + Failed + Cancelled + RejectedCount + RejectedWeight + RefusedClosed + Queued + Running
type Metrics struct {
	Submitted      uint64 // inputs that came to the door
	Admitted       uint64 // … and waited
	Claimed        uint64 // … and went out as direct calls
	RejectedCount  uint64 // … and were turned away by MaxQueued
	RejectedWeight uint64 // … and were turned away by MaxQueuedWeight
	RefusedClosed  uint64 // answered ErrClosed, at the door or while they waited
	Done           uint64 // answered by their call
	Failed         uint64 // answered *FailedError
	Cancelled      uint64 // given up by their callers

	Queued       int   // inputs waiting
	QueuedWeight int64 // their weight
	Lanes        int   // PerKey: keys with inputs waiting or a call out
	InFlight     int   // batches out
	Direct       int   // direct calls out
	Running      int   // inputs in batches and direct calls out, or about to be answered ErrClosed

	Batches [lanes.LeftReasons]uint64 // calls that are over, by Left

	// The highest values since construction or ResetPeaks. PeakInFlight counts
	// batches and direct calls together.
	PeakQueued       int
	PeakQueuedWeight int64
	PeakInFlight     int

	// QueuedSeconds is the integral of Queued over time since construction, in
	// input-seconds. It is kept only where the batcher looks at the clock
	// anyway: with a delay, or an Observer; otherwise it is 0.
	QueuedSeconds float64
}

// Lane is a line of the waiting room, as of one instant.
type Lane struct {
	Key          any    // of PerKey; nil of Make and Keyed
	Share        string // its share lane; "" if untagged, and without share lanes
	Queued       int    // inputs waiting
	QueuedWeight int64
	// Age is how long the oldest of them has waited; 0 if none waits, and where
	// the batcher does not look at the clock (see QueuedSeconds).
	Age    time.Duration
	Busy   bool // PerKey: a call of the key is out
	Direct bool // … which is a direct one
}
