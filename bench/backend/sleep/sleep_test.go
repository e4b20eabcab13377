package sleep_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ferryctl/bench/backend/sleep"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPlainSleepsExactlyInSimulatedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sleep.Plain()
		for _, d := range []time.Duration{time.Nanosecond, 300 * time.Microsecond, time.Hour} {
			start := time.Now()
			if err := s.Sleep(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != d {
				t.Errorf("asked for %s, slept %s", d, took)
			}
		}
	})
}

// both runs a claim that must hold for every sleeper.
func both(t *testing.T, claim func(t *testing.T, s sleep.Sleeper)) {
	for name, open := range map[string]func() sleep.Sleeper{"plain": sleep.Plain, "precise": sleep.New} {
		t.Run(name, func(t *testing.T) {
			s := open()
			claim(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNobodyWakesEarly(t *testing.T) {
	both(t, func(t *testing.T, s sleep.Sleeper) {
		var wg sync.WaitGroup
		for i := range 200 {
			d := time.Duration(i%20) * 137 * time.Microsecond
			wg.Go(func() {
				start := time.Now()
				if err := s.Sleep(t.Context(), d); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took < d {
					t.Errorf("asked for %s, slept %s", d, took)
				}
			})
		}
		wg.Wait()
	})
}

func TestNothingToSleepReturnsAtOnce(t *testing.T) {
	both(t, func(t *testing.T, s sleep.Sleeper) {
		for _, d := range []time.Duration{0, -time.Second, math.MinInt64} {
			if err := s.Sleep(t.Context(), d); err != nil {
				t.Errorf("%d: %v", d, err)
			}
		}
	})
}

func TestCancelledSleepersLeaveAndTheOthersSleepOn(t *testing.T) {
	both(t, func(t *testing.T, s sleep.Sleeper) {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { // some of these are the earliest, some the latest
				if err := s.Sleep(ctx, time.Hour+time.Duration(i%3)*time.Hour); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled sleeper got %v", err)
				}
			})
			wg.Go(func() {
				if err := s.Sleep(t.Context(), time.Duration(i)*50*time.Microsecond); err != nil {
					t.Errorf("the other got %v", err)
				}
			})
		}
		cancel()
		wg.Wait()
		if err := s.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("sleeping with a cancelled context gives %v", err)
		}
	})
}

func TestCloseWakesEverybodyAndStaysClosed(t *testing.T) {
	both(t, func(t *testing.T, s sleep.Sleeper) {
		var wg sync.WaitGroup
		for range 50 {
			// Whether it is asleep already or not, it must get ErrClosed.
			wg.Go(func() {
				if err := s.Sleep(t.Context(), math.MaxInt64); !errors.Is(err, sleep.ErrClosed) {
					t.Errorf("got %v, want ErrClosed", err)
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := s.Sleep(t.Context(), 0); !errors.Is(err, sleep.ErrClosed) {
			t.Errorf("a closed sleeper gives %v", err)
		}
	})
}
