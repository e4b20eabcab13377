// Logarithm and exponential that give the same bits on every machine.
//
// Those of package math are assembly on some architectures, and a compiler may
// fuse a product and a sum into one rounding on others. Here every product stands
// inside an explicit conversion, which forbids that, and all that is used beside
// the four operations, whose results IEEE 754 fixes, is moving bits.
//
// Both look up the nearest point of a table and add a short Taylor series for
// the rest, which halves the time that the series alone would take; the table is
// filled from the series alone, when the program starts.

package workload

import "math"

// ln2Hi has 21 trailing zero bits, so its product with a binary exponent is
// exact; ln2Hi + ln2Lo is the natural logarithm of 2 to about 85 bits.
const (
	ln2Hi = 0x162e42fee0p-37
	ln2Lo = math.Ln2 - ln2Hi
)

// The logarithm's table has logCells cells an octave, laid so that 1 lies inside
// one of them, whose centre is 1 itself: close to 1, where the logarithm is
// close to 0, nothing cancels. The octave begins about sqrt(1/2).
const (
	logCells = 128
	logShift = 52 - 7                                     // a cell's width in the bits of a float64
	logBase  = 0x3ff<<52 - 75<<logShift - 1<<(logShift-1) // the bits of the octave's begin
)

type logCell struct{ centre, inverse, log float64 }

var logTable = func() (table [logCells]logCell) {
	for i := range table {
		low := math.Float64frombits(logBase + uint64(i)<<logShift)
		high := math.Float64frombits(logBase + uint64(i+1)<<logShift)
		c := float64((low + high) * 0.5)
		if low < 1 && 1 < high {
			c = 1
		}
		table[i] = logCell{c, 1 / c, twiceAtanh((c - 1) / (c + 1))}
	}
	return table
}()

// logOf returns the natural logarithm of a positive, normal, finite x, within 2
// units in the last place. Zero and below give -Inf; of infinity and of
// subnormal numbers, which do not occur here, it knows nothing.
//
// With x = 2^k m and a cell's centre c near m, log x = k log 2 + log c +
// log(1+r), where r = (m-c)/c is at most 1/128.
func logOf(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	b := math.Float64bits(x) - logBase
	k := int64(b) >> 52
	m := math.Float64frombits(b - uint64(k)<<52 + logBase)
	cell := &logTable[b>>logShift%logCells]
	r := float64((m - cell.centre) * cell.inverse)
	r2 := float64(r * r)
	low := -1.0/2 + float64(r*(1.0/3))
	mid := -1.0/4 + float64(r*(1.0/5))
	top := -1.0/6 + float64(r*(1.0/7))
	tail := float64(r2 * (low + float64(r2*(mid+float64(r2*top)))))
	e := float64(k)
	return float64(e*ln2Hi) + (cell.log + (r + (tail + float64(e*ln2Lo))))
}

// log1p returns log(1+t) for t > -1 with a small relative error near t = 0 too.
func log1p(t float64) float64 {
	if t > -0.29 && t < 0.41 {
		return twiceAtanh(t / (2 + t))
	}
	return logOf(1 + t)
}

// twiceAtanh returns 2 atanh(s) = log((1+s)/(1-s)) for |s| <= 0.1716 from its
// Taylor series 2s (1 + z/3 + z²/5 + …), z = s², of which the first term left
// out is below 1e-18. Its terms are summed in pairs (Estrin's scheme), since in
// a chain each would wait for the one before.
func twiceAtanh(s float64) float64 {
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	low := (1.0/3 + float64(z*(1.0/5))) + float64(z2*(1.0/7+float64(z*(1.0/9))))
	mid := (1.0/11 + float64(z*(1.0/13))) + float64(z2*(1.0/15+float64(z*(1.0/17))))
	top := 1.0/19 + float64(z*(1.0/21))
	tail := low + float64(z4*(mid+float64(z4*top)))
	return float64(2*s) + float64(float64(2*s)*float64(z*tail))
}

// The exponential's table has the points 2^(j/expCells).
const (
	expCells = 64
	perE     = expCells * math.Log2E // points in a factor of e
)

var expTable = func() (table [expCells]float64) {
	for j := range table {
		// Below 2^(1/2) directly, above as half of the square root's square.
		half := expTail(float64(float64(j)*(math.Ln2/expCells)) - float64(float64(j/(expCells/2))*math.Ln2))
		table[j] = float64((1 + half) * float64(int64(1)<<(j/(expCells/2))))
	}
	return table
}()

// expOf returns e^y within 2 units in the last place; too large a y gives +Inf,
// too small a one 0.
//
// With k the whole number nearest to 64 y / log 2, e^y = 2^(k/64) e^r, where
// |r| <= log 2 / 128.
func expOf(y float64) float64 {
	if !(y < 709.78 && y > -708) {
		return expBeyond(y)
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

// expBeyond returns e^y where it is no positive, normal, finite number; it takes
// subnormal ones for 0.
func expBeyond(y float64) float64 {
	switch {
	case y > 0:
		return math.Inf(1)
	case y < 0:
		return 0
	}
	return y
}

// expm1 returns e^y - 1 with a small relative error near y = 0 too.
func expm1(y float64) float64 {
	if y > -0.34 && y < 0.34 {
		return expTail(y)
	}
	return expOf(y) - 1
}

// expTail returns e^r - 1 for |r| <= 0.3466 from its Taylor series, of which the
// first term left out is below 1e-17; in pairs, as in twiceAtanh.
func expTail(r float64) float64 {
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := (1.0/2 + float64(r*(1.0/6))) + float64(r2*(1.0/24+float64(r*(1.0/120))))
	b := (1.0/720 + float64(r*(1.0/5040))) + float64(r2*(1.0/40320+float64(r*(1.0/362880))))
	c := (1.0/3628800 + float64(r*(1.0/39916800))) + float64(r2*(1.0/479001600+float64(r*(1.0/6227020800))))
	return r + float64(r2*(a+float64(r4*(b+float64(r4*c)))))
}
