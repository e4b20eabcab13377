// What a knob is, and the kinds of knobs that differ in their type alone.

package settings

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ferryctl/workload/units"
)

// A Knob is one setting that a person can change.
type Knob struct {
	Name    string // as in profiles, --set, outputs and screens: batch_size
	Flag    string // the same with dashes: batch-size
	Section string // of a profile: workload, kernel, backend, run or slo
	Form    string // what a value looks like, for help: N|unlimited
	Doc     string // what it sets, one clause
	Default string // "" if there is none
	Example string // a value other than the default

	Words   []string // the values, if these are a few words
	Numeric bool     // plain numbers are values too

	set   func(s *Settings, text string) error // stores the value, or changes nothing
	clear func(s *Settings)                    // stores that the knob is not in force
	get   func(s *Settings) string             // canonical text; "" if not in force
	json  func(s *Settings) any                // for outputs; nil function: the text
	check func(s *Settings) error              // holds the field to its bounds; nil function: it has none
}

// Knobs returns all knobs in their settled order.
func Knobs() []Knob { return append([]Knob(nil), table...) }

// Lookup returns the knob called name.
func Lookup(name string) (Knob, bool) {
	k, ok := byName[name]
	return k, ok
}

var byName = map[string]Knob{}

func init() {
	for i := range table {
		table[i].Flag = strings.ReplaceAll(table[i].Name, "_", "-")
		byName[table[i].Name] = table[i]
	}
}

// Canonical returns text as the knob itself writes that value, "" for one that it
// does not show. The error holds every fault of text.
func (k Knob) Canonical(text string) (string, error) {
	a, err := k.read(text, "")
	return a.canonical, err
}

// read parses text, without regard to the other knobs.
func (k Knob) read(text, source string) (assignment, error) {
	var probe Settings
	err := errors.New("empty: want " + k.Form)
	if text != "" {
		err = k.set(&probe, text)
	}
	if err == nil && k.check != nil {
		err = k.check(&probe)
	}
	return assignment{knob: k.Name, text: text, canonical: k.get(&probe), source: source, rank: rankOf(source)}, err
}

// mustSet sets a text that this package has read before.
func (k Knob) mustSet(s *Settings, text string) {
	if err := k.set(s, text); err != nil {
		panic(fmt.Sprintf("settings: %s %q was accepted before: %v", k.Name, text, err))
	}
}

// mustRead reads a text that this package itself wrote.
func (k Knob) mustRead(text, source string) assignment {
	a, err := k.read(text, source)
	if err != nil {
		panic(fmt.Sprintf("settings: the default of %s: %v", k.Name, err))
	}
	return a
}

// of fills in the functions of a knob whose field has type T. format gives "" for
// a value that is not in force; zero is the value of that kind.
func of[T any](k Knob, field func(*Settings) *T, parse func(string) (T, error), format func(T) string) Knob {
	k.set = func(s *Settings, text string) error {
		v, err := parse(text)
		if err == nil {
			*field(s) = v
		}
		return err
	}
	k.clear = func(s *Settings) {
		var zero T
		*field(s) = zero
	}
	k.get = func(s *Settings) string { return format(*field(s)) }
	return k
}

// limit is a knob for a number of things between 1 and MaxInt64-1, or Unlimited.
func limit(k Knob, field func(*Settings) *int64, parse func(string) (int64, error), format func(int64) string) Knob {
	k.Form, k.Numeric = "N|unlimited", true
	k = of(k, field, parse, format)
	k.json = func(s *Settings) any {
		if v := *field(s); v != Unlimited {
			return v
		}
		return "unlimited"
	}
	k.check = func(s *Settings) error {
		if v := *field(s); v < 1 {
			return fmt.Errorf("%d is out of range: want at least 1, or unlimited", v)
		}
		return nil
	}
	return k
}

// optional is a knob for a number of things between 1 and most that may be
// absent, which its field holds as 0.
func optional[T int | uint64](k Knob, field func(*Settings) *T, most int64) Knob {
	k.Numeric = true
	parse := func(text string) (T, error) {
		v, err := units.ParseCount(text)
		if err == nil && (v < 1 || v > most) {
			err = fmt.Errorf("%s is out of range: want 1 to %s", text, units.FormatCount(most))
		}
		return T(v), err
	}
	k = of(k, field, parse, func(v T) string {
		if v == 0 {
			return ""
		}
		return units.FormatCount(int64(v))
	})
	k.json = func(s *Settings) any {
		if v := *field(s); v != 0 {
			return v
		}
		return nil
	}
	k.check = func(s *Settings) error {
		if v := *field(s); v < 0 || uint64(v) > uint64(most) {
			return fmt.Errorf("%d is out of range: want 1 to %s", v, units.FormatCount(most))
		}
		return nil
	}
	return k
}

// span is a knob for a duration between least and most.
func span(k Knob, field func(*Settings) *time.Duration, least, most time.Duration) Knob {
	k.Form = "DURATION"
	k = of(k, field, units.ParseDuration, units.FormatDuration)
	k.check = func(s *Settings) error {
		if v := *field(s); v < least || v > most {
			return fmt.Errorf("%s is out of range: want %s to %s", v, units.FormatDuration(least), units.FormatDuration(most))
		}
		return nil
	}
	return k
}

// word is a knob that takes one of a few words; refuse says more about some.
func word(k Knob, field func(*Settings) *string, words []string, refuse map[string]string) Knob {
	k.Form, k.Words = strings.Join(words, "|"), words
	valid := func(text string) (string, error) {
		for _, w := range words {
			if text == w {
				return text, nil
			}
		}
		hint := ""
		if near := units.Nearest(text, words); near != "" {
			hint = ", did you mean " + near
		}
		if more := refuse[text]; more != "" {
			return "", fmt.Errorf("%s %s: want %s", text, more, strings.Join(words, ", "))
		}
		return "", fmt.Errorf("unknown value %.40q%s: want %s", text, hint, strings.Join(words, ", "))
	}
	k = of(k, field, valid, func(text string) string { return text })
	k.check = func(s *Settings) error {
		_, err := valid(*field(s))
		return err
	}
	return k
}
