package floors

import (
	"context"
	"sync"
)

// MaxBatchSize is the batch size of every subject.
const MaxBatchSize = 64

// Subject is a batcher under measurement: it answers an input, of a key, with
// the input itself.
type Subject interface {
	Do(ctx context.Context, key, in int) (int, error)
	Close()
}

// Call is the user's function: it answers a batch of inputs of a key (FLOOR-1:
// of any key) by position. A floor calls it as ferry does, through a value.
type Call func(ctx context.Context, key int, in []int) ([]int, error)

// Noop answers without work: what is measured is the batcher.
func Noop(_ context.Context, _ int, in []int) ([]int, error) { return in, nil }

// waiter is a blocked caller of a floor.
type waiter struct {
	key  int
	in   [1]int   // an array, so that a direct call can be handed a slice of it
	done chan int // buffered, 1
}

// callers pools waiters, and waits.
type callers struct{ pool sync.Pool }

func (c *callers) get(key, in int) *waiter {
	w, _ := c.pool.Get().(*waiter)
	if w == nil {
		w = &waiter{done: make(chan int, 1)}
	}
	w.key, w.in[0] = key, in
	return w
}

// wait is cancellable: a plain receive where the context can't be done, a
// select otherwise. A waiter that is given up is not pooled again.
func (c *callers) wait(ctx context.Context, w *waiter) (int, error) {
	var answer int
	if done := ctx.Done(); done == nil {
		answer = <-w.done
	} else {
		select {
		case answer = <-w.done:
		case <-done:
			return 0, ctx.Err()
		}
	}
	c.pool.Put(w)
	return answer, nil
}

// caller makes the calls of a floor's worker.
type caller struct {
	call Call
	ins  []int
}

// run calls a batch and answers its callers; an error would be the end of them.
func (c *caller) run(key int, batch []*waiter) {
	c.ins = c.ins[:0]
	for _, w := range batch {
		c.ins = append(c.ins, w.in[0])
	}
	answers, err := c.call(context.Background(), key, c.ins)
	if err != nil {
		panic(err)
	}
	for i, w := range batch {
		w.done <- answers[i]
	}
}

// One is FLOOR-1: one mutex, one slice, one worker.
type One struct {
	callers
	call   Call
	mu     sync.Mutex
	queue  []*waiter
	asleep int // workers
	wake   chan struct{}
	gone   sync.WaitGroup
}

// NewOne starts the worker.
func NewOne(call Call) *One { return NewWorkers(1, call) }

// NewWorkers is FLOOR-1 with several workers, for calls that take time.
func NewWorkers(n int, call Call) *One {
	f := &One{call: call, wake: make(chan struct{}, n)}
	for range n {
		f.gone.Go(f.work)
	}
	return f
}

// Do queues the input and waits.
func (f *One) Do(ctx context.Context, key, in int) (int, error) {
	w := f.get(key, in)
	f.mu.Lock()
	f.queue = append(f.queue, w)
	wake := f.asleep > 0
	if wake {
		f.asleep--
	}
	f.mu.Unlock()
	if wake {
		f.wake <- struct{}{}
	}
	return f.wait(ctx, w)
}

func (f *One) work() {
	var batch []*waiter
	c := caller{call: f.call}
	for {
		f.mu.Lock()
		n := min(len(f.queue), MaxBatchSize)
		if n == 0 {
			f.asleep++
			f.mu.Unlock()
			if _, ok := <-f.wake; !ok {
				return
			}
			continue
		}
		batch = append(batch[:0], f.queue[:n]...)
		f.queue = f.queue[:copy(f.queue, f.queue[n:])]
		f.mu.Unlock()
		c.run(0, batch)
	}
}

// Close ends the worker; nobody may be waiting.
func (f *One) Close() {
	close(f.wake)
	f.gone.Wait()
}

// line is a key's queue in a keyed floor.
type line struct {
	queue []*waiter
	busy  bool
}

// PerKey is FLOOR-KEYED: one mutex, a plain map of lanes, one call in flight
// per key, a FIFO of ready keys, one worker; with direct calls it is
// FLOOR-KEYED-direct.
type PerKey struct {
	callers
	caller
	direct bool
	mu     sync.Mutex
	lanes  map[int]*line
	free   []*line // a bounded free list
	ready  []int
	asleep bool
	wake   chan struct{}
	gone   sync.WaitGroup
}

// NewPerKey starts the worker.
func NewPerKey(direct bool, call Call) *PerKey {
	f := &PerKey{caller: caller{call: call}, direct: direct, lanes: map[int]*line{}, wake: make(chan struct{}, 1)}
	f.gone.Go(f.work)
	return f
}

func (f *PerKey) newLine() *line {
	if n := len(f.free); n > 0 {
		l := f.free[n-1]
		f.free = f.free[:n-1]
		return l
	}
	return new(line)
}

// Do runs a direct call, or queues the input and waits.
func (f *PerKey) Do(ctx context.Context, key, in int) (int, error) {
	f.mu.Lock()
	l := f.lanes[key]
	if l == nil {
		l = f.newLine()
		f.lanes[key] = l
		if f.direct {
			l.busy = true
			f.mu.Unlock()
			w := f.get(key, in)
			answers, err := f.call(ctx, key, w.in[:])
			answer := 0
			if err == nil {
				answer = answers[0]
			}
			f.pool.Put(w)
			f.mu.Lock()
			wake := f.release(key, l)
			f.mu.Unlock()
			if wake {
				f.wake <- struct{}{}
			}
			return answer, err
		}
	}
	w := f.get(key, in)
	l.queue = append(l.queue, w)
	wake := false
	if !l.busy && len(l.queue) == 1 {
		wake = f.lineUp(key)
	}
	f.mu.Unlock()
	if wake {
		f.wake <- struct{}{}
	}
	return f.wait(ctx, w)
}

func (f *PerKey) lineUp(key int) (wake bool) {
	f.ready = append(f.ready, key)
	wake = f.asleep
	f.asleep = false
	return wake
}

func (f *PerKey) release(key int, l *line) (wake bool) {
	l.busy = false
	if len(l.queue) > 0 {
		return f.lineUp(key)
	}
	delete(f.lanes, key)
	if len(f.free) < 1024 {
		f.free = append(f.free, l)
	}
	return false
}

func (f *PerKey) work() {
	var batch []*waiter
	var head int // of ready
	for {
		f.mu.Lock()
		if head == len(f.ready) {
			f.ready, head = f.ready[:0], 0
			f.asleep = true
			f.mu.Unlock()
			if _, ok := <-f.wake; !ok {
				return
			}
			continue
		}
		key := f.ready[head]
		head++
		if head == 1024 {
			f.ready, head = f.ready[:copy(f.ready, f.ready[head:])], 0
		}
		l := f.lanes[key]
		n := min(len(l.queue), MaxBatchSize)
		batch = append(batch[:0], l.queue[:n]...)
		l.queue = l.queue[:copy(l.queue, l.queue[n:])]
		l.busy = true
		f.mu.Unlock()
		f.run(key, batch)
		f.mu.Lock()
		f.release(key, l)
		f.mu.Unlock()
	}
}

// Close ends the worker; nobody may be waiting.
func (f *PerKey) Close() {
	close(f.wake)
	f.gone.Wait()
}
