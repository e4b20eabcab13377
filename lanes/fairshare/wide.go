// Exact arithmetic on 128-bit numbers, and where the policy's numbers live.
//
// A child's virtual service ev is kept as the integer
//
//	N = grid · w · ev
//
// so that a grant of q units adds grid·q whatever the weight w is, and
//
//	ev_i ≤ ev_j               ⇔  N_i · w_j ≤ N_j · w_i
//	V = Σ w·ev / Σ w          =  Σ N / (grid · Σ w)
//	ev_i ≤ V                  ⇔  N_i · Σ w ≤ Σ N · w_i
//
// are comparisons of 192-bit products: no division, no common denominator of
// the weights, and never a rounded number in a decision.
//
// N stays an integer only if the floors that joiners are given are multiples
// of 1/(grid·w). A front is a mean, whose denominator is a sum of weights; the
// next front over it would have the product of two such sums, and so on
// without end. So a front is taken up to the next multiple of 1/grid, which
// costs a joiner less than 1/grid of virtual service and never gives it any.

package fairshare

import "math/bits"

// grid is the number of steps in one unit of virtual service: the least number
// that 1, 2, … 20 divide, so that the fronts of small weights are met exactly.
const grid = 232_792_560

type wide struct{ hi, lo uint64 }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{a.hi + b.hi + carry, lo}
}

func (a wide) sub(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return wide{a.hi - b.hi - borrow, lo}
}

// compare returns the sign of a - b.
func (a wide) compare(b wide) int {
	switch {
	case a == b:
		return 0
	case a.less(b):
		return -1
	}
	return 1
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// times returns a·m, which the bounds on weights and units keep within 128 bits.
func (a wide) times(m uint64) wide {
	hi, lo := bits.Mul64(a.lo, m)
	return wide{a.hi*m + hi, lo}
}

// steps returns n units of service as N counts them.
func steps(n Units) wide {
	hi, lo := bits.Mul64(uint64(n), grid)
	return wide{hi, lo}
}

// over returns a/m rounded down, and the remainder.
func (a wide) over(m uint64) (wide, uint64) {
	hi, rest := a.hi/m, a.hi%m
	lo, rest := bits.Div64(rest, a.lo, m)
	return wide{hi, lo}, rest
}

// up returns a/m rounded up.
func (a wide) up(m uint64) wide {
	q, rest := a.over(m)
	if rest != 0 {
		q = q.add(wide{0, 1})
	}
	return q
}

// compare returns the sign of a/v - b/w.
func compare(a wide, v uint64, b wide, w uint64) int {
	if v == w {
		return a.compare(b)
	}
	if a.hi|b.hi == 0 { // the usual case: less than 2^36 units ago
		left, right := wide{}, wide{}
		left.hi, left.lo = bits.Mul64(a.lo, w)
		right.hi, right.lo = bits.Mul64(b.lo, v)
		return left.compare(right)
	}
	a2, a1, a0 := a.product(w)
	b2, b1, b0 := b.product(v)
	_, borrow := bits.Sub64(a0, b0, 0)
	_, borrow = bits.Sub64(a1, b1, borrow)
	_, borrow = bits.Sub64(a2, b2, borrow)
	switch {
	case borrow != 0:
		return -1
	case a0 == b0 && a1 == b1 && a2 == b2:
		return 0
	}
	return 1
}

// product returns a·m as three words, the highest first.
func (a wide) product(m uint64) (w2, w1, w0 uint64) {
	carry, w0 := bits.Mul64(a.lo, m)
	w2, w1 = bits.Mul64(a.hi, m)
	w1, c := bits.Add64(w1, carry, 0)
	return w2 + c, w1, w0
}
