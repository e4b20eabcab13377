// A caller's side: the object it waits on, and how it gives up.

package ferry

import (
	"context"
	"sync/atomic"

	"ferryctl/lanes"
)

// A waiter's fate is decided once, by whoever swaps it away from pending.
const (
	pending   uint32 = iota
	answered         // the answer is in; one token is in the channel
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

	ref lanes.Ref // valid while it waits
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

// settle hands the answer that is in w to its caller, or reports that the
// caller is gone. Either way w is no longer the settler's.
func (s *shell[K, I, A]) settle(w *waiter[K, I, A]) bool {
	if w.fate.CompareAndSwap(pending, answered) {
		w.done <- struct{}{}
		return true
	}
	s.recycle(w)
	return false
}

// await returns w's answer, or the context's error as soon as that is done.
func (s *shell[K, I, A]) await(ctx context.Context, w *waiter[K, I, A]) (A, error) {
	if done := ctx.Done(); done == nil {
		<-w.done // a plain receive is cheaper than a select
	} else {
		select {
		case <-w.done:
		case <-done:
			if s.giveUp(w) {
				var none A
				return none, errOf(ctx)
			}
			<-w.done // the answer was quicker
		}
	}
	answer, err := w.answer, w.err
	s.recycle(w)
	return answer, err
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
	return w.fate.CompareAndSwap(pending, abandoned)
}
