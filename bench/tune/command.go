// The recommended settings, and the search, as command lines.

package tune

import (
	"slices"
	"strconv"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// command writes the run of a point as a command line, with the whole SLO that it
// was held to.
func (s *session) command(p *point) string {
	at, err := s.settings(p, 0)
	if err != nil {
		return ""
	}
	return "ferryctl bench" + lab.Flags(at, nil, func(knob string, given bool) bool { return given || s.q.varies(knob) })
}

// searchCommand writes the search as a command line, with all that it was told or
// took for granted.
func (q *Query) searchCommand() string {
	var b strings.Builder
	b.WriteString("ferryctl tune" + lab.Flags(q.before(), q.Implied, func(knob string, given bool) bool { return given && !q.varies(knob) }))
	for _, a := range q.space.Axes {
		b.WriteString(lab.Flag(a.Knob, a.Text))
	}
	way := "minimize"
	if q.Objective.More {
		way = "maximize"
	}
	b.WriteString(" --" + way + " " + q.Objective.Figure.Short)
	b.WriteString(" --points " + strconv.Itoa(q.Points) + " --seeds " + strconv.Itoa(q.Seeds) + " --confirm " + strconv.Itoa(q.Confirm))
	if q.Confirm > 0 {
		b.WriteString(" --confirm-for " + q.For.String())
	}
	return b.String()
}

func (q *Query) varies(knob string) bool {
	return slices.ContainsFunc(q.space.Axes, func(a sweep.Axis) bool { return a.Knob == knob })
}

// before returns the settings before the search, with what takes one value only.
func (q *Query) before() settings.Settings {
	s := q.Start
	for _, a := range q.Axes {
		if !a.Varies() {
			_ = s.Set(a.Knob, a.Values[0].Text, a.Source) // the space has set it too
		}
	}
	return s
}
