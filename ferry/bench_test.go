package ferry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// floor is the least possible blocking batcher to hold Make against: one
// mutex, one slice, one worker, a pooled channel per caller.
type floor struct {
	mu   sync.Mutex
	cond chan struct{}
	in   []*floorWaiter
	pool sync.Pool
}

type floorWaiter struct {
	v    int
	done chan struct{}
}

func newFloor() *floor {
	f := &floor{cond: make(chan struct{}, 1)}
	go func() {
		var batch []*floorWaiter
		for range f.cond {
			for {
				f.mu.Lock()
				n := min(len(f.in), 64)
				batch = append(batch[:0], f.in[:n]...)
				f.in = f.in[:copy(f.in, f.in[n:])]
				f.mu.Unlock()
				if n == 0 {
					break
				}
				for _, w := range batch {
					w.done <- struct{}{}
				}
			}
		}
	}()
	return f
}

func (f *floor) Do(ctx context.Context, v int) (int, error) {
	w, _ := f.pool.Get().(*floorWaiter)
	if w == nil {
		w = &floorWaiter{done: make(chan struct{}, 1)}
	}
	w.v = v
	f.mu.Lock()
	f.in = append(f.in, w)
	first := len(f.in) == 1
	f.mu.Unlock()
	if first {
		select {
		case f.cond <- struct{}{}:
		default:
		}
	}
	if ctx.Done() == nil {
		<-w.done
	} else {
		select {
		case <-w.done:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	f.pool.Put(w)
	return v, nil
}

type doer interface {
	Do(context.Context, int) (int, error)
}

func BenchmarkCall(b *testing.B) {
	same := func(_ context.Context, in []int) ([]int, error) { return in, nil }
	sameKey := func(_ context.Context, _ int, in []int) ([]int, error) { return in, nil }
	c := Config{MaxBatchSize: 64, MaxInFlightBatches: 1, MaxQueued: 1 << 20}
	impls := []struct {
		name string
		mk   func() doer
	}{
		{"floor", func() doer { return newFloor() }},
		{"make", func() doer { f, _ := Make(c, same); return f }},
		{"perkey", func() doer {
			f, _ := PerKey(PerKeyConfig{Config: c, NoDirect: true}, func(i int) int { return i }, sameKey)
			return f
		}},
		{"direct", func() doer {
			f, _ := PerKey(PerKeyConfig{Config: c}, func(i int) int { return i }, sameKey)
			return f
		}},
	}
	for _, ctxName := range []string{"plain", "cancellable"} {
		ctx := context.Background()
		if ctxName == "cancellable" {
			c, cancel := context.WithCancel(ctx)
			defer cancel()
			ctx = c
		}
		for _, impl := range impls {
			for _, callers := range []int{1, 64, 1024} {
				b.Run(fmt.Sprintf("impl=%s/ctx=%s/callers=%d", impl.name, ctxName, callers), func(b *testing.B) {
					f := impl.mk()
					keys := make([]int, 1<<16)
					z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, 9999)
					for i := range keys {
						keys[i] = int(z.Uint64())
					}
					b.ReportAllocs()
					b.ResetTimer()
					var n atomic.Int64
					var wg sync.WaitGroup
					for range callers {
						wg.Add(1)
						go func() {
							defer wg.Done()
							for {
								i := n.Add(1)
								if i > int64(b.N) {
									return
								}
								f.Do(ctx, keys[i&(1<<16-1)])
							}
						}()
					}
					wg.Wait()
				})
			}
		}
	}
}
