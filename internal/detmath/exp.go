// The exponential, by a table and a short series.

package detmath

import "math"

// The exponential's table has the points 2^(j/expCells).
const (
	expCells = 64
	perE     = expCells * math.Log2E // points in a factor of e
)

var expTable = func() (table [expCells]float64) {
	for j := range table {
		// Below 2^(1/2) directly, above as half of the square root's square.
		half := expNearZero(float64(float64(j)*(math.Ln2/expCells)) - float64(float64(j/(expCells/2))*math.Ln2))
		table[j] = float64((1 + half) * float64(int64(1)<<(j/(expCells/2))))
	}
	return table
}()

// Exp returns e^y within 2 units in the last place, 3 where it is subnormal or
// next to the largest number. Too large a y gives +Inf, too small a one 0; NaN
// gives NaN.
//
// With k the whole number nearest to 64 y / log 2, e^y = 2^(k/64) e^r, where
// |r| <= log 2 / 128.
func Exp(y float64) float64 {
	if !(y < 709.78 && y > -708) {
		return expEdge(y)
	}
	const shift = 3 << 51 // adding it drops what is behind the point
	e := (float64(y*perE) + shift) - shift
	r := (y - float64(e*(ln2Hi/expCells))) - float64(e*(ln2Lo/expCells))
	k := int64(e)
	scale := math.Float64frombits(math.Float64bits(expTable[uint64(k)%expCells]) + uint64(k>>6)<<52)
	r2 := float64(r * r)
	tail := (1.0/2 + float64(r*(1.0/6))) + float64(r2*(1.0/24+float64(r*(1.0/120))))
	return scale + float64(scale*(r+float64(r2*tail)))
}

// expEdge returns e^y near the largest number, among the subnormal ones, and
// beyond: as a square, whose root is an ordinary number.
func expEdge(y float64) float64 {
	switch {
	case y > 710:
		return math.Inf(1)
	case y < -746:
		return 0
	case math.IsNaN(y):
		return y
	}
	root := Exp(float64(y * 0.5))
	return float64(root * root)
}

// Expm1 returns e^y - 1, with a small relative error near y = 0 too: within 6
// units in the last place. It returns +Inf for too large a y, -1 for -Inf, and
// NaN for NaN.
func Expm1(y float64) float64 {
	if y > -0.34 && y < 0.34 {
		return expNearZero(y)
	}
	return Exp(y) - 1
}

// expNearZero returns e^r - 1 for |r| <= 0.3466 from its Taylor series, of which
// the first term left out is below 1e-17; in pairs, as in logNearOne.
func expNearZero(r float64) float64 {
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := (1.0/2 + float64(r*(1.0/6))) + float64(r2*(1.0/24+float64(r*(1.0/120))))
	b := (1.0/720 + float64(r*(1.0/5040))) + float64(r2*(1.0/40320+float64(r*(1.0/362880))))
	c := (1.0/3628800 + float64(r*(1.0/39916800))) + float64(r2*(1.0/479001600+float64(r*(1.0/6227020800))))
	return r + float64(r2*(a+float64(r4*(b+float64(r4*c)))))
}
