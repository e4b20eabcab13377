// Handing the arguments of a call to its parameters, with every fault said.

package units

import (
	"errors"
	"fmt"
	"strings"
)

// A Param is one parameter that a call understands.
type Param struct {
	Name     string
	Set      func(value string) error // stores the value; its error is reported with the name
	Optional bool
}

// Bind hands the arguments of the call name to its parameters: those with a key
// by name, the others by place, which must come first. Every fault is reported
// at once: unknown, repeated, missing, and refused values.
func Bind(name string, args []Arg, params ...Param) error {
	var faults []error
	given := make([]bool, len(params))
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	byName := false
	for n, arg := range args {
		at := -1
		for i, p := range params {
			if p.Name == arg.Key {
				at = i
			}
		}
		switch {
		case arg.Key == "" && byName:
			faults = append(faults, fmt.Errorf("%s: %q has no name but follows one that has: write name=%s", name, arg.Value, arg.Value))
			continue
		case arg.Key == "" && n >= len(params):
			faults = append(faults, fmt.Errorf("%s: %q is one argument too many: want %s", name, arg.Value, signature(name, names)))
			continue
		case arg.Key == "":
			at = n
		case at < 0:
			faults = append(faults, fmt.Errorf("%s: unknown argument %q%s: want %s", name, arg.Key, didYouMean(arg.Key, names), signature(name, names)))
			byName = true
			continue
		default:
			byName = true
		}
		if given[at] {
			faults = append(faults, fmt.Errorf("%s: %s is given twice", name, names[at]))
			continue
		}
		given[at] = true
		if err := params[at].Set(arg.Value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", name, names[at], err))
		}
	}
	for i, p := range params {
		if !given[i] && !p.Optional {
			faults = append(faults, fmt.Errorf("%s: %s is missing: want %s", name, p.Name, signature(name, names)))
		}
	}
	return errors.Join(faults...)
}

func signature(name string, params []string) string {
	if len(params) == 0 {
		return name
	}
	return name + "(" + strings.Join(params, "=…, ") + "=…)"
}

func didYouMean(word string, words []string) string {
	if near := Nearest(word, words); near != "" {
		return ", did you mean " + near
	}
	return ""
}

// Nearest returns the one of words that word is most likely a slip for: the
// first with the fewest edits, if these are at most a third of word's length
// (at least one). It returns "" if none is near.
func Nearest(word string, words []string) string {
	best, limit := "", max(1, len(word)/3)
	for _, w := range words {
		if d := edits(word, w); d <= limit {
			best, limit = w, d-1
		}
	}
	return best
}

// edits is the Levenshtein distance between a and b, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
