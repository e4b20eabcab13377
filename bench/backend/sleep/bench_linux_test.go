// What a sleeper costs and how late it is, on an idle and on a busy process.

//go:build linux

package sleep_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ferryctl/bench/backend/sleep"
)

// BenchmarkSleep reports, besides the time of one sleep as the caller sees it,
// by how much sleeps last too long (mean-late-us, p99-late-us), and the
// processor time of one sleep (cpu-us/op; meaningless with busy goroutines).
func BenchmarkSleep(b *testing.B) {
	for _, busy := range []int{0, 1} {
		for _, asleep := range []int{1, 8, 64, 256} {
			for _, d := range []time.Duration{200 * time.Microsecond, time.Millisecond} {
				for name, open := range map[string]func() sleep.Sleeper{"plain": sleep.Plain, "precise": sleep.New} {
					b.Run(fmt.Sprintf("sleeper=%s/busy=%d/asleep=%d/d=%s", name, busy, asleep, d), func(b *testing.B) {
						s := open()
						defer s.Close()
						defer occupy(busy)()
						measure(b, s, asleep, d)
					})
				}
			}
		}
	}
}

func measure(b *testing.B, s sleep.Sleeper, asleep int, d time.Duration) {
	late := make([]time.Duration, b.N)
	var next atomic.Int64
	var wg sync.WaitGroup
	began := processorTime()
	b.ReportAllocs()
	b.ResetTimer()
	for range asleep {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				start := time.Now()
				if err := s.Sleep(context.Background(), d); err != nil {
					b.Error(err)
				}
				late[i] = time.Since(start) - d
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	used := processorTime() - began
	slices.Sort(late)
	var sum time.Duration
	for _, l := range late {
		sum += l
	}
	micro := func(d time.Duration) float64 { return float64(d) / 1e3 }
	b.ReportMetric(micro(sum)/float64(b.N), "mean-late-us")
	b.ReportMetric(micro(late[b.N*99/100]), "p99-late-us")
	b.ReportMetric(micro(used)/float64(b.N), "cpu-us/op")
}

// occupy keeps n goroutines computing until the function that it returns is called.
func occupy(n int) (release func()) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for !stop.Load() {
				for until := time.Now().Add(5 * time.Microsecond); time.Now().Before(until); {
				}
				runtime.Gosched()
			}
		})
	}
	return func() { stop.Store(true); wg.Wait() }
}

func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
