package main

import (
	"context"
	"runtime"
	"time"

	"ferryctl/ferry"
	"ferryctl/lanes"
)

func room(keys int) *lanes.Lanes[int, int] {
	l := lanes.NewLanes[int, int](lanes.Config{
		MaxBatchSize: 64, MaxBatchWeight: int64(lanes.Unlimited), MaxInFlight: lanes.Unlimited,
		MaxQueued: lanes.Unlimited, MaxQueuedWeight: int64(lanes.Unlimited),
	})
	for k := range keys {
		l.Admit(0, k, l.Hash(k), k, 1, 0)
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
			l.Admit(0, k, l.Hash(k), k, 1, 0)
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

// takes compares a take, and the release that follows, at two sizes of room.
// Keys are taken in the order in which they were admitted, from pages that lie
// side by side.
func takes() float64 {
	run := func(keys int) float64 {
		var spent time.Duration
		const n = 1_000_000
		for done := 0; done < n; done += keys {
			l := room(keys)
			var b lanes.Batch[int]
			start := time.Now()
			for l.Take(0, &b) {
				l.Release(0, b.Lane)
			}
			spent += time.Since(start)
		}
		return float64(spent)
	}
	small := run(1_000)
	return run(1_000_000) / small
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
