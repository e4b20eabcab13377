// A caller's side: the object it waits on, and how it gives up.

package ferry

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"ferryctl/lanes"
)

// A waiter's fate is decided once, by whoever swaps it away from pending.
const (
	pending   uint32 = iota
	parked           // still pending, and the caller sleeps until a token is in the channel
	answered         // the answer is in
	abandoned        // the caller is gone; whoever holds the waiter recycles it
)

// waiter carries one input in and its answer out. It is pooled: it belongs to
// its caller until admission, then to the waiting room, a worker or Close
// until one of them settles it, and to the caller again from then on.
type waiter[K comparable, I, A any] struct {
	key    K
	in     [1]I // an array, so that a direct call can be handed a slice of it
	answer A
	err    error
	fate   atomic.Uint32
	done   chan struct{} // buffered, 1

	ref    lanes.Ref // valid while it waits
	yields bool      // its caller yields before it parks
}

func (s *shell[K, I, A]) newWaiter(key K, in I) *waiter[K, I, A] {
	w, _ := s.pool.Get().(*waiter[K, I, A])
	if w == nil {
		w = &waiter[K, I, A]{done: make(chan struct{}, 1)}
	}
	w.key, w.in[0] = key, in
	return w
}

func (s *shell[K, I, A]) recycle(w *waiter[K, I, A]) {
	done := w.done
	*w = waiter[K, I, A]{done: done}
	s.pool.Put(w)
}

// A caller yields if that spared this part of the callers that did so lately
// their parking; and one in yieldProbe does whether it pays or not, to see.
const (
	yieldAt    = 7. / 8
	yieldProbe = 64
)

// yielding decides whether the next caller to wait yields the processor once
// before it parks. Where calls are quick the answer is there when it comes back,
// and parking and waking, which is most of what a call costs, are saved; where
// they are slow yielding is in vain. It goes by how the yields of the last batches
// that had any fared, the last one counting for an eighth. The mutex is held.
func (s *shell[K, I, A]) yielding() bool {
	return (s.yieldPays >= yieldAt || s.count.Admitted%yieldProbe == 0) && s.mayYield()
}

// learn takes the account of a batch's yields. The mutex is held.
func (s *shell[K, I, A]) learn(t tally) {
	if t.yielded > 0 {
		s.yieldPays += (float64(t.early)/float64(t.yielded) - s.yieldPays) / 8
	}
}

// slowYield is how long a yield may take. Among callers and workers it takes
// microseconds; but whoever yields goes behind everything that can run, and
// something that computes for long has 10 ms of the processor at a time.
const slowYield = 5 * time.Millisecond

// yield lets others run once. If that took long, nobody yields for a thousand
// times as long.
func (s *shell[K, I, A]) yield() {
	before := time.Since(s.born)
	runtime.Gosched()
	s.yielded(before, time.Since(s.born))
}

func (s *shell[K, I, A]) yielded(before, after time.Duration) {
	if d := after - before; d > slowYield {
		s.noYield.Store(int64(after + 1000*d))
	}
}

func (s *shell[K, I, A]) mayYield() bool {
	until := s.noYield.Load()
	return until == 0 || int64(time.Since(s.born)) > until
}

// settle hands the answer that is in w to its caller, and returns what the
// waiter's fate was: abandoned if the caller is gone. Either way w is no longer
// the settler's.
func (s *shell[K, I, A]) settle(w *waiter[K, I, A]) (was uint32) {
	was = w.fate.Swap(answered)
	switch was {
	case parked:
		w.done <- struct{}{}
	case abandoned:
		s.recycle(w)
	}
	return was
}

// await returns w's answer, or the context's error as soon as that is done.
func (s *shell[K, I, A]) await(ctx context.Context, w *waiter[K, I, A]) (A, error) {
	if w.yields {
		s.yield()
	}
	if w.fate.CompareAndSwap(pending, parked) {
		if s.park(ctx, w) {
			var none A
			return none, errOf(ctx)
		}
	}
	answer, err := w.answer, w.err
	s.recycle(w)
	return answer, err
}

// park sleeps until w has its answer, and reports whether its caller gave up
// before.
func (s *shell[K, I, A]) park(ctx context.Context, w *waiter[K, I, A]) (gaveUp bool) {
	if done := ctx.Done(); done == nil {
		<-w.done // a plain receive is cheaper than a select
	} else {
		select {
		case <-w.done:
		case <-done:
			if s.giveUp(w) {
				return true
			}
			<-w.done // the answer was quicker
		}
	}
	return false
}

// errOf returns why a context is done. One that does not say, against its
// interface's promise, must not look like an answer.
func errOf(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// giveUp reports whether the caller is free to go without its answer.
func (s *shell[K, I, A]) giveUp(w *waiter[K, I, A]) bool {
	now := s.clock()
	s.mu.Lock()
	waiting := s.room.Withdraw(now, w.ref)
	var next *worker[K, I, A]
	if waiting {
		s.count.Cancelled++
		next = s.changed(now)
	}
	s.mu.Unlock()
	s.kick(next)
	if waiting {
		s.recycle(w)
		return true
	}
	return w.fate.CompareAndSwap(parked, abandoned)
}
