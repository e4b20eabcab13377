// Axes: what a knob's text says when it may say several values.

package sweep

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"ferryctl/bench/settings"
)

// Bounds of a space.
const (
	MaxPoints = 100_000   // points of a grid, and of a sample
	MaxRuns   = 1_000_000 // points times repeats
)

// An Axis is a knob and the values that it takes.
type Axis struct {
	Knob    string
	Text    string // as it was given
	Source  string // who gave it, as for [settings.Settings.Set]
	Values  []Value
	Between *Interval // instead of Values: any value in between, which only a sample can take
}

// A Value is one value of an axis.
type Value struct {
	Text   string  // as the knob reads it
	Amount float64 // in the unit of its kind: nanoseconds, per second, parts of one, things; infinite for unlimited and never, NaN if it lies on no line
}

// An Interval is all values from one to another.
type Interval struct {
	From, To float64 // amounts, both included
	Log      bool    // equal ratios are equally far apart, not equal differences
	scale    scale
}

// Varies says whether the axis takes more than one value.
func (a Axis) Varies() bool { return len(a.Values) > 1 || a.Between != nil }

// Numeric says whether all values lie on a line.
func (a Axis) Numeric() bool {
	for _, v := range a.Values {
		if math.IsNaN(v.Amount) {
			return false
		}
	}
	return true
}

// Unit returns that of the values' amounts: "ns", "1/s", "ratio" or "".
func (a Axis) Unit() string {
	if a.Between != nil {
		return a.Between.scale.unit
	}
	for _, v := range a.Values {
		if s, ok := scaleOf(v.Text); ok {
			return s.unit
		}
	}
	return ""
}

// fixed are the knobs that don't vary, each with what to do instead.
var fixed = map[string]string{
	"clock":  "the points of one sweep are measured by one clock: want real, virtual, or both to compare the two at every point",
	"slo":    "an SLO changes nothing in a run: want all its terms, separated by commas",
	"repeat": "repeats are no points: want one number",
}

// Parse reads the text of a knob as the values that it takes:
//
//	64                 one value
//	1,8,64             several; also with ranges among them: 1,8..64:x2,unlimited
//	1..256:x2          from, to, and a factor from one value to the next
//	1..16:+1           … a step, in the values' unit
//	0.5ms..20ms:log:8  … so many values, equal ratios apart; lin for equal steps
//	0.5ms..20ms        anything in between, for a sample; 0.5ms..20ms:log by ratios
//
// A range ends with its last value at or below its end. Values that are lists
// themselves (lane_rate, lanes) are separated by semicolons, and have no ranges,
// as have words, laws and files. Every value is read by the knob's own parser. The
// error holds every fault, each behind source.
func Parse(k settings.Knob, text, source string) (Axis, error) {
	a := Axis{Knob: k.Name, Text: text, Source: source}
	var faults []error
	parts := split(k, text)
	seen := map[string]string{}
	for _, part := range parts {
		values, between, err := parsePart(k, part)
		switch {
		case err != nil:
			faults = append(faults, err)
			continue
		case between != nil && len(parts) > 1:
			faults = append(faults, fmt.Errorf("%s has no step: want one in a list, such as %s:+1 or %s:x2", part, part, part))
			continue
		}
		a.Between = between
		for _, v := range values {
			canonical, err := k.Canonical(v.Text)
			switch before, twice := seen[canonical]; {
			case err != nil:
				faults = append(faults, err)
			case twice && canonical != "":
				faults = append(faults, fmt.Errorf("%s is the same value as %s: want each once", v.Text, before))
			default:
				seen[canonical] = v.Text
				a.Values = append(a.Values, v)
			}
			if len(faults) > maxFaults || len(a.Values) > MaxPoints {
				break
			}
		}
	}
	if len(a.Values) > MaxPoints {
		faults = append(faults, fmt.Errorf("more than %d values: want a larger step, or a range without one and a sample of it", MaxPoints))
	}
	if why := fixed[k.Name]; len(faults) == 0 && a.Varies() && why != "" {
		faults = append(faults, errors.New(why))
	}
	for i, err := range faults {
		faults[i] = fmt.Errorf("%s: %w", labelled(source, k.Name), err)
	}
	return a, errors.Join(faults...)
}

// maxFaults is how many faults of one text are worth reading.
const maxFaults = 8

// labelled names the knob where its source does not, as settings.Set does.
func labelled(source, knob string) string {
	if strings.HasPrefix(source, "flag ") || strings.HasPrefix(source, "env ") {
		return source
	}
	return source + ": " + knob
}

// Several says whether text means more than one value of the knob, whether or not
// they are sound.
func Several(k settings.Knob, text string) bool {
	parts := split(k, text)
	return len(parts) > 1 || isRange(k, parts[0])
}

// split cuts text into its values and ranges.
func split(k settings.Knob, text string) []string {
	separator := ','
	switch {
	case strings.HasSuffix(k.Form, ",…"): // its values hold commas
		separator = ';'
	case k.Form == "FILE": // so may its names
		separator = ';'
	}
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case separator:
			if depth <= 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// ranged says whether a knob's values lie on a line, so that there are ranges.
func ranged(k settings.Knob) bool {
	for form := range strings.SplitSeq(k.Form, "|") {
		switch form {
		case "N", "NUMBER", "DURATION", "PERCENT", "RATE":
			return true
		}
	}
	return false
}

func isRange(k settings.Knob, part string) bool {
	return k.Form != "FILE" && strings.Contains(part, "..") && !strings.Contains(part, "(") && !strings.HasPrefix(part, "ramp:")
}

// parsePart reads one value or one range.
func parsePart(k settings.Knob, part string) ([]Value, *Interval, error) {
	if !isRange(k, part) {
		return []Value{{part, amountOf(part)}}, nil, nil
	}
	if !ranged(k) {
		return nil, nil, fmt.Errorf("%s: the values of %s lie on no line: want a list of them", part, k.Name)
	}
	return parseRange(k, part)
}
