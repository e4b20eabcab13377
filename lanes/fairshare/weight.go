// Weights: exact positive rationals.

package fairshare

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// MaxWeight bounds a weight, and the numerator and denominator of its reduced
// fraction.
const MaxWeight = 1_000_000

// A Weight is a share relative to those of the same group: an exact positive
// rational, reduced. The zero Weight is no weight; it is refused wherever one
// is asked for.
type Weight struct{ num, den int64 }

// One is the weight of a group that was given none.
var One = Weight{1, 1}

// NewWeight returns num/den, reduced; 2/4 and -1/-2 are both 1/2.
func NewWeight(num, den int64) (Weight, error) {
	if den == 0 {
		return Weight{}, errors.New("weight has a zero denominator; give a positive number")
	}
	if num == 0 || (num < 0) != (den < 0) {
		return Weight{}, fmt.Errorf("weight %d/%d is not positive; give more than 0 and at most %d", num, den, MaxWeight)
	}
	n, d := magnitude(num), magnitude(den)
	g := gcd(n, d)
	n, d = n/g, d/g
	if n > MaxWeight || d > MaxWeight {
		return Weight{}, fmt.Errorf("weight %d/%d needs more than %d in its fraction; give a rounder number", num, den, MaxWeight)
	}
	return Weight{int64(n), int64(d)}, nil
}

// ParseWeight reads a weight as "3", "2.5" or "5/2".
func ParseWeight(s string) (Weight, error) {
	if num, den, ok := strings.Cut(s, "/"); ok {
		n, errN := strconv.ParseInt(num, 10, 64)
		d, errD := strconv.ParseInt(den, 10, 64)
		if errN != nil || errD != nil {
			return Weight{}, notWeight(s)
		}
		return NewWeight(n, d)
	}
	whole, frac, point := strings.Cut(s, ".")
	if (point && frac == "") || len(frac) > 6 || strings.Trim(frac, "0123456789") != "" {
		return Weight{}, notWeight(s)
	}
	num, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil || whole == "" {
		return Weight{}, notWeight(s)
	}
	den := int64(1)
	for range frac {
		den *= 10
	}
	return NewWeight(num, den)
}

func notWeight(s string) error {
	return fmt.Errorf("weight %q is not a number; write it as 3, 2.5 (at most 6 decimals) or 5/2", s)
}

// String returns the weight as [ParseWeight] reads it.
func (w Weight) String() string {
	if w.den <= 1 {
		return strconv.FormatInt(w.num, 10)
	}
	return strconv.FormatInt(w.num, 10) + "/" + strconv.FormatInt(w.den, 10)
}

// Rat returns the weight as a rational of its own.
func (w Weight) Rat() *big.Rat { return big.NewRat(w.num, w.den) }

// IsZero says whether w is no weight at all.
func (w Weight) IsZero() bool { return w.num == 0 }

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Bounds on a group's weights once they are brought to one denominator. With
// MaxUnits and grid they keep every product of the policy within 192 bits.
const (
	maxScaled    = 1 << 30 // one weight
	maxScaledSum = 1 << 37 // all of a group
)

// scale brings the weights of one group to their least common denominator: it
// returns that, and the numerators, which stand to each other as the weights.
func scale(weights []Weight) (common uint64, scaled []uint64, err error) {
	common = 1
	for _, w := range weights {
		common *= uint64(w.den) / gcd(common, uint64(w.den))
		if common > maxScaled {
			return 0, nil, fmt.Errorf("have no common denominator up to %d; give rounder numbers", maxScaled)
		}
	}
	var sum uint64
	scaled = make([]uint64, len(weights))
	for i, w := range weights {
		hi, lo := bits.Mul64(uint64(w.num), common/uint64(w.den))
		if sum += lo; hi != 0 || lo > maxScaled || sum > maxScaledSum {
			return 0, nil, fmt.Errorf("are too far apart: over the common denominator %d one is %s; at most %d is kept exactly",
				common, w, uint64(maxScaled)/common)
		}
		scaled[i] = lo
	}
	return common, scaled, nil
}
