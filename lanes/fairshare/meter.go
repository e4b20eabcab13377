// How far each lane is from its share, against the fluid reference.

package fairshare

import (
	"fmt"
	"math"
	"slices"
)

// A Meter measures, lane by lane, how far service was from the fluid reference
// (see fluid.go). It counts work, not time, so a slow machine is no fairness
// error; and it counts work that is dispatchable, so a lane that is served at
// once is not taken for one that never asked.
//
// Errors are in service units, positive when a lane got more than the reference
// gives. They add up to zero over the lanes. The cost of a call is O(depth ·
// log lanes), amortised. A Meter decides nothing.
type Meter struct {
	fluid  fluid
	lanes  []metered
	served float64
	calls  int64

	// At the latest instant at which two lanes or more had fluid backlog.
	servedThen float64
	callsThen  int64

	// When the account began.
	servedFirst float64
	callsFirst  int64
}

type metered struct {
	vert            int32
	offered, served float64
	servedThen      float64
	servedFirst     float64 // when the account began
	epoch           uint64
	lag, lead       float64
	since           int64 // calls when its wait began
	wait            int64
}

// NewMeter returns a meter for the lanes of a node, by the same handles, with
// the weights that the node has now.
func NewMeter(n *Node) *Meter {
	m := &Meter{lanes: make([]metered, len(n.lanes))}
	m.fluid = fluid{basins: make([]basin, len(n.verts)), epoch: 1}
	for i := range n.verts {
		v := &n.verts[i]
		m.fluid.basins[i] = basin{parent: v.parent, weight: v.weight, lane: v.leaf != 0}
	}
	for leaf := 1; leaf < len(n.lanes); leaf++ {
		m.lanes[leaf].vert = n.lanes[leaf].vert
	}
	return m
}

// Reweigh takes over the weights that the node has now, one that is to come
// included. The meter's past stays as it was.
func (m *Meter) Reweigh(n *Node) {
	weights := make([]uint64, len(n.verts))
	for i := range n.verts {
		weights[i] = n.verts[i].weight
	}
	m.fluid.reweigh(weights)
}

// Restart begins a new account: amounts, extremes and waits count from now on.
// The reference goes on, so what a lane is behind by now is owed to it in the
// new account, and what it is ahead by is not: a bound on the error at every
// instant holds in any account.
func (m *Meter) Restart() {
	m.fluid.mark()
	m.servedThen, m.callsThen = m.served, m.calls
	m.servedFirst, m.callsFirst = m.served, m.calls
	for i := 1; i < len(m.lanes); i++ {
		l := &m.lanes[i]
		l.servedFirst, l.since = l.served, m.calls
		l.lag, l.lead, l.wait = 0, 0, 0
		l.note(m.fluid.level(l.vert))
	}
}

// Clone returns an independent copy.
func (m *Meter) Clone() *Meter {
	c := *m
	c.lanes = slices.Clone(m.lanes)
	c.fluid.basins = slices.Clone(m.fluid.basins)
	for i := range c.fluid.basins {
		c.fluid.basins[i].heap = slices.Clone(c.fluid.basins[i].heap)
	}
	return &c
}

// Offer says that so many more units of a lane's became dispatchable: their
// batch is full or due. Untagged work is not measured.
func (m *Meter) Offer(leaf Leaf, units Units) {
	if leaf == Untagged || units <= 0 {
		return
	}
	l := &m.lanes[leaf]
	if l.offered <= l.served {
		l.since = m.calls
	}
	l.offered += float64(units)
	m.fluid.offer(l.vert, float64(units))
}

// Withdraw says that so many units that were offered will never be served.
func (m *Meter) Withdraw(leaf Leaf, units Units) {
	if leaf == Untagged || units <= 0 {
		return
	}
	l := &m.lanes[leaf]
	taken := min(float64(units), l.offered-l.served)
	m.compete()
	l.offered -= taken
	m.fluid.offer(l.vert, -taken)
}

