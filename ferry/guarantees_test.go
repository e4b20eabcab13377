// One test a guarantee, in the simulated time of a synctest bubble, where a
// wait is exact and a goroutine that is left behind fails the test.

package ferry

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// rig is a batcher of ints whose calls and answers are written down.
type rig struct {
	f     Ferry[int, int]
	start time.Time
	mu    sync.Mutex
	log   []string
	wg    sync.WaitGroup
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf("%s ", time.Since(r.start))+fmt.Sprintf(format, args...))
}

// do submits in the background and notes the answer.
func (r *rig) do(ctx context.Context, in int) {
	r.wg.Go(func() {
		a, err := r.f.Do(ctx, in)
		if err != nil {
			r.note("%d: %v", in, err)
		} else {
			r.note("%d=%d", in, a)
		}
	})
	synctest.Wait()
}

func (r *rig) want(t *testing.T, lines ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := slices.Clone(r.log)
	slices.Sort(got)
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

type action func(ctx context.Context, in []int) ([]int, error)

// takes returns a call that needs d, honours its context, and answers in+100.
func (r *rig) takes(d time.Duration) action {
	return func(ctx context.Context, in []int) ([]int, error) {
		r.note("call %v", in)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
		}
		out := make([]int, len(in))
		for i, v := range in {
			out[i] = v + 100
		}
		return out, nil
	}
}

// bubble runs a test of one batcher; kernel is "make", "perkey" (whose key is
// in/10 and whose rank, if asked for, is -in) or "queued": perkey without
// direct calls.
func bubble(t *testing.T, kernel string, c Config, call func(*rig) action, test func(t *testing.T, r *rig), opts ...Option[int]) {
	t.Helper()
	t.Run(kernel, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := &rig{start: time.Now()}
			act := call(r)
			var err error
			if kernel == "make" {
				r.f, err = Make(c, act, opts...)
			} else {
				r.f, err = PerKey(PerKeyConfig{Config: c, NoDirect: kernel == "queued"}, func(i int) int { return i / 10 },
					func(ctx context.Context, key int, in []int) ([]int, error) {
						for _, v := range in {
							if v/10 != key {
								t.Errorf("input %d went to key %d", v, key)
							}
						}
						return act(ctx, in)
					}, opts...)
			}
			if err != nil {
				t.Fatal(err)
			}
			test(t, r)
			r.f.Close()
			r.wg.Wait()
		})
	})
}

func settings(size int, delay time.Duration, inFlight, queued int) Config {
	return Config{MaxBatchSize: size, MaxBatchDelay: delay, MaxInFlightBatches: inFlight, MaxQueued: queued}
}

func busy(d time.Duration) func(*rig) action { return func(r *rig) action { return r.takes(d) } }

func TestFullBatchLeavesAtOnce(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(2, 50*ms, 4, 10), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(5 * ms)
			r.do(t.Context(), 2)
			time.Sleep(10 * ms)
			r.want(t, "5ms call [1 2]", "6ms 1=101", "6ms 2=102")
		})
	}
}

func TestDelayCountsFromTheOldestInput(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(9, 50*ms, 4, 10), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(40 * ms)
			r.do(t.Context(), 2)
			time.Sleep(100 * ms)
			r.want(t, "50ms call [1 2]", "51ms 1=101", "51ms 2=102")
		})
	}
}

// The oldest input is the last in rank order here; its age counts all the same.
func TestDelayCountsFromTheOldestInputWhateverItsRank(t *testing.T) {
	bubble(t, "perkey", settings(9, 50*ms, 4, 10), busy(ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		time.Sleep(40 * ms)
		r.do(t.Context(), 2)
		time.Sleep(100 * ms)
		r.want(t, "50ms call [2 1]", "51ms 1=101", "51ms 2=102")
	}, WithRank(func(i int) int64 { return int64(-i) }))
}

// What a full batch leaves behind waits for its own deadline, not the old one.
func TestPartialBatchAfterAReleaseWaitsForItsOwnDeadline(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(2, 50*ms, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(20 * ms)
			r.do(t.Context(), 2) // leaves, full
			time.Sleep(5 * ms)
			r.do(t.Context(), 3)
			time.Sleep(100 * ms)
			r.want(t, "20ms call [1 2]", "30ms 1=101", "30ms 2=102", "75ms call [3]", "85ms 3=103")
		})
	}
}

