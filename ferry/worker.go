// The goroutines that run batches, and who wakes them.

package ferry

import (
	"runtime/debug"
	"time"

	"ferryctl/lanes"
)

// maxIdle is how many workers may wait for work; more of them go.
const maxIdle = 64

// worker runs one batch at a time.
type worker[K comparable, I, A any] struct {
	wake  chan struct{} // buffered, 1: a token when there is work, or nothing more to come
	woken bool          // it is the one that shell.waking is about

	batch lanes.Batch[*waiter[K, I, A]]
	live  []*waiter[K, I, A] // of the batch, those whose callers still wait
	ins   []I                // their inputs
	waits []Wait             // their time in the room, if an observer asks
	seen  map[K]int          // Keyed: where a key's input is

	out   bool // its batch was taken and not yet released
	tally tally
	err   error // what the call came to
}

// wake finds a worker for the next batch, if one is ready and nobody is on the
// way to it, and returns it for kick. The mutex is held. Whoever takes that
// batch looks for the one after it, so that an admission wakes one worker at
// most, and only for work.
func (s *shell[K, I, A]) wake(now time.Duration) *worker[K, I, A] {
	if s.waking || s.closed || !s.room.Ready(now) {
		return nil
	}
	s.waking = true
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle[n-1] = nil
		s.idle = s.idle[:n-1]
		return w
	}
	s.workers++
	return &worker[K, I, A]{}
}

// changed follows every transition of the room: whatever it made ready gets a
// worker (for kick), and whatever will be due gets the timer. The mutex is held.
func (s *shell[K, I, A]) changed(now time.Duration) *worker[K, I, A] {
	next := s.wake(now)
	s.setTimer(now)
	return next
}

// kick starts or wakes the worker that wake returned. The mutex is not held.
func (s *shell[K, I, A]) kick(w *worker[K, I, A]) {
	switch {
	case w == nil:
	case w.wake == nil:
		w.wake = make(chan struct{}, 1)
		w.woken = true
		go s.work(w)
	default:
		w.wake <- struct{}{}
	}
}

// setTimer sets the timer for the earliest deadline, if it will need someone to
// notice: a worker that is on its way looks for itself. The mutex is held.
func (s *shell[K, I, A]) setTimer(now time.Duration) {
	if !s.delays || s.closed || s.waking {
		return
	}
	at, ok := s.room.Due()
	if !ok || s.timerAt != 0 && s.timerAt <= at {
		return // when it fires it looks again
	}
	s.timerAt = at
	d := max(at-s.clock(), 1) // now was read before the mutex was had, and may be old
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.ring)
		s.rings++
	} else if !s.timer.Reset(d) { // it had fired, or was stopped: one more will come
		s.rings++
	}
}

// ring runs when the timer fires.
func (s *shell[K, I, A]) ring() {
	now := s.clock()
	s.mu.Lock()
	s.timerAt = 0
	s.rings--
	next := s.changed(now)
	s.checkGone()
	s.mu.Unlock()
	s.kick(next)
}

// work is a worker's life: take a batch, run it, release it, until there is
// nothing to do for long.
func (s *shell[K, I, A]) work(w *worker[K, I, A]) {
	defer s.leave(w)
	for {
		now := s.clock()
		s.mu.Lock()
		ran := w.out
		if ran {
			s.release(now, w)
		}
		if w.woken {
			s.waking, w.woken = false, false
		}
		if s.room.Take(now, &w.batch) {
			w.out = true
			s.count.Running += len(w.batch.Items)
			next := s.changed(now)
			s.mu.Unlock()
			s.kick(next)
			s.run(w)
			continue
		}
		if ran && !s.waking && !s.closed && s.mayYield() {
			// The callers it has just answered may be about to come again. Letting
			// them run first finds their inputs together, and saves waking a worker
			// for the first of them.
			s.waking, w.woken = true, true
			s.mu.Unlock()
			s.yield()
			continue
		}
		s.setTimer(now)
		if s.closed || len(s.idle) >= maxIdle {
			s.mu.Unlock()
			return
		}
		w.shrink()
		s.idle = append(s.idle, w)
		s.mu.Unlock()
		<-w.wake
		w.woken = true
	}
}

