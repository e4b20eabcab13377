// New settings while everything goes on, and looks at what waits.

package ferry

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

func (r *rig) reconfigure(t *testing.T, c Config) {
	t.Helper()
	if err := r.f.Reconfigure(PerKeyConfig{Config: c, NoDirect: true}); err != nil {
		t.Fatal(err)
	}
}

func TestReconfigureHoldsForWhatWaits(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(9, time.Hour, 4, 10), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			r.do(t.Context(), 2)
			r.do(t.Context(), 3)
			time.Sleep(5 * ms)
			r.reconfigure(t, settings(2, time.Hour, 4, 10)) // a batch is full now
			time.Sleep(5 * ms)
			r.reconfigure(t, settings(2, 30*ms, 4, 10)) // the rest has 20 ms to wait
			time.Sleep(50 * ms)
			r.want(t, "5ms call [1 2]", "6ms 1=101", "6ms 2=102", "30ms call [3]", "31ms 3=103")
		})
	}
}

func TestReconfigureSetsTheTimerForAnEarlierAndALaterDeadline(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(9, 50*ms, 4, 10), busy(ms), func(t *testing.T, r *rig) {
			r.do(t.Context(), 1)
			time.Sleep(10 * ms)
			r.reconfigure(t, settings(9, 20*ms, 4, 10))
			time.Sleep(30 * ms)
			r.do(t.Context(), 2) // at 40 ms
			time.Sleep(10 * ms)
			r.reconfigure(t, settings(9, 100*ms, 4, 10))
			time.Sleep(200 * ms)
			r.want(t, "20ms call [1]", "21ms 1=101", "140ms call [2]", "141ms 2=102")
		})
	}
}

func TestReconfigureWakesWorkersForNewSlots(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(1, 0, 1, 10), busy(10*ms), func(t *testing.T, r *rig) {
			for i := range 4 {
				r.do(t.Context(), 10*i)
			}
			time.Sleep(5 * ms)
			r.reconfigure(t, settings(1, 0, 4, 10))
			time.Sleep(50 * ms)
			r.want(t, "0s call [0]", "5ms call [10]", "5ms call [20]", "5ms call [30]",
				"10ms 0=100", "15ms 10=110", "15ms 20=120", "15ms 30=130")
		})
	}
}

// Bounds below what waits and runs cost nobody a place.
func TestReconfigureTakesNothingAwayFromWhoIsIn(t *testing.T) {
	for _, k := range []string{"make", "queued"} {
		bubble(t, k, settings(1, 0, 2, 10), busy(10*ms), func(t *testing.T, r *rig) {
			for i := range 5 {
				r.do(t.Context(), 10*i)
			}
			r.reconfigure(t, settings(1, 0, 1, 1))
			r.do(t.Context(), 50) // three wait where one may
			time.Sleep(100 * ms)
			r.want(t, "0s call [0]", "0s call [10]", "0s 50: ferry: rejected: the waiting room is full (MaxQueued 1)",
				"10ms 0=100", "10ms 10=110", "10ms call [20]", "20ms 20=120", "20ms call [30]", "30ms 30=130",
				"30ms call [40]", "40ms 40=140")
		})
	}
}

func TestReconfigureTurnsDirectCallsOnAndOff(t *testing.T) {
	bubble(t, "perkey", settings(4, 0, 4, 10), busy(ms), func(t *testing.T, r *rig) {
		left := func() [6]uint64 { return r.f.Metrics().Batches }
		for i, noDirect := range []bool{false, true, false} {
			if err := r.f.Reconfigure(PerKeyConfig{Config: settings(4, 0, 4, 10), NoDirect: noDirect}); err != nil {
				t.Fatal(err)
			}
			before := left()
			r.do(t.Context(), 10*i)
			time.Sleep(5 * ms)
			if direct := left()[LeftDirect]-before[LeftDirect] == 1; direct == noDirect {
				t.Errorf("NoDirect %t: direct call %t", noDirect, direct)
			}
		}
	})
}

func TestReconfigureIsValidatedLikeConstruction(t *testing.T) {
	bubble(t, "perkey", settings(4, 0, 4, 10), busy(ms), func(t *testing.T, r *rig) {
		was := r.f.Settings()
		err := r.f.Reconfigure(PerKeyConfig{Config: Config{MaxBatchSize: 0, MaxBatchDelay: -1, MaxInFlightBatches: 1, MaxQueued: 1}})
		if err == nil || !strings.Contains(err.Error(), "MaxBatchSize 0") || !strings.Contains(err.Error(), "MaxBatchDelay -1ns") {
			t.Errorf("two faults were reported as: %v", err)
		}
		if r.f.Settings() != was {
			t.Error("settings that were refused took effect")
		}
		r.f.Close()
		if err := r.f.Reconfigure(was.PerKeyConfig); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed batcher took new settings: %v", err)
		}
	})
}

func TestWaitingShowsTheLinesAsTheyWere(t *testing.T) {
	bubble(t, "perkey", settings(9, 0, 1, 100), busy(10*ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1) // direct
		r.do(t.Context(), 2)
		time.Sleep(3 * ms)
		r.do(t.Context(), 3)
		r.do(t.Context(), 11) // direct
		then := r.f.Waiting()
		time.Sleep(50 * ms)
		got := map[any]Lane{}
		for l := range then {
			got[l.Key] = l
		}
		want := map[any]Lane{
			0: {Key: 0, Queued: 2, QueuedWeight: 2, Age: 3 * ms, Busy: true, Direct: true},
			1: {Key: 1, Busy: true, Direct: true},
		}
		if !maps.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if left := slices.Collect(r.f.Waiting()); left != nil {
			t.Errorf("nothing waits, and it shows %+v", left)
		}
	}, WithObserver(&Observer[int]{}))
	bubble(t, "make", settings(9, 20*ms, 1, 100), busy(ms), func(t *testing.T, r *rig) {
		r.do(t.Context(), 1)
		time.Sleep(4 * ms)
		r.do(t.Context(), 2)
		then := r.f.Waiting()
		time.Sleep(50 * ms)
		if got, want := slices.Collect(then), []Lane{{Queued: 2, QueuedWeight: 2, Age: 4 * ms}}; !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if left := slices.Collect(r.f.Waiting()); left != nil {
			t.Errorf("nothing waits, and it shows %+v", left)
		}
	})
}

// restless gives a batcher ever new settings, none of them wider than its
// first, and looks at what waits, until told to stop.
func restless[I, A any](stop context.Context, f Ferry[I, A], direct bool) {
	first := f.Settings().PerKeyConfig
	for i := 0; stop.Err() == nil; i++ {
		c := first
		c.NoDirect = !direct || i%5 == 0
		c.MaxBatchSize = max(1, min(c.MaxBatchSize, 1+i%7))
		c.MaxInFlightBatches = max(1, min(c.MaxInFlightBatches, 1+i%3))
		c.MaxQueued = max(8, min(c.MaxQueued, 1+i%11)) // share lanes need a place each
		c.MaxQueued = min(c.MaxQueued, first.MaxQueued)
		if i%2 == 0 {
			c.MaxBatchDelay = time.Duration(i%4) * 50 * time.Microsecond
		}
		if err := f.Reconfigure(c); err != nil {
			if !errors.Is(err, ErrClosed) {
				panic(err)
			}
			return
		}
		for range f.Waiting() {
		}
		if n := f.Shares(); len(n) > 0 {
			w, err := fairshare.NewWeight(int64(1+i%5), 1)
			if err != nil {
				panic(err)
			}
			f.Reweigh(n[i%len(n)].Share, w)
		}
	}
	f.Reconfigure(first)
}
