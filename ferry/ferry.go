// The one interface, and the constructors of the two kernels with one queue.

package ferry

import (
	"context"
	"iter"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// Ferry is a batcher of inputs I that are answered A. All methods may be
// called from any number of goroutines.
type Ferry[I, A any] interface {
	// Do hands in one input and waits for its answer. Its errors are
	// ErrRejected, ErrClosed, a *FailedError, or ctx.Err() of a caller that
	// gave up. A nil ctx is a bug of the caller's, whose Do panics.
	Do(ctx context.Context, in I) (A, error)

	// Flush makes everything that waits now due now, without waiting for it.
	Flush()

	// Metrics returns a consistent account of all so far.
	Metrics() Metrics

	// ResetPeaks starts a new window for the peaks in Metrics, and for what share
	// lanes are owed and get.
	ResetPeaks()

	// Settings returns the effective settings.
	Settings() Settings

	// Reconfigure changes the settings in one step, while everything goes on.
	// They are checked like at construction, all faults at once, and then hold
	// for what waits too; nothing is lost or changes its order. A bound that is
	// lower than what waits or runs turns the next ones away and no one else.
	// Inputs that came while MaxBatchDelay was 0 have no age: given a delay, they
	// count as having come then. Make and Keyed ignore NoDirect. A closed batcher answers
	// ErrClosed.
	Reconfigure(cfg PerKeyConfig) error

	// Waiting returns the lines of the waiting room as they are now: of PerKey
	// every key that has inputs waiting or a call out, in no promised order; of
	// Make and Keyed the one line, or that of each share lane, if anything waits. It costs the batcher the
	// same however much waits: what is iterated is a snapshot, which stays as it
	// was.
	Waiting() iter.Seq[Lane]

	// Shares returns the account of every share lane, in the order of their
	// names; nil without share lanes (see [WithShares]).
	Shares() []ShareMetrics

	// Reweigh changes the weight of a share lane ("acme/interactive") or a group
	// ("acme"), while everything goes on. It takes effect, for the share lanes
	// concerned, once their calls in flight are over. It answers ErrNoShares
	// without share lanes, ErrClosed, and an error for a name that is none.
	Reweigh(share string, weight fairshare.Weight) error

	// Close turns away what waits, cancels what runs, and returns when nothing
	// is left. It always returns nil. Calling it again is harmless; calling it
	// from within a call is not: it would wait for itself.
	Close() error
}

// queued is a shell around one queue.
type queued[K comparable, I, A any] struct {
	*shell[K, I, A]
	queue  *lanes.Queue[*waiter[K, I, A]]
	queues *lanes.Lanes[fairshare.Leaf, *waiter[K, I, A]] // instead, with share lanes: one for each
	key    func(I) K
}

// Make returns a batcher with one bounded queue.
//
// What it combines: any inputs, first come, first served. call gets a batch
// and answers by position: answers[i] is of in[i]. Its slice is the batcher's
// own memory, valid until call returns.
//
// A batch leaves when it is full, or MaxBatchDelay after its oldest input came,
// as soon as fewer than MaxInFlightBatches are out.
//
// An error, a panic, or a wrong number of answers fails every input of the
// batch and no other.
func Make[I, A any](cfg Config, call func(ctx context.Context, in []I) ([]A, error), opts ...Option[I]) (Ferry[I, A], error) {
	s, err := newShell[struct{}, I, A](Settings{Kernel: "make", PerKeyConfig: PerKeyConfig{Config: cfg, NoDirect: true}}, true, call != nil, opts)
	if err != nil {
		return nil, err
	}
	s.perform = func(ctx context.Context, w *worker[struct{}, I, A]) error {
		answers, err := call(ctx, w.ins)
		return matchByPosition(w, answers, err)
	}
	return newQueued(s, func(I) struct{} { return struct{}{} }), nil
}

// Keyed is [Make] with answers matched by key instead of by position, the
// shape that a bulk read has.
//
// Inputs of one batch with the same key are sent once, the first of them, and
// share the answer. An input whose key is not in the answer gets a
// [FailedError] that holds a [NoAnswerError]; keys that nobody asked for are
// ignored.
func Keyed[K comparable, I, A any](cfg Config, key func(I) K, call func(ctx context.Context, in []I) (map[K]A, error), opts ...Option[I]) (Ferry[I, A], error) {
	s, err := newShell[K, I, A](Settings{Kernel: "keyed", PerKeyConfig: PerKeyConfig{Config: cfg, NoDirect: true}}, key != nil, call != nil, opts)
	if err != nil {
		return nil, err
	}
	s.perform = func(ctx context.Context, w *worker[K, I, A]) error {
		answers, err := call(ctx, w.distinct())
		if err != nil {
			return err
		}
		for _, wt := range w.live {
			answer, ok := answers[wt.key]
			if !ok {
				wt.err = &FailedError{&NoAnswerError{Key: wt.key}}
				continue
			}
			wt.answer = answer
		}
		return nil
	}
	return newQueued(s, key), nil
}

// distinct compacts the batch's inputs to the first of each key.
func (w *worker[K, I, A]) distinct() []I {
	if w.seen == nil {
		w.seen = make(map[K]int)
	}
	n := 0
	for i, wt := range w.live {
		if _, ok := w.seen[wt.key]; ok {
			continue
		}
		w.seen[wt.key] = n
		w.ins[n] = w.ins[i]
		n++
	}
	return w.ins[:n:n]
}

func newQueued[K comparable, I, A any](s *shell[K, I, A], key func(I) K) *queued[K, I, A] {
	f := &queued[K, I, A]{shell: s, key: key}
	if s.shares != nil && !s.sole {
		f.queues = lanes.NewLanes[fairshare.Leaf, *waiter[K, I, A]](s.roomConfig(s.settings))
		s.setRoom(f.queues)
		return f
	}
	f.queue = lanes.NewQueue[*waiter[K, I, A]](s.roomConfig(s.settings))
	s.setRoom(f.queue)
	return f
}

// Waiting returns the line as it is now.
func (f *queued[K, I, A]) Waiting() iter.Seq[Lane] {
	if f.queues != nil {
		return f.waiting()
	}
	now := f.clock()
	f.mu.Lock()
	line := Lane{Queued: f.queue.Queued()}
	line.QueuedWeight = f.queue.Stats().QueuedWeight
	f.queue.Each(func(_ *waiter[K, I, A], at time.Duration, _ int64) bool {
		line.Age = f.age(now, at, line.Queued)
		return false
	})
	f.mu.Unlock()
	return func(yield func(Lane) bool) {
		if line.Queued > 0 {
			yield(line)
		}
	}
}

// waiting returns the lines of the share lanes.
func (f *queued[K, I, A]) waiting() iter.Seq[Lane] {
	now := f.clock()
	f.mu.Lock()
	then := f.queues.Snapshot()
	f.mu.Unlock()
	return func(yield func(Lane) bool) {
		then.Each(func(v lanes.View[fairshare.Leaf]) bool {
			return yield(Lane{Share: f.path(v.Key), Queued: v.Queued, QueuedWeight: v.Weight, Age: f.age(now, v.Oldest, v.Queued)})
		})
	}
}

// Do hands in one input and waits for its answer.
func (f *queued[K, I, A]) Do(ctx context.Context, in I) (answer A, err error) {
	key, weight := f.key(in), f.weight(in)
	same(key, key) // a key that cannot be compared panics here, not in a batch of others
	share, cost, err := f.shareOf(in)
	if err != nil {
		return answer, err
	}
	if err = f.submit(ctx, in); err == nil {
		answer, err = f.do(ctx, key, in, weight, share, cost)
	}
	f.answeredBy(in, err)
	return answer, err
}

func same[K comparable](a, b K) bool { return a == b }

func (f *queued[K, I, A]) do(ctx context.Context, key K, in I, weight int64, share fairshare.Leaf, cost int64) (A, error) {
	w := f.newWaiter(key, in)
	now := f.clock()
	f.mu.Lock()
	f.count.Submitted++
	var ref lanes.Ref
	var admission lanes.Admission
	if f.queues == nil {
		ref, admission = f.queue.Admit(now, w, weight)
	} else {
		ref, _, admission = f.queues.Admit(now, share, f.queues.Hash(share),
			lanes.Input[*waiter[K, I, A]]{Entry: w, Weight: weight, Share: share, Cost: cost})
	}
	if admission != lanes.Admitted {
		err := f.refuse(admission, weight, share)
		f.mu.Unlock()
		f.turnedAway(in, w, err)
		var none A
		return none, err
	}
	w.ref = ref
	return f.admitted(ctx, now, w)
}
