// The capacity at each of several settings.

package capacity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// GridSchema names the document that a [Grid] is written as.
const GridSchema = "ferryctl.capacity-grid/v1"

// MaxGrid is the most settings whose capacities are sought at once.
const MaxGrid = 200

// A GridQuery is a question to [FindGrid]. Make it with [AskGrid].
type GridQuery struct {
	Query
	space  *sweep.Space
	points []*Query
}

// Space returns the settings.
func (q *GridQuery) Space() *sweep.Space { return q.space }

// AskGrid completes a query about each point of the axes, and checks it. The error
// holds every fault.
func AskGrid(q Query, axes []sweep.Axis) (*GridQuery, error) {
	var faults []error
	for _, a := range axes {
		if a.Knob == "rate" || a.Knob == "lane_rate" {
			faults = append(faults, fmt.Errorf("%s: %s is what is sought: want one value, from which the search begins", a.Source, a.Knob))
		}
		if a.Between != nil {
			faults = append(faults, fmt.Errorf("%s: %s %s has no step: want one, such as :+1, :x2 or :log:8", a.Source, a.Knob, a.Text))
		}
	}
	if q.Confirm > 0 {
		faults = append(faults, errors.New("several settings can't be confirmed in real time: want --confirm 0, and then to confirm the one that is chosen"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	g := &GridQuery{Query: q}
	var err error
	if g.space, err = sweep.NewSpace(q.Start, axes, sweep.Sample{}, false); err != nil {
		return nil, err
	}
	if n := g.space.Len(); n > MaxGrid {
		return nil, fmt.Errorf("%d settings: want at most %d, or ferryctl tune to look for the best of them", n, MaxGrid)
	}
	for n := range g.space.Len() {
		at := q
		if at.Start, err = g.space.Settings(g.space.Point(n+1), 1); err != nil {
			return nil, err
		}
		asked, err := Ask(at)
		if err != nil {
			return nil, err // the axes have no part in what may be wrong
		}
		g.points = append(g.points, asked)
	}
	g.Query = *g.points[0]
	return g, nil
}

// A Grid is what a search at several settings came to.
type Grid struct {
	lab.Asked

	Varies []string    `json:"varies"` // the knobs
	Points []GridPoint `json:"points"` // in the order in which they were sought
	Best   int         `json:"best"`   // number of the point whose capacity is highest: of all seeds, and if equal by the median; 0 for none
	Text   string      `json:"text"`   // that as a sentence
}

// A GridPoint is one of the settings, and its capacity.
type GridPoint struct {
	Number int               `json:"number"` // from 1
	Knobs  map[string]string `json:"knobs"`
	Answer *Answer           `json:"answer"`
}

// FindGrid searches at one point after the other, and returns the answers so far
// with the error where it ends before the last.
func FindGrid(q *GridQuery, l lab.Lab, t *Tracker) (*Grid, error) {
	if t == nil {
		t = &Tracker{} // for nobody
	}
	t.Begin(len(q.points)*q.estimate(), 2*time.Duration(q.Confirm)*q.Last)
	g := &Grid{Asked: lab.About(GridSchema, q.command(), q.points[0].Start, q.points[0].implied, q.Seeds), Varies: []string{}, Points: []GridPoint{}}
	g.Settings = slices.DeleteFunc(g.Settings, func(v sweep.AxisText) bool {
		return slices.ContainsFunc(q.space.Axes, func(a sweep.Axis) bool { return a.Knob == v.Knob })
	})
	for _, a := range q.space.Axes {
		g.Varies = append(g.Varies, a.Knob)
	}
	var err error
	for n, point := range q.points {
		p := q.space.Point(n + 1)
		x := GridPoint{Number: n + 1, Knobs: map[string]string{}}
		var at []string
		for i, a := range q.space.Axes {
			x.Knobs[a.Knob] = p.Values[i].Text
			at = append(at, p.Values[i].Text)
		}
		x.Answer, err = seek(point, l, t, at)
		g.Points = append(g.Points, x)
		g.Runs += x.Answer.Runs
		if err != nil {
			break
		}
	}
	g.Complete = err == nil
	g.rank()
	return g, err
}

// command writes the search as a command line.
func (q *GridQuery) command() string {
	text := q.points[0].command()
	for _, a := range q.space.Axes { // a later flag outranks an earlier one
		text = strings.Replace(text, lab.Flag(a.Knob, q.points[0].Start.Get(a.Knob)), "", 1) + lab.Flag(a.Knob, a.Text)
	}
	return text
}

// rank finds the best point.
func (g *Grid) rank() {
	for _, p := range g.Points {
		if p.Answer.Low.Known() && (g.Best == 0 || p.Answer.above(g.Points[g.Best-1].Answer)) {
			g.Best = p.Number
		}
	}
	if g.Best == 0 {
		g.Text = "at none of the settings is there a rate that keeps the SLO with every seed"
		return
	}
	best := g.Points[g.Best-1]
	g.Text = fmt.Sprintf("highest at %s: %s", g.Say(best), best.Answer.Text)
}

// above says whether a capacity is higher than another.
func (a *Answer) above(b *Answer) bool {
	x, y := a.Low.Or(0), b.Low.Or(0)
	if x != y {
		return x > y
	}
	return a.Median.Or(0) > b.Median.Or(0)
}

// Say writes a point as settings.
func (g *Grid) Say(p GridPoint) string {
	var parts []string
	for _, knob := range g.Varies {
		parts = append(parts, knob+" "+p.Knobs[knob])
	}
	return strings.Join(parts, ", ")
}

// Status returns the exit status that the answers ask for: 3 if no setting has a
// rate that keeps the SLO.
func (g *Grid) Status() (int, error) {
	if g.Best == 0 {
		return 3, fmt.Errorf("%s (%s tried)", g.Text, count(len(g.Points), "setting"))
	}
	return 0, nil
}
