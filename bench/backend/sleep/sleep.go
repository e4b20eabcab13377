// The sleeper's interface and the portable implementation.

package sleep

import (
	"context"
	"errors"
	"time"
)

// ErrClosed is returned by Sleep once its sleeper is closed.
var ErrClosed = errors.New("sleep: the sleeper is closed")

// A Sleeper holds goroutines for given times. It is safe for concurrent use.
type Sleeper interface {
	// Sleep returns nil when d has passed, ctx.Err() as soon as ctx is done, and
	// ErrClosed as soon as the sleeper is closed. A d of zero or less returns at
	// once, without touching a timer.
	Sleep(ctx context.Context, d time.Duration) error

	// Close wakes everyone who sleeps and frees what the sleeper holds; no
	// goroutine of the sleeper outlives it. Closing twice is harmless.
	Close() error
}

// New returns the most precise sleeper that the platform has: on Linux one
// backed by a timerfd, elsewhere, and where the kernel refuses a timerfd, Plain.
func New() Sleeper {
	if s, err := newPrecise(); err == nil {
		return s
	}
	return Plain()
}

// Plain returns a sleeper that uses the timers of package time alone.
func Plain() Sleeper { return &plain{gate: newGate()} }

type plain struct{ gate *gate }

func (p *plain) Sleep(ctx context.Context, d time.Duration) error {
	if err := p.gate.check(ctx); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.gate.closed:
		return ErrClosed
	}
}

func (p *plain) Close() error {
	p.gate.close()
	return nil
}
