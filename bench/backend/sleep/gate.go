// The part that all sleepers share: being closed, once.

package sleep

import (
	"context"
	"sync"
)

// A gate is open until it is closed.
type gate struct {
	once   sync.Once
	closed chan struct{}
}

func newGate() *gate { return &gate{closed: make(chan struct{})} }

// close shuts the gate and says whether this call did it.
func (g *gate) close() (first bool) {
	g.once.Do(func() {
		close(g.closed)
		first = true
	})
	return first
}

// check returns the reason not to begin a sleep, if there is one.
func (g *gate) check(ctx context.Context) error {
	select {
	case <-g.closed:
		return ErrClosed
	default:
		return ctx.Err()
	}
}
