// What a batcher must not do to the program around it: hang by a clock that was
// read too early, yield to what computes for long, keep what it has no use for.

package ferry

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"ferryctl/lanes"
)

// A caller reads the clock and then waits for the mutex; meanwhile a delay is
// set for the first time, by a batcher that has been up for an hour.
func TestTimerIsSetByTheClockAndNotByAnOldReading(t *testing.T) {
	bubble(t, "make", settings(9, 0, 4, 10), busy(ms), func(t *testing.T, r *rig) {
		time.Sleep(time.Hour)
		r.reconfigure(t, settings(9, 20*ms, 4, 10))
		time.Sleep(time.Hour)
		r.do(t.Context(), 2)
		time.Sleep(30 * ms)
		q, _ := r.f.(*queued[struct{}, int, int])
		w := q.newWaiter(struct{}{}, 1)
		q.mu.Lock()
		ref, a := q.queue.Admit(0, w, 1)
		if a != lanes.Admitted {
			t.Fatal(a)
		}
		w.ref = ref
		r.wg.Go(func() {
			q.admitted(t.Context(), 0, w) // gives back the mutex
		})
		time.Sleep(30 * ms)
		r.want(t, "2h0m0.02s call [2]", "2h0m0.021s 2=102", "2h0m0.041s call [1]")
	})
}

func TestFirstDelayFindsInputsThatJustCame(t *testing.T) {
	bubble(t, "queued", settings(9, 0, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
		time.Sleep(time.Hour)
		r.do(t.Context(), 10)
		r.do(t.Context(), 20)
		time.Sleep(5 * ms)
		r.reconfigure(t, settings(9, 50*ms, 1, 10))
		for l := range r.f.Waiting() {
			if l.Age != 0 {
				t.Errorf("%+v: waited for as long as the batcher is up", l)
			}
		}
		time.Sleep(20 * ms)
		if got := r.f.Metrics().QueuedSeconds; got != 0.02 {
			t.Errorf("one input waited for 20 ms since the clock runs; QueuedSeconds is %g", got)
		}
		time.Sleep(100 * ms)
		r.want(t, "1h0m0s call [10]", "1h0m0.01s 10=110", "1h0m0.055s call [20]", "1h0m0.065s 20=120")
	})
}

func TestASlowYieldIsNotTriedAgainForAThousandTimesAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shell[int, int, int]{born: time.Now(), yieldPays: 1}
		if !s.yielding() {
			t.Error("nobody yields")
		}
		s.yielded(0, slowYield)
		if !s.yielding() {
			t.Errorf("%s is not slow", slowYield)
		}
		s.yielded(0, 20*ms)
		if s.yielding() {
			t.Error("yields on beside something that takes the processor")
		}
		time.Sleep(20 * time.Second)
		if s.yielding() {
			t.Error("tried again too soon")
		}
		time.Sleep(100 * ms)
		if !s.yielding() {
			t.Error("never tries again")
		}
	})
}

func TestCallersYieldWhereThatSparesThemParking(t *testing.T) {
	s := &shell[int, int, int]{born: time.Now()}
	s.count.Admitted = 1 // no probe
	after := func(batches, early int, want bool) {
		t.Helper()
		for range batches {
			s.learn(tally{early: early, yielded: 20})
		}
		if got := s.yielding(); got != want {
			t.Errorf("after %d batches in which %d of 20 yielded to some end: yielding %t, want %t", batches, early, got, want)
		}
	}
	after(0, 0, false)
	after(20, 20, true)
	after(1, 10, true) // one batch does not change it
	after(20, 16, false)
	after(20, 19, true)
	after(2, 0, false)
	s.learn(tally{}) // nobody yielded, nothing is learned
	s.count.Admitted = yieldProbe
	if !s.yielding() {
		t.Error("nobody tries whether it pays again")
	}
}

type big struct{ _ [1 << 20]byte }

