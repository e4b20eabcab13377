// What a batcher says of options that are not there, and how it writes its
// settings and errors for people.

package ferry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func echo(_ context.Context, in []int) ([]int, error) { return in, nil }

func TestNilOptionsAreReportedWithEverythingElse(t *testing.T) {
	_, err := Make(settings(0, 0, 1, 40), echo,
		WithWeigh[int](nil), nil, WithRank[int](nil), WithContext[int](nil), //nolint:staticcheck // the nil context is the point
		WithShares[int](Shares{}, nil), WithCost[int](nil))
	want := []string{
		"ferry: MaxBatchSize 0 is less than the allowed 1",
		"ferry: WithWeigh's function is nil; it must give each input's weight",
		"ferry: option 2 of 6 is nil; leave it out",
		"ferry: WithRank's function is nil; it must give each input's rank",
		"ferry: WithContext's context is nil; it must be the parent of the calls' contexts, such as context.Background()",
		`ferry: WithShares has no share lanes; list them with their weights, such as "gold=3,free=1"`,
		"ferry: WithShares' function is nil; it must give each input's share lane",
		"ferry: WithCost's function is nil; it must give each input's cost",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func TestNilObserverIsNone(t *testing.T) {
	f, err := Make(settings(4, 0, 1, 40), echo, WithObserver[int](nil))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := f.Do(t.Context(), 7); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

// A nil context is found before anyone hears of the input.
func TestNilContextPanicsClearly(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(4, 0, 1, 40), busy(ms), func(t *testing.T, r *rig) {
			func() {
				defer func() {
					if v := recover(); v != "ferry: Do was given a nil context" {
						t.Errorf("panicked with %v", v)
					}
				}()
				r.f.Do(nil, 1) //nolint:staticcheck // the nil context is the point
			}()
			if m := r.f.Metrics(); m.Submitted != 0 || m.Direct != 0 {
				t.Errorf("the input is counted: %+v", m)
			}
		}, WithObserver(&Observer[int]{Submitted: func(int) { t.Error("the input was submitted") }}))
	}
}

func TestUnlimitedBoundsAreCalledSo(t *testing.T) {
	_, err := Make(Config{MaxBatchSize: Unlimited, MaxBatchDelay: Never, MaxInFlightBatches: 1, MaxQueued: 5}, echo)
	if err == nil || !strings.Contains(err.Error(), "MaxBatchSize unlimited is greater than MaxQueued 5") {
		t.Error(err)
	}
	bubble(t, "make", settings(9, time.Hour, 1, 9), busy(ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		r.do(t.Context(), 2)
		r.want(t, "0s 2: ferry: rejected: the waiting room is full (MaxQueuedWeight unlimited)")
		r.f.Flush()
		synctest.Wait()
		time.Sleep(ms)
	}, WithWeigh(func(int) int64 { return math.MaxInt64/2 + 1 }))
}

func TestSettingsReadWell(t *testing.T) {
	for want, s := range map[string]Settings{
		"make: MaxBatchSize unlimited, MaxBatchWeight unlimited, MaxBatchDelay never, MaxInFlightBatches unlimited, MaxQueued unlimited, MaxQueuedWeight unlimited": {
			Kernel: "make", PerKeyConfig: PerKeyConfig{Config: settings(Unlimited, Never, Unlimited, Unlimited), NoDirect: true},
		},
		"perkey: MaxBatchSize 64, MaxBatchWeight 4096, MaxBatchDelay 1.5ms, MaxInFlightBatches 8, MaxQueued 10000, MaxQueuedWeight 5, NoDirect true, share lanes gold=3,free=1, room partitioned, Quantum 64": {
			Kernel: "perkey", Shares: Shares{Lanes: "gold=3,free=1", Policy: RoomPartitioned},
			PerKeyConfig: PerKeyConfig{NoDirect: true, Config: Config{
				MaxBatchSize: 64, MaxBatchWeight: 4096, MaxBatchDelay: 1500 * time.Microsecond,
				MaxInFlightBatches: 8, MaxQueued: 10_000, MaxQueuedWeight: 5,
			}},
		},
	} {
		if got := fmt.Sprintf("%v", s); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestErrorOfAMissingAnswerNamesTheKey(t *testing.T) {
	f, err := Keyed(settings(4, 0, 1, 40), func(s string) string { return s },
		func(context.Context, []string) (map[string]int, error) { return map[string]int{"ada": 1}, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.Do(t.Context(), "bob")
	var missing *NoAnswerError
	if !errors.As(err, &missing) || missing.Key != "bob" || !errors.Is(err, ErrNoAnswer) ||
		err.Error() != "ferry: call failed: the call gave no answer for the key bob" {
		t.Errorf("got %v", err)
	}
}

// The guide says so: a call may answer with the very slice that it was given.
func TestAnswersMayBeTheInputs(t *testing.T) {
	for _, k := range []string{"make", "queued", "perkey"} {
		bubble(t, k, settings(3, 0, 2, 40), func(*rig) action {
			return func(_ context.Context, in []int) ([]int, error) {
				time.Sleep(ms)
				for i := range in {
					in[i] += 100
				}
				return in, nil
			}
		}, func(t *testing.T, r *rig) {
			for i := range 9 {
				r.do(t.Context(), i)
			}
			time.Sleep(10 * ms)
			r.mu.Lock()
			all := strings.Join(r.log, " ")
			r.mu.Unlock()
			for i := range 9 {
				if answer := fmt.Sprintf("ms %d=%d", i, i+100); !strings.Contains(all, answer) {
					t.Errorf("no %q in %s", answer, all)
				}
			}
		})
	}
}

// A direct call tells of itself by three hooks; nothing else does.
func TestHooksOfADirectCall(t *testing.T) {
	var heard []string
	hear := func(hook string) func(int) { return func(int) { heard = append(heard, hook) } }
	bubble(t, "perkey", settings(4, 0, 1, 40), busy(ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		r.wg.Wait()
		if got := strings.Join(heard, " "); got != "submitted claimed answered" {
			t.Errorf("heard %s", got)
		}
	}, WithObserver(&Observer[int]{
		Submitted: hear("submitted"), Admitted: hear("admitted"), Claimed: hear("claimed"),
		Taken:    func(Batch, []int, []Wait) { heard = append(heard, "taken") },
		Answered: func(int, error) { heard = append(heard, "answered") },
	}))
}

// A hook that panics on its caller's goroutine is the caller's panic. The input
// of Admitted is in the room by then, and is served.
func TestPanicInACallersHookIsTheCallersAlone(t *testing.T) {
	boom := func(in int) {
		if in == 1 {
			panic("hook")
		}
	}
	for name, ob := range map[string]*Observer[int]{
		"submitted": {Submitted: boom},
		"admitted":  {Admitted: boom},
		"answered":  {Answered: func(in int, _ error) { boom(in) }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, "make", settings(4, ms, 1, 40), busy(ms), func(t *testing.T, r *rig) {
				r.wg.Go(func() {
					defer func() {
						if v := recover(); v != "hook" {
							t.Errorf("panicked with %v", v)
						}
					}()
					r.f.Do(t.Context(), 1)
				})
				time.Sleep(10 * ms)
				r.do(t.Context(), 2)
				time.Sleep(10 * ms)
				if m := r.f.Metrics(); m.Queued != 0 || m.Running != 0 || m.Failed != 0 || (m.Done != 2) != (name == "submitted") {
					t.Errorf("left behind: %+v", m)
				}
			}, WithObserver(ob))
		})
	}
}