func TestZeroDelayLeavesAtOnceAndFillsWhileBusy(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(9, 0, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
			for i := 1; i <= 3; i++ {
				r.do(t.Context(), i)
				time.Sleep(ms)
			}
			time.Sleep(100 * ms)
			r.want(t, "0s call [1]", "10ms 1=101", "10ms call [2 3]", "20ms 2=102", "20ms 3=103")
		})
	}
}

// Two lanes fall due at one instant, and two slots are free: neither may wait
// for the other's call.
func TestWhatIsReadyTogetherLeavesTogether(t *testing.T) {
	bubble(t, "perkey", settings(9, 10*ms, 2, 10), busy(5*ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		r.do(t.Context(), 11)
		time.Sleep(20 * ms)
		r.want(t, "10ms call [1]", "10ms call [11]", "15ms 1=101", "15ms 11=111")
	})
}

func TestNeverWaitsForFullBatchesAndFlushSendsTheRest(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(2, Never, 1, 10), busy(ms), func(t *testing.T, r *rig) {
			for i := 1; i <= 3; i++ {
				r.do(t.Context(), i)
			}
			time.Sleep(time.Hour)
			r.want(t, "0s call [1 2]", "1ms 1=101", "1ms 2=102")
			r.f.Flush()
			time.Sleep(10 * ms)
			r.want(t, "0s call [1 2]", "1ms 1=101", "1ms 2=102", "1h0m0s call [3]", "1h0m0.001s 3=103")
			if got := r.f.Metrics().Batches; got[LeftClose] != 1 || got[LeftSize] != 1 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

// A key that is always busy goes to the back of the line each time.
func TestBusyKeyCannotStarveOthers(t *testing.T) {
	bubble(t, "queued", settings(1, 0, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
		for _, in := range []int{1, 2, 3, 11, 21} {
			r.do(t.Context(), in)
		}
		time.Sleep(100 * ms)
		r.want(t, "0s call [1]", "10ms 1=101", "10ms call [11]", "20ms 11=111", "20ms call [21]", "30ms 21=121",
			"30ms call [2]", "40ms 2=102", "40ms call [3]", "50ms 3=103")
	})
}

func TestInsideAKeyRankThenArrival(t *testing.T) {
	bubble(t, "queued", settings(9, 0, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
		for _, in := range []int{1, 4, 2, 6, 3} {
			r.do(t.Context(), in)
		}
		time.Sleep(15 * ms)
		r.want(t, "0s call [1]", "10ms 1=101", "10ms call [4 2 6 3]")
		time.Sleep(100 * ms)
	}, WithRank(func(i int) int64 { return int64(i % 2) }))
}

func TestBatchWeightBoundsAndOversizeGoesAlone(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		c := settings(9, 0, 1, 10)
		c.MaxBatchWeight = 5
		bubble(t, k, c, busy(10*ms), func(t *testing.T, r *rig) {
			for _, in := range []int{1, 3, 2, 7, 1} {
				r.do(t.Context(), in)
			}
			time.Sleep(100 * ms)
			r.want(t, "0s call [1]", "10ms 1=101", "10ms call [3 2]", "20ms 3=103", "20ms 2=102",
				"20ms call [7]", "30ms 7=107", "30ms call [1]", "40ms 1=101")
			if got := r.f.Metrics().Batches; got[LeftWeight] != 2 {
				t.Errorf("left: %v", got)
			}
		}, WithWeigh(func(i int) int64 { return int64(i) }))
	}
}

func TestOverloadIsAnsweredAtOnceAndSaysByWhichBound(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		c := settings(1, 0, 1, 2)
		c.MaxQueuedWeight = 6
		bubble(t, k, c, busy(10*ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1) // in flight
			for _, in := range []int{3, 7, 4, 2, 1} {
				r.do(t.Context(), in)
			}
			r.want(t, "0s call [1]",
				"0s 7: ferry: rejected: the input's weight 7 alone is greater than MaxQueuedWeight 6, so it can never wait",
				"0s 4: ferry: rejected: the waiting room is full (MaxQueuedWeight 6)",
				"0s 1: ferry: rejected: the waiting room is full (MaxQueued 2)")
			time.Sleep(15 * ms) // 3 is in flight, 2 waits
			r.do(t.Context(), 4)
			if m := r.f.Metrics(); m.RejectedCount != 1 || m.RejectedWeight != 2 || m.Queued != 2 || m.QueuedWeight != 6 {
				t.Errorf("%+v", m)
			}
			time.Sleep(100 * ms)
		}, WithWeigh(func(i int) int64 { return int64(i) }))
	}
}

