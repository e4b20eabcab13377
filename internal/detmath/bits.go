package detmath

// golden is 2^64 divided by the golden ratio, made odd: the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// Bits returns 64 random bits: output number index of a SplitMix64 generator
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)
// whose state is hashed from seed and stream. Two streams of one seed, and two
// seeds, are independent for all that a test can see.
func Bits(seed, stream, index uint64) uint64 {
	state := mix(mix(seed+golden) + stream*golden)
	return mix(state + (index+1)*golden)
}

// mix is SplitMix64's output function, a bijection that changes about half of
// the bits for each bit changed.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Unit turns random bits into a uniform number inside (0, 1), never 0 or 1: the
// middle of one of 2^52 equal parts, so that the mean is 1/2 exactly.
func Unit(bits uint64) float64 {
	return float64(float64(bits>>12)+0.5) * (1.0 / (1 << 52))
}
