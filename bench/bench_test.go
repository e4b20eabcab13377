package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/ferry"
	"ferryctl/workload"
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

// nothing is a kernel that answers at once.
type nothing struct {
	ferry.Ferry[*caller, struct{}]
	began time.Time
}

func (n nothing) Do(_ context.Context, c *caller) (struct{}, error) {
	c.started = time.Since(n.began)
	c.ended = c.started
	return struct{}{}, nil
}
func (nothing) Metrics() ferry.Metrics   { return ferry.Metrics{} }
func (nothing) Settings() ferry.Settings { return ferry.Settings{} }
func (nothing) ResetPeaks()              {}
func (nothing) Close() error             { return nil }

// BenchmarkOwnCost is what generator and recorder cost per item, with a kernel
// that does nothing: source, hand-over to a caller's goroutine, clock, recorder.
// part=goroutine is the share of it that no generator can do without: waking a
// goroutine that then blocks again. Run it with -cpu 1, so that time is work.
func BenchmarkOwnCost(b *testing.B) {
	load := workload.Spec{Rate: workload.Rate{Max: true}, Keys: 10_000, KeySkew: 1.1}
	b.Run("part=all", func(b *testing.B) {
		b.ReportAllocs()
		load := load
		load.Items = uint64(b.N)
		e, err := newEngine(plan{
			kernel: single("make"), load: load, callers: 64, byIndex: true, drain: time.Hour, sleeper: sleep.Plain,
			backend: func() (backend.Backend, error) { return backend.New(backend.Spec{}, 0) },
		})
		if err != nil {
			b.Fatal(err)
		}
		defer e.release()
		e.ferry = nothing{began: time.Now()}
		b.ResetTimer()
		if err := e.run(nil, nil, nil); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("part=source", func(b *testing.B) {
		b.ReportAllocs()
		source, err := workload.New(load)
		if err != nil {
			b.Fatal(err)
		}
		var it workload.Item
		for b.Loop() {
			source.Next(&it)
		}
	})
	b.Run("part=goroutine", func(b *testing.B) {
		b.ReportAllocs()
		const callers = 64
		wake, back := make([]chan struct{}, callers), make(chan int, callers)
		var wg sync.WaitGroup
		for n := range callers {
			wake[n] = make(chan struct{}, 1)
			back <- n
			wg.Go(func() {
				for range wake[n] {
					back <- n
				}
			})
		}
		for b.Loop() {
			wake[<-back] <- struct{}{}
		}
		for _, c := range wake {
			close(c)
		}
		wg.Wait()
	})
}
