// Scales: how much a value is, for values that lie on a line. A range has to
// compute with them, and the report has to know which of two is larger.

package sweep

import (
	"math"
	"strconv"
	"time"

	"ferryctl/workload/units"
)

// A scale reads and writes amounts of one kind.
type scale struct {
	unit  string // of the amounts: "ns", "1/s", "ratio", or "" for things
	whole bool   // amounts are whole numbers
	read  func(text string) (float64, error)
	write func(v float64) string
}

// Scales in the order in which they are tried: each reads texts that those before
// it refuse.
var scales = []scale{
	{"ns", true, readAs(units.ParseDuration), func(v float64) string { return units.FormatDuration(time.Duration(v)) }},
	{"ratio", false, units.ParsePercent, units.FormatPercent},
	{"1/s", false, units.ParseRate, units.FormatRate},
	{"", true, readAs(units.ParseCount), func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }},
	{"", true, readAs(units.ParseSize), func(v float64) string { return units.FormatSize(int64(v)) }},
	{"", false, units.ParseNumber, units.FormatNumber},
}

func readAs[T ~int64](parse func(string) (T, error)) func(string) (float64, error) {
	return func(text string) (float64, error) {
		v, err := parse(text)
		return float64(v), err
	}
}

// scaleOf returns the scale that reads all of the texts.
func scaleOf(texts ...string) (scale, bool) {
next:
	for _, s := range scales {
		for _, text := range texts {
			if _, err := s.read(text); err != nil {
				continue next
			}
		}
		return s, true
	}
	return scale{}, false
}

// amountOf returns how much a value is: infinite if it bounds nothing, NaN if it
// does not lie on a line.
func amountOf(text string) float64 {
	if text == "unlimited" || text == "never" || text == "max" {
		return math.Inf(1)
	}
	if s, ok := scaleOf(text); ok {
		v, _ := s.read(text) // just read
		return v
	}
	return math.NaN()
}

// maxWhole is the largest amount that a float64 holds to the unit.
const maxWhole = 1 << 53

// settle rounds what a computation with amounts gave to what it stands for: to
// whole amounts, or to 12 digits, beyond which there is only the error of sums.
func (s scale) settle(v float64) float64 {
	if s.whole {
		return math.Min(math.Round(v), maxWhole)
	}
	return toDigits(v, 12)
}

// toDigits rounds v to so many significant digits.
func toDigits(v float64, digits int) float64 {
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	rounded, err := strconv.ParseFloat(text, 64)
	if err != nil { // it was written as a number just now
		return v
	}
	return rounded
}

// Amount returns how much the text of a value is, in the unit of its kind: infinite
// for what bounds nothing, NaN for what lies on no line.
func Amount(text string) float64 { return amountOf(text) }
