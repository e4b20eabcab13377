// Share lanes: whose each item is, and what each of them was owed and got.

package bench

import (
	"errors"
	"fmt"
	"math"

	"ferryctl/bench/human"
	"ferryctl/bench/settings"
	"ferryctl/ferry"
	"ferryctl/lanes/fairshare"
	"ferryctl/workload"
)

// gated reports whether share lanes divide the service.
func (p *plan) gated() bool { return p.kernel.Lanes != "" }

// open opens the load. A trace's share lanes are met while it is read.
func (p *plan) open() (workload.Source, error) {
	source, err := workload.New(p.load)
	if err != nil || !p.gated() || p.load.Trace == "" {
		return source, err
	}
	shares, err := ferry.ParseShares(p.kernel.Lanes)
	if err != nil {
		_ = source.Close() // nothing was read
		return nil, err
	}
	t := &sharedTrace{Source: source, shares: map[string]bool{"": true}} // untagged items need none
	for _, s := range shares {
		t.shares[s.Path] = true
	}
	return t, nil
}

// A sharedTrace is a trace that ends, with an error, at the first item whose
// share lane has no share.
type sharedTrace struct {
	workload.Source
	shares map[string]bool
	known  int // share lanes that were looked at
	err    error
}

// Next implements workload.Source.
func (t *sharedTrace) Next(it *workload.Item) bool {
	if t.err != nil || !t.Source.Next(it) {
		return false
	}
	for ; t.known <= it.Lane; t.known++ {
		if name := t.Source.Lanes()[t.known]; !t.shares[name] {
			t.err = fmt.Errorf("item %d of the trace is of share lane %.64q, which has no share: want one for it, such as %.64s=1, or share none", it.Index+1, name, name)
			return false
		}
	}
	return true
}

// Err implements workload.Source.
func (t *sharedTrace) Err() error {
	if t.err != nil {
		return t.err
	}
	return t.Source.Err()
}

// leaf returns the handle of one of the load's share lanes.
func (s *simulation) leaf(lane int) fairshare.Leaf {
	if s.gate == nil {
		return fairshare.Untagged
	}
	for len(s.leaves) <= lane {
		leaf, _ := s.gate.Shares().Lookup(s.e.source.Lanes()[len(s.leaves)]) // every one has a share
		s.leaves = append(s.leaves, leaf)
	}
	return s.leaves[lane]
}

// Shares implements account.
func (s *simulation) Shares() []ferry.ShareMetrics {
	if s.gate == nil {
		return nil
	}
	s.room.Advance(s.now)
	return s.Settings().SharesOf(s.gate)
}

// reweigh gives share lanes of a run that goes on other weights. They change one
// by one, each once its calls in flight are over; if the kernel refuses one,
// those before it are given back what they had.
func (c *control) reweigh(from, to []ferry.Share) error {
	changed, err := settings.Reshared(from, to)
	if err != nil {
		return err
	}
	back, err := settings.Reshared(to, from) // the same paths in the same order
	if err != nil {
		return err
	}
	for i, s := range changed {
		err := c.e.ferry.Reweigh(s.Path, s.Weight)
		if err == nil {
			continue
		}
		for _, s := range back[:i] {
			err = errors.Join(err, c.e.ferry.Reweigh(s.Path, s.Weight))
		}
		return err
	}
	return nil
}

// judgeFairness says how far service was from the shares, and fills in the
// lanes' part of it. The largest batch that left says whether there is a bound:
// it holds for calls that cost a quantum at most.
func judgeFairness(rows []Lane, shares []ferry.ShareMetrics, quantum int64, largest float64) Fairness {
	if len(shares) == 0 {
		return Fairness{}
	}
	f := Fairness{}
	served, smallest := 0.0, 1.0
	for _, m := range shares {
		served += m.Got
		if m.Owed > 0 || m.Got > 0 {
			smallest = min(smallest, m.Fraction)
		}
	}
	if err := (fairshare.Fairness{Served: served}).Enough(fairshare.Units(quantum), smallest); err != nil {
		f.Note = "too little to judge: " + err.Error()
		if served == 0 {
			f.Note = "nothing to judge: no two share lanes had work at the same time"
		}
	}
	by := make(map[string]Lane, len(shares))
	for _, m := range shares {
		l := laneOf(m, served, f.Note == "", largest <= float64(quantum))
		by[m.Share] = l
		if lag := l.MaxLagUnits.Or(0); lag > f.MaxLagUnits.Or(-1) {
			f.MaxLagUnits, f.BoundUnits = l.MaxLagUnits, l.BoundUnits
		}
		if ratio, ok := l.ErrorRatio.Get(); ok && math.Abs(ratio) > f.WorstErrorRatio.Or(-1) {
			f.WorstLane, f.WorstErrorRatio = m.Share, Some(math.Abs(ratio))
		}
	}
	if f.Note == "" {
		f.Jain = jain(shares)
	}
	for i := range rows {
		row := &rows[i]
		l, ok := by[row.Lane]
		if !ok {
			continue
		}
		row.Share, row.ServiceUnits, row.OwedUnits, row.ErrorRatio = l.Share, l.ServiceUnits, l.OwedUnits, l.ErrorRatio
		row.MaxLagUnits, row.MaxLeadUnits, row.BoundUnits = l.MaxLagUnits, l.MaxLeadUnits, l.BoundUnits
		row.StarvedBatches, row.Starved = l.StarvedBatches, l.Starved
	}
	return f
}

// laneOf writes the account of one share lane; served is that of all of them.
func laneOf(m ferry.ShareMetrics, served float64, judged, bounded bool) Lane {
	l := Lane{
		Share: Some(m.Fraction), ServiceUnits: Some(m.Got), OwedUnits: Some(m.Owed),
		MaxLagUnits: Some(m.MaxLag), MaxLeadUnits: Some(m.MaxLead),
		StarvedBatches: Some(float64(m.Starved)), Starved: Some(float64(m.StarvedFor)),
	}
	if judged {
		l.ErrorRatio = Ratio(m.Got-m.Owed, served)
	}
	if bounded {
		l.BoundUnits = Some(m.Bound)
	}
	return l
}

// jain is the index of Jain, Chiu & Hawe (1984) over what each share lane got as
// a part of what it was owed: 1 if all got the same part, 1/n if one got all.
func jain(shares []ferry.ShareMetrics) Num {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, m := range shares {
		if m.Owed > 0 {
			x := m.Got / m.Owed
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	return Ratio(sum*sum, n*squares)
}

// fairnessWarnings says why the share lanes' errors are missing, and what is no
// promise.
func (r *Result) fairnessWarnings(quantum int64) (out []string) {
	if r.Fairness.Note != "" {
		out = append(out, "fairness: "+r.Fairness.Note)
	}
	if r.Fairness.MaxLagUnits.Known() && !r.Fairness.BoundUnits.Known() {
		out = append(out, fmt.Sprintf("fairness: no bound on the lag is known, for a batch cost more than a quantum, %s service units: want a batch_size of at most that",
			human.Count(float64(quantum))))
	}
	return out
}
