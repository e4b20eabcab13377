package detmath

import "math"

// ln 2 in two parts; the high one has 20 trailing zero bits, so that its product
// with an exponent is exact.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Log returns the natural logarithm of x > 0. It returns NaN for negative x and
// NaN, -Inf for 0, +Inf for +Inf.
//
// With x = m·2^k, m within [√½, √2], and s = (m-1)/(m+1), it is
// k·ln 2 + 2(s + s³/3 + s⁵/5 + …); |s| < 0.172, so that twelve terms suffice.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, exp := math.Frexp(x) // m within [½, 1)
	if m < math.Sqrt2/2 {
		m *= 2
		exp--
	}
	k := float64(exp)
	f := m - 1 // exact
	s := f / (2 + f)
	z := float64(s * s)
	sum := 0.0
	for n := 23; n >= 3; n -= 2 {
		sum = float64(z * (1/float64(n) + sum))
	}
	// ln m = 2s + 2s·sum, and 2s = f - s·f, which keeps the digits of f.
	tail := float64(s * float64(2*sum-f))
	return float64(k*ln2Hi) + (f + (tail + float64(k*ln2Lo)))
}

// Exp returns e to the power of x. It overflows to +Inf and underflows to 0.
//
// With x = k·ln 2 + r and |r| <= ln(2)/2, it is 2^k times the Taylor series of
// e^r, of which the terms after the fourteenth are below half a unit in the last
// place.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -750:
		return 0
	}
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := float64(x-float64(k*ln2Hi)) - float64(k*ln2Lo)
	sum := 1.0
	for n := 14; n >= 2; n-- {
		sum = 1 + float64(float64(r*sum)/float64(n))
	}
	return math.Ldexp(1+float64(r*sum), int(k))
}

// Normal returns the quantile of the standard normal distribution at p in
// (0, 1): the value that a standard normal number is below with probability p.
// Its relative error is about 1e-16 by the source, algorithm AS 241 (PPND16) of
// M. J. Wichura, "The percentage points of the normal distribution", Applied
// Statistics 37 (1988).
func Normal(p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q * horner(r, centreA) / horner(r, centreB))
	}
	r := math.Sqrt(-Log(min(p, 1-p)))
	var z float64
	if r <= 5 {
		z = horner(r-1.6, middleC) / horner(r-1.6, middleD)
	} else {
		z = horner(r-5, tailE) / horner(r-5, tailF)
	}
	return math.Copysign(z, q)
}

// horner evaluates the polynomial with the coefficients c, lowest power first.
func horner(x float64, c [8]float64) float64 {
	sum := c[7]
	for i := 6; i >= 0; i-- {
		sum = float64(sum*x) + c[i]
	}
	return sum
}

// The coefficients of AS 241, PPND16.
var (
	centreA = [8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
	}
	centreB = [8]float64{
		1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3,
	}
	middleC = [8]float64{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	}
	middleD = [8]float64{
		1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
	}
	tailE = [8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	tailF = [8]float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)
