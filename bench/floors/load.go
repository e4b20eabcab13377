package floors

import (
	"context"
	"math/rand/v2"
	"sync"
)

// Keys draws keys: "one", "zipf" (s = 1.1 over 10k) or "uniform" (over 10k).
func Keys(kind string) []int {
	keys := make([]int, 1<<16)
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 1, 9_999)
	for i := range keys {
		switch kind {
		case "zipf":
			keys[i] = int(z.Uint64())
		case "uniform":
			keys[i] = r.IntN(10_000)
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