func TestCallerThatGivesUpWhileWaitingNeverReachesTheCall(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(9, 0, 1, 3), busy(10*ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			ctx, cancel := context.WithTimeout(t.Context(), 3*ms)
			defer cancel()
			r.do(ctx, 2)
			r.do(t.Context(), 3)
			time.Sleep(4 * ms)
			if m := r.f.Metrics(); m.Queued != 1 || m.Cancelled != 1 {
				t.Errorf("its place is not free: %+v", m)
			}
			time.Sleep(100 * ms)
			r.want(t, "0s call [1]", "3ms 2: context deadline exceeded", "10ms 1=101", "10ms call [3]", "20ms 3=103")
		})
	}
}

func TestBatchThatEverybodyLeftIsNotCalled(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(9, 0, 1, 3), busy(10*ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			ctx, cancel := context.WithTimeout(t.Context(), 3*ms)
			defer cancel()
			r.do(ctx, 2)
			time.Sleep(100 * ms)
			r.want(t, "0s call [1]", "3ms 2: context deadline exceeded", "10ms 1=101")
		})
	}
}

func TestCallerThatGivesUpInFlightLeavesTheCallToTheOthers(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(2, ms, 1, 3), busy(10*ms), func(t *testing.T, r *rig) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*ms)
			defer cancel()
			r.do(ctx, 1)
			r.do(t.Context(), 2)
			time.Sleep(100 * ms)
			r.want(t, "0s call [1 2]", "3ms 1: context deadline exceeded", "10ms 2=102")
			if m := r.f.Metrics(); m.Cancelled != 1 || m.Done != 1 || m.Running != 0 {
				t.Errorf("%+v", m)
			}
		})
	}
}

// The direct call of key 0 takes 5 ms to notice that its caller gave up; its
// key must stay busy until then.
func TestDirectCallIsCancelledWithItsCallerAndFreesItsKeyWhenItReturns(t *testing.T) {
	slow := func(r *rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			r.note("call %v", in)
			select {
			case <-ctx.Done():
				time.Sleep(5 * ms)
				r.note("cancelled %v", in)
				return nil, ctx.Err()
			case <-time.After(10 * ms):
				return []int{in[0] + 100}, nil
			}
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), slow, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*ms)
		defer cancel()
		r.do(ctx, 1)
		r.do(t.Context(), 2)
		time.Sleep(100 * ms)
		r.want(t, "0s call [1]", "8ms cancelled [1]", "8ms 1: context deadline exceeded", "8ms call [2]", "18ms 2=102")
	})
}

func TestDirectCallsComeOnTopOfTheBatches(t *testing.T) {
	bubble(t, "perkey", settings(9, 0, 1, 9), busy(10*ms), func(t *testing.T, r *rig) {
		for _, in := range []int{1, 11, 21, 2, 12} {
			r.do(t.Context(), in)
			time.Sleep(ms)
		}
		time.Sleep(100 * ms)
		// 2 and 12 wait for their keys, then for the one slot.
		r.want(t, "0s call [1]", "1ms call [11]", "2ms call [21]", "10ms 1=101", "11ms 11=111", "12ms 21=121",
			"10ms call [2]", "20ms 2=102", "20ms call [12]", "30ms 12=112")
		if m := r.f.Metrics(); m.PeakInFlight != 3 || m.Batches[LeftDirect] != 3 || m.Batches[LeftFreed] != 2 {
			t.Errorf("%+v", m)
		}
	})
}

