// Package ferry batches: it groups the single inputs of many callers into
// calls, and answers each caller with its own answer.
//
// A batcher is a bulkhead. It decides how much load to let through, how much
// to hold, and what to turn away; overload is answered at once with
// [ErrRejected], never with unbounded latency. There are three:
//
//   - [Make]: one bounded queue, any inputs in a batch, answers by position.
//   - [Keyed]: the same, with answers matched by key, the shape a bulk read has.
//   - [PerKey]: a lane per key, one call per key at a time, in rank order; the
//     caller of an idle key runs its own call directly. These direct calls are
//     bounded by the keys in use alone: where the backend needs a bound on all
//     calls, set NoDirect.
//
// Between tenants, [WithShares] divides service by weight and keeps a part of
// the waiting room for each.
//
// For most uses, build one with a [Config], share it, and call Do:
//
//	users, err := ferry.Keyed(ferry.Config{
//		MaxBatchSize:       64,
//		MaxInFlightBatches: 8,
//		MaxQueued:          10_000,
//	}, func(id int64) int64 { return id }, loadUsers)
//	…
//	user, err := users.Do(ctx, id)
//
// docs/guide-library.md goes through settings, errors, observing and the rest
// one by one, with code that runs.
//
// # Promises
//
//  1. Every caller is answered exactly once, whatever happens: an answer, the
//     call's error, a call that panics, ends its goroutine or answers too few
//     or too many, cancellation, or close. The one thing that nobody can be
//     told is that a direct call ended its own caller's goroutine with
//     runtime.Goexit; its key is freed all the same.
//  2. Nothing is admitted past a bound, and nothing is rejected while there is
//     room. Overload is answered at once.
//  3. Do returns an error that is [ErrRejected], [ErrClosed], a [*FailedError],
//     or the caller's own ctx.Err(), and nothing else; with share lanes also
//     [ErrUnknownShare] or a [*CostError] for an input that was never submitted.
//     Look for a FailedError first: what it holds may be any error, a
//     context's too.
//  4. A caller that gives up is answered at once with ctx.Err(). If its input
//     still waited, it never reaches the call; a batch of which nobody waits
//     any more is not called. A call in flight goes on for the others. A direct
//     call runs on its caller's goroutine with a context that is cancelled with
//     the caller's, and returns when the call does.
//  5. Close takes effect in one step and returns when no call is in flight and
//     no goroutine of the batcher is left.
//  6. At most MaxInFlightBatches batches run at once; PerKey has at most one
//     call per key, direct calls included, which come on top of the batches.
//  7. Make and Keyed serve first come, first served. PerKey serves a key by
//     rank, then arrival, and keys in the order in which they became ready; a
//     key that still has inputs when its call is over goes to the back.
//  8. User code (key, weigh, rank, share lane and cost, the call, an Observer's
//     hooks) never runs inside a change of state. The first five run once per
//     input, on the caller's goroutine, before admission; a panic in them is the
//     caller's, and so is one in a hook that runs there. A panic in Taken or
//     Claimed counts as one of the call.
//  9. Memory follows what is waiting, not the number of keys ever seen.
//
// # Stopping
//
// Close answers ErrClosed to everything that waits. To lose nothing, stop the
// callers first, for instance with http.Server.Shutdown, which returns when
// their calls of Do have; then Close.
//
// # Not promised
//
// A call that calls Do of its own batcher may wait for itself: of PerKey with
// the same key always, of the others once MaxInFlightBatches such calls are
// out. So does a call that calls Close. An input is served at most once, and a
// call that failed is not repeated: that is the caller's to decide.
//
// # Time
//
// MaxBatchDelay counts from the oldest input waiting. Go's timers are coarse:
// on an idle Linux process a delay under a millisecond fires after about a
// millisecond. With a delay of 0 no timer is ever used.
package ferry
