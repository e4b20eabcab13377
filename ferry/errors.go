// The errors that Do returns.

package ferry

import (
	"errors"
	"fmt"
)

var (
	// ErrRejected is what errors.Is finds in the error of an input that was
	// turned away because the waiting room is full; see [RejectedError].
	ErrRejected = errors.New("ferry: rejected")

	// ErrClosed answers every Do after Close, and every input that still
	// waited when Close was called.
	ErrClosed = errors.New("ferry: closed")

	// ErrUnknownShare is what errors.Is finds in the error of an input whose
	// share lane is none of the batcher's; see [UnknownShareError].
	ErrUnknownShare = errors.New("ferry: unknown share lane")

	// ErrNoShares answers Reweigh of a batcher without share lanes.
	ErrNoShares = errors.New("ferry: there are no share lanes; see WithShares")

	// ErrNoAnswer is what errors.Is finds in the [FailedError] of an input whose
	// key a [Keyed] call left out of its answer; see [NoAnswerError].
	ErrNoAnswer = errors.New("the call gave no answer for this key")

	// ErrGoexit is inside the [FailedError] of inputs whose call ended its
	// goroutine with runtime.Goexit.
	ErrGoexit = errors.New("the call ended its goroutine")
)

// errEnded is shared, so that being ready for it costs nothing.
var errEnded = &FailedError{ErrGoexit}

// Bound names a bound of the waiting room.
type Bound uint8

// The bounds that an input can be rejected by.
const (
	BoundCount  Bound = iota // MaxQueued inputs wait
	BoundWeight              // with it, more than MaxQueuedWeight would wait
)

func (b Bound) String() string {
	if b == BoundWeight {
		return "MaxQueuedWeight"
	}
	return "MaxQueued"
}

// RejectedError is the error of an input that found the waiting room full.
// errors.Is(err, ErrRejected) holds for it.
type RejectedError struct {
	Bound  Bound
	Limit  int64 // the value of the bound; Unlimited where only the sum of the weights cannot be counted any more
	Weight int64 // the input's weight
	// Share is set if the room is not full, but the input's share lane holds its
	// part of it, Limit, and the rest is taken or kept for others.
	Share string
	// Never is set if the input alone is heavier than MaxQueuedWeight, or than
	// its share lane may ever hold, Limit: it can never wait, however empty the
	// room is. (A direct call does not wait, so PerKey may still take it when its
	// key is idle.)
	Never bool
}

func (e *RejectedError) Error() string {
	if e.Share != "" && e.Never {
		return fmt.Sprintf("ferry: rejected: the input's weight %d alone is greater than the %d that share lane %s may hold, so it can never wait", e.Weight, e.Limit, e.Share)
	}
	if e.Share != "" {
		return fmt.Sprintf("ferry: rejected: share lane %s holds its part of the waiting room (%d of %s)", e.Share, e.Limit, e.Bound)
	}
	if e.Never {
		return fmt.Sprintf("ferry: rejected: the input's weight %d alone is greater than MaxQueuedWeight %d, so it can never wait", e.Weight, e.Limit)
	}
	return fmt.Sprintf("ferry: rejected: the waiting room is full (%s %s)", e.Bound, amount(e.Limit))
}

// Is reports whether target is ErrRejected.
func (e *RejectedError) Is(target error) bool { return target == ErrRejected }

// UnknownShareError is the error of an input whose share lane is none of the
// batcher's. It was not submitted: no metric or hook knows of it.
type UnknownShareError struct{ Share string }

func (e *UnknownShareError) Error() string {
	return fmt.Sprintf("ferry: share lane %q is none of this batcher's", e.Share)
}

// Is reports whether target is ErrUnknownShare.
func (e *UnknownShareError) Is(target error) bool { return target == ErrUnknownShare }

// CostError is the error of an input that costs more than [MaxCost]: it can
// never fit. It was not submitted: no metric or hook knows of it.
type CostError struct{ Cost int64 }

func (e *CostError) Error() string {
	return fmt.Sprintf("ferry: an input costs %d service units, more than the %d that one may cost", e.Cost, int64(MaxCost))
}

// FailedError is the error of an input whose call failed. errors.Is and
// errors.As see what the call said through it.
type FailedError struct {
	Err error // the call's error, a *PanicError, an *AnswerCountError, a *NoAnswerError or ErrGoexit
}

func (e *FailedError) Error() string { return "ferry: call failed: " + e.Err.Error() }

// Unwrap returns what the call said.
func (e *FailedError) Unwrap() error { return e.Err }

// NoAnswerError is inside the [FailedError] of an input whose key a [Keyed] call
// left out of its answer. errors.Is(err, ErrNoAnswer) holds for it.
type NoAnswerError struct {
	Key any // of the batcher's type of keys
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("the call gave no answer for the key %v", e.Key)
}

// Is reports whether target is ErrNoAnswer.
func (e *NoAnswerError) Is(target error) bool { return target == ErrNoAnswer }

// PanicError is inside the [FailedError] of inputs whose call panicked.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // the stack at the panic, as runtime/debug.Stack formats it
}

func (e *PanicError) Error() string { return fmt.Sprintf("the call panicked: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// AnswerCountError is inside the [FailedError] of inputs whose call answered
// too few or too many: no answer can be matched to its input.
type AnswerCountError struct {
	Inputs, Answers int
}

func (e *AnswerCountError) Error() string {
	return fmt.Sprintf("the call gave %d answers to %d inputs", e.Answers, e.Inputs)
}