func TestFailureReachesEveryCallerOfTheBatchAndTheNextOneIsServed(t *testing.T) {
	boom := errors.New("boom")
	for name, bad := range map[string]struct {
		act  func([]int) ([]int, error)
		says string
		is   error
	}{
		"error":      {func([]int) ([]int, error) { return nil, boom }, "ferry: call failed: boom", boom},
		"panic":      {func([]int) ([]int, error) { panic(boom) }, "ferry: call failed: the call panicked: boom", boom},
		"goexit":     {func([]int) ([]int, error) { runtime.Goexit(); return nil, nil }, "ferry: call failed: the call ended its goroutine", ErrGoexit},
		"too few":    {func(in []int) ([]int, error) { return in[:1], nil }, "ferry: call failed: the call gave 1 answers to 2 inputs", nil},
		"none":       {func([]int) ([]int, error) { return nil, nil }, "ferry: call failed: the call gave 0 answers to 2 inputs", nil},
		"too many":   {func(in []int) ([]int, error) { return append(in, 1), nil }, "ferry: call failed: the call gave 3 answers to 2 inputs", nil},
		"both":       {func(in []int) ([]int, error) { return in, boom }, "ferry: call failed: boom", boom},
		"nil panic":  {func([]int) ([]int, error) { panic(nil) }, "ferry: call failed: the call panicked: panic called with nil argument", nil},
		"not an err": {func([]int) ([]int, error) { panic(7) }, "ferry: call failed: the call panicked: 7", nil},
	} {
		call := func(r *rig) action {
			good := r.takes(ms)
			return func(ctx context.Context, in []int) ([]int, error) {
				if in[0] == 1 {
					return bad.act(in)
				}
				return good(ctx, in)
			}
		}
		for _, k := range []string{"make", "queued"} {
			t.Run(name, func(t *testing.T) {
				bubble(t, k, settings(2, 50*ms, 1, 9), call, func(t *testing.T, r *rig) {
					r.do(t.Context(), 1)
					var err error
					r.wg.Go(func() { _, err = r.f.Do(t.Context(), 2) })
					synctest.Wait()
					r.do(t.Context(), 3)
					r.do(t.Context(), 4)
					time.Sleep(10 * ms)
					r.want(t, "0s 1: "+bad.says, "0s call [3 4]", "1ms 3=103", "1ms 4=104")
					var failed *FailedError
					if !errors.As(err, &failed) || err.Error() != bad.says || bad.is != nil && !errors.Is(err, bad.is) {
						t.Errorf("got %v", err)
					}
					var p *PanicError
					if errors.As(err, &p) && !strings.Contains(string(p.Stack), "guarantees_test.go") {
						t.Errorf("the stack does not show the panic:\n%s", p.Stack)
					}
				})
			})
		}
	}
}

// With one slot, a call that ends its goroutine while others wait must not
// take the slot, or the only worker, with it.
func TestGoexitLeavesNobodyStranded(t *testing.T) {
	call := func(r *rig) action {
		good := r.takes(ms)
		return func(ctx context.Context, in []int) ([]int, error) {
			if in[0] == 1 {
				time.Sleep(5 * ms)
				runtime.Goexit()
			}
			return good(ctx, in)
		}
	}
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(1, 0, 1, 9), call, func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			r.do(t.Context(), 2)
			time.Sleep(10 * ms)
			r.want(t, "5ms 1: ferry: call failed: the call ended its goroutine", "5ms call [2]", "6ms 2=102")
		})
	}
}

// What joined a key while its call ran has a deadline, whose timer nobody else
// sets if that call's worker ends.
func TestGoexitLeavesTheDeadlineOfWhatWaits(t *testing.T) {
	call := func(r *rig) action {
		good := r.takes(ms)
		return func(ctx context.Context, in []int) ([]int, error) {
			if in[0] == 1 {
				time.Sleep(5 * ms)
				runtime.Goexit()
			}
			return good(ctx, in)
		}
	}
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(9, 10*ms, 4, 9), call, func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(12 * ms)
			r.do(t.Context(), 2)
			time.Sleep(20 * ms)
			r.want(t, "15ms 1: ferry: call failed: the call ended its goroutine", "22ms call [2]", "23ms 2=102")
		})
	}
}

