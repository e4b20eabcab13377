// Durations: the unit is required and nothing is rounded.

package units

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// Never is the value of the word "never" where it is allowed.
const Never time.Duration = math.MaxInt64

var durationUnits = map[string]time.Duration{
	"ns": time.Nanosecond,
	"us": time.Microsecond,
	"µs": time.Microsecond, // U+00B5, micro sign
	"μs": time.Microsecond, // U+03BC, Greek mu
	"ms": time.Millisecond,
	"s":  time.Second,
	"m":  time.Minute,
	"h":  time.Hour,
}

// ParseDuration reads a duration >= 0 in Go's notation, unit required: "0s",
// "20us", "1.5ms", "1m30s". The units are ns, us (or µs), ms, s, m and h. Part
// of a nanosecond is refused, not rounded.
func ParseDuration(s string) (time.Duration, error) {
	const want = "a duration with its unit, such as 500us, 20ms or 1m30s"
	sum := new(big.Rat)
	for rest := s; ; {
		num, tail := cutNumber(rest)
		if num == "" {
			return 0, refuse(s, want, "not a duration")
		}
		end := strings.IndexAny(tail, "0123456789")
		if end < 0 {
			end = len(tail)
		}
		if end == 0 {
			return 0, refuse(s, fmt.Sprintf("%[1]sms, %[1]ss or another unit of ns, us, ms, s, m, h", s), "without a unit")
		}
		unit, ok := durationUnits[tail[:end]]
		if !ok {
			return 0, refuse(s, "one of ns, us, ms, s, m, h", "in an unknown unit")
		}
		part, _ := new(big.Rat).SetString(num) // cutNumber gives digits only
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(int64(unit))))
		if rest = tail[end:]; rest == "" {
			break
		}
	}
	switch {
	case !sum.IsInt():
		return 0, refuse(s, "whole nanoseconds", "too fine")
	case !sum.Num().IsInt64():
		return 0, refuse(s, "at most "+time.Duration(math.MaxInt64).String(), "too long")
	}
	return time.Duration(sum.Num().Int64()), nil
}

// FormatDuration writes d so that [ParseDuration] reads it back: like
// [time.Duration.String] without the zero parts at its end, "1m" and not
// "1m0s".
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return strings.Replace(s, "µs", "us", 1)
}

// ParseDelay reads a duration or the word "never", which is [Never].
func ParseDelay(s string) (time.Duration, error) {
	if s == "never" {
		return Never, nil
	}
	d, err := ParseDuration(s)
	return d, orWord(err, "never")
}

// FormatDelay writes d so that [ParseDelay] reads it back.
func FormatDelay(d time.Duration) string {
	if d == Never {
		return "never"
	}
	return FormatDuration(d)
}

func orWord(err error, word string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w, or %s", err, word)
}
