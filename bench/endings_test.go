// How runs end, and what is counted when a load cannot be kept or is cut short.

package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ferryctl/bench/backend/sleep"
	"ferryctl/ferry"
	"ferryctl/workload"
)

func TestArrivalsThatFindNoCallerAreUnsentAndSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := measure(t, plan{kernel: single("make"), load: constant(100, 10*time.Second), callers: 2}, takes(time.Second), nil, nil)
		if r.Counts.Unsent == 0 || f.noCaller != r.Counts.Unsent || r.Counts.Done+r.Counts.Unsent != 1000 {
			t.Errorf("counts are %+v, %d found no caller", r.Counts, f.noCaller)
		}
		text := strings.Join(r.Measurement.Reasons, "\n")
		if r.Measurement.Verdict != Invalid || !strings.Contains(text, "rate not held") || !strings.Contains(text, "every caller goroutine was busy") {
			t.Errorf("%s: %s", r.Measurement.Verdict, text)
		}
		if r.ExitStatus(0) != ExitInvalid {
			t.Errorf("exit %d", r.ExitStatus(0))
		}
	})
}

// stall is a sleeper that oversleeps once, as a machine does that stands still.
type stall struct {
	sleep.Sleeper
	mu   sync.Mutex
	at   time.Time
	long time.Duration
}

func (s *stall) Sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	if s.long > 0 && !time.Now().Before(s.at) {
		d += s.long
		s.long = 0
	}
	s.mu.Unlock()
	return s.Sleeper.Sleep(ctx, d)
}

// After a stall of 3 s the arrivals of its first 2 s are given up, those of the
// last are sent late.
func TestAStallIsNotMadeUpForByABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stall{Sleeper: sleep.Plain(), at: time.Now().Add(5 * time.Second), long: 3 * time.Second}
		k := single("make")
		k.MaxBatchSize = 1000
		r, _ := measure(t, plan{kernel: k, load: constant(100, 20*time.Second), sleeper: func() sleep.Sleeper { return s }}, takes(ms), nil, nil)
		if u := r.Counts.Unsent; u < 199 || u > 201 {
			t.Errorf("%d unsent, want 200", u)
		}
		if l := r.Counts.Late; l < 99 || l > 101 {
			t.Errorf("%d late, want 100", l)
		}
		// Late items were sent late, yet their sojourn began when they were due.
		if longest := r.Latency.Sojourn.Max.Or(0); longest < float64(990*ms) || longest > float64(giveUpAfter+2*ms) {
			t.Errorf("longest sojourn is %v", time.Duration(longest))
		}
		if late := r.Counts.LateMaxNS.Or(0); late > float64(giveUpAfter) || late < float64(990*ms) {
			t.Errorf("latest by %v", time.Duration(late))
		}
	})
}

// The machine stands still from 2.2 s to 3.1 s, and the order to stop comes
// while it does: nobody sends what was due meanwhile, and it is not lost.
func TestWhatWasDueBeforeAStopIsUnsent(t *testing.T) {
	for name, c := range map[string]struct {
		stop          time.Duration
		unsent, least uint64
	}{
		"in the stall":  {3099 * ms, 90, 311}, // the items of 2.21 s to 3.10 s
		"long after it": {5005 * ms, 0, 501},
		"before it":     {2095 * ms, 0, 210},
		"at once":       {1 * ms, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			// A sleep that heeds nobody: a process that stands still.
			s := &stall{Sleeper: deaf{}, at: time.Now().Add(2200 * ms), long: 900 * ms}
			stop := make(chan struct{})
			time.AfterFunc(c.stop, func() { close(stop) })
			k := single("make")
			k.MaxBatchSize = 1000
			r, _ := measure(t, plan{kernel: k, load: constant(100, 20*time.Second), warmup: 0, sleeper: func() sleep.Sleeper { return s }}, takes(ms), stop, nil)
			scheduled := uint64(math.Ceil(r.Window.Measured.Or(0)*100 - 1e-6))
			if r.Counts.Offered != scheduled || r.Counts.Offered < c.least || r.Counts.Unsent != c.unsent || r.Complete {
				t.Errorf("%s: in %v s %d were scheduled; offered %d, unsent %d, want at least %d and %d",
					name, r.Window.Measured, scheduled, r.Counts.Offered, r.Counts.Unsent, c.least, c.unsent)
			}
			var offered, unsent uint64
			for _, in := range r.Intervals {
				offered, unsent = offered+in.Offered, unsent+in.Unsent
			}
			if offered != r.Counts.Offered || unsent != r.Counts.Unsent {
				t.Errorf("%s: intervals hold %d offered and %d unsent", name, offered, unsent)
			}
		})
	}
}