func TestDirectCallThatPanicsOrEndsItsGoroutineFreesItsKey(t *testing.T) {
	call := func(r *rig) action {
		good := r.takes(ms)
		return func(ctx context.Context, in []int) ([]int, error) {
			time.Sleep(2 * ms)
			switch in[0] {
			case 1:
				panic("boom")
			case 2:
				runtime.Goexit()
			}
			return good(ctx, in)
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), call, func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		r.do(t.Context(), 3)
		time.Sleep(20 * ms)
		r.do(t.Context(), 2) // its goroutine ends: it notes nothing
		r.do(t.Context(), 4)
		time.Sleep(20 * ms)
		r.want(t, "2ms 1: ferry: call failed: the call panicked: boom", "4ms call [3]", "5ms 3=103", "24ms call [4]", "25ms 4=104")
		if m := r.f.Metrics(); m.Failed != 2 || m.Running != 0 || m.Lanes != 0 {
			t.Errorf("%+v", m)
		}
	})
}

func TestCloseAnswersWhatWaitsAndCancelsWhatRuns(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(1, 0, 1, 9), busy(time.Hour), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			r.do(context.Background(), 2)
			time.Sleep(ms)
			var closers sync.WaitGroup
			for range 3 {
				closers.Go(func() { r.f.Close() })
			}
			closers.Wait()
			r.do(t.Context(), 3)
			r.want(t, "0s call [1]", "1ms 1: ferry: call failed: context canceled", "1ms 2: ferry: closed", "1ms 3: ferry: closed")
		})
	}
}

// Close has to wait for calls that ignore their context.
func TestCloseReturnsWhenCallsInFlightAreOver(t *testing.T) {
	deaf := func(r *rig) action {
		return func(_ context.Context, in []int) ([]int, error) {
			time.Sleep(10 * ms)
			return in, nil
		}
	}
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(1, 0, 4, 9), deaf, func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			r.do(context.Background(), 11)
			time.Sleep(3 * ms)
			r.f.Close()
			r.note("closed")
			synctest.Wait()
			r.want(t, "10ms 1=1", "10ms 11=11", "10ms closed")
		})
	}
}

func TestCloseWithATimerSet(t *testing.T) {
	for _, k := range []string{"make", "perkey"} {
		bubble(t, k, settings(9, 10*ms, 4, 9), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			r.f.Close()
			time.Sleep(time.Second)
			r.want(t, "0s 1: ferry: closed")
		})
	}
}

// A timer that has fired, and whose ring still waits for the mutex, can be set
// again before it gets it. Close has to wait for both rings, and for no more.
func TestCloseWithATimerSetAgainWhileItRings(t *testing.T) {
	bubble(t, "make", settings(9, 10*ms, 4, 9), busy(ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		s := r.f.(*queued[struct{}, int, int]).shell //nolint:errcheck // the rig's make
		s.mu.Lock()
		time.Sleep(10 * ms) // it fires meanwhile
		s.timerAt = time.Hour
		s.setTimer(9 * ms)
		s.mu.Unlock()
		r.f.Close()
		synctest.Wait()
		if s.rings != 0 || s.workers != 0 {
			t.Errorf("%d rings and %d workers are left", s.rings, s.workers)
		}
	})
}

func TestContextThatIsDoneAlreadyIsAnsweredWithoutAdmission(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(9, 0, 4, 9), busy(ms), func(t *testing.T, r *rig) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			r.do(ctx, 1)
			r.want(t, "0s 1: context canceled")
		})
	}
}

type ctxKey struct{}

