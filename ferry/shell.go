// The effectful shell around a waiting room: a mutex that makes each of the
// room's decisions one step, and the account of what was decided.

package ferry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// waitingRoom is what the shell asks of lanes.Queue and lanes.Lanes alike.
// Admission differs, and is the constructors' own.
type waitingRoom[E any] interface {
	Ready(now time.Duration) bool
	Due() (at time.Duration, ok bool)
	Take(now time.Duration, b *lanes.Batch[E]) bool
	Release(now time.Duration, lane lanes.LaneRef)
	Reconfigure(now time.Duration, cfg lanes.Config)
	Withdraw(now time.Duration, ref lanes.Ref) bool
	Flush(now time.Duration)
	Drain(now time.Duration, f func(E))
	Advance(now time.Duration)
	Stats() lanes.Stats
	ResetPeaks()
}

// shell is a batcher but for its admission.
//
// The mutex is never held across user code, a channel operation that could
// block, or a sleep.
type shell[K comparable, I, A any] struct {
	kernel string // its name
	options[I]
	// perform runs the call on a batch whose inputs are b.ins, and leaves each
	// waiter's answer in it. Its error is every waiter's.
	perform func(ctx context.Context, b *worker[K, I, A]) error

	born     time.Time
	start    time.Time    // of the clock; read after timed
	noYield  atomic.Int64 // nanoseconds after born: nobody yields before
	timed    atomic.Bool  // the clock is looked at
	claims   atomic.Bool  // callers of idle keys run their own calls; outside the mutex a guess
	pool     sync.Pool
	cancel   context.CancelCauseFunc // of base
	baseCell *context.Context        // base, on its own: a direct call's context that is kept must not keep the batcher
	gone     chan struct{}           // closed when nothing is left after Close

	leaves map[string]fairshare.Leaf // share lanes by name; nil without
	names  []string                  // … and by handle
	sole   bool                      // there is one, and every input costs 1: nothing to divide, nothing to charge
	gate   gated                     // the room, with share lanes; under the mutex

	_                             [64]byte // what is read outside of the mutex and what is written under it share no cache line
	mu                            sync.Mutex
	claimed, done, failed, gaveUp uint64          // direct calls; see account
	fresh                         []directCall[I] // not yet used

	settings  Settings
	delays    bool // batches can become due by the passing of time
	room      waitingRoom[*waiter[K, I, A]]
	count     Metrics // counters only; the gauges are the room's
	idle      []*worker[K, I, A]
	workers   int     // goroutines, idle ones too
	waking    bool    // a worker was woken and has not looked yet
	yieldPays float64 // which part of the yields before parking spared it lately (see yielding)
	closed    bool
	timer     *time.Timer
	timerAt   time.Duration // what the timer is set for; 0 if it is not
	rings     int           // times that the timer will still ring, those on their way included
}

