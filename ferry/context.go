// The context of a direct call.

package ferry

import (
	"context"
	"sync/atomic"
	"time"
)

// directContext is its caller's context, cancelled also when the batcher
// closes, and when the call is over. A call that never asks for Done costs one
// small allocation and no goroutine: the two are joined when it first does.
type directContext struct {
	caller context.Context
	base   *context.Context              // the batcher's
	joined atomic.Pointer[joinedContext] // nil until asked for
}

// joinedContext is a caller's and a batcher's context in one.
type joinedContext struct {
	context.Context
	cancel context.CancelCauseFunc
	unlink func() bool   // stops the batcher's from cancelling it; false if that has begun
	linked chan struct{} // closed when that is over
}

// overContext is what a call's context is when the call is over and it was
// never asked for Done.
var overContext = func() *joinedContext {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &joinedContext{Context: ctx}
}()

var _ context.Context = (*directContext)(nil)

func (c *directContext) Deadline() (time.Time, bool) {
	at, ok := c.caller.Deadline()
	if base, also := (*c.base).Deadline(); also && (!ok || base.Before(at)) {
		return base, true
	}
	return at, ok
}

func (c *directContext) Value(key any) any {
	first := c.caller
	if j := c.joined.Load(); j != nil && j != overContext {
		// It has the caller's values, and is found as the parent of contexts that
		// are derived from this one, which then need no goroutine to follow it.
		first = j
	}
	if v := first.Value(key); v != nil {
		return v
	}
	return (*c.base).Value(key)
}

func (c *directContext) Done() <-chan struct{} { return c.join().Done() }

// Err answers as it will when someone asks for Done: an error that was given
// once stays the same.
func (c *directContext) Err() error {
	if j := c.joined.Load(); j != nil {
		return j.Err()
	}
	if err := c.caller.Err(); err != nil {
		return err
	}
	if (*c.base).Err() != nil {
		return context.Canceled
	}
	return nil
}

// join returns the context in which both are one.
func (c *directContext) join() *joinedContext {
	if j := c.joined.Load(); j != nil {
		return j
	}
	j := &joinedContext{linked: make(chan struct{})}
	j.Context, j.cancel = context.WithCancelCause(c.caller)
	base := *c.base
	if base.Err() != nil { // Err may have said so already
		j.cancel(context.Cause(base))
	}
	j.unlink = context.AfterFunc(base, func() {
		j.cancel(context.Cause(base))
		close(j.linked)
	})
	if !c.joined.CompareAndSwap(nil, j) { // another goroutine of the call, or its end, was quicker
		j.part()
		return c.joined.Load()
	}
	return j
}

// end cancels the context of a call that is over.
func (c *directContext) end() {
	if !c.joined.CompareAndSwap(nil, overContext) {
		c.joined.Load().part()
	}
}

// part cancels the joined context and leaves no goroutine behind.
func (j *joinedContext) part() {
	j.cancel(nil)
	if !j.unlink() {
		<-j.linked
	}
}