func TestContextOfACall(t *testing.T) {
	base := context.WithValue(context.Background(), ctxKey{}, "base")
	see := func(r *rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			_, limited := ctx.Deadline()
			r.note("%v sees %v, deadline %t", in, ctx.Value(ctxKey{}), limited)
			return in, nil
		}
	}
	// A batch belongs to many callers: only the base's values reach it.
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(9, 0, 1, 9), see, func(t *testing.T, r *rig) {
			ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), ctxKey{}, "caller"), time.Hour)
			defer cancel()
			r.do(ctx, 1)
			r.want(t, "0s [1] sees base, deadline false", "0s 1=1")
		}, WithContext[int](base))
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), see, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), ctxKey{}, "caller"), time.Hour)
		defer cancel()
		r.do(ctx, 1)
		r.do(context.Background(), 2)
		r.want(t, "0s [1] sees caller, deadline true", "0s 1=1", "0s [2] sees base, deadline false", "0s 2=2")
	}, WithContext[int](base))
}

// A direct call's context must not outlive the call, nor leave anything behind.
func TestContextOfADirectCallEndsWithIt(t *testing.T) {
	var kept context.Context
	keep := func(r *rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			kept = ctx
			if in[0] == 2 {
				ctx.Done()
			}
			if ctx.Err() != nil {
				t.Error("cancelled already")
			}
			return in, nil
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), keep, func(t *testing.T, r *rig) {
		for in := 1; in <= 2; in++ {
			r.do(t.Context(), in)
			if kept.Err() == nil {
				t.Errorf("input %d: its context has no error after the call", in)
			}
			select {
			case <-kept.Done():
			default:
				t.Errorf("input %d: its context is not done after the call", in)
			}
		}
	})
}

// What clients of databases do in a call: derive contexts from its own. In a
// batch that costs no goroutine, so it must not in a direct call.
func TestContextsDerivedInADirectCallNeedNoGoroutines(t *testing.T) {
	type name struct{}
	derive := func(r *rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			before := runtime.NumGoroutine()
			for range 50 {
				c, cancel := context.WithCancel(ctx)
				defer cancel()
				if c.Value(name{}) != "caller" {
					t.Error("the caller's value is gone")
				}
			}
			if more := runtime.NumGoroutine() - before; more != 0 {
				t.Errorf("50 contexts needed %d goroutines", more)
			}
			return in, nil
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), derive, func(t *testing.T, r *rig) {
		r.do(context.WithValue(t.Context(), name{}, "caller"), 1)
	})
}

// A context that is done stays done, with a reason.
func TestContextOfADirectCallStaysCancelledAfterClose(t *testing.T) {
	poll := func(*rig) action {
		return func(ctx context.Context, in []int) ([]int, error) {
			for ctx.Err() == nil {
				time.Sleep(ms)
			}
			done := ctx.Done()
			if ctx.Err() == nil {
				t.Error("it was cancelled, and then not")
			}
			<-done
			if !errors.Is(context.Cause(ctx), ErrClosed) {
				t.Errorf("cancelled because: %v", context.Cause(ctx))
			}
			return in, nil
		}
	}
	bubble(t, "perkey", settings(9, 0, 1, 9), poll, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r.do(ctx, 1)
		go r.f.Close()
		time.Sleep(5 * ms)
	})
}

func TestPanicInKeyWeighOrRankIsTheCallersAlone(t *testing.T) {
	blow := func(what string) func(int) int64 {
		return func(i int) int64 {
			if i == 1 {
				panic(what)
			}
			return 1
		}
	}
	for name, o := range map[string]Option[int]{"weigh": WithWeigh(blow("weigh")), "rank": WithRank(blow("rank"))} {
		t.Run(name, func(t *testing.T) {
			bubble(t, "perkey", settings(9, 0, 1, 9), busy(ms), func(t *testing.T, r *rig) {
				func() {
					defer func() {
						if v := recover(); v != name {
							t.Errorf("recovered %v", v)
						}
					}()
					r.f.Do(t.Context(), 1)
				}()
				r.do(t.Context(), 2)
				time.Sleep(10 * ms)
				r.want(t, "0s call [2]", "1ms 2=102")
				if m := r.f.Metrics(); m.Submitted != 1 {
					t.Errorf("%+v", m)
				}
			}, o)
		})
	}
}

