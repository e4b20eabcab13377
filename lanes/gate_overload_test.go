package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

// overload keeps every share lane saturated until so many units are served, in
// batches of up to four inputs of up to a quarter of the quantum.
func overload(w *works, quantum int64, units float64, rng *rand.Rand) {
	const keys = 8 // a share lane's
	parallel := w.Config().Parallel
	for n := 0; ; n++ {
		if n%64 == 0 && w.Fairness().Served >= units {
			return
		}
		for leaf := fairshare.Leaf(1); int(leaf) <= w.Shares().Leaves(); leaf++ {
			for w.Share(leaf).Queued < 8*keys {
				key := int(leaf) // of one share lane's, if several batches of it may be out
				if !parallel {
					key = int(leaf)*keys + w.ids%keys
				}
				w.add(leaf, 1+rng.Int64N(quantum/4), key)
			}
		}
		w.dispatch(func() time.Duration { return time.Duration(1 + rng.IntN(4)) })
		w.pass()
	}
}

// TestOverloadSplitsByWeight holds every seed to one percent of each share, and
// every lag and lead to its bound.
func TestOverloadSplitsByWeight(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 20
	}
	for _, parallel := range []bool{false, true} {
		t.Run(fmt.Sprintf("parallel=%t", parallel), func(t *testing.T) {
			t.Parallel()
			const quantum, slots = 8, 4
			worst, off := 0.0, 0.0
			for seed := range seeds {
				w := newWorks(t, "a=5,b=3,c=2", quantum, func(c *Config) {
					c.MaxInFlight, c.MaxBatchSize, c.Parallel = slots, 4, parallel
				})
				overload(w, quantum, 8_000, rand.New(rand.NewPCG(seed, 2)))
				f := w.Fairness()
				for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
					e, bound := f.Lanes[leaf], w.Shares().Bounds(leaf, quantum, slots).Dispatch
					share := math.Abs(e.Got/f.Served/w.Shares().Share(leaf) - 1)
					if share > 0.01 {
						t.Errorf("seed %d: %s got %.4f of the service", seed, w.Shares().Path(leaf), e.Got/f.Served)
					}
					if e.Worst() > bound {
						t.Errorf("seed %d: %s was off by %g units, the bound is %g", seed, w.Shares().Path(leaf), e.Worst(), bound)
					}
					worst, off = max(worst, e.Worst()), max(off, share)
				}
				if w.idle > 0 {
					t.Errorf("seed %d: a slot stood idle %d times", seed, w.idle)
				}
			}
			t.Logf("the largest error is %.3f units of %d, and %.2f %% of a share", worst, quantum, 100*off)
		})
	}
}
