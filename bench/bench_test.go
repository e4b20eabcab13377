package bench

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkRecorder is what the recorder costs the measured path per item, with
// callers that do nothing else: the most contention there can be.
func BenchmarkRecorder(b *testing.B) {
	for _, goroutines := range []int{1, 2, 4} {
		for _, byLane := range []bool{false, true} {
			b.Run(fmt.Sprintf("goroutines=%d/lanes=%v", goroutines, byLane), func(b *testing.B) {
				r := newRecorder(byLane)
				r.open(0)
				b.ReportAllocs()
				var wg sync.WaitGroup
				for n := range goroutines {
					wg.Go(func() {
						s := r.shard(n)
						x := doneSample(0, 0, 0)
						var busy atomic.Uint32
						for i := range b.N / goroutines {
							x.scheduled = time.Duration(i) * 100
							x.started = x.scheduled + time.Duration(i*7919%1_000_000)
							x.ended = x.started + time.Duration(i*104729%2_000_000)
							x.returned = x.ended + time.Duration(i%50_000)
							s.record(&x, &busy)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// BenchmarkCollect is what the collector costs once per interval.
func BenchmarkCollect(b *testing.B) {
	s := newHist(3)
	into := newHist(3)
	for i := range 50_000 {
		s.record(time.Duration(i*7919%20_000_000) * time.Nanosecond)
	}
	b.Run("merge", func(b *testing.B) {
		for b.Loop() {
			into.merge(&s)
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			s.encode()
		}
	})
}