// With keys of an interface type, one that cannot be compared is its caller's
// fault alone.
func TestUncomparableKeyIsTheCallersAlone(t *testing.T) {
	key := func(i int) any {
		if i == 1 {
			return []int{1}
		}
		return i
	}
	cfg := settings(9, 10*ms, 4, 9)
	for kernel, build := range map[string]func() (Ferry[int, int], error){
		"keyed": func() (Ferry[int, int], error) {
			return Keyed(cfg, key, func(_ context.Context, in []int) (map[any]int, error) { return map[any]int{2: 102}, nil })
		},
		"perkey": func() (Ferry[int, int], error) {
			return PerKey(PerKeyConfig{Config: cfg}, key, func(_ context.Context, _ any, in []int) ([]int, error) { return []int{102}, nil })
		},
	} {
		t.Run(kernel, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, err := build()
				if err != nil {
					t.Fatal(err)
				}
				r := &rig{f: f, start: time.Now()}
				r.do(t.Context(), 2)
				func() {
					defer func() {
						if v := recover(); v == nil {
							t.Error("no panic")
						}
					}()
					_, _ = f.Do(t.Context(), 1)
				}()
				time.Sleep(20 * ms)
				r.want(t, "10ms 2=102")
				f.Close()
				r.wg.Wait()
			})
		})
	}
}

// doneContext is done and does not say why.
type doneContext struct{ context.Context }

func (doneContext) Done() <-chan struct{} { c := make(chan struct{}); close(c); return c }
func (doneContext) Err() error            { return nil }

func TestContextThatDoesNotSayWhyIsNoAnswer(t *testing.T) {
	bubble(t, "make", settings(9, time.Hour, 1, 9), busy(ms), func(t *testing.T, r *rig) {
		r.do(doneContext{context.Background()}, 1)
		r.want(t, "0s 1: context canceled")
	})
}

func TestKeyedSendsAKeyOnceAndSharesTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{start: time.Now()}
		f, err := Keyed(settings(9, ms, 1, 9), func(i int) int { return i % 10 }, func(_ context.Context, in []int) (map[int]int, error) {
			r.note("call %v", in)
			return map[int]int{1: 1001, 2: 1002, 99: 1}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.f = f
		for _, in := range []int{1, 2, 11, 3, 22, 1} {
			r.do(t.Context(), in)
		}
		time.Sleep(10 * ms)
		r.want(t, "1ms call [1 2 3]", "1ms 1=1001", "1ms 2=1002", "1ms 11=1001", "1ms 22=1002", "1ms 1=1001",
			"1ms 3: ferry: call failed: the call gave no answer for the key 3")
		_, err = f.Do(t.Context(), 3)
		if !errors.Is(err, ErrNoAnswer) {
			t.Error(err)
		}
		f.Close()
		r.wg.Wait()
	})
}