// deaf is a sleeper that sleeps to the end and only then hears.
type deaf struct{}

func (deaf) Sleep(ctx context.Context, d time.Duration) error {
	time.Sleep(d)
	return ctx.Err()
}
func (deaf) Close() error { return nil }

func TestAnOrderToLeaveIsFollowedAtOnce(t *testing.T) {
	closeAt := func(d time.Duration) <-chan struct{} {
		c := make(chan struct{})
		time.AfterFunc(d, func() { close(c) })
		return c
	}
	stubborn := service(func(context.Context, uint64, int) error { // heeds no context
		time.Sleep(time.Hour)
		return nil
	})
	max1 := workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Duration: time.Hour}
	for name, c := range map[string]struct {
		load       workload.Spec
		service    service
		stop, kill time.Duration
		drain      time.Duration
		until      time.Duration
	}{
		"kill while offering":             {constant(10, time.Hour), takes(time.Hour), 0, 2 * time.Second, time.Hour, 2 * time.Second},
		"kill in the drain":               {constant(10, time.Second), takes(time.Hour), 0, 2 * time.Second, time.Hour, 2 * time.Second},
		"kill after a stop":               {constant(10, time.Hour), takes(time.Hour), time.Second, 2 * time.Second, time.Hour, 2 * time.Second},
		"kill, and calls do not listen":   {constant(10, time.Hour), stubborn, 0, 2 * time.Second, time.Hour, 2*time.Second + killWithin},
		"stop while no caller is free":    {max1, takes(time.Hour), 2 * time.Second, 0, time.Second, 3 * time.Second},
		"stop long before the next item":  {constant(0.001, time.Hour), takes(0), 2 * time.Second, 0, time.Second, 2 * time.Second},
		"drain over, calls do not listen": {constant(10, time.Second), stubborn, 0, 0, time.Second, 2*time.Second + closeWithin},
	} {
		synctest.Test(t, func(t *testing.T) {
			var stop, kill <-chan struct{}
			if c.stop > 0 {
				stop = closeAt(c.stop)
			}
			if c.kill > 0 {
				kill = closeAt(c.kill)
			}
			began := time.Now()
			r, _ := measure(t, plan{kernel: single("make"), load: c.load, drain: c.drain, callers: 50}, c.service, stop, kill)
			if took := time.Since(began); took > c.until+10*ms {
				t.Errorf("%s: it took %v, want %v", name, took, c.until)
			}
			if stuck := c.load.Rate.PerSecond >= 10; stuck && r.Counts.InFlightAtEnd < 10 || r.Counts.Offered != r.Counts.InFlightAtEnd+r.Counts.Done {
				t.Errorf("%s: counts are %+v", name, r.Counts)
			}
			time.Sleep(3 * time.Hour) // let the calls that do not listen come to their end
		})
	}
}

