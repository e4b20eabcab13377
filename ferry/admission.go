// Admission of work that is not a batcher's, by the same fair shares.

package ferry

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ferryctl/lanes/fairshare"
)

// AdmissionConfig holds the settings of an [AdmissionControl].
type AdmissionConfig struct {
	// Lanes are the share lanes and their weights, in the form of [ParseShares].
	Lanes string

	// Quantum is the most service units that one grant moves; at least 1. Best
	// the cost of the largest execution.
	Quantum int64

	// MaxOutstanding is the most service units that one share lane may have
	// admitted and not settled; 0 is no bound. A cost above it never fits.
	MaxOutstanding int64
}

// AdmissionControl says whose turn it is among share lanes whose work runs
// elsewhere: in a pool of workers, each of which asks before it runs a task. It
// is what gates the batchers of this package, for executors of another kind.
//
// First the executor declares what each share lane could run now, with
// SetBacklog, whenever that changes; a lane that declares nothing is idle. A
// worker that is free asks with Admit, and settles its ticket when the task is
// over, whatever became of it. Who is deferred keeps its task and asks again.
// Work is conserved: while a share lane has declared work, one of those that
// have is admitted. Methods may be called from any number of goroutines, and
// none of them blocks.
type AdmissionControl struct {
	mu    sync.Mutex
	node  *fairshare.Node
	wakes []chan struct{} // by share lane: closed when it has the turn; nil if nobody waits
	waits int             // how many are not nil
}

// NewAdmissionControl returns an admission control for these share lanes, or
// says all that is wrong with the settings.
func NewAdmissionControl(cfg AdmissionConfig) (*AdmissionControl, error) {
	shares, err := fairshare.ParseShares(cfg.Lanes)
	node := fairshare.Config{Quantum: fairshare.Units(cfg.Quantum), MaxOutstanding: fairshare.Units(cfg.MaxOutstanding)}
	if err := errors.Join(err, node.Validate()); err != nil {
		return nil, fmt.Errorf("ferry: admission control: %w", err)
	}
	n, err := fairshare.NewNode(node, shares)
	if err != nil {
		return nil, fmt.Errorf("ferry: admission control: %w", err)
	}
	return &AdmissionControl{node: n, wakes: make([]chan struct{}, n.Leaves()+1)}, nil
}

// DeferReason says why work was deferred.
type DeferReason uint8

// The reasons. More may come.
const (
	NoEntitlement DeferReason = iota // it is another share lane's turn, or the lane is at its MaxOutstanding
	Draining                         // the lane's calls in flight end before its new weight holds
)

func (r DeferReason) String() string {
	return [...]string{"no entitlement", "draining for a new weight"}[r]
}

// DeferredError says "not now": the task stays where it is.
type DeferredError struct {
	Share  string
	Reason DeferReason
	// Wake is closed when the share lane next has the turn: ask again then.
	Wake <-chan struct{}
}

func (e *DeferredError) Error() string {
	return fmt.Sprintf("ferry: share lane %s is deferred: %s", e.Share, e.Reason)
}

// Is reports whether target is [fairshare.ErrDeferred].
func (e *DeferredError) Is(target error) bool { return target == fairshare.ErrDeferred }

// A Ticket is one admitted execution. Its zero value is untagged work's.
type Ticket struct {
	of   *AdmissionControl
	res  fairshare.Reservation
	cost int64
	once sync.Once
}

// Cost returns what was reserved; 0 for untagged work.
func (t *Ticket) Cost() int64 { return t.cost }

// Settle says that the execution is over, and what it used: 0 to Cost. Only the
// first Settle that is in that range counts; call it also after a failure or a
// panic. What was reserved and not used is the share lane's again.
func (t *Ticket) Settle(actual int64) error {
	if actual < 0 || actual > t.cost {
		return fmt.Errorf("ferry: %w: %d service units settled of %d reserved", fairshare.ErrAmount, actual, t.cost)
	}
	t.once.Do(func() {
		if t.of == nil {
			return
		}
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		_ = t.of.node.Complete(t.res, fairshare.Units(actual)) // in range, see above
		t.of.turn()
	})
	return nil
}