// newShell checks everything that was asked for, and reports all faults at once.
func newShell[K comparable, I, A any](s Settings, hasKey, hasCall bool, opts []Option[I]) (*shell[K, I, A], error) {
	f := &shell[K, I, A]{kernel: s.Kernel, gone: make(chan struct{})}
	for i, o := range opts {
		if o == nil {
			f.need(false, fmt.Sprintf("option %d of %d is nil; leave it out", i+1, len(opts)))
			continue
		}
		o(&f.options)
	}
	if f.shares != nil {
		s.Shares = *f.shares
	}
	faults := append([]error{s.Validate()}, f.faults...)
	if f.cost != nil && f.shares == nil {
		faults = append(faults, errors.New("ferry: WithCost is what share lanes are charged; there are none, see WithShares"))
	}
	if !hasKey {
		faults = append(faults, errors.New("ferry: key is nil; it must give each input's key"))
	}
	if !hasCall {
		faults = append(faults, errors.New("ferry: call is nil; it must answer a batch of inputs"))
	}
	if f.rank != nil && s.Kernel != "perkey" {
		faults = append(faults, fmt.Errorf("ferry: WithRank orders the lanes of PerKey; %s is first come, first served", s.Kernel))
	}
	if f.weigh == nil && s.MaxBatchDelay == Never && s.MaxQueuedWeight > 0 && s.MaxQueuedWeight < int64(min(s.MaxBatchSize, s.MaxQueued)) {
		faults = append(faults, fmt.Errorf("ferry: MaxBatchSize %s is greater than MaxQueuedWeight %d where every input weighs 1, so that with a MaxBatchDelay of Never no batch would ever fill",
			amount(int64(s.MaxBatchSize)), s.MaxQueuedWeight))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	f.adopt(s)
	if f.shares != nil {
		f.nameShares()
	}
	if f.base == nil {
		f.base = context.Background()
	}
	f.base, f.cancel = context.WithCancelCause(f.base)
	f.baseCell = new(f.base)
	f.born = time.Now()
	return f, nil
}

// adopt makes settings the effective ones. The mutex is held, or not needed yet.
func (s *shell[K, I, A]) adopt(to Settings) {
	s.settings = to.Effective()
	s.delays = to.MaxBatchDelay > 0 && to.MaxBatchDelay != Never
	s.claims.Store(to.MaxBatchDelay == 0 && !to.NoDirect)
	if (to.MaxBatchDelay > 0 || s.observer != nil) && !s.timed.Load() {
		// Until now it was always 0. From here it runs, and never stops: a clock
		// can't go back.
		s.start = time.Now()
		s.timed.Store(true)
	}
}

// clock returns the time since someone first needed it, and 0 before. Who reads
// it before taking the mutex may be late: the room never lets time go back.
func (s *shell[K, I, A]) clock() time.Duration {
	if !s.timed.Load() {
		return 0
	}
	return time.Since(s.start)
}

// weight returns what an input weighs.
func (s *shell[K, I, A]) weight(in I) int64 {
	if s.weigh == nil {
		return 1
	}
	w := s.weigh(in)
	if w < 0 {
		panic(fmt.Sprintf("ferry: weigh returned %d; a weight is at least 0", w))
	}
	return w
}

// submit tells the observer of a new input, and whether its caller still
// wants it.
func (s *shell[K, I, A]) submit(ctx context.Context, in I) error {
	if ctx == nil {
		panic("ferry: Do was given a nil context")
	}
	if ob := s.observer; ob != nil && ob.Submitted != nil {
		ob.Submitted(in)
	}
	err := ctx.Err()
	if err != nil {
		s.mu.Lock()
		s.count.Submitted++
		s.count.Cancelled++
		s.mu.Unlock()
	}
	return err
}

// answeredBy tells the observer that Do is about to return err.
func (s *shell[K, I, A]) answeredBy(in I, err error) {
	if ob := s.observer; ob != nil && ob.Answered != nil {
		ob.Answered(in, err)
	}
}

// refuse counts and explains an admission that failed. The mutex is held.
func (s *shell[K, I, A]) refuse(why lanes.Admission, weight int64, share fairshare.Leaf) error {
	switch why {
	case lanes.Closed:
		s.count.RefusedClosed++
		return ErrClosed
	case lanes.FullCount:
		s.count.RejectedCount++
		return &RejectedError{Bound: BoundCount, Limit: int64(s.settings.MaxQueued), Weight: weight}
	case lanes.FullShareCount:
		s.count.RejectedCount++
		return &RejectedError{
			Bound: BoundCount, Limit: int64(s.gate.Share(share).Part), Weight: weight, Share: s.names[share],
		}
	case lanes.FullShareWeight:
		s.count.RejectedWeight++
		return &RejectedError{
			Bound: BoundWeight, Limit: s.gate.Share(share).PartWeight, Weight: weight, Share: s.names[share],
		}
	case lanes.TooHeavy:
		s.count.RejectedWeight++
		e := &RejectedError{Bound: BoundWeight, Limit: s.settings.MaxQueuedWeight, Weight: weight, Never: true}
		if weight <= e.Limit {
			e.Limit, e.Share = s.gate.Share(share).Heaviest, s.names[share]
		}
		return e
	default:
		s.count.RejectedWeight++
		return &RejectedError{Bound: BoundWeight, Limit: s.settings.MaxQueuedWeight, Weight: weight}
	}
}

// roomConfig returns the settings of the waiting room.
func (s *shell[K, I, A]) roomConfig(to Settings) lanes.Config {
	cfg := to.Room(s.rank != nil)
	if s.sole {
		cfg.Shares = nil
	}
	return cfg
}

// setRoom makes a waiting room the shell's.
func (s *shell[K, I, A]) setRoom(r waitingRoom[*waiter[K, I, A]]) {
	s.room = r
	switch {
	case s.shares == nil:
	case s.sole:
		node, _ := s.settings.node() // they are valid
		s.gate = soleShare{node, r}
	default:
		s.gate, _ = r.(gated)
	}
}

// nameShares notes the names of the share lanes.
func (s *shell[K, I, A]) nameShares() {
	node, _ := s.settings.node() // they are valid
	s.leaves, s.names = map[string]fairshare.Leaf{"": fairshare.Untagged}, []string{"(untagged)"}
	for leaf := fairshare.Leaf(1); int(leaf) <= node.Leaves(); leaf++ {
		s.leaves[node.Path(leaf)] = leaf
		s.names = append(s.names, node.Path(leaf))
	}
	s.sole = node.Leaves() == 1 && s.cost == nil
}

// turnedAway tells of an input that was refused, and recycles its waiter, if
// it got that far.
func (s *shell[K, I, A]) turnedAway(in I, w *waiter[K, I, A], err error) {
	if ob := s.observer; ob != nil && ob.Rejected != nil && errors.Is(err, ErrRejected) {
		ob.Rejected(in, err)
	}
	if w != nil {
		s.recycle(w)
	}
}

// admitted follows an admission: it wakes who has work now, leaves the
// mutex, and waits for the answer.
func (s *shell[K, I, A]) admitted(ctx context.Context, now time.Duration, w *waiter[K, I, A]) (A, error) {
	s.count.Admitted++
	w.yields = s.yielding()
	next := s.changed(now)
	s.mu.Unlock()
	s.kick(next)
	if ob := s.observer; ob != nil && ob.Admitted != nil {
		ob.Admitted(w.in[0])
	}
	return s.await(ctx, w)
}

// Flush makes everything that waits now due now.
func (s *shell[K, I, A]) Flush() {
	now := s.clock()
	s.mu.Lock()
	s.room.Flush(now)
	next := s.changed(now)
	s.mu.Unlock()
	s.kick(next)
}

// Settings returns the effective settings.
func (s *shell[K, I, A]) Settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Reconfigure changes the settings while everything goes on.
func (s *shell[K, I, A]) Reconfigure(cfg PerKeyConfig) error {
	to := Settings{Kernel: s.kernel, PerKeyConfig: cfg}
	if s.shares != nil {
		to.Shares = s.Settings().Shares
	}
	if s.kernel != "perkey" {
		to.NoDirect = true
	}
	if err := to.Validate(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.adopt(to)
	now := s.clock()
	s.room.Reconfigure(now, s.roomConfig(to))
	next := s.changed(now)
	s.mu.Unlock()
	s.kick(next)
	return nil
}

// age returns how long ago the oldest input of a line came, if the clock was
// looked at.
func (s *shell[K, I, A]) age(now, oldest time.Duration, queued int) time.Duration {
	if queued == 0 || !s.timed.Load() {
		return 0
	}
	return max(0, now-oldest)
}

// ResetPeaks starts a new window for the peaks in Metrics, and for what share
// lanes are owed and get.
func (s *shell[K, I, A]) ResetPeaks() {
	now := s.clock()
	s.mu.Lock()
	s.room.Advance(now)
	s.room.ResetPeaks()
	s.mu.Unlock()
}

// account returns the counters, direct calls included: they have counters of
// their own, next to the mutex, as they write to little else. The mutex is held.
func (s *shell[K, I, A]) account() Metrics {
	m := s.count
	over := s.done + s.failed + s.gaveUp
	m.Submitted += s.claimed
	m.Claimed = s.claimed
	m.Running += int(s.claimed - over)
	m.Batches[LeftDirect] = over
	m.Done += s.done
	m.Failed += s.failed
	m.Cancelled += s.gaveUp
	return m
}

// Metrics returns the account as of now.
func (s *shell[K, I, A]) Metrics() Metrics {
	now := s.clock()
	s.mu.Lock()
	s.room.Advance(now)
	m, st := s.account(), s.room.Stats()
	s.mu.Unlock()
	m.Queued, m.QueuedWeight, m.Lanes = st.Queued, st.QueuedWeight, st.Lanes
	m.InFlight, m.Direct = st.InFlight, st.Direct
	m.PeakQueued, m.PeakQueuedWeight, m.PeakInFlight = st.PeakQueued, st.PeakQueuedWeight, st.PeakInFlight
	m.QueuedSeconds = st.QueuedSeconds
	return m
}

// Close closes the batcher in one step: from then on Do answers ErrClosed,
// what waited is answered ErrClosed, and calls in flight see their context
// cancelled, with ErrClosed as its cause. It returns, always nil, when they are over and no goroutine of
// the batcher is left. It may be called again, and from many goroutines; but
// not from within a call, or the Taken and Claimed hooks before it, which would
// wait for themselves.
func (s *shell[K, I, A]) Close() error {
	var drained []*waiter[K, I, A]
	now := s.clock()
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		s.room.Drain(now, func(w *waiter[K, I, A]) { drained = append(drained, w) })
		s.count.Running += len(drained) // until they are answered, below
		if s.timer != nil && s.timer.Stop() {
			s.rings--
		}
		for _, w := range s.idle {
			w.wake <- struct{}{} // buffered, and empty while idle
		}
		s.idle = nil
		s.checkGone()
	}
	s.mu.Unlock()
	s.cancel(ErrClosed)
	var refused uint64
	for _, w := range drained {
		w.err = ErrClosed
		if s.settle(w) != abandoned {
			refused++
		}
	}
	s.mu.Lock()
	s.count.Running -= len(drained)
	s.count.RefusedClosed += refused
	s.count.Cancelled += uint64(len(drained)) - refused
	s.mu.Unlock()
	<-s.gone
	return nil
}

// checkGone closes gone when nothing is left. The mutex is held.
func (s *shell[K, I, A]) checkGone() {
	if s.closed && s.workers == 0 && s.rings == 0 && s.room.Stats().Direct == 0 {
		close(s.gone)
	}
}