// Whatever is injected and whenever the run is ended, every item is accounted
// for; measure checks the sums.
func TestCountsAddUpUnderErrorsRejectionsAndAnyEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kernel := rapid.SampledFrom([]string{"make", "keyed", "perkey"}).Draw(rt, "kernel")
		p := plan{
			kernel: ferry.Settings{Kernel: kernel, PerKeyConfig: ferry.PerKeyConfig{Config: ferry.Config{
				MaxBatchSize: rapid.IntRange(1, 8).Draw(rt, "size"), MaxBatchDelay: rapid.SampledFrom([]time.Duration{0, 3 * ms}).Draw(rt, "delay"),
				MaxInFlightBatches: rapid.IntRange(1, 3).Draw(rt, "in flight"), MaxQueued: rapid.IntRange(8, 30).Draw(rt, "queue"),
			}, NoDirect: kernel != "perkey" || rapid.Bool().Draw(rt, "no direct")}},
			load: workload.Spec{
				Seed: rapid.Uint64().Draw(rt, "seed"), Rate: workload.Rate{PerSecond: 1000}, Keys: 20, KeySkew: 1, Duration: 600 * ms,
			},
			warmup: 100 * ms,
			drain:  rapid.SampledFrom([]time.Duration{ms, 20 * ms, time.Minute}).Draw(rt, "drain"),
		}
		if rapid.Bool().Draw(rt, "closed") {
			p.clients, p.load.Closed, p.load.Rate = 40, true, workload.Rate{}
		}
		service := service(func(ctx context.Context, batch uint64, items int) error {
			if err := pass(ctx, time.Duration(batch%7)*ms); err != nil {
				return err
			}
			if batch%5 == 0 {
				return errors.New("injected")
			}
			return nil
		})
		stopAt := rapid.SampledFrom([]time.Duration{0, 50 * ms, 100 * ms, 400 * ms, 599 * ms, 600 * ms, 603 * ms}).Draw(rt, "stop")
		killAt := rapid.SampledFrom([]time.Duration{0, 60 * ms, 400 * ms, 601 * ms}).Draw(rt, "kill")
		synctest.Test(t, func(t *testing.T) {
			after := func(d time.Duration) <-chan struct{} {
				c := make(chan struct{})
				if d > 0 {
					time.AfterFunc(d, func() { close(c) })
				}
				return c
			}
			began := time.Now()
			r, _ := measure(t, p, service, after(stopAt), after(killAt))
			took := time.Since(began)
			early := stopAt > 0 && stopAt < p.load.Duration || killAt > 0 && killAt < p.load.Duration
			if early == r.Complete && stopAt != p.load.Duration {
				t.Errorf("stopped at %v, killed at %v: complete is %v", stopAt, killAt, r.Complete)
			}
			if killAt > 0 && took > max(killAt, 0)+time.Second {
				t.Errorf("killed at %v, it took until %v", killAt, took)
			}
			var done, rejected, offered uint64
			for _, in := range r.Intervals {
				done, rejected, offered = done+in.Done, rejected+in.Rejected, offered+in.Offered
			}
			if done != r.Counts.Done || rejected != r.Counts.Rejected || offered != r.Counts.Offered {
				t.Errorf("intervals hold %d done, %d rejected and %d offered; the counts are %+v", done, rejected, offered, r.Counts)
			}
			time.Sleep(time.Minute) // what was told to end has ended
		})
	})
}

func TestTheSameSeedOffersTheSameItems(t *testing.T) {
	hash := func(t *testing.T, seed uint64, kernel string) string {
		load := workload.Spec{Seed: seed, Rate: workload.Rate{PerSecond: 500}, Keys: 100, KeySkew: 1.1, Duration: 3 * time.Second}
		r, _ := measure(t, plan{kernel: single(kernel), load: load}, takes(ms), nil, nil)
		return fmt.Sprint(r.WorkloadHash, r.Items)
	}
	synctest.Test(t, func(t *testing.T) {
		a, b, c := hash(t, 1, "make"), hash(t, 1, "perkey"), hash(t, 2, "make")
		if a != b || a == c {
			t.Errorf("hashes are %s and %s for one seed, %s for another", a, b, c)
		}
	})
}

func TestShareLanesAddUpToTheWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := constant(1000, 5*time.Second)
		load.Lanes = []workload.LaneFraction{{Lane: "gold", Fraction: 1}, {Lane: "free", Fraction: 3}}
		k := single("make")
		k.MaxQueued = 20
		r, _ := measure(t, plan{kernel: k, load: load}, takes(2*ms), nil, nil)
		var offered, done, rejected, samples uint64
		for _, l := range r.Lanes {
			offered, done, rejected, samples = offered+l.Offered, done+l.Done, rejected+l.Rejected, samples+l.Sojourn.Count
		}
		if len(r.Lanes) != 2 || offered != r.Counts.Offered || done != r.Counts.Done || rejected != r.Counts.Rejected || samples != done {
			t.Errorf("lanes are %+v, counts %+v", r.Lanes, r.Counts)
		}
	})
}

func TestALongDelayIsCutShortOnDrainAndAShortOneIsNot(t *testing.T) {
	for _, c := range []struct{ delay, drain, longest time.Duration }{
		{400 * ms, time.Second, 400 * ms},
		{10 * time.Second, time.Second, 990 * ms}, // the first item, at the end of the run
	} {
		synctest.Test(t, func(t *testing.T) {
			k := single("make")
			k.MaxBatchSize, k.MaxBatchDelay = 10_000, c.delay
			r, _ := measure(t, plan{kernel: k, load: constant(100, time.Second), drain: c.drain}, takes(0), nil, nil)
			if l := r.Latency.Sojourn.Max.Or(0); l < float64(c.longest) || l > float64(c.longest+20*ms) || r.Counts.Done != 100 {
				t.Errorf("delay %v: longest sojourn %v, done %d", c.delay, time.Duration(l), r.Counts.Done)
			}
		})
	}
}
