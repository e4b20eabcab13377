// The context of a direct call.

package ferry

import (
	"context"
	"sync"
	"time"
)

// directContext is its caller's context, cancelled also when the batcher
// closes, and when the call is over. A call that never asks for Done costs one
// allocation and no goroutine: the two are joined when it first does.
type directContext struct {
	caller, base context.Context

	mu     sync.Mutex
	joined context.Context // nil until asked for
	cancel context.CancelFunc
	unlink func() bool   // stops base from cancelling it; false if it has begun to
	linked chan struct{} // closed when base has cancelled it
	over   bool
}

var _ context.Context = (*directContext)(nil)

func (c *directContext) Deadline() (time.Time, bool) { return c.caller.Deadline() }

func (c *directContext) Value(key any) any {
	if v := c.caller.Value(key); v != nil {
		return v
	}
	return c.base.Value(key)
}

func (c *directContext) Done() <-chan struct{} { return c.join().Done() }

func (c *directContext) Err() error {
	c.mu.Lock()
	joined, over := c.joined, c.over
	c.mu.Unlock()
	switch {
	case c.caller.Err() != nil:
		return c.caller.Err()
	case joined != nil:
		return joined.Err()
	case over:
		return context.Canceled
	}
	return c.base.Err()
}

// join returns the context in which both are one.
func (c *directContext) join() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined == nil {
		c.joined, c.cancel = context.WithCancel(c.caller)
		c.linked = make(chan struct{})
		c.unlink = context.AfterFunc(c.base, func() {
			c.cancel()
			close(c.linked)
		})
		if c.over {
			c.part()
		}
	}
	return c.joined
}

// end cancels the context of a call that is over.
func (c *directContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.joined != nil {
		c.part()
	}
}

// part cancels the joined context and leaves no goroutine behind. The mutex is
// held; what it waits for does not take it.
func (c *directContext) part() {
	c.cancel()
	if !c.unlink() {
		<-c.linked
	}
}
