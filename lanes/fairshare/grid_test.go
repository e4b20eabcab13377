package fairshare

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Why fronts are taken up to a grid: kept as exact fractions, they grow with
// every wake, as each is a mean over those before it.
func TestExactFrontsGrowWithoutEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := []int64{3, 2, 1, 1}
	ev := make([]*big.Rat, len(weights))
	for i := range ev {
		ev[i] = new(big.Rat)
	}
	bits := 0
	for wake := 1; wake <= 1000; wake++ {
		sleeper := rng.IntN(len(weights))
		for range 5 { // the others are served meanwhile
			if i := rng.IntN(len(weights)); i != sleeper {
				ev[i].Add(ev[i], big.NewRat(1, weights[i]))
			}
		}
		sum, all := new(big.Rat), new(big.Rat)
		for i, w := range weights {
			if i != sleeper {
				sum.Add(sum, new(big.Rat).Mul(big.NewRat(w, 1), ev[i]))
				all.Add(all, big.NewRat(w, 1))
			}
		}
		if front := sum.Quo(sum, all); front.Cmp(ev[sleeper]) > 0 {
			ev[sleeper] = front
		}
		for _, v := range ev {
			bits = max(bits, v.Denom().BitLen())
		}
		if wake == 100 || wake == 1000 {
			t.Logf("after %d wakes a denominator has %d bits", wake, bits)
		}
	}
	if bits <= 192 {
		t.Errorf("the largest denominator has %d bits: it would fit", bits)
	}
}
