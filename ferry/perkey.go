// The kernel with a lane per key.

package ferry

import (
	"context"
	"iter"
	"runtime/debug"

	"ferryctl/lanes"
)

type perKey[K comparable, I, A any] struct {
	*shell[K, I, A]
	lanes *lanes.Lanes[K, *waiter[K, I, A]]
	key   func(I) K
	call  func(context.Context, K, []I) ([]A, error)
}

// PerKey returns a batcher with a lane per key.
//
// What it combines: inputs of one key, by rank ([WithRank]), then arrival.
// call gets the key and a batch of its inputs and answers by position:
// answers[i] is of in[i]. Its slice is the batcher's own memory, valid until
// call returns.
//
// At most one call per key runs at a time; inputs that come meanwhile wait and
// leave together. A batch leaves when it is full, when the key's previous call
// is over (zero delay), or MaxBatchDelay after the lane's oldest input came,
// whatever its rank, as soon as fewer than MaxInFlightBatches are out. Lanes
// that are ready leave first come, first served.
//
// With zero delay the caller of an idle key runs its own one-input call, on
// top of MaxInFlightBatches, unless NoDirect. That call's context is the
// caller's, cancelled also by Close; Do returns when the call does.
//
// An error, a panic, or a wrong number of answers fails every input of the
// batch and no other.
func PerKey[K comparable, I, A any](cfg PerKeyConfig, key func(I) K, call func(ctx context.Context, key K, in []I) ([]A, error), opts ...Option[I]) (Ferry[I, A], error) {
	s, err := newShell[K, I, A](Settings{Kernel: "perkey", PerKeyConfig: cfg}, key != nil, call != nil, opts)
	if err != nil {
		return nil, err
	}
	s.perform = func(ctx context.Context, w *worker[K, I, A]) error {
		answers, err := call(ctx, w.live[0].key, w.ins)
		return matchByPosition(w, answers, err)
	}
	l := lanes.NewLanes[K, *waiter[K, I, A]](s.roomConfig(s.settings))
	s.setRoom(l)
	return &perKey[K, I, A]{shell: s, lanes: l, key: key, call: call}, nil
}

// Waiting returns the lanes as they are now.
func (f *perKey[K, I, A]) Waiting() iter.Seq[Lane] {
	now := f.clock()
	f.mu.Lock()
	then := f.lanes.Snapshot()
	f.mu.Unlock()
	return func(yield func(Lane) bool) {
		then.Each(func(v lanes.View[K]) bool {
			return yield(Lane{
				Key: v.Key, Share: f.path(v.Share), Queued: v.Queued, QueuedWeight: v.Weight, Age: f.age(now, v.Oldest, v.Queued),
				Busy: v.Busy, Direct: v.Direct,
			})
		})
	}
}

// Do hands in one input and waits for its answer.
func (f *perKey[K, I, A]) Do(ctx context.Context, in I) (answer A, err error) {
	key, weight := f.key(in), f.weight(in)
	var rank int64
	if f.rank != nil {
		rank = f.rank(in)
	}
	hash := f.lanes.Hash(key)
	share, cost, err := f.shareOf(in)
	if err != nil {
		return answer, err
	}
	if err = f.submit(ctx, in); err == nil {
		answer, err = f.do(ctx, key, hash, in, lanes.Input[*waiter[K, I, A]]{Weight: weight, Rank: rank, Share: share, Cost: cost})
	}
	f.answeredBy(in, err)
	return answer, err
}

func (f *perKey[K, I, A]) do(ctx context.Context, key K, hash uint64, in I, entry lanes.Input[*waiter[K, I, A]]) (A, error) {
	var w *waiter[K, I, A]
	if !f.claims.Load() { // most callers of an idle key never wait
		w = f.newWaiter(key, in)
		entry.Entry = w
	}
	now := f.clock()
	f.mu.Lock()
	ref, lane, admission := f.lanes.Admit(now, key, hash, entry)
	if admission != lanes.Claimed {
		f.count.Submitted++
	}
	switch admission {
	case lanes.Claimed:
		f.claimed++
		fresh := f.fresh
		if len(fresh) > 0 {
			f.fresh = fresh[1:]
		}
		f.mu.Unlock()
		return f.direct(ctx, lane, key, in, fresh)
	case lanes.Admitted:
		if w == nil {
			w = f.newWaiter(key, in)
			f.lanes.Bind(ref, w)
		}
		w.ref = ref
		return f.admitted(ctx, now, w)
	}
	err := f.refuse(admission, entry.Weight, entry.Share)
	f.mu.Unlock()
	f.turnedAway(in, w, err)
	var none A
	return none, err
}

// directCall is what a direct call leaves on the heap: its context, and its
// input, an array so that the call can be handed a slice of it.
//
// Both may outlive the call in the hands of what it started, so neither is used
// twice. They are made several at a time, which has its price: a context that is
// in use keeps its neighbours too, with the contexts of up to seven callers.
type directCall[I any] struct {
	directContext
	in [1]I
}

const directCallsMade = 8 // at a time

// direct runs the caller's own call, and frees its key once that is over,
// however it ends.
func (f *perKey[K, I, A]) direct(ctx context.Context, lane lanes.LaneRef, key K, in I, fresh []directCall[I]) (answer A, err error) {
	var more []directCall[I] // for the callers to come
	if len(fresh) == 0 {
		fresh = make([]directCall[I], directCallsMade)
		more = fresh[1:]
	}
	own := &fresh[0]
	own.caller, own.base, own.in[0] = ctx, f.baseCell, in
	gaveUp := false
	defer func() { // whatever happens below, also in a context of the caller's own making
		var none I
		own.in[0] = none
		f.landed(lane, more, err != nil, gaveUp)
	}()
	defer func() {
		if v := recover(); v != nil {
			err = &FailedError{&PanicError{Value: v, Stack: debug.Stack()}}
		}
		if err != nil {
			if cancelled := ctx.Err(); cancelled != nil {
				gaveUp, err = true, cancelled
			}
		}
		own.end()
	}()
	if ob := f.observer; ob != nil && ob.Claimed != nil {
		ob.Claimed(in)
	}
	err = errEnded // what is counted if the call ends this goroutine
	answers, callErr := f.call(own, key, own.in[:])
	switch {
	case callErr != nil:
		err = &FailedError{callErr}
	case len(answers) != 1:
		err = &FailedError{&AnswerCountError{Inputs: 1, Answers: len(answers)}}
	default:
		answer, err = answers[0], nil
	}
	return answer, err
}

// landed frees the key of a direct call that is over.
func (f *perKey[K, I, A]) landed(lane lanes.LaneRef, more []directCall[I], failed, gaveUp bool) {
	now := f.clock()
	f.mu.Lock()
	f.lanes.Release(now, lane)
	switch {
	case gaveUp:
		f.gaveUp++
	case failed:
		f.failed++
	default:
		f.done++
	}
	if more != nil {
		f.fresh = more
	}
	var next *worker[K, I, A]
	if f.lanes.Queued() > 0 {
		next = f.changed(now)
	}
	if f.closed {
		f.checkGone()
	}
	f.mu.Unlock()
	f.kick(next)
}
