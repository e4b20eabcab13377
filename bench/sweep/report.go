// The report: everything that a sweep has to say, in one value.

package sweep

import (
	"cmp"
	"slices"

	"ferryctl/bench"
)

// A Report is what a sweep came to. Every table and file of a sweep is drawn from
// it and from the store's records.
type Report struct {
	Header     Header
	Space      *Space
	Complete   bool // all runs were made
	Runs       int  // that were
	Objectives []Objective
	Trust      Trust
	Outcomes   []Outcome // of the points that were measured at all, by number
	Front      []int     // numbers of the points of the Pareto set, best first by the first objective
	Effects    []Effect  // of each knob that varies, on each objective's figure
	Bound      []Bound   // how often each limit binds throughput, the most frequent first
}

// A Bound counts the points at which a limit binds.
type Bound struct {
	Limits string // "in_flight+batch_size / backend"
	Points int
}

// Analyse reads the records once and draws the conclusions. It keeps some hundred
// bytes of each point. Points that are missing some runs take part with those they
// have.
func Analyse(store *Store, objectives []Objective, trust Trust) (*Report, error) {
	held, all := store.Len()
	r := &Report{
		Header: store.Header, Space: store.Space, Complete: held == all, Runs: held,
		Objectives: objectives, Trust: trust,
	}
	var runs []Record
	add := func() {
		if len(runs) > 0 {
			r.Outcomes = append(r.Outcomes, outcomeOf(runs))
			runs = runs[:0]
		}
	}
	for record, err := range store.Records() {
		if err != nil {
			return nil, err
		}
		if len(runs) > 0 && runs[0].Point != record.Point {
			add()
		}
		runs = append(runs, record)
	}
	add()
	r.conclude()
	return r, nil
}

// conclude derives what follows from the outcomes.
func (r *Report) conclude() {
	var marks []Mark
	bound := map[string]int{}
	for _, o := range r.Outcomes {
		bound[o.Limits.String()]++
		if m, ok := r.mark(o); ok && r.Trust.takes(o.Verdict) {
			marks = append(marks, m)
		}
	}
	for _, m := range Pareto(r.Objectives, marks) {
		r.Front = append(r.Front, m.Point)
	}
	for limits, n := range bound {
		r.Bound = append(r.Bound, Bound{limits, n})
	}
	slices.SortFunc(r.Bound, func(a, b Bound) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Limits, b.Limits))
	})
	for _, o := range r.Objectives {
		r.Effects = append(r.Effects, r.effects(o.Figure)...)
	}
}

// mark places an outcome among the objectives, if it has all of their figures.
func (r *Report) mark(o Outcome) (Mark, bool) {
	m := Mark{Point: o.Point}
	for _, obj := range r.Objectives {
		v, ok := o.Of(obj.Figure).Get()
		if !ok {
			return m, false
		}
		m.Figures = append(m.Figures, v)
	}
	return m, true
}

// Outcome returns that of a point, if it was measured.
func (r *Report) Outcome(point int) (Outcome, bool) {
	i, ok := slices.BinarySearchFunc(r.Outcomes, point, func(o Outcome, n int) int { return cmp.Compare(o.Point, n) })
	if !ok {
		return Outcome{}, false
	}
	return r.Outcomes[i], true
}

// Verdicts counts the points by verdict.
func (r *Report) Verdicts() map[bench.Verdict]int {
	n := map[bench.Verdict]int{}
	for _, o := range r.Outcomes {
		n[o.Verdict]++
	}
	return n
}
