package tui

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// A scale maps figures to rows of a chart.
type scale struct {
	low, high float64
	log       bool
}

// part returns where v lies between low and high, from 0 to 1; beyond them it is
// cut off there.
func (s scale) part(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(max(v, s.low)), math.Log(low), math.Log(high)
	}
	if high <= low {
		return 0
	}
	return min(max((v-low)/(high-low), 0), 1)
}

// logScale returns a logarithmic scale from one of 1, 2 and 5 times a power of
// ten to another, around the figures, which are above 0. At least a factor of
// five lies between its ends, so that a flat line is flat.
func logScale(low, high float64) scale {
	if !(low > 0) || !(high >= low) {
		low, high = 1, 1
	}
	s := scale{floor125(low), ceil125(high), true}
	for s.high < 5*s.low*(1-1e-9) {
		s.high = ceil125(s.high * 1.01)
		if s.high < 5*s.low*(1-1e-9) {
			s.low = floor125(s.low * 0.99)
		}
	}
	return s
}

// fromZero returns a scale from 0 to a round figure at or above high.
func fromZero(high float64) scale {
	if !(high > 0) || math.IsInf(high, 0) {
		return scale{0, 1, false}
	}
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if m*step >= high*(1-1e-9) {
			return scale{0, m * step, false}
		}
	}
	return scale{0, high, false}
}

// spread returns a linear scale for figures that are above 0: from 0 on, unless all
// of them lie in its far half, where they would be one heap.
func spread(low, high float64) scale {
	if low < high/2 {
		return fromZero(high)
	}
	pad := max((high-low)/20, high/200)
	return scale{low - pad, high + pad, false}
}

func floor125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2, 1} {
		if m*power <= v*(1+1e-9) {
			return m * power
		}
	}
	return power
}

func ceil125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ticks returns the figures that a scale of so many rows is labelled with, from
// the top down, each on a row of its own and no closer than every second row. A
// linear scale begins at 0.
func (s scale) ticks(rows int) (out []tick) {
	add := func(v float64) {
		row := int(math.Round((1 - s.part(v)) * float64(rows-1)))
		if n := len(out); n == 0 || row-out[n-1].row >= 2 {
			out = append(out, tick{row, v})
		}
	}
	if rows < 1 {
		return nil
	}
	if !s.log {
		step := ceil125(s.high / float64(min(max((rows-1)/3, 1), 5)))
		if step > s.high*(1+1e-9) { // no round figure but the ends
			step = s.high
		}
		for n := math.Floor(s.high/step + 1e-9); n >= 0; n-- {
			add(n * step)
		}
		return out
	}
	return s.logTicks(rows)
}

// logTicks are the ticks of a logarithmic scale: powers of ten first, then twos
// and fives where there is room for them.
func (s scale) logTicks(rows int) (out []tick) {
	for _, digit := range []float64{1, 2, 5} {
		for v := s.high; v >= s.low*(1-1e-9); v = floor125(v * 0.99) {
			if power := v / math.Pow(10, math.Floor(math.Log10(v)+1e-9)); math.Abs(power-digit) > 0.01 {
				continue
			}
			row := int(math.Round((1 - s.part(v)) * float64(rows-1)))
			if !slices.ContainsFunc(out, func(t tick) bool { return abs(t.row-row) < 2 }) {
				out = append(out, tick{row, v})
			}
		}
	}
	slices.SortFunc(out, func(a, b tick) int { return a.row - b.row })
	return out
}

func abs(n int) int { return max(n, -n) }

// A tick is a labelled row.
type tick struct {
	row int
	v   float64
}

// A unit is what a chart's figures are divided by, and its name.
type unit struct {
	by   float64
	name string
}

// timeUnit returns the unit in which a time of so many nanoseconds is written.
func timeUnit(ns float64) unit {
	switch {
	case ns < 1e3:
		return unit{1, "ns"}
	case ns < 1e6:
		return unit{1e3, "µs"}
	case ns < 10e9:
		return unit{1e6, "ms"}
	}
	return unit{1e9, "s"}
}

// countUnit returns the unit in which a number is written.
func countUnit(v float64) unit {
	switch {
	case v < 2e3:
		return unit{1, ""}
	case v < 2e6:
		return unit{1e3, "k"}
	case v < 2e9:
		return unit{1e6, "M"}
	}
	return unit{1e9, "G"}
}

// label writes a figure of an axis, without needless digits.
func (u unit) label(v float64) string {
	return strconv.FormatFloat(roundTo(v/u.by, 3), 'f', -1, 64)
}

// roundTo rounds to so many significant digits.
func roundTo(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow(10, float64(digits)-math.Ceil(math.Log10(math.Abs(v))))
	if math.IsInf(scale, 0) || scale == 0 {
		return v
	}
	return math.Round(v*scale) / scale
}

// clock writes a time of the run: "0:41", "12:05", "1:02:03".
func clock(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	h, m, sec := s/3600, s/60%60, s%60
	if h > 0 {
		return strconv.FormatInt(h, 10) + ":" + two(m) + ":" + two(sec)
	}
	return strconv.FormatInt(m, 10) + ":" + two(sec)
}

// longClock writes a time of the run as "00:00:41".
func longClock(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	return two(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
}

func two(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}
