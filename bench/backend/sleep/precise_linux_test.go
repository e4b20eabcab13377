//go:build linux

package sleep

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestTheHeapEmptiesAndTheAlarmNeverOversleeps hammers one alarm and checks its
// invariants: each entry knows its place, and the timerfd is set for the
// earliest or sooner.
func TestTheHeapEmptiesAndTheAlarmNeverOversleeps(t *testing.T) {
	s, err := newPrecise()
	if err != nil {
		t.Skip(err)
	}
	a := s.(*alarm) //nolint:errcheck,forcetypeassert // a panic is a failure here
	defer a.Close()
	check := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for i, e := range a.mu.due {
			if e.place != i {
				t.Errorf("the entry at %d thinks it is at %d", i, e.place)
			}
			if e.at < a.mu.due[0].at {
				t.Errorf("the entry at %d is due before the first", i)
			}
		}
		if n := len(a.mu.due); n > 0 && (a.mu.armed == 0 || a.mu.armed > a.mu.due[0].at) {
			t.Errorf("%d asleep, the first until %s, but the alarm is set for %s", n, a.mu.due[0].at, a.mu.armed)
		}
	}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 7))
			for range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(3) == 0 {
					go cancel()
				}
				if err := a.Sleep(ctx, time.Duration(rng.IntN(400_000))); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				cancel()
				check()
			}
		})
	}
	wg.Wait()
	if n := len(a.mu.due); n != 0 {
		t.Errorf("%d entries stay behind", n)
	}
}

// TestTheAlarmWakesWithoutItsTimers shows that the timerfd alone suffices.
func TestTheAlarmWakesWithoutItsTimers(t *testing.T) {
	s, err := newPrecise()
	if err != nil {
		t.Skip(err)
	}
	a := s.(*alarm) //nolint:errcheck,forcetypeassert // a panic is a failure here
	defer a.Close()
	entries := make([]*entry, 20)
	for i := range entries {
		entries[i] = newEntry() // its timer is never started
		if !a.enter(entries[i], time.Duration(20-i)*100*time.Microsecond) {
			t.Fatal("refused")
		}
	}
	for _, e := range entries {
		<-e.rung
	}
}