// SetBacklog declares what a share lane could run now: service units in all, 0
// if it has nothing, and what its next execution costs, 1 to units. Its errors
// are those of a cost that can never fit ([fairshare.ErrNeverFits]), of amounts
// out of range ([fairshare.ErrAmount]), and [ErrUnknownShare]; nothing changes
// then.
func (a *AdmissionControl) SetBacklog(share string, units, next int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	leaf, ok := a.node.Lookup(share)
	if !ok {
		return &UnknownShareError{Share: share}
	}
	if err := a.node.SetBacklog(leaf, fairshare.Units(units), fairshare.Units(next)); err != nil {
		return fmt.Errorf("ferry: %w", err)
	}
	a.turn()
	return nil
}

// Admit asks for one execution of a share lane's, at a cost of at least 1. Work
// of none ("") is admitted at once, with a ticket that settles nothing. A
// [*DeferredError] says that it is not the lane's turn. An unknown share lane
// and a cost that can never fit are errors at once, as in SetBacklog.
func (a *AdmissionControl) Admit(share string, cost int64) (*Ticket, error) {
	if share == "" {
		return &Ticket{}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	leaf, ok := a.node.Lookup(share)
	if !ok {
		return nil, &UnknownShareError{Share: share}
	}
	a.node.Turn()
	res, err := a.node.Reserve(leaf, fairshare.Units(cost))
	switch {
	case errors.Is(err, fairshare.ErrDeferred):
		return nil, a.deferred(leaf, share, err)
	case err != nil:
		return nil, fmt.Errorf("ferry: %w", err)
	}
	a.turn()
	return &Ticket{of: a, res: res, cost: cost}, nil
}

// AdmitBatch asks for the longest prefix of executions that the share lane is
// entitled to now, as one: n of them, at least one, under one ticket that costs
// their sum. Its errors are those of Admit.
func (a *AdmissionControl) AdmitBatch(share string, costs []int64) (t *Ticket, n int, err error) {
	if len(costs) == 0 {
		return nil, 0, fmt.Errorf("ferry: %w: a batch of no executions", fairshare.ErrAmount)
	}
	if share == "" {
		return &Ticket{}, len(costs), nil
	}
	for n = len(costs); n > 0; n-- {
		var sum int64
		for _, c := range costs[:n] {
			if c < 1 || sum > int64(fairshare.MaxUnits)-c {
				return nil, 0, fmt.Errorf("ferry: %w: an execution costs at least 1, and all together at most %d", fairshare.ErrAmount, fairshare.MaxUnits)
			}
			sum += c
		}
		t, err = a.Admit(share, sum)
		if err == nil || n == 1 || !errors.Is(err, fairshare.ErrDeferred) && !errors.Is(err, fairshare.ErrNeverFits) {
			break
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return t, n, nil
}

// Wait asks until the work is admitted, ctx is done, or an error says that
// waiting is in vain. The share lane's backlog must have been declared.
func (a *AdmissionControl) Wait(ctx context.Context, share string, cost int64) (*Ticket, error) {
	for {
		t, err := a.Admit(share, cost)
		var later *DeferredError
		if !errors.As(err, &later) {
			return t, err
		}
		select {
		case <-later.Wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Reweigh changes the weight of a share lane or a group, which takes effect for
// the lanes concerned once their executions have settled.
func (a *AdmissionControl) Reweigh(share string, weight fairshare.Weight) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.node.SetWeight(share, weight); err != nil {
		return fmt.Errorf("ferry: %w", err)
	}
	a.turn()
	return nil
}

// deferred makes the error, with a channel to wait on. The mutex is held.
func (a *AdmissionControl) deferred(leaf fairshare.Leaf, share string, err error) error {
	if a.wakes[leaf] == nil {
		a.wakes[leaf] = make(chan struct{})
		a.waits++
	}
	e := &DeferredError{Share: share, Wake: a.wakes[leaf]}
	if errors.Is(err, fairshare.ErrBlocked) {
		e.Reason = Draining
	}
	return e
}

// turn wakes those who wait for the share lane that has the turn now. If nobody
// waits there is no turn yet: it goes to the best of those that have declared
// work when someone asks. The mutex is held.
func (a *AdmissionControl) turn() {
	if a.waits == 0 {
		return
	}
	if leaf, ok := a.node.Turn(); ok && a.wakes[leaf] != nil {
		close(a.wakes[leaf])
		a.wakes[leaf] = nil
		a.waits--
	}
}
