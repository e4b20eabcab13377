// Package human writes figures for people: three significant digits, the unit
// that keeps the number between 1 and 1000, never 0 for something that is not.
//
// The texts are for reading only. They do not read back to the same value; files
// for programs carry the figures themselves.
package human

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration writes nanoseconds: "0 s", "250 ns", "12.3 µs", "4.00 ms", "1.50 s",
// "2m05s", "3h20m", "5d03h".
func Duration(ns float64) string {
	size := math.Abs(ns)
	switch {
	case ns == 0:
		return "0 s"
	case size < 999.5:
		return whole(ns) + " ns"
	case size < 999.5e3:
		return digits(ns/1e3) + " µs"
	case size < 999.5e6:
		return digits(ns/1e6) + " ms"
	case size < 99.95e9:
		return digits(ns/1e9) + " s"
	case size < float64(time.Hour)-5e8:
		return twoUnits(math.Round(ns/1e9), 60, "m", "s")
	case size < float64(48*time.Hour)-30e9:
		return twoUnits(math.Round(ns/60e9), 60, "h", "m")
	}
	return twoUnits(math.Round(ns/3600e9), 24, "d", "h")
}

// twoUnits writes a whole number of small units as large and small ones.
func twoUnits(n, per float64, large, small string) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%.0f%s%02.0f%s", sign, math.Floor(n/per), large, math.Mod(n, per), small)
}

// Rate writes a number per second: "0/s", "0.250/s", "950/s", "50.0k/s", "1.20M/s".
func Rate(perSecond float64) string { return Short(perSecond) + "/s" }

// Short writes a number with a decimal suffix: "0", "0.0120", "950", "50.0k",
// "1.20M", "3.00G".
func Short(v float64) string {
	size := math.Abs(v)
	switch {
	case size < 999.5:
		return whole(v)
	case size < 999.5e3:
		return digits(v/1e3) + "k"
	case size < 999.5e6:
		return digits(v/1e6) + "M"
	case size < 999.5e9:
		return digits(v/1e9) + "G"
	}
	return strconv.FormatFloat(v, 'e', 2, 64)
}

// Percent writes a part of one: "0 %", "<0.001 %", "0.0210 %", "12.5 %", "100 %".
// What is not all is never "100 %", and what is something never "0 %".
func Percent(ratio float64) string {
	if ratio > 0 && ratio < 0.00001 {
		return "<0.001 %"
	}
	if ratio < 1 && ratio >= 0.9995 {
		// Rounding would turn the one item in a million into none.
		for places := 2; places <= 10; places++ {
			if text := strconv.FormatFloat(ratio*100, 'f', places, 64); !strings.HasPrefix(text, "100") {
				return text + " %"
			}
		}
		return "> 99.9999999999 %"
	}
	return digits(ratio*100) + " %"
}

// Count writes a whole number with its thousands apart: "2,850,112".
func Count(n float64) string {
	text := strconv.FormatFloat(math.Abs(n), 'f', 0, 64)
	var b strings.Builder
	if n < 0 {
		b.WriteByte('-')
	}
	for i := range len(text) {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// whole writes whole numbers without decimals, others as digits does.
func whole(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return digits(v)
}

// digits writes three significant digits, without an exponent unless v is tiny.
func digits(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size < 1e-6:
		return strconv.FormatFloat(v, 'e', 2, 64)
	case size >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case size >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	places := 2 - int(math.Floor(math.Log10(size)))
	return strconv.FormatFloat(v, 'f', places, 64)
}
