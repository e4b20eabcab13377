// Whole quantities: counts, sizes, and limits that may be unlimited.

package units

import (
	"math"
	"strings"
)

// Unlimited is the value of the word "unlimited" where it is allowed.
const Unlimited int64 = math.MaxInt64

// ParseCount reads a whole number of things: "4096", "10k", "1.5M". The
// suffixes k, M, G and T are powers of 1000.
func ParseCount(s string) (int64, error) {
	const want = "a whole number such as 4096, 10k or 1.5M"
	return parseWhole(s, decimalSuffixes, want)
}

// FormatCount writes v so that [ParseCount] reads it back.
func FormatCount(v int64) string { return formatWhole(v, decimalSuffixes) }

// ParseSize reads a weight: what [ParseCount] reads, and also the binary
// suffixes KiB, MiB, GiB and TiB (powers of 1024) and B.
func ParseSize(s string) (int64, error) {
	const want = "a whole number such as 4096, 10k (10 times 1000) or 4KiB (4 times 1024)"
	return parseWhole(s, append(binarySuffixes[:len(binarySuffixes):len(binarySuffixes)], decimalSuffixes...), want)
}

// FormatSize writes v so that [ParseSize] reads it back.
func FormatSize(v int64) string {
	return formatWhole(v, append(decimalSuffixes[:len(decimalSuffixes):len(decimalSuffixes)], binarySuffixes[1:]...))
}

// ParseLimit reads a count or the word "unlimited", which is [Unlimited].
func ParseLimit(s string) (int64, error) {
	if s == "unlimited" {
		return Unlimited, nil
	}
	v, err := ParseCount(s)
	return v, orWord(err, "unlimited")
}

// FormatLimit writes v so that [ParseLimit] reads it back.
func FormatLimit(v int64) string {
	if v == Unlimited {
		return "unlimited"
	}
	return FormatCount(v)
}

// ParseSizeLimit reads a size or the word "unlimited", which is [Unlimited].
func ParseSizeLimit(s string) (int64, error) {
	if s == "unlimited" {
		return Unlimited, nil
	}
	v, err := ParseSize(s)
	return v, orWord(err, "unlimited")
}

// FormatSizeLimit writes v so that [ParseSizeLimit] reads it back.
func FormatSizeLimit(v int64) string {
	if v == Unlimited {
		return "unlimited"
	}
	return FormatSize(v)
}

func parseWhole(s string, suffixes []suffix, want string) (int64, error) {
	num, rest := cutNumber(s)
	if num == "" {
		return 0, refuse(s, want, "not a number >= 0")
	}
	for _, u := range suffixes {
		if u.text == rest {
			return parseInt(s, num, u.factor)
		}
	}
	switch strings.ToLower(rest) {
	case "k", "kb", "mb", "gb", "tb", "m", "g", "t":
		// K, KB and MB mean 1000 to some and 1024 to others.
		return 0, refuse(s, want, "ambiguous")
	}
	return 0, refuse(s, want, "in an unknown unit")
}

// formatWhole writes v with the suffix that gives the shortest exact text.
func formatWhole(v int64, suffixes []suffix) string {
	best := shiftedInt(v, 0)
	if v <= 0 {
		return best
	}
	for _, u := range suffixes[1:] {
		switch {
		case u.tens > 0:
			best = shorter(best, shiftedInt(v, u.tens)+u.text)
		case v%u.factor == 0:
			best = shorter(best, shiftedInt(v/u.factor, 0)+u.text)
		}
	}
	return best
}

// shorter returns the text that is nicer to read: the shorter one, and of two
// equally short ones the second unless it has a decimal point.
func shorter(a, b string) string {
	if len(b) < len(a) || len(b) == len(a) && !strings.Contains(b, ".") {
		return b
	}
	return a
}