func TestNothingKeepsTheInputOfADirectCallThatIsOver(t *testing.T) {
	f, err := PerKey(PerKeyConfig{Config: settings(4, 0, 1, 10)}, func(*big) int { return 0 },
		func(_ context.Context, _ int, in []*big) ([]int, error) { return make([]int, len(in)), nil })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := new(big)
	kept := weak.Make(in)
	if _, err := f.Do(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the input is still there")
	}
}

func TestAnIdleWorkerLetsGoOfWhatALargeBatchNeeded(t *testing.T) {
	bubble(t, "make", settings(Unlimited, 10*ms, 1, 10_000), busy(ms), func(t *testing.T, r *rig) {
		for i := range 3000 {
			r.wg.Go(func() { r.f.Do(t.Context(), i) })
		}
		time.Sleep(time.Second)
		s, _ := r.f.(*queued[struct{}, int, int])
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.idle) != 1 || cap(s.idle[0].batch.Items) > keptScratch || cap(s.idle[0].live) > keptScratch {
			t.Errorf("%d idle, which keep room for %d inputs", len(s.idle), cap(s.idle[0].batch.Items))
		}
	})
}

func TestErrorOfADirectCallsContextStaysTheSame(t *testing.T) {
	at := time.Now()
	look := func(*rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			if got, ok := ctx.Deadline(); !ok || !got.Equal(at) {
				t.Errorf("deadline %s %t; the batcher's is %s", got, ok, at)
			}
			return in, nil
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), look, func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
	}, WithContext[int](dated{context.Background(), at}))

	var kept context.Context
	keep := func(*rig) action {
		return func(ctx context.Context, in []int) ([]int, error) { kept = ctx; return in, nil }
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), keep, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
		defer cancel()
		r.do(ctx, 1)
		first := kept.Err()
		time.Sleep(100 * ms)
		if !errors.Is(kept.Err(), first) {
			t.Errorf("was %v, is %v", first, kept.Err())
		}
	})
}

// dated is a context that only has a deadline.
type dated struct {
	context.Context
	at time.Time
}

func (d dated) Deadline() (time.Time, bool) { return d.at, true }

// hostile is a context whose Err panics once it is told to.
type hostile struct {
	context.Context
	armed bool
}

func (h *hostile) Err() error {
	if h.armed {
		panic("hostile")
	}
	return nil
}

func TestHostileContextDoesNotStrandItsKey(t *testing.T) {
	ctx := &hostile{Context: context.Background()}
	fail := func(*rig) action {
		return func(context.Context, []int) ([]int, error) {
			ctx.armed = true
			return nil, errors.New("failed")
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), fail, func(t *testing.T, r *rig) {
		func() {
			defer func() {
				if recover() != "hostile" {
					t.Error("the caller's own panic did not reach it")
				}
			}()
			r.f.Do(ctx, 1)
		}()
		if m := r.f.Metrics(); m.Direct != 0 || m.Lanes != 0 || m.Running != 0 {
			t.Errorf("left behind: %+v", m)
		}
	})
}

func TestNeverIsRefusedWhereNoBatchWouldFill(t *testing.T) {
	serve := func(_ context.Context, in []int) ([]int, error) { return in, nil }
	for _, c := range []Config{
		{MaxBatchSize: 10, MaxBatchDelay: Never, MaxInFlightBatches: 1, MaxQueued: 5, MaxBatchWeight: Unlimited},
		{MaxBatchSize: 10, MaxBatchDelay: Never, MaxInFlightBatches: 1, MaxQueued: 50, MaxQueuedWeight: 5},
		{MaxBatchSize: 10, MaxBatchDelay: Never, MaxInFlightBatches: 1, MaxQueued: 5, MaxBatchWeight: 9, MaxQueuedWeight: 5},
	} {
		if _, err := Make(c, serve); err == nil || !strings.Contains(err.Error(), "no batch would ever fill") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