func TestConfigReportsEveryFaultAtOnce(t *testing.T) {
	_, err := PerKey[int, int, int](PerKeyConfig{Config: Config{
		MaxBatchSize: 0, MaxBatchWeight: -1, MaxBatchDelay: -1, MaxInFlightBatches: -3, MaxQueued: 0, MaxQueuedWeight: -2,
	}}, nil, nil)
	want := []string{
		"ferry: MaxBatchSize 0 is less than the allowed 1",
		"ferry: MaxBatchWeight -1 is less than the allowed 0 (0 is unlimited)",
		"ferry: MaxBatchDelay -1ns is less than the allowed 0s",
		"ferry: MaxInFlightBatches -3 is less than the allowed 1",
		"ferry: MaxQueued 0 is less than the allowed 1",
		"ferry: MaxQueuedWeight -2 is less than the allowed 0 (0 is unlimited)",
		"ferry: key is nil; it must give each input's key",
		"ferry: call is nil; it must answer a batch of inputs",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	if _, err := Make(settings(1, 0, 1, 1), func(context.Context, []int) ([]int, error) { return nil, nil },
		WithRank(func(int) int64 { return 0 })); err == nil || !strings.Contains(err.Error(), "WithRank") {
		t.Errorf("got %v", err)
	}
	if err := settings(9, Never, 1, 8).Validate(); err == nil || !strings.Contains(err.Error(), "no batch would ever fill") {
		t.Errorf("got %v", err)
	}
	if err := settings(8, Never, 1, 8).Validate(); err != nil {
		t.Error(err)
	}
}

func TestSettingsAreReadBackResolved(t *testing.T) {
	f, err := Make(settings(3, ms, 2, 9), func(context.Context, []int) ([]int, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := f.Settings(); s.Kernel != "make" || s.MaxBatchSize != 3 || s.MaxBatchWeight != Unlimited || s.MaxQueuedWeight != Unlimited || s.MaxQueued != 9 {
		t.Errorf("%+v", s)
	}
}

func TestObserverHearsTheLifeOfInputsAndBatches(t *testing.T) {
	var r *rig
	var answered atomic.Int32
	ob := &Observer[int]{
		Submitted: func(in int) { r.note("submitted %d", in) },
		Admitted:  func(in int) { r.note("admitted %d", in) },
		Claimed:   func(in int) { r.note("claimed %d", in) },
		Rejected:  func(in int, err error) { r.note("rejected %d", in) },
		Taken: func(b Batch, in []int, w []Wait) {
			r.note("taken %v weight %d by %s: %v", in, b.Weight, b.Left, w)
		},
		Answered: func(int, error) { answered.Add(1) },
	}
	call := func(rg *rig) action {
		r = rg
		return func(_ context.Context, in []int) ([]int, error) { time.Sleep(10 * ms); return in, nil }
	}
	bubble(t, "perkey", settings(9, 0, 1, 2), call, func(t *testing.T, _ *rig) {
		for _, in := range []int{1, 2, 11, 12, 21} { // 12 waits behind 2 for the slot
			r.do(t.Context(), in)
			time.Sleep(ms)
		}
		r.do(t.Context(), 22)
		time.Sleep(100 * ms)
		r.want(t,
			"0s submitted 1", "0s claimed 1",
			"1ms submitted 2", "1ms admitted 2",
			"2ms submitted 11", "2ms claimed 11",
			"3ms submitted 12", "3ms admitted 12",
			"4ms submitted 21", "4ms claimed 21",
			"5ms submitted 22", "5ms rejected 22", "5ms 22: ferry: rejected: the waiting room is full (MaxQueued 2)",
			"10ms 1=1", "10ms taken [2] weight 1 by freed: [{0s 9ms 0s}]", "12ms 11=11", "14ms 21=21",
			"20ms 2=2", "20ms taken [12] weight 1 by freed: [{0s 9ms 8ms}]", "30ms 12=12")
		if answered.Load() != 6 {
			t.Errorf("%d were answered", answered.Load())
		}
		if m := r.f.Metrics(); m.QueuedSeconds != (0.009 + 0.017) {
			t.Errorf("queued for %v input-seconds", m.QueuedSeconds)
		}
	}, WithObserver(ob))
}

// A hook that panics is the user's code failing, not the batcher's state.
func TestObserverThatPanicsStrandsNobody(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(9, 0, 1, 9), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(10 * ms)
			r.do(t.Context(), 1)
			time.Sleep(10 * ms)
			r.want(t, "0s 1: ferry: call failed: the call panicked: hook", "10ms 1: ferry: call failed: the call panicked: hook")
		}, WithObserver(&Observer[int]{
			Taken:   func(Batch, []int, []Wait) { panic("hook") },
			Claimed: func(int) { panic("hook") },
		}))
	}
}

// workersOf returns how many goroutines a batcher has of its own.
func workersOf(f Ferry[int, int]) int {
	var s *shell[int, int, int]
	switch f := f.(type) {
	case *perKey[int, int, int]:
		s = f.shell
	case *queued[struct{}, int, int]:
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.workers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workers
}

// Workers beyond the few that may idle must go.
func TestIdleWorkersAreBounded(t *testing.T) {
	bubble(t, "make", settings(1, 0, Unlimited, Unlimited), busy(ms), func(t *testing.T, r *rig) {
		for i := range 1000 {
			r.do(t.Context(), i)
		}
		if m := r.f.Metrics(); m.InFlight != 1000 {
			t.Errorf("%d in flight", m.InFlight)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := workersOf(r.f); n == 0 || n > maxIdle {
			t.Errorf("%d workers are left", n)
		}
	})
}
