package backend_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// simulated runs a test against a backend inside a bubble of simulated time.
func simulated(t *testing.T, text string, test func(t *testing.T, b backend.Backend)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, err := backend.New(mustSpec(t, text), 42, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		test(t, b)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCallsTakeTheDrawnTimeSideBySide(t *testing.T) {
	const text = "synthetic(base=1ms,per_item=20us,dist=exponential)"
	simulated(t, text, func(t *testing.T, b backend.Backend) {
		spec := mustSpec(t, text)
		var total time.Duration
		var wg sync.WaitGroup
		start := time.Now()
		for i := range uint64(50) {
			want := spec.ServiceTime(42, i, 3, 3)
			total += want
			wg.Go(func() {
				if err := b.Call(t.Context(), i, 3, 3); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took != want {
					t.Errorf("batch %d took %s, drawn is %s", i, took, want)
				}
			})
		}
		wg.Wait()
		stats := b.Stats()
		if stats != (backend.Stats{Calls: 50, Asked: total, Actual: total}) {
			t.Errorf("stats are %+v, want 50 calls of %s in all", stats, total)
		}
		if stats.MeanAsked() != total/50 || stats.MeanActual() != total/50 {
			t.Errorf("the means are %s and %s, want %s", stats.MeanAsked(), stats.MeanActual(), total/50)
		}
		if since := stats.Sub(stats); since != (backend.Stats{}) || since.MeanAsked() != 0 {
			t.Errorf("nothing served since gives %+v", since)
		}
	})
}

// Of five calls at once the first does not wait, the last waits for four.
func TestWaitingForTheLimitIsCountedApart(t *testing.T) {
	simulated(t, "synthetic(base=10ms,concurrency=1)", func(t *testing.T, b backend.Backend) {
		var wg sync.WaitGroup
		for i := range uint64(5) {
			wg.Go(func() {
				if err := b.Call(t.Context(), i, 1, 1); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		ms := time.Millisecond
		if got := b.Stats(); got != (backend.Stats{Calls: 5, Asked: 50 * ms, Actual: 50 * ms, Waited: 100 * ms}) || got.MeanWaited() != 20*ms {
			t.Errorf("stats are %+v", got)
		}
		if since := b.Stats().Sub(backend.Stats{Calls: 1, Waited: 60 * ms}); since.MeanWaited() != 10*ms {
			t.Errorf("since then %+v", since)
		}
	})
}

func TestTheLimitServesFirstComeFirstServed(t *testing.T) {
	simulated(t, "synthetic(base=10ms,concurrency=2)", func(t *testing.T, b backend.Backend) {
		start := time.Now()
		var mu sync.Mutex
		var order []uint64
		var wg sync.WaitGroup
		for i := range uint64(7) {
			wg.Go(func() {
				if err := b.Call(t.Context(), i, 1, 1); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i/2)
				if took, want := time.Since(start), time.Duration(i/2+1)*10*time.Millisecond; took != want {
					t.Errorf("call %d is over after %s, want %s", i, took, want)
				}
			})
			synctest.Wait() // so that they come in this order
		}
		wg.Wait()
		if !slices.IsSorted(order) {
			t.Errorf("pairs are served in the order %v", order)
		}
		if stats := b.Stats(); stats.MeanActual() != 10*time.Millisecond {
			t.Errorf("the wait for the backend counts as service: mean %s", stats.MeanActual())
		}
	})
}

func TestACancelledCallReturnsAtOnceAndFreesItsPlace(t *testing.T) {
	simulated(t, "synthetic(base=1s,concurrency=1)", func(t *testing.T, b backend.Backend) {
		start := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		for i := range uint64(3) { // one in service, two waiting
			wg.Go(func() {
				if err := b.Call(ctx, i, 1, 1); err != context.Canceled { //nolint:errorlint // exactly ctx.Err()
					t.Errorf("call %d: %v", i, err)
				}
				if took := time.Since(start); took != 300*time.Millisecond {
					t.Errorf("call %d returns after %s", i, took)
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		cancel(errors.New("a cause, which Call must not return"))
		wg.Wait()
		if err := b.Call(ctx, 9, 1, 1); err != context.Canceled { //nolint:errorlint // exactly ctx.Err()
			t.Errorf("a call that begins cancelled gives %v", err)
		}
		if err := b.Call(t.Context(), 4, 1, 1); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 1300*time.Millisecond {
			t.Errorf("the next call is over after %s, want 1.3s", took)
		}
		if calls := b.Stats().Calls; calls != 1 {
			t.Errorf("%d calls are counted, want the one that was served", calls)
		}
	})
}

func TestACallThatGivesUpInTheQueueIsOutOfItAtOnce(t *testing.T) {
	simulated(t, "synthetic(base=1s,concurrency=1)", func(t *testing.T, b backend.Backend) {
		start := time.Now()
		var wg sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), nil, t.Context()} {
			want := time.Duration(i/2+1) * time.Second
			if ctx == nil {
				short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				ctx, want = short, 100*time.Millisecond
			}
			wg.Go(func() {
				if err := b.Call(ctx, uint64(i), 1, 1); err != ctx.Err() { //nolint:errorlint // exactly ctx.Err()
					t.Errorf("call %d gives %v", i, err)
				}
				if took := time.Since(start); took != want {
					t.Errorf("call %d is over after %s, want %s", i, took, want)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
	})
}

func TestCloseEndsEveryCall(t *testing.T) {
	simulated(t, "synthetic(base=1h,concurrency=2)", func(t *testing.T, b backend.Backend) {
		var wg sync.WaitGroup
		for i := range uint64(5) {
			wg.Go(func() {
				if err := b.Call(t.Context(), i, 1, 1); !errors.Is(err, backend.ErrClosed) {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		synctest.Wait()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := b.Call(t.Context(), 9, 1, 1); !errors.Is(err, backend.ErrClosed) {
			t.Errorf("a closed backend gives %v", err)
		}
	})
}

func TestInjectedErrorsComeAfterTheServiceTime(t *testing.T) {
	simulated(t, "synthetic(base=5ms,errors=50%)", func(t *testing.T, b backend.Backend) {
		spec := mustSpec(t, "synthetic(errors=50%)")
		for i := range uint64(100) {
			start := time.Now()
			err := b.Call(t.Context(), i, 1, 1)
			var injected *backend.InjectedError
			switch {
			case errors.As(err, &injected) != spec.Fails(42, i):
				t.Errorf("batch %d gives %v", i, err)
			case injected != nil && injected.Batch != i:
				t.Errorf("batch %d says it is %d", i, injected.Batch)
			}
			if took := time.Since(start); took != 5*time.Millisecond {
				t.Errorf("batch %d took %s", i, took)
			}
		}
	})
}

func TestAFreeBackendTouchesNoTimer(t *testing.T) {
	// A sleeper that fails shows that it is never asked.
	b, err := backend.New(mustSpec(t, "synthetic(dist=exponential,concurrency=1,errors=100%)"), 1, backend.WithSleeper(broken{}))
	if err != nil {
		t.Fatal(err)
	}
	var injected *backend.InjectedError
	if err := b.Call(t.Context(), 0, 64, 64); !errors.As(err, &injected) {
		t.Errorf("got %v, want the injected error", err)
	}
	if b.Stats() != (backend.Stats{}) {
		t.Errorf("a free call is counted: %+v", b.Stats())
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Call(t.Context(), 1, 1, 1); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("closed, it gives %v", err)
	}
}

type broken struct{}

func (broken) Sleep(context.Context, time.Duration) error { return errors.New("asked to sleep") }
func (broken) Close() error                               { return nil }

func TestTheRealSleeperServesManyCallsAndLeavesNothingBehind(t *testing.T) {
	spec := mustSpec(t, "synthetic(base=200us,dist=exponential,concurrency=20)")
	b, err := backend.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var asked atomic.Int64
	for i := range uint64(300) {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%5 == 0 {
				go cancel()
			}
			switch err := b.Call(ctx, i, 1, 1); {
			case err == nil:
				asked.Add(int64(spec.ServiceTime(1, i, 1, 1)))
			case ctx.Err() == nil:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := b.Stats(); s.Actual < s.Asked || s.Calls < 240 || s.Asked != time.Duration(asked.Load()) {
		t.Errorf("stats are %+v; %s were asked for", s, time.Duration(asked.Load()))
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNewRefusesWhatValidateRefuses(t *testing.T) {
	_, err := backend.New(backend.Spec{Base: -1, Jitter: 2, Kind: "x"}, 1)
	for _, want := range []string{"base", "jitter", "kind"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func BenchmarkCallFree(b *testing.B) {
	be, err := backend.New(backend.Spec{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		if err := be.Call(ctx, i, 64, 64); err != nil {
			b.Fatal(err)
		}
	}
}
