// Keys by popularity: Zipf's law for any exponent, without a table.

package workload

import (
	"math"
	"math/bits"

	"ferryctl/internal/detmath"
)

// MaxKeys is the largest number of distinct keys.
const MaxKeys = 100_000_000

// maxAttempts bounds the rejection loop of zipf. An attempt fails with a
// probability below 1/2 for every exponent, so the bound is met once in 2^64.
const maxAttempts = 64

// A zipf draws ranks from Zipf's law over n keys with exponent s: rank k of
// 0 … n-1 has a probability proportional to (k+1)^-s. Set-up is O(1).
//
// The method is rejection-inversion (W. Hörmann and G. Derflinger,
// "Rejection-inversion to generate variates from monotone discrete
// distributions", ACM TOMACS 6, 1996). With h(x) = x^-s and its integral
//
//	H(x) = (x^(1-s) - 1) / (1-s),  log x for s = 1,
//
// a uniform u between H(3/2) - h(1) and H(n + 1/2) is inverted to x = H⁻¹(u),
// rounded to the nearest k, and kept if u >= H(k + 1/2) - h(k), an interval of
// length h(k). H and its inverse are written with expm1 and log1p, which keeps
// them exact when s comes near 1.
type zipf struct {
	keys    uint64
	words   detmath.Stream
	skew    float64 // s
	q       float64 // 1 - s, exact near s = 1
	invQ    float64 // 1 / q
	smooth  bool    // s is so far from 1 that log(1+t) serves as log1p(t), without its branch
	low     float64 // H(3/2) - h(1)
	high    float64 // H(n + 1/2)
	certain float64 // a k at most this far above x is kept without the test
}

func newZipf(keys uint64, skew float64, words detmath.Stream) zipf {
	z := zipf{keys: keys, words: words, skew: skew, q: 1 - skew}
	z.invQ = 1 / z.q
	z.smooth = math.Abs(z.q) > 0.01
	z.low = z.area(1.5) - 1
	z.high = z.area(float64(keys) + 0.5)
	z.certain = 2 - z.invert(z.area(2.5)-z.density(2))
	return z
}

// rank returns the key of item i.
func (z *zipf) rank(i uint64) uint64 {
	if z.skew == 0 {
		k, _ := bits.Mul64(z.words.Word(i), z.keys)
		return k
	}
	if z.keys == 1 {
		return 0
	}
	rank := int64(1)
	for attempt := range uint64(maxAttempts) {
		u := z.high + float64(z.words.Again(attempt).Unit(i)*(z.low-z.high))
		x := z.invert(u)
		if n := float64(z.keys); !(x < n) {
			x = n
		}
		rank = max(int64(x+0.5), 1)
		k := float64(rank)
		if k-x <= z.certain || u >= z.area(k+0.5)-z.density(k) {
			break
		}
	}
	return uint64(rank) - 1
}

// density is h(x) = x^-s.
func (z *zipf) density(x float64) float64 {
	return detmath.Exp(-float64(z.skew * detmath.Log(x)))
}

// area is H(x), the integral of h from 1 to x.
func (z *zipf) area(x float64) float64 {
	if z.q == 0 {
		return detmath.Log(x)
	}
	return detmath.Expm1(float64(z.q*detmath.Log(x))) / z.q
}

// invert returns the x with H(x) = a. Rounding can carry a beyond the largest
// value of H, to which no finite x belongs; rank clamps what comes of it.
func (z *zipf) invert(a float64) float64 {
	switch t := float64(z.q * a); {
	case z.q == 0:
		return detmath.Exp(a)
	case z.smooth:
		return detmath.Exp(float64(detmath.Log(1+t) * z.invQ))
	default:
		return detmath.Exp(float64(detmath.Log1p(t) * z.invQ))
	}
}
