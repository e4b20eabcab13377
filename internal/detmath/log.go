// The logarithm, by a table and a short series.

package detmath

import "math"

// ln2Hi has 21 trailing zero bits, so its product with a binary exponent is
// exact; ln2Hi + ln2Lo is the natural logarithm of 2 to about 85 bits.
const (
	ln2Hi = 0x162e42fee0p-37
	ln2Lo = math.Ln2 - ln2Hi
)

// The bit patterns of the smallest normal number and of infinity, between which
// those of all positive, normal, finite numbers lie.
const (
	smallestNormal = 1 << 52
	infinity       = 0x7ff << 52
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
		table[i] = logCell{c, 1 / c, logNearOne(c - 1)}
	}
	return table
}()

// Log returns the natural logarithm of x, within 2 units in the last place; also
// of a subnormal x. It returns -Inf for 0, +Inf for +Inf, and NaN for NaN and
// what is negative.
//
// With x = 2^k m and a cell's centre c near m, log x = k log 2 + log c +
// log(1+r), where r = (m-c)/c is at most 1/128.
func Log(x float64) float64 {
	b := math.Float64bits(x)
	raised := int64(0) // the power of 2 that x was multiplied by
	if b-smallestNormal >= infinity-smallestNormal {
		if !(x > 0) || b == infinity {
			return logEdge(x)
		}
		b, raised = math.Float64bits(float64(x*(1<<52))), 52
	}
	b -= logBase
	k := int64(b) >> 52
	m := math.Float64frombits(b - uint64(k)<<52 + logBase)
	cell := &logTable[b>>logShift%logCells]
	r := float64((m - cell.centre) * cell.inverse)
	r2 := float64(r * r)
	low := -1.0/2 + float64(r*(1.0/3))
	mid := -1.0/4 + float64(r*(1.0/5))
	top := -1.0/6 + float64(r*(1.0/7))
	tail := float64(r2 * (low + float64(r2*(mid+float64(r2*top)))))
	e := float64(k - raised)
	return float64(e*ln2Hi) + (cell.log + (r + (tail + float64(e*ln2Lo))))
}

// logEdge returns log x where it is no finite number.
func logEdge(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return x
}

// Log1p returns log(1+t), with a small relative error near t = 0 too: within 3
// units in the last place. It returns -Inf for -1, +Inf for +Inf, and NaN for
// NaN and what is below -1.
func Log1p(t float64) float64 {
	if t > -0.29 && t < 0.41 {
		return logNearOne(t)
	}
	return Log(1 + t)
}

// logNearOne returns log(1+t) for t in [-0.293, 0.415].
//
// With s = t/(2+t), |s| <= 0.1716, it is 2 atanh(s) = 2s (1 + z/3 + z²/5 + …),
// z = s², of which the first term left out is below 1e-18. Since 2s = t - s t,
// it is written as t and a small correction. The terms are summed in pairs
// (Estrin's scheme), since in a chain each would wait for the one before.
func logNearOne(t float64) float64 {
	s := t / (2 + t)
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	low := (1.0/3 + float64(z*(1.0/5))) + float64(z2*(1.0/7+float64(z*(1.0/9))))
	mid := (1.0/11 + float64(z*(1.0/13))) + float64(z2*(1.0/15+float64(z*(1.0/17))))
	top := 1.0/19 + float64(z*(1.0/21))
	tail := low + float64(z4*(mid+float64(z4*top)))
	return t + float64(s*(float64(float64(2*z)*tail)-t))
}
