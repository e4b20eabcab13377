package detmath_test

import (
	"hash/fnv"
	"math"
	"math/bits"
	"testing"

	"ferryctl/internal/detmath"
)

func TestUnitIsTheMiddleOfAnInterval(t *testing.T) {
	for bits, want := range map[uint64]float64{
		0:              0x1p-53,
		1<<12 - 1:      0x1p-53,
		1 << 12:        0x3p-53,
		1<<63 - 1:      0.5 - 0x1p-53,
		1 << 63:        0.5 + 0x1p-53,
		math.MaxUint64: 1 - 0x1p-53,
	} {
		if got := detmath.Unit(bits); got != want {
			t.Errorf("%#x becomes %v, want %v", bits, got, want)
		}
	}
}

// unmix is the inverse of Mix.
func unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3 // the inverse of 0x94d049bb133111eb
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089 // the inverse of 0xbf58476d1ce4e5b9
	return z ^ z>>30 ^ z>>60
}

// indexOf returns the one index at which a stream has a word: words are mixed
// multiples of Golden, which has an inverse, since it is odd.
func indexOf(s detmath.Stream, word uint64) uint64 {
	inverse := uint64(1)
	for range 6 { // of Newton's steps each doubles the bits that are right
		inverse *= 2 - detmath.Golden*inverse
	}
	return (unmix(word) - unmix(s.Word(0))) * inverse
}

// TestDrawsOfTheExtremeWordsAreNumbers finds the items that draw the lowest and
// the highest word there is.
func TestDrawsOfTheExtremeWordsAreNumbers(t *testing.T) {
	s := detmath.NewStream(1, "weight")
	for _, word := range []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
		i := indexOf(s, word)
		if got := s.Word(i); got != word {
			t.Fatalf("word %#x is %#x, want %#x", i, got, word)
		}
		u, e, z := s.Unit(i), s.Exponential(i), detmath.Normal(s.Unit(i))
		if !(u > 0 && u < 1 && e > 1e-16 && e < 36.8 && math.Abs(z) < 8.3) {
			t.Errorf("word %#x makes the unit %v, the exponential %v and the normal number %v", word, u, e, z)
		}
	}
}

func TestTextIsHashedByFNV1a(t *testing.T) {
	for _, text := range []string{"", "a", "gap", "block-\x00\xff", "b/ü"} {
		h := fnv.New64a()
		h.Write([]byte(text))
		want := detmath.Mix(h.Sum64())
		if s, b := detmath.HashText(text), detmath.HashText([]byte(text)); s != want || b != want {
			t.Errorf("%q is hashed to %#x as a string and %#x as bytes, want %#x", text, s, b, want)
		}
	}
}

// TestNeighbouringDrawsLookUnrelated compares draws at neighbouring places: each
// bit of the difference is as often set as not.
func TestNeighbouringDrawsLookUnrelated(t *testing.T) {
	const n = 20_000
	s := detmath.NewStream(1, "gap", "a")
	for name, other := range map[string]func(i uint64) uint64{
		"index":   func(i uint64) uint64 { return s.Word(i + 1) },
		"seed":    func(i uint64) uint64 { return detmath.NewStream(2, "gap", "a").Word(i) },
		"purpose": func(i uint64) uint64 { return detmath.NewStream(1, "gap", "b").Word(i) },
		"words":   func(i uint64) uint64 { return detmath.NewStream(1, "a", "gap").Word(i) },
		"fewer":   func(i uint64) uint64 { return detmath.NewStream(1, "gap").Word(i) },
		"attempt": func(i uint64) uint64 { return s.Again(1).Word(i) },
	} {
		var set [64]int
		for i := range uint64(n) {
			for d := s.Word(i) ^ other(i); d != 0; d &= d - 1 {
				set[bits.TrailingZeros64(d)]++
			}
		}
		for b, count := range set { // five standard deviations
			if math.Abs(float64(count)-n/2) > 5*math.Sqrt(n)/2 {
				t.Errorf("next %s: bit %d differs %d times in %d", name, b, count, n)
			}
		}
	}
}

func TestTheFirstAttemptIsTheStreamItself(t *testing.T) {
	s := detmath.NewStream(3, "key")
	if s.Again(0) != s || s.Again(1) == s || s.Again(1) == s.Again(2) {
		t.Error("attempts 0, 1 and 2 are not the stream and two others")
	}
}

// TestDrawsAreTheSameEverywhere holds words and functions to fingerprints. If
// one changes, the runs of all seeds do.
func TestDrawsAreTheSameEverywhere(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(u float64) float64 // of a number in (0, 1)
		want uint64
	}{
		"unit":   {func(u float64) float64 { return u }, 0xa6d35334c96effb3},
		"log":    {detmath.Log, 0xd9ca591c0e262d67},
		"log1p":  {func(u float64) float64 { return detmath.Log1p(2*u - 1) }, 0x7c1d94e44294763e},
		"exp":    {func(u float64) float64 { return detmath.Exp(1500*u - 760) }, 0xe0ba29713e21e00a},
		"expm1":  {func(u float64) float64 { return detmath.Expm1(2*u - 1) }, 0x574325a55a26034b},
		"tail":   {func(u float64) float64 { return detmath.Normal(float64(u * 0x1p-40)) }, 0xcfea1f39cdf03f08},
		"normal": {detmath.Normal, 0x1db520608ba40cf9},
	} {
		s := detmath.NewStream(42, "purpose", name)
		var sum uint64
		for i := range uint64(100_000) {
			sum = sum*31 + s.Word(i)
			sum = sum*31 + math.Float64bits(c.f(s.Unit(i)))
		}
		if sum != c.want {
			t.Errorf("%s: hash %#016x, want %#016x", name, sum, c.want)
		}
	}
}

func BenchmarkNewStream(b *testing.B) {
	for i := uint64(0); b.Loop(); i++ {
		if detmath.NewStream(i, "service time").Unit(i) == 0 {
			b.Fatal("a unit is 0")
		}
	}
}
