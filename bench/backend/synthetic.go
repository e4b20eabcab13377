// The synthetic backend: lets the drawn time pass, a limited number of calls at
// once.

package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench/backend/sleep"
)

// ErrClosed is returned by calls to a closed backend.
var ErrClosed = errors.New("backend: closed")

// An InjectedError is the failure that a Spec's Errors asks for.
type InjectedError struct {
	Batch uint64 // the number of the batch that failed
}

func (e *InjectedError) Error() string {
	return fmt.Sprintf("backend: batch %d fails as asked for by errors", e.Batch)
}

// A Backend runs batch calls. It is safe for concurrent use.
type Backend interface {
	// Call serves one batch and returns when it is done. batch numbers the
	// batches of a run from 0 and decides, with the seed, over time and failure.
	// It returns ctx.Err() as soon as ctx is done, an *InjectedError for a call
	// that fails as asked, and ErrClosed once the backend is closed.
	Call(ctx context.Context, batch uint64, items int, weight int64) error

	// Stats returns what the backend has served so far.
	Stats() Stats

	// Close ends all calls. No goroutine of the backend outlives it. Closing
	// twice is harmless.
	Close() error
}

// Stats compare the service times that were asked for with those that the
// machine gave. Cancelled calls and calls that take no time are in none of them.
type Stats struct {
	Calls  uint64        // calls served, failed ones included
	Asked  time.Duration // total service time drawn for them
	Actual time.Duration // total service time that they took, waiting for the backend's concurrency left out
	Waited time.Duration // total time that they waited for the backend's concurrency before it

	// Extrapolated is how many of the calls lay outside of what the model was
	// calibrated on, see [Spec.Extrapolates].
	Extrapolated uint64
}

// Sub returns the stats of what was served since earlier.
func (s Stats) Sub(earlier Stats) Stats {
	return Stats{
		Calls: s.Calls - earlier.Calls, Asked: s.Asked - earlier.Asked, Actual: s.Actual - earlier.Actual,
		Waited: s.Waited - earlier.Waited, Extrapolated: s.Extrapolated - earlier.Extrapolated,
	}
}

// MeanAsked returns the mean service time asked for, 0 if there was no call.
func (s Stats) MeanAsked() time.Duration { return s.mean(s.Asked) }

// MeanActual returns the mean service time given, 0 if there was no call.
func (s Stats) MeanActual() time.Duration { return s.mean(s.Actual) }

// MeanWaited returns the mean time that calls waited inside the backend for their
// turn, 0 if there was no call.
func (s Stats) MeanWaited() time.Duration { return s.mean(s.Waited) }

func (s Stats) mean(sum time.Duration) time.Duration {
	if s.Calls == 0 {
		return 0
	}
	return time.Duration(uint64(sum) / s.Calls) //nolint:gosec // sums of what is >= 0
}

// An Option changes how [New] builds a backend.
type Option func(*synthetic)

// WithSleeper makes the backend let time pass by s instead of by the most
// precise sleeper of the platform. Inside a testing/synctest bubble s has to be
// [sleep.Plain]. The backend owns s and closes it.
func WithSleeper(s sleep.Sleeper) Option {
	return func(b *synthetic) { b.sleeper = s }
}

// New returns the backend that spec describes. All its draws follow from seed.
// The error is that of [Spec.Load].
func New(spec Spec, seed uint64, opts ...Option) (Backend, error) {
	spec, err := spec.Load()
	if err != nil {
		return nil, err
	}
	b := &synthetic{spec: spec, seed: seed, closed: make(chan struct{})}
	for _, opt := range opts {
		opt(b)
	}
	if b.sleeper == nil && !spec.Free() {
		b.sleeper = sleep.New()
	}
	if spec.Concurrency > 0 {
		b.slots = make(chan struct{}, spec.Concurrency)
	}
	return b, nil
}

type synthetic struct {
	spec    Spec
	seed    uint64
	sleeper sleep.Sleeper // nil only if the spec is free
	inside  atomic.Int64  // calls that wait or are served
	slots   chan struct{} // holds a token for each call in service; nil without a limit

	once   sync.Once
	closed chan struct{}

	mu struct {
		sync.Mutex
		stats Stats
	}
}

// Call implements [Backend].
func (b *synthetic) Call(ctx context.Context, batch uint64, items int, weight int64) error {
	select {
	case <-b.closed:
		return ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if d := b.spec.ServiceTime(b.seed, batch, items, weight); d > 0 {
		inside := b.inside.Add(1)
		err := b.serve(ctx, d, b.spec.Extrapolates(items, weight, int(inside)))
		b.inside.Add(-1)
		if err != nil {
			return err
		}
	}
	if b.spec.Fails(b.seed, batch) {
		return &InjectedError{Batch: batch}
	}
	return nil
}

// serve waits for the call's turn and lets d pass. A full channel keeps its
// senders in order, which makes the turns first come, first served.
func (b *synthetic) serve(ctx context.Context, d time.Duration, extrapolated bool) error {
	var waited time.Duration
	start := time.Now()
	if b.slots != nil {
		came := start
		select {
		case b.slots <- struct{}{}:
			defer func() { <-b.slots }()
		case <-ctx.Done():
			return ctx.Err()
		case <-b.closed:
			return ErrClosed
		}
		start = time.Now()
		waited = start.Sub(came)
	}
	if err := b.sleeper.Sleep(ctx, d); errors.Is(err, sleep.ErrClosed) {
		return ErrClosed
	} else if err != nil {
		return err
	}
	actual := time.Since(start)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.stats.Calls++
	b.mu.stats.Asked += d
	b.mu.stats.Actual += actual
	b.mu.stats.Waited += waited
	if extrapolated {
		b.mu.stats.Extrapolated++
	}
	return nil
}

// Stats implements [Backend].
func (b *synthetic) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.stats
}

// Close implements [Backend].
func (b *synthetic) Close() (err error) {
	b.once.Do(func() {
		close(b.closed)
		if b.sleeper != nil {
			err = b.sleeper.Close()
		}
	})
	return err
}
