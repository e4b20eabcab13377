// Chance: one counter-based stream of uniform bits for each purpose.

package detmath

import "math"

// A Stream is an endless table of uniformly distributed 64-bit words, addressed
// by position: word i is a pure function of the seed, the stream's purpose, and
// i. Reading one word moves no other, so draws can be made in any order, and a
// new purpose leaves all others as they were. The zero Stream is a stream too,
// of no particular seed; [NewStream] makes the others.
//
// The words are those of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014), started at a key made of seed and
// purpose. Each of the 2^64 words stands at one index i.
type Stream struct{ key uint64 }

// Golden is 2^64 divided by the golden ratio, made odd: SplitMix64's increment,
// whose multiples are spread evenly over all words.
const Golden = 0x9e3779b97f4a7c15

// NewStream returns the stream of seed for a purpose, which may have several
// words, such as "gap" and a lane's name.
func NewStream(seed uint64, purpose ...string) Stream {
	key := Mix(seed + Golden)
	for _, word := range purpose {
		key = Mix(key ^ HashText(word))
	}
	return Stream{key}
}

// Word returns word i.
func (s Stream) Word(i uint64) uint64 { return Mix(s.key + (i+1)*Golden) }

// Again returns the stream for a further attempt at a draw whose first word was
// refused. Attempt 0 is s itself.
func (s Stream) Again(attempt uint64) Stream {
	if attempt == 0 {
		return s
	}
	return Stream{Mix(s.key ^ attempt*Golden)}
}

// Unit returns word i as a number in (0, 1), see the function [Unit].
func (s Stream) Unit(i uint64) float64 { return Unit(s.Word(i)) }

// Exponential returns word i as an exponential variate with mean 1, by
// inversion: a number in (1e-16, 36.8).
func (s Stream) Exponential(i uint64) float64 { return -Log(s.Unit(i)) }

// Unit turns random bits into a uniform number inside (0, 1), never 0 or 1: the
// middle of one of 2^52 equal intervals, so that the mean is 1/2 exactly. With
// 2^53 intervals the last middle would need a bit more than a float64 has, and
// be rounded to 1.
//
// The upper 52 bits are put behind the point of a number in [1, 2), from which
// taking 1 - 2^-53 is exact.
func Unit(bits uint64) float64 {
	return math.Float64frombits(0x3ff<<52|bits>>12) - (1 - 0x1p-53)
}

// Mix is the finaliser of SplitMix64, a bijection in which every bit of z
// reaches every bit of the result (variant 13 of D. Stafford's search).
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// HashText is FNV-1a (Fowler, Noll and Vo), finished by [Mix] because FNV leaves
// its high bits poorly stirred for short texts.
func HashText[T string | []byte](text T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return Mix(h)
}
