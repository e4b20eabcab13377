// The series of a whole run in real time: each interval holds what ended in it.

package bench

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/settings"
	"ferryctl/workload"
)

// Items come every 10 ms and take 1 ms: a hundred end in each second of the
// window. The last interval is so short that the one before it has not been
// collected when the drain begins.
func TestAShortLastIntervalTakesNothingFromItsNeighbours(t *testing.T) {
	for _, c := range []struct {
		duration time.Duration
		want     []uint64
	}{
		{5005 * ms, []uint64{100, 100, 100, 100, 25}},
		{4765 * ms, []uint64{100, 100, 100, 100, 1}},
		{4755 * ms, []uint64{100, 100, 100, 100}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := measure(t, plan{kernel: single("make"), load: constant(100, c.duration), warmup: 755 * ms}, takes(ms), nil, nil)
			if len(r.Intervals) != len(c.want) {
				t.Fatalf("%v: %d intervals, want %d", c.duration, len(r.Intervals), len(c.want))
			}
			for i, in := range r.Intervals {
				if in.Done != c.want[i] || in.Offered != c.want[i] || in.P99.Known() != (in.Done > 0) {
					t.Errorf("%v: interval %d holds %d of %d, p99 %v; want %d", c.duration, i, in.Done, in.Offered, in.P99, c.want[i])
				}
				if !in.Queued.Known() || !in.InFlight.Known() {
					t.Errorf("%v: the gauges of interval %d are not known", c.duration, i)
				}
			}
		})
	}
}

// A call that begins at 3.84 s and ends at 6.44 s, and two inputs behind it: the gauges of the
// intervals that end while it runs say so, however short they are, and those of
// the drain too.
func TestGaugesAreKnownForEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := service(func(ctx context.Context, batch uint64, _ int) error {
			if batch == 48 {
				return pass(ctx, 2600*ms)
			}
			return pass(ctx, ms)
		})
		r, _ := measure(t, plan{kernel: single("make"), load: constant(12.5, 4020*ms), warmup: 10 * ms}, stuck, nil, nil)
		for i, want := range []struct{ queued, inFlight float64 }{{0, 0}, {0, 0}, {0, 0}, {2, 1}, {2, 1}, {2, 1}, {2, 1}, {0, 0}} {
			if in := r.Intervals[i]; in.Queued != Some(want.queued) || in.InFlight != Some(want.inFlight) {
				t.Errorf("at the end of interval %d %v wait and %v are in flight, want %v", i, in.Queued, in.InFlight, want)
			}
		}
	})
}

// Whatever the window's length, the load and the service, an interval's counts
// are of the items that ended in it.
func TestIntervalsHoldWhatEndedInThem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		gap := time.Duration(rapid.IntRange(3, 40).Draw(rt, "gap")) * ms
		takesOne := time.Duration(rapid.IntRange(1, 3000).Draw(rt, "service"))*ms + 500*time.Microsecond
		warmup := time.Duration(rapid.IntRange(0, 900).Draw(rt, "warm-up"))*ms + 250*time.Microsecond
		window := time.Duration(rapid.IntRange(1, 3500).Draw(rt, "window")) * ms
		synctest.Test(t, func(t *testing.T) {
			k := single("make")
			k.MaxInFlightBatches = 10_000
			load := workload.Spec{
				Arrivals: workload.Arrivals{Kind: workload.Constant}, Rate: workload.Rate{PerSecond: float64(time.Second) / float64(gap)},
				Keys: 1, Duration: warmup + window,
			}
			r, _ := measure(t, plan{kernel: k, load: load, warmup: warmup, sleeper: sleep.Plain}, takes(takesOne), nil, nil)
			want := map[int64]uint64{}
			for at := time.Duration(0); at < warmup+window; at += gap {
				if at >= warmup {
					want[slotOf(at+takesOne, warmup, warmup+window)]++
				}
			}
			for i, in := range r.Intervals {
				if in.Done != want[int64(i)] {
					t.Errorf("interval %d holds %d, want %d", i, in.Done, want[int64(i)])
				}
				if !in.Queued.Known() || !in.InFlight.Known() {
					t.Errorf("the gauges of interval %d are not known", i)
				}
				delete(want, int64(i))
			}
			if len(want) > 0 {
				t.Errorf("missing intervals: %v", want)
			}
		})
	})
}

// The same in virtual time, where a run ends between two ends of intervals as a
// rule: the gauges of the last one are those of the run's end.
func TestGaugesAreKnownForEveryVirtualInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		knobs := []string{
			"kernel", rapid.SampledFrom([]string{"make", "keyed", "perkey"}).Draw(t, "kernel"),
			"rate", rapid.SampledFrom([]string{"0.3/s", "5/s", "400/s"}).Draw(t, "rate"), "direct", "off", "in_flight", "2", "batch_size", "2",
			"warmup", rapid.SampledFrom([]string{"0s", "700ms"}).Draw(t, "warm-up"), "seed", "3",
			"drain", rapid.SampledFrom([]string{"0s", "1300ms", "10s"}).Draw(t, "drain"),
			"backend", rapid.SampledFrom([]string{"synthetic", "synthetic(base=70ms)", "synthetic(base=4s,dist=exponential)"}).Draw(t, "backend"),
		}
		if rapid.Bool().Draw(t, "by items") {
			knobs = append(knobs, "items", rapid.SampledFrom([]string{"2", "30", "900"}).Draw(t, "items"))
		} else {
			knobs = append(knobs, "duration", rapid.SampledFrom([]string{"3200ms", "5s", "700s"}).Draw(t, "duration"))
		}
		s := settings.Default()
		for i := 0; i < len(knobs); i += 2 {
			if err := s.Set(knobs[i], knobs[i+1], "flag --"+knobs[i]); err != nil {
				t.Fatal(err)
			}
		}
		s.Clock, s.Direct = settings.Virtual, false
		r, err := Run(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range r.Intervals {
			if !in.Queued.Known() || !in.InFlight.Known() {
				t.Fatalf("%v: the gauges of interval %d of %d, at %v s of %v, are not known", knobs, i, len(r.Intervals), in.Start, r.Window)
			}
		}
	})
}
