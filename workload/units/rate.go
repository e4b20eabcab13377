// Rates per second and percentages.

package units

import "strings"

// ParseRate reads a rate per second: "50k/s", "0.5/s", "1.2M/s". The "/s" is
// required; k, M, G and T are powers of 1000. "0/s" is a rate; whether it makes
// sense is for the caller to say.
func ParseRate(s string) (float64, error) {
	const want = "a rate per second such as 0.5/s, 200/s or 50k/s"
	num, rest := cutNumber(s)
	if num == "" {
		return 0, refuse(s, want, "not a rate >= 0")
	}
	mult, per, ok := strings.Cut(rest, "/")
	if !ok {
		for _, u := range decimalSuffixes {
			if u.text == rest {
				return 0, refuse(s, s+"/s", "without its /s")
			}
		}
		return 0, refuse(s, want, "not a rate")
	}
	if per != "s" {
		return 0, refuse(s, want, "not per second")
	}
	for _, u := range decimalSuffixes {
		if u.text == mult {
			return parseFloat(s, num, u.tens)
		}
	}
	return 0, refuse(s, want, "in an unknown unit")
}

// FormatRate writes perSecond so that [ParseRate] reads it back.
func FormatRate(perSecond float64) string {
	best := shifted(perSecond, 0)
	for _, u := range decimalSuffixes[1:] {
		if perSecond >= 1 {
			best = shorter(best, shifted(perSecond, -u.tens)+u.text)
		}
	}
	return best + "/s"
}

// ParsePercent reads a percentage between 0% and 100% as a fraction: "0.1%" is
// 0.001. The sign is required, so that 0.99 can't be taken for 99%.
func ParsePercent(s string) (float64, error) {
	num, rest := cutNumber(s)
	if num != "" && rest == "" {
		return 0, refuse(s, s+"%", "without its %")
	}
	if num == "" || rest != "%" {
		return 0, refuse(s, "a percentage such as 0.1% or 5%", "not a percentage >= 0")
	}
	f, err := parseFloat(s, num, -2)
	if err == nil && f > 1 {
		return 0, refuse(s, "at most 100%", "too large")
	}
	return f, err
}

// FormatPercent writes the fraction f so that [ParsePercent] reads it back.
func FormatPercent(f float64) string { return shifted(f, 2) + "%" }
