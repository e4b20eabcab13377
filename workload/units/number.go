// The one reader and the one writer of decimal numbers that all units share.

package units

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxText is the longest quantity that is looked at, in bytes. The longest
// useful one, the smallest positive float written in full, is shorter.
const maxText = 1100

// A suffix stands for a power of ten or of two behind a number.
type suffix struct {
	text   string
	factor int64
	tens   int // factor is 10^tens; 0 for no suffix and for powers of two
}

var decimalSuffixes = []suffix{
	{"", 1, 0}, {"k", 1e3, 3}, {"M", 1e6, 6}, {"G", 1e9, 9}, {"T", 1e12, 12},
}

var binarySuffixes = []suffix{
	{"B", 1, 0}, {"KiB", 1 << 10, 0}, {"MiB", 1 << 20, 0}, {"GiB", 1 << 30, 0}, {"TiB", 1 << 40, 0},
}

// ParseNumber reads a plain decimal number >= 0 without a unit, such as an
// exponent: "1.1", "0", "0.5".
func ParseNumber(s string) (float64, error) {
	num, rest := cutNumber(s)
	if num == "" || rest != "" {
		return 0, refuse(s, "a plain decimal number such as 1.1", "not a number >= 0")
	}
	return parseFloat(s, num, 0)
}

// FormatNumber writes f so that [ParseNumber] reads it back.
func FormatNumber(f float64) string { return shifted(f, 0) }

// cutNumber splits s behind its longest prefix of the form digits[.digits].
// num is empty if s does not begin with such a number.
func cutNumber(s string) (num, rest string) {
	if len(s) > maxText {
		return "", s
	}
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	end := digits(0)
	if end == 0 {
		return "", s
	}
	if end < len(s) && s[end] == '.' {
		frac := digits(end + 1)
		if frac == end+1 {
			return "", s
		}
		end = frac
	}
	return s[:end], s[end:]
}

// parseFloat gives the float64 nearest to num times 10^tens. Scaling in the
// text, not after the conversion, rounds once instead of twice.
func parseFloat(whole, num string, tens int) (float64, error) {
	f, err := strconv.ParseFloat(num+"e"+strconv.Itoa(tens), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, refuse(whole, "a smaller one", "too large")
	}
	if f == 0 && strings.ContainsAny(num, "123456789") {
		return 0, refuse(whole, "0 or a larger one", "too close to zero")
	}
	return f, nil
}

// parseInt gives num times factor, which must be a whole number.
func parseInt(whole, num string, factor int64) (int64, error) {
	r, ok := new(big.Rat).SetString(num)
	if !ok {
		return 0, refuse(whole, "digits", "not a number")
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	switch {
	case !r.IsInt():
		return 0, refuse(whole, "a whole number", "not whole")
	case !r.Num().IsInt64():
		return 0, refuse(whole, fmt.Sprintf("at most %d", int64(math.MaxInt64)), "too large")
	}
	return r.Num().Int64(), nil
}

// shifted writes f times 10^tens exactly in plain decimal notation, using the
// shortest digits that identify f.
func shifted(f float64, tens int) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	exp, err := strconv.Atoi(exponent)
	if err != nil || f == 0 {
		return "0"
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	point := exp + tens + 1 // digits before the decimal point
	switch {
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return sign + digits + strings.Repeat("0", point-len(digits))
	default:
		return sign + digits[:point] + "." + digits[point:]
	}
}

// shiftedInt writes v divided by 10^tens exactly.
func shiftedInt(v int64, tens int) string {
	digits := strconv.FormatInt(v, 10)
	if tens == 0 || v <= 0 {
		return digits
	}
	if len(digits) <= tens {
		digits = strings.Repeat("0", tens+1-len(digits)) + digits
	}
	whole, frac := digits[:len(digits)-tens], strings.TrimRight(digits[len(digits)-tens:], "0")
	if frac == "" {
		return whole
	}
	return whole + "." + frac
}

// refuse builds the one sentence in which every refusal is written.
func refuse(text, want, why string) error {
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return fmt.Errorf("%q is %s: want %s", text, why, want)
}
