// The recommended settings as a command line.

package tune

import (
	"slices"
	"strings"

	"ferryctl/bench/slo"
)

// plainRunes are those that no shell gives a meaning.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./%_+-"

// command writes the run of a point as a command line.
func (s *session) command(p *point) string {
	at, err := s.settings(p, 0)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("ferryctl bench")
	if at.Profile != "" {
		b.WriteString(" --profile " + Quote(at.Profile))
	}
	varies := s.knobs(p)
	for _, v := range at.Values() {
		source := at.Source(v.Knob)
		given := strings.HasPrefix(source, "flag ") || strings.HasPrefix(source, "env ")
		_, searched := varies[v.Knob]
		if v.Text == "" || v.Knob == "clock" || v.Knob == "slo" || v.Knob == "repeat" || !given && !searched {
			continue
		}
		b.WriteString(" --" + strings.ReplaceAll(v.Knob, "_", "-") + " " + Quote(v.Text))
	}
	asked := slices.DeleteFunc(slices.Clone(s.q.Start.SLO), func(t slo.Term) bool { return slices.Contains(s.q.Implied, t) })
	if len(asked) > 0 {
		b.WriteString(" --slo " + Quote(slo.Format(asked)))
	}
	return b.String()
}

// Quote writes an argument as a shell reads it.
func Quote(arg string) string {
	if arg != "" && strings.Trim(arg, plainRunes) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
