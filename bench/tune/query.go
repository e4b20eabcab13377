// What is asked, and what is refused before anything starts.

package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
	"ferryctl/workload/units"
)

// A Query is a question to [Find]. Make it with [Ask].
type Query struct {
	Start     settings.Settings // every knob as it is now, with the SLO and the seed
	Axes      []sweep.Axis      // the knobs that vary
	Objective sweep.Objective
	Points    int           // most points that are measured to find the best; 0 for 15 % of the grid, and at least 40
	Seeds     int           // how often the leaders are measured, each time with other arrivals; 0 for 5
	Confirm   int           // how many of the best are measured in real time
	For       time.Duration // how long each of these runs lasts; 0 for 5 s
	Implied   []slo.Term    // of Start.SLO, those that nobody asked for

	space *sweep.Space
}

// Defaults of a query.
const (
	gridPart   = 0.15 // of the grid, that is measured to find the best
	fewPoints  = 40
	seeds      = 5
	MaxSeeds   = 100
	confirmFor = 5 * time.Second
)

// impliedRejected bounds what may be turned away where the SLO says nothing of it.
const impliedRejected = 0.001

// ParseObjective reads the figure to maximise or to minimise. Names are those of a
// sweep's objectives, and cost: the time that a done input takes the backend.
func ParseObjective(name string, more bool) (sweep.Objective, error) {
	if f, ok := lab.FigureOf(name); ok {
		return sweep.Objective{Figure: f, More: more}, nil
	}
	var names []string
	for _, f := range lab.Figures {
		names = append(names, f.Short)
	}
	hint := ""
	if near := units.Nearest(name, names); near != "" {
		hint = ", did you mean " + near
	}
	return sweep.Objective{}, fmt.Errorf("unknown figure %q%s: want one of %s", name, hint, strings.Join(names, ", "))
}

// Implied returns the terms that an SLO gets if it bounds neither what is rejected
// nor the throughput.
func Implied(terms []slo.Term) []slo.Term {
	if slices.ContainsFunc(terms, func(t slo.Term) bool { return t.Metric == slo.Rejected || t.Metric == slo.Throughput }) {
		return nil
	}
	return []slo.Term{{Metric: slo.Rejected, Op: slo.AtMost, Bound: impliedRejected}}
}

// Ask completes a query and checks it. If the SLO doesn't bound what is rejected,
// or the throughput, the query gets the term rejected<=0.1%: latencies are of what
// was done, and a room that turns nearly everything away has the best of them. The
// error holds every fault.
func Ask(q Query) (*Query, error) {
	faults := []error{checkAxes(q.Axes)}
	if q.Start.Clock != settings.Virtual {
		faults = append(faults, fmt.Errorf("clock %s: a search is made in virtual time, and its best points are confirmed in real time: want virtual", q.Start.Clock))
	}
	if q.Objective.Figure.Short != "rejected" {
		q.Implied = Implied(q.Start.SLO)
		q.Start.SLO = slices.Concat(q.Start.SLO, q.Implied)
	}
	if q.Seeds == 0 {
		q.Seeds = seeds
	}
	if q.For == 0 {
		q.For = confirmFor
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	space, err := sweep.NewSpace(q.Start, q.Axes, sweep.Sample{}, true)
	if err != nil {
		return nil, err
	}
	if len(space.Axes) == 0 {
		return nil, errors.New("no knob takes more than one value: want lists or ranges, such as batch_size 1..256:x2")
	}
	q.space = space
	if q.Points == 0 {
		q.Points = max(fewPoints, int(gridPart*float64(space.Len())))
	}
	return &q, nil
}

// Space returns the grid that is searched.
func (q *Query) Space() *sweep.Space { return q.space }
