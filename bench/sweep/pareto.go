// The Pareto set: the points that no other beats.

package sweep

import (
	"cmp"
	"fmt"
	"slices"

	"ferryctl/bench"
)

// A Trust says which measurements may take part in comparisons: those with that
// verdict or a better one.
type Trust string

// Trusts are the words for it, the first being the default.
var Trusts = []string{"valid", "suspect", "all"}

// ParseTrust reads one of the words.
func ParseTrust(text string) (Trust, error) {
	if !slices.Contains(Trusts, text) {
		return "", fmt.Errorf("unknown word %q: want valid for VALID measurements alone, suspect for SUSPECT ones too, or all", text)
	}
	return Trust(text), nil
}

// takes says whether a measurement with the verdict takes part. The zero Trust
// takes VALID ones.
func (t Trust) takes(v bench.Verdict) bool {
	switch t {
	case "all":
		return true
	case "suspect":
		return v != bench.Invalid
	}
	return v == bench.Valid
}

// shownDigits is how many significant digits of a figure count. Tables show as
// many; what differs in none of them is no reason to prefer a point.
const shownDigits = 3

// shown rounds figures to what counts.
func shown(figures []float64) []float64 {
	out := make([]float64, len(figures))
	for i, v := range figures {
		out[i] = toDigits(v, shownDigits)
	}
	return out
}

// dominates says whether a is at least as good as b in all objectives, and better
// in one.
func dominates(objectives []Objective, a, b []float64) bool {
	a, b = shown(a), shown(b)
	better := false
	for i, o := range objectives {
		if o.better(b[i], a[i]) {
			return false
		}
		better = better || o.better(a[i], b[i])
	}
	return better
}

// Pareto returns the marks that no other dominates, best first by the first
// objective, then by the next. Figures count to three digits. Marks that are equal
// in all objectives are all in it, by their point's number. It takes time n log n
// for one or two objectives, and n times the size of the set for more.
func Pareto(objectives []Objective, marks []Mark) []Mark {
	sorted := make([]Mark, len(marks))
	for i, m := range marks {
		sorted[i] = Mark{m.Point, shown(m.Figures)}
	}
	slices.SortFunc(sorted, func(a, b Mark) int {
		for i, o := range objectives {
			switch {
			case o.better(a.Figures[i], b.Figures[i]):
				return -1
			case o.better(b.Figures[i], a.Figures[i]):
				return 1
			}
		}
		return cmp.Compare(a.Point, b.Point)
	})
	// What is dominated is so by one that stands before it, and by one of the set.
	// With two objectives, that is the last of the set if it is any.
	var front []Mark
	for _, m := range sorted {
		from := 0
		if len(objectives) <= 2 {
			from = max(0, len(front)-1)
		}
		if !slices.ContainsFunc(front[from:], func(f Mark) bool { return dominates(objectives, f.Figures, m.Figures) }) {
			front = append(front, m)
		}
	}
	return front
}
