// Share-lane tags: which lane an item belongs to, by fraction or by rate.

package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ferryctl/internal/detmath"
	"ferryctl/workload/units"
)

// MaxLanes is the largest number of distinct share lanes of one sequence.
const MaxLanes = 10_000

// MaxLaneName is the longest name of a share lane, in bytes.
const MaxLaneName = 256

// A LaneFraction says how large a part of the items a share lane gets. Fractions
// are relative to their sum: 3 and 1 are three quarters and one quarter.
type LaneFraction struct {
	Lane     string
	Fraction float64 // > 0
}

// A LaneRate gives a share lane an arrival process of its own.
type LaneRate struct {
	Lane string
	Rate Rate // steady or a ramp
}

// ParseLaneFractions reads "gold=3,free=1". A fraction may be a percentage.
func ParseLaneFractions(s string) ([]LaneFraction, error) {
	var lanes []LaneFraction
	err := eachPair(s, "gold=3,free=1", func(lane, value string) error {
		fraction, err := units.ParseNumber(value)
		if strings.HasSuffix(value, "%") {
			fraction, err = units.ParsePercent(value)
		}
		lanes = append(lanes, LaneFraction{lane, fraction})
		return err
	})
	if err == nil {
		err = validateFractions(lanes)
	}
	if err != nil {
		return nil, err
	}
	return lanes, nil
}

// FormatLaneFractions writes lanes so that [ParseLaneFractions] reads them back.
func FormatLaneFractions(lanes []LaneFraction) string {
	parts := make([]string, len(lanes))
	for i, l := range lanes {
		parts[i] = l.Lane + "=" + units.FormatNumber(l.Fraction)
	}
	return strings.Join(parts, ",")
}

// ParseLaneRates reads "gold=5k/s,free=ramp:1k/s..20k/s/60s".
func ParseLaneRates(s string) ([]LaneRate, error) {
	var lanes []LaneRate
	err := eachPair(s, "gold=5k/s,free=20k/s", func(lane, value string) error {
		rate, err := ParseRate(value)
		lanes = append(lanes, LaneRate{lane, rate})
		return err
	})
	if err == nil {
		err = validateLaneRates(lanes)
	}
	if err != nil {
		return nil, err
	}
	return lanes, nil
}

// FormatLaneRates writes lanes so that [ParseLaneRates] reads them back.
func FormatLaneRates(lanes []LaneRate) string {
	parts := make([]string, len(lanes))
	for i, l := range lanes {
		parts[i] = l.Lane + "=" + l.Rate.String()
	}
	return strings.Join(parts, ",")
}

// eachPair splits "name=value,…" and joins the errors that f gives.
func eachPair(s, form string, f func(name, value string) error) error {
	var faults []error
	for i, part := range strings.Split(s, ",") {
		if i == MaxLanes {
			return tooManyLanes(strings.Count(s, ",") + 1)
		}
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			faults = append(faults, fmt.Errorf("%q is not a lane with its value: want the form %s", part, form))
		} else if err := f(name, value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

func tooManyLanes(n int) error {
	return fmt.Errorf("%d share lanes are too many: want at most %d", n, MaxLanes)
}

func validateFractions(lanes []LaneFraction) error {
	names := make([]string, len(lanes))
	var faults []error
	sum := 0.0
	for i, l := range lanes {
		names[i] = l.Lane
		sum += l.Fraction
		if !(l.Fraction > 0) || math.IsInf(l.Fraction, 0) {
			faults = append(faults, fmt.Errorf("%s: fraction %v is out of range: want a finite number above 0", l.Lane, l.Fraction))
		}
	}
	if faults == nil && math.IsInf(sum, 0) {
		faults = append(faults, errors.New("the fractions are too large to be added: want smaller ones"))
	}
	return errors.Join(append(faults, validateNames(names))...)
}

func validateLaneRates(lanes []LaneRate) error {
	names := make([]string, len(lanes))
	var faults []error
	for i, l := range lanes {
		names[i] = l.Lane
		err := l.Rate.validate()
		switch {
		case l.Rate.IsZero():
			err = errors.New("no rate: want a rate such as 5k/s")
		case l.Rate.Max:
			err = errors.New("max is no rate of a lane: want a rate such as 5k/s")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", l.Lane, err))
		}
	}
	return errors.Join(append(faults, validateNames(names))...)
}

func validateNames(names []string) error {
	if len(names) > MaxLanes {
		return tooManyLanes(len(names))
	}
	var faults []error
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := validateName(name); err != nil {
			faults = append(faults, err)
		}
		if seen[name] {
			faults = append(faults, fmt.Errorf("%q is given twice: want each lane once", name))
		}
		seen[name] = true
	}
	return errors.Join(faults...)
}

// validateName refuses what the name of a lane may not be where it is typed.
func validateName(name string) error {
	switch {
	case name == "":
		return errors.New("a lane without a name: want one, such as gold")
	case strings.ContainsAny(name, ",=") || name != strings.TrimSpace(name):
		return fmt.Errorf("lane %.40q has a name with a comma, an equals sign, or space around it: want none", name)
	}
	return validateLabel(name)
}

// validateLabel refuses what no name of a lane may be, since it travels to files
// and screens.
func validateLabel(name string) error {
	switch {
	case len(name) > MaxLaneName:
		return fmt.Errorf("lane %.40q… has a name of %d bytes: want at most %d", name, len(name), MaxLaneName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("lane %q has a name with control characters or broken UTF-8: want plain text", name)
	}
	return nil
}

// A tagger draws lanes by fraction.
type tagger struct {
	words detmath.Stream
	upper []uint64 // lane k is drawn below upper[k]; the last lane takes the rest
}

func newTagger(lanes []LaneFraction, words detmath.Stream) tagger {
	sum := 0.0
	for _, l := range lanes {
		sum += l.Fraction
	}
	t := tagger{words: words}
	below := 0.0
	for _, l := range lanes[:max(len(lanes)-1, 0)] {
		below += l.Fraction
		// Up to 2^53, which a float64 counts exactly, then to the width of a word.
		t.upper = append(t.upper, uint64(float64(min(below/sum, 1)*(1<<53)))<<11)
	}
	return t
}

// lane returns the index of item i's lane.
func (t *tagger) lane(i uint64) int {
	if len(t.upper) == 0 {
		return 0
	}
	word := t.words.Word(i)
	if len(t.upper) <= 8 {
		for k, upper := range t.upper {
			if word < upper {
				return k
			}
		}
		return len(t.upper)
	}
	k, found := slices.BinarySearch(t.upper, word)
	if found {
		k++
	}
	return k
}