// Serve says that a call of a lane's with so many units was dispatched, or, for
// a meter of completed work, that it is over. What was not offered before is
// offered now.
func (m *Meter) Serve(leaf Leaf, units Units) {
	if leaf == Untagged || units <= 0 {
		return
	}
	l := &m.lanes[leaf]
	a := float64(units)
	if missing := l.served + a - l.offered; missing > 0 {
		m.Offer(leaf, Units(math.Ceil(missing)))
	}
	m.compete()
	l.keep(m.fluid.epoch)
	l.note(m.fluid.level(l.vert))
	l.wait = max(l.wait, m.calls-l.since)
	m.calls++
	m.served += a
	l.served += a
	l.since = m.calls
	m.fluid.pour(a)
	l.note(m.fluid.level(l.vert))
}

// compete marks the instant before a change, if there is competition in it.
func (m *Meter) compete() {
	if m.fluid.wet >= 2 {
		m.fluid.mark()
		m.servedThen, m.callsThen = m.served, m.calls
	}
}

// keep saves what was served at the mark, before the first change since.
func (l *metered) keep(epoch uint64) {
	if l.epoch != epoch {
		l.servedThen, l.epoch = l.served, epoch
	}
}

// note looks for a new extreme. Between two calls of a lane's the fluid only
// rises and the service stands still, so the extremes are at its own calls.
func (l *metered) note(fluid float64) {
	l.lag = max(l.lag, fluid-l.served)
	l.lead = max(l.lead, l.served-fluid)
}

// A LaneError is how far one lane was from its share.
type LaneError struct {
	Offered, Served float64 // units, to the end; what waited when the account began was offered
	Owed, Got       float64 // units, by the reference and in fact, at the end of competition
	End             float64 // Got - Owed
	MaxLag, MaxLead float64 // units: the farthest behind and ahead at any instant; never negative
	Starved         int64   // calls of other lanes, at most, while it had dispatchable work and none ran
}

// Worst is the larger of the lane's lag and lead.
func (e LaneError) Worst() float64 { return max(e.MaxLag, e.MaxLead) }

// Fairness is what a meter has measured since it was made, or since Restart.
type Fairness struct {
	Lanes []LaneError // by Leaf; the first stands for untagged work and is empty

	// The end of competition: the last instant at which two lanes or more had
	// fluid backlog. At the very end of a run, when all work is done, every
	// lane has got what it offered, whatever the order was.
	Served float64 // units by then
	Calls  int64   // calls by then
	Worst  float64 // the largest lag or lead of any lane, in units
}

// Enough returns an error if too little was served under competition to tell
// the error of a policy from that of its last call: less than 20 quanta of the
// lane with the smallest share.
func (f Fairness) Enough(quantum Units, smallest float64) error {
	if need := 20 * float64(quantum) / smallest; f.Served < need {
		return fmt.Errorf("%.0f units were served under competition; a fairness error takes %.0f", f.Served, need)
	}
	return nil
}

// Report returns what was measured so far. It costs O(lanes · depth).
func (m *Meter) Report() Fairness {
	f := Fairness{Lanes: make([]LaneError, len(m.lanes)), Served: m.servedThen, Calls: m.callsThen}
	now := m.fluid.wet >= 2
	if now {
		f.Served, f.Calls = m.served, m.calls
	}
	f.Served, f.Calls = f.Served-m.servedFirst, f.Calls-m.callsFirst
	for i := 1; i < len(m.lanes); i++ {
		l := m.lanes[i] // a copy: reporting changes nothing
		level := m.fluid.level(l.vert)
		l.note(level)
		if l.offered > l.served {
			l.wait = max(l.wait, m.calls-l.since)
		}
		e := LaneError{
			Offered: l.offered - l.servedFirst, Served: l.served - l.servedFirst, Owed: level, Got: l.served,
			MaxLag: l.lag, MaxLead: l.lead, Starved: l.wait,
		}
		if !now {
			e.Owed = m.fluid.levelThen(l.vert)
			if l.epoch == m.fluid.epoch {
				e.Got = l.servedThen
			}
		}
		e.Owed, e.Got = e.Owed-l.servedFirst, e.Got-l.servedFirst
		e.End = e.Got - e.Owed
		f.Lanes[i] = e
		f.Worst = max(f.Worst, e.Worst())
	}
	return f
}