// leave ends a worker, also one whose call ended the goroutine under it.
func (s *shell[K, I, A]) leave(w *worker[K, I, A]) {
	if w.out {
		s.deliver(w)
	}
	now := s.clock()
	s.mu.Lock()
	if w.out {
		s.release(now, w)
	}
	s.workers--
	next := s.changed(now)
	s.checkGone()
	s.mu.Unlock()
	s.kick(next)
}

// release gives back the batch's slot and lane and counts its inputs. The
// mutex is held.
func (s *shell[K, I, A]) release(now time.Duration, w *worker[K, I, A]) {
	s.room.Release(now, w.batch.Lane)
	w.out = false
	s.count.Running -= len(w.batch.Items)
	s.count.Done += w.tally.done
	s.count.Failed += w.tally.failed
	s.count.Cancelled += w.tally.cancelled
	if w.tally.called {
		s.count.Batches[w.batch.Left]++
	}
	s.learn(w.tally)
	w.tally = tally{}
	clear(w.batch.Items)
	clear(w.seen)
}

// keptScratch is how many inputs' worth of memory an idle worker keeps.
const keptScratch = 1024

// shrink lets go of what a large batch needed.
func (w *worker[K, I, A]) shrink() {
	if cap(w.batch.Items) > keptScratch || cap(w.live) > keptScratch {
		w.batch.Items, w.live, w.ins, w.waits, w.seen = nil, nil, nil, nil, nil
	}
}

// tally counts what became of a batch's inputs.
type tally struct {
	done, failed, cancelled uint64
	yielded, early          int // callers that yielded before they parked, and those answered before they could
	called                  bool
}

// run calls the batch and answers its callers.
func (s *shell[K, I, A]) run(w *worker[K, I, A]) {
	w.live, w.ins, w.waits, w.err = w.live[:0], w.ins[:0], w.waits[:0], nil
	weight := w.batch.Weight
	for _, t := range w.batch.Items {
		wt := t.Entry
		if wt.fate.Load() == abandoned { // between the take and now
			weight -= t.Weight
			w.tally.cancelled++
			s.recycle(wt)
			continue
		}
		w.live = append(w.live, wt)
		w.ins = append(w.ins, wt.in[0])
		if s.observer != nil {
			w.waits = append(w.waits, Wait(t.Wait))
		}
	}
	if len(w.live) == 0 {
		return
	}
	w.tally.called = true
	w.err = errEnded // unless it returns, or panics
	s.invoke(w, Batch{Size: len(w.ins), Weight: weight, Left: Left(w.batch.Left)})
	s.deliver(w)
}

// invoke runs user code: the observer's hook and the call.
func (s *shell[K, I, A]) invoke(w *worker[K, I, A], b Batch) {
	defer func() {
		if v := recover(); v != nil {
			w.err = &FailedError{&PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	if ob := s.observer; ob != nil && ob.Taken != nil {
		ob.Taken(b, w.ins, w.waits)
	}
	err := s.perform(s.base, w)
	if err != nil {
		err = &FailedError{err}
	}
	w.err = err
}

// deliver answers the batch's callers.
func (s *shell[K, I, A]) deliver(w *worker[K, I, A]) {
	for i, wt := range w.live {
		w.live[i] = nil
		if w.err != nil {
			wt.err = w.err
		}
		failed := wt.err != nil
		if wt.yields {
			w.tally.yielded++
		}
		was := s.settle(wt) // wt is its caller's now
		if was == pending {
			w.tally.early++
		}
		switch {
		case was == abandoned:
			w.tally.cancelled++
		case failed:
			w.tally.failed++
		default:
			w.tally.done++
		}
	}
	w.live = w.live[:0]
	clear(w.ins)
}

// matchByPosition leaves the answers of a call in the waiters of its batch.
func matchByPosition[K comparable, I, A any](w *worker[K, I, A], answers []A, err error) error {
	if err != nil {
		return err
	}
	if len(answers) != len(w.live) {
		return &AnswerCountError{Inputs: len(w.live), Answers: len(answers)}
	}
	for i, wt := range w.live {
		wt.answer = answers[i]
	}
	return nil
}
