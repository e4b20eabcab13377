package main

import (
	"context"
	"runtime"
	"time"

	"ferryctl/bench/floors"
	"ferryctl/ferry"
	"ferryctl/lanes"
)

func room(keys int) *lanes.Lanes[int, int] {
	l := lanes.NewLanes[int, int](lanes.Config{
		MaxBatchSize: 64, MaxBatchWeight: int64(lanes.Unlimited), MaxInFlight: lanes.Unlimited,
		MaxQueued: lanes.Unlimited, MaxQueuedWeight: int64(lanes.Unlimited),
	})
	for k := range keys {
		l.Admit(0, k, l.Hash(k), lanes.Input[int]{Entry: k, Weight: 1, Cost: 1})
	}
	return l
}

// snapshots compares rounds through a room of 10k keys with and without a
// snapshot every millisecond.
func snapshots() float64 {
	run := func(every time.Duration) float64 {
		l := room(10_000)
		var b lanes.Batch[int]
		var kept *lanes.Lanes[int, int]
		const n = 2_000_000
		start := time.Now()
		last := start
		for i := range n {
			l.Take(0, &b)
			l.Release(0, b.Lane)
			k := b.Items[0].Entry
			l.Admit(0, k, l.Hash(k), lanes.Input[int]{Entry: k, Weight: 1, Cost: 1})
			if i%256 == 0 {
				if now := time.Now(); now.Sub(last) >= every {
					kept, last = l.Snapshot(), now
				}
			}
		}
		runtime.KeepAlive(kept)
		return float64(time.Since(start))
	}
	without := run(time.Hour)
	return run(time.Millisecond) / without
}

// takes compares a take, and if asked for the release that follows, at two
// sizes of room. A take goes along the ready line, which lies side by side in
// memory; a release looks its key up, which in a large room misses every cache.
func takes(release bool) float64 {
	run := func(keys int) float64 {
		var spent time.Duration
		const n = 1_000_000
		for done := 0; done < n; done += keys {
			l := room(keys)
			var b lanes.Batch[int]
			start := time.Now()
			for l.Take(0, &b) {
				if release {
					l.Release(0, b.Lane)
				}
			}
			spent += time.Since(start)
		}
		return float64(spent)
	}
	small := run(1_000)
	return run(1_000_000) / small
}

// looks compares a closed loop of 64 callers with and without someone who walks
// through what waits every millisecond.
func looks() float64 {
	run := func(every time.Duration) float64 {
		s, f := floors.NewPerKeyQueued()
		defer s.Close()
		stop, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					for range f.Waiting() {
					}
				}
			}
		}()
		keys := floors.Keys("uniform")
		floors.Closed(s, 64, 20_000, keys)
		start := time.Now()
		floors.Closed(s, 64, 400_000, keys)
		d := time.Since(start)
		close(stop)
		<-over
		return float64(d)
	}
	without := run(time.Hour)
	return run(time.Millisecond) / without
}

// lone compares a quantile of what one caller waits that comes after a
// millisecond in which nothing happened.
func lone(quantile float64) float64 {
	run := func(name string) float64 {
		s, err := floors.New(name)
		if err != nil {
			panic(err)
		}
		defer s.Close()
		took := floors.Lone(s, 1000)
		return float64(took[int(quantile*float64(len(took)))])
	}
	floor := run("keyed-floor-direct")
	return run("keyed-perkey-direct") / floor
}

// passing sends ten million distinct keys through a batcher, and compares the
// heap with what it was.
func passing() float64 {
	f, err := ferry.PerKey(ferry.PerKeyConfig{Config: ferry.Config{MaxBatchSize: 64, MaxInFlightBatches: 2, MaxQueued: 1 << 20}},
		func(k int) int { return k }, func(_ context.Context, _ int, in []int) ([]int, error) { return in, nil })
	if err != nil {
		panic(err)
	}
	defer f.Close()
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	f.Do(context.Background(), 0)
	before := heap()
	done := make(chan struct{})
	const callers, n = 64, 10_000_000
	for c := range callers {
		go func() {
			for k := c; k < n; k += callers {
				if _, err := f.Do(context.Background(), k); err != nil {
					panic(err)
				}
			}
			done <- struct{}{}
		}()
	}
	for range callers {
		<-done
	}
	return heap() / before
}
