// Ranges: from, to, and how to get from one value to the next.

package sweep

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/workload/units"
)

// rangeForms is what would be right.
const rangeForms = "FROM..TO with a step: 1..16:+1, 1..256:x2, 0.5ms..20ms:log:8 or 1ms..9ms:lin:5; without one for --sample"

// parseRange reads a range of a knob whose values lie on a line.
func parseRange(k settings.Knob, text string) ([]Value, *Interval, error) {
	ends, step, stepped := strings.Cut(text, ":")
	from, to, _ := strings.Cut(ends, "..")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if from == "" || to == "" || strings.Contains(to, "..") {
		return nil, nil, fmt.Errorf("%s is no range: want %s", text, rangeForms)
	}
	var faults []error
	for _, end := range []string{from, to} {
		if _, err := k.Canonical(end); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", text, err))
		} else if math.IsInf(amountOf(end), 0) {
			faults = append(faults, fmt.Errorf("%s: %s is no number to count to: want it in a list, such as 1,8,%s", text, end, end))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	s, ok := scaleOf(from, to)
	if !ok {
		return nil, nil, fmt.Errorf("%s: %s and %s are of two kinds: want both in the same unit", text, from, to)
	}
	if s.whole && k.Form == "NUMBER" { // 0..2:+0.25 begins and ends with whole numbers
		s = scales[len(scales)-1]
	}
	i := Interval{scale: s}
	i.From, _ = s.read(from) // scaleOf has just read them
	i.To, _ = s.read(to)
	if i.From >= i.To {
		return nil, nil, fmt.Errorf("%s: %s is not below %s: want the smaller one first", text, from, to)
	}
	if !stepped || step == "log" || step == "lin" {
		if i.Log = step == "log"; i.Log && i.From <= 0 {
			return nil, nil, fmt.Errorf("%s: there are no equal ratios from %s: want to begin above it, or lin", text, from)
		}
		return nil, &i, nil
	}
	amounts, err := i.steps(step)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", text, err)
	}
	values := make([]Value, len(amounts))
	for n, v := range amounts {
		values[n] = Value{s.write(v), v}
	}
	return values, nil, nil
}

// steps returns the amounts of the interval that a step leads to.
func (i Interval) steps(step string) ([]float64, error) {
	kind, rest, counted := strings.Cut(step, ":")
	switch {
	case strings.HasPrefix(step, "+"):
		d, err := i.scale.read(step[1:])
		if err != nil || !(d > 0) {
			return nil, fmt.Errorf("%q is no step: want more than nothing, in the unit of the values, such as +%s", step, i.scale.write(i.scale.settle(math.Max((i.To-i.From)/4, 1e-9))))
		}
		return i.walk(func(n int) float64 { return i.From + float64(n)*d })
	case strings.HasPrefix(step, "x"):
		f, err := units.ParseNumber(step[1:])
		switch {
		case err != nil || !(f > 1):
			return nil, fmt.Errorf("%q is no factor: want more than 1, such as x2", step)
		case i.From <= 0:
			return nil, errors.New("multiples of nothing lead nowhere: want to begin above it, or a step such as +1")
		}
		return i.walk(func(n int) float64 { return i.From * math.Pow(f, float64(n)) })
	case counted && (kind == "log" || kind == "lin"):
		n, err := strconv.Atoi(rest)
		switch {
		case err != nil || n < 2 || n > MaxPoints:
			return nil, fmt.Errorf("%q is no number of values: want 2 to %d, as in %s:8", rest, MaxPoints, kind)
		case kind == "log" && i.From <= 0:
			return nil, errors.New("there are no equal ratios from nothing: want to begin above it, or lin")
		}
		i.Log = kind == "log"
		return i.spread(n), nil
	}
	return nil, fmt.Errorf("%q is no step: want %s", step, rangeForms)
}

// walk collects the amounts that at gives for 0, 1, 2 … up to the end.
func (i Interval) walk(at func(n int) float64) ([]float64, error) {
	var all []float64
	limit := i.To * (1 + 1e-9) // sums err a little
	for n := 0; at(n) <= limit; n++ {
		if n > MaxPoints {
			return nil, fmt.Errorf("more than %d values: want a larger step", MaxPoints)
		}
		all = i.put(all, at(n))
	}
	return all, nil
}

// spread returns n amounts from one end to the other, fewer if whole ones, or
// three digits of equal ratios, coincide.
func (i Interval) spread(n int) []float64 {
	all := []float64{i.From}
	for k := 1; k < n-1; k++ {
		part := float64(k) / float64(n-1)
		if i.Log {
			all = i.put(all, i.at(part))
		} else {
			all = i.put(all, i.From+part*(i.To-i.From))
		}
	}
	return i.put(all, i.To)
}

// put appends an amount unless it is the last one again.
func (i Interval) put(all []float64, v float64) []float64 {
	v = math.Min(i.scale.settle(v), i.To)
	if len(all) > 0 && v <= all[len(all)-1] {
		return all
	}
	return append(all, v)
}

// at returns the amount at a part of the way, 0 to 1. It keeps three digits, as
// somebody would write it, so that the last bits of a logarithm decide nothing.
func (i Interval) at(part float64) float64 {
	v := i.From + part*(i.To-i.From)
	if i.Log {
		v = i.From * math.Pow(i.To/i.From, part)
	}
	return math.Max(i.From, math.Min(i.To, i.scale.settle(toDigits(v, 3))))
}
