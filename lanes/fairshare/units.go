// Service units and the errors of this package.

package fairshare

import (
	"errors"
	"fmt"
	"math"
)

// Units counts service: what a call costs and what a lane was given. The
// caller chooses what one unit is (an input, a byte, a microsecond). Amounts
// are never negative.
type Units int64

// MaxUnits is the most that may ever be minted, or pass over one edge of a
// tree. It leaves the exact arithmetic of the policy the room that it needs;
// what would pass it is refused with [ErrOverflow].
const MaxUnits Units = math.MaxInt64 / 2

// The errors that a caller may branch on, with [errors.Is].
var (
	// ErrDeferred says "not now": the lane has no entitlement for this cost.
	// The task stays where it is and asks again when its lane has the turn.
	ErrDeferred = errors.New("deferred: the share lane has no entitlement for this cost now")
	// ErrBlocked is a deferral too (errors.Is finds ErrDeferred in it): the
	// lane is draining for a change of weight.
	ErrBlocked = fmt.Errorf("%w: it drains for a new weight", ErrDeferred)
	// ErrUnknownLane says that a name or a handle names no leaf of the tree.
	ErrUnknownLane = errors.New("unknown share lane")
	// ErrNeverFits says that the cost is larger than the lane may ever hold.
	ErrNeverFits = errors.New("the cost can never fit")
	// ErrOverflow says that an amount would pass the range of [Units].
	ErrOverflow = errors.New("service units overflow")
	// ErrAmount says that an amount is outside of what the operation allows.
	ErrAmount = errors.New("amount out of range")
)

// add returns a+b, or an error if that leaves the range of int64.
func add(a, b Units) (Units, error) {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		return 0, fmt.Errorf("%w: %d + %d", ErrOverflow, a, b)
	}
	return c, nil
}

// sub returns a-b, or an error if that leaves the range of int64.
func sub(a, b Units) (Units, error) {
	c := a - b
	if (c < a) != (b > 0) && b != 0 {
		return 0, fmt.Errorf("%w: %d - %d", ErrOverflow, a, b)
	}
	return c, nil
}
