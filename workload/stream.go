// Chance: one counter-based stream of uniform bits for each purpose.

package workload

// A stream is an endless table of uniformly distributed 64-bit words, addressed
// by position: word i is a pure function of the seed, the stream's purpose, and
// i. Reading one word moves no other, so items can be drawn in any order, and a
// new purpose leaves all sequences as they were.
//
// The words are those of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014), started at a key made of seed and
// purpose.
type stream struct{ key uint64 }

// golden is 2^64 divided by the golden ratio, made odd: SplitMix64's increment.
const golden = 0x9e3779b97f4a7c15

// newStream returns the stream of seed for a purpose, which may have several
// words, such as "gap" and a lane's name.
func newStream(seed uint64, purpose ...string) stream {
	key := mix(seed + golden)
	for _, word := range purpose {
		key = mix(key ^ hashText([]byte(word)))
	}
	return stream{key}
}

// word returns word i.
func (s stream) word(i uint64) uint64 { return mix(s.key + (i+1)*golden) }

// again returns the stream for a further attempt at an item whose first word was
// refused. Attempt 0 is s itself.
func (s stream) again(attempt uint64) stream {
	if attempt == 0 {
		return s
	}
	return stream{mix(s.key ^ attempt*golden)}
}

// unit returns word i as a number strictly between 0 and 1: the middle of one of
// 2^53 equal intervals.
func (s stream) unit(i uint64) float64 {
	return float64((float64(int64(s.word(i)>>11)) + 0.5) * (1.0 / (1 << 53)))
}

// exponential returns word i as an exponential variate with mean 1, by inversion.
func (s stream) exponential(i uint64) float64 { return -logOf(s.unit(i)) }

// mix is the finaliser of SplitMix64, a bijection in which every bit of z
// reaches every bit of the result (variant 13 of D. Stafford's search).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
