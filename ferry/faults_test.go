// What users of other batchers reported, each as a test.

package ferry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A timer that fires while the only slot is taken must not be the last chance
// of what it was set for.
func TestFaultTimerWithOneSlot(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(9, 5*ms, 1, 9), busy(20*ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(6 * ms)
			r.do(t.Context(), 2) // due at 11 ms, while 1 runs from 5 to 25 ms
			time.Sleep(time.Second)
			r.want(t, "5ms call [1]", "25ms 1=101", "25ms call [2]", "45ms 2=102")
		})
	}
}

// Callers that give up while the only slot is taken must not lose the next
// deadline.
func TestFaultDeadlineOfTheNextAfterTheOldestGaveUp(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(2, 10*ms, 1, 9), busy(ms), func(t *testing.T, r *rig) {
			ctx, cancel := context.WithTimeout(t.Context(), 2900*time.Microsecond)
			defer cancel()
			r.do(ctx, 1)
			time.Sleep(2 * ms)
			r.do(t.Context(), 2) // full: leaves
			time.Sleep(ms / 2)
			ctx2, cancel2 := context.WithTimeout(t.Context(), 200*time.Microsecond)
			defer cancel2()
			r.do(ctx2, 3)
			r.do(t.Context(), 4) // full behind 1 and 2; then 3 gives up, and 4 alone is not
			time.Sleep(time.Second)
			r.want(t, "2ms call [1 2]", "2.7ms 3: context deadline exceeded", "2.9ms 1: context deadline exceeded",
				"3ms 2=102", "12.5ms call [4]", "13.5ms 4=104")
		})
	}
}

// Failing calls give back what they held.
func TestFaultFailuresKeepNoSlot(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bad := func(*rig) action {
			return func(context.Context, []int) ([]int, error) { time.Sleep(ms); return nil, errors.New("no") }
		}
		c := settings(2, 0, 1, 3)
		c.MaxQueuedWeight = 3
		bubble(t, k, c, bad, func(t *testing.T, r *rig) {
			for i := range 100 {
				r.do(t.Context(), i)
				time.Sleep(ms / 2)
			}
			time.Sleep(time.Second)
			m := r.f.Metrics()
			if m.Queued != 0 || m.QueuedWeight != 0 || m.InFlight != 0 || m.Direct != 0 || m.Failed+m.RejectedCount != 100 || m.Failed < 50 {
				t.Errorf("%+v", m)
			}
		})
	}
}

// In an outage calls hang and callers give up by the thousand. Nothing may pile
// up, and the first call after it must be served.
func TestFaultOutagePilesNothingUp(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		outage := func(r *rig) action {
			good := r.takes(ms)
			return func(ctx context.Context, in []int) ([]int, error) {
				if time.Since(r.start) < time.Hour {
					time.Sleep(time.Hour - time.Since(r.start))
					return nil, errors.New("outage")
				}
				return good(ctx, in)
			}
		}
		bubble(t, k, settings(4, 5*ms, 2, 50), outage, func(t *testing.T, r *rig) {
			for range 1000 {
				for i := range 10 {
					r.wg.Go(func() {
						ctx, cancel := context.WithTimeout(context.Background(), 50*ms)
						defer cancel()
						if _, err := r.f.Do(ctx, i); err == nil {
							t.Error("answered in an outage")
						}
					})
				}
				time.Sleep(100 * ms)
			}
			synctest.Wait()
			if n := workersOf(r.f); n == 0 || n > 2 {
				t.Errorf("%d workers for two batches in flight", n)
			}
			if m := r.f.Metrics(); m.Queued != 0 {
				t.Errorf("%+v", m)
			}
			time.Sleep(2 * time.Hour)
			r.log, r.start = nil, time.Now()
			r.do(t.Context(), 7)
			r.f.Flush()
			time.Sleep(10 * ms)
		})
	}
}

// An input that can never fit is told so; it holds up nobody.
func TestFaultOversizeInputBlocksNobody(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		c := settings(9, 0, 1, 9)
		c.MaxQueuedWeight = 5
		bubble(t, k, c, busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			_, err := r.f.Do(t.Context(), 6)
			var rejected *RejectedError
			if !errors.As(err, &rejected) || !rejected.Never || rejected.Bound != BoundWeight || rejected.Limit != 5 || rejected.Weight != 6 {
				t.Errorf("got %#v", err)
			}
			r.do(t.Context(), 2)
			time.Sleep(10 * ms)
			r.want(t, "0s call [1]", "1ms 1=101", "1ms call [2]", "2ms 2=102")
		}, WithWeigh(func(i int) int64 { return int64(i) }))
	}
}

// Lanes of keys that come once and never again leave nothing.
func TestFaultShortLivedKeysLeaveNothing(t *testing.T) {
	for _, k := range []string{"queued", "perkey"} {
		bubble(t, k, settings(9, 0, 4, 100), busy(0), func(t *testing.T, r *rig) {
			for i := range 20_000 {
				if _, err := r.f.Do(t.Context(), 10*i); err != nil {
					t.Fatal(err)
				}
				r.log = r.log[:0]
			}
			synctest.Wait()
			if m := r.f.Metrics(); m.Lanes != 0 || m.Done != 20_000 {
				t.Errorf("%+v", m)
			}
		})
	}
}
