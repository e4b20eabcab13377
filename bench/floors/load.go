package floors

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const maxKeys = 10_000

// Keys draws keys: "one", "zipf" (s = 1.1 over 10k) or "uniform" (over 10k).
func Keys(kind string) []int {
	keys := make([]int, 1<<16)
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 1, maxKeys-1)
	for i := range keys {
		switch kind {
		case "zipf":
			keys[i] = int(z.Uint64())
		case "uniform":
			keys[i] = r.IntN(maxKeys)
		}
	}
	return keys
}

// Closed runs n calls from this many callers, each of which makes the next
// call when its last is answered, with a context that could be cancelled.
func Closed(s Subject, callers, n int, keys []int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for c := range callers {
		share := n / callers
		if c < n%callers {
			share++
		}
		wg.Go(func() {
			at := c * 7919
			for range share {
				at++
				if _, err := s.Do(ctx, keys[at&(len(keys)-1)], at); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
}

// Lone makes n calls, each after a millisecond of idling, and returns the sorted
// times they took.
func Lone(s Subject, n int) []time.Duration {
	took := make([]time.Duration, n)
	for i := range took {
		time.Sleep(time.Millisecond)
		start := time.Now()
		if _, err := s.Do(context.Background(), i, i); err != nil {
			panic(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took
}
