// The error bound across replicas: what each can grant alone before it hears of
// the others, and one quantum.

package fairshare

import (
	"fmt"
	"math/big"
)

// BoundMetrics are three views of the fairness error at one group, in units:
// Observed <= Current <= Worst.
type BoundMetrics struct {
	Worst    Units // every replica holds the most it may
	Current  Units // what the replicas hold now
	Observed Units // the farthest that a demanding child is from its share
}

// BoundMetrics measures group g. Observed counts what was committed since the
// ledger since, taken when the demanding set last changed: service before that
// is no error of now. demanding lists the children's edges; replicas is how many
// can grant, and each holds at most maxHoldings at g by agreement.
//
// An error wraps [ErrOverflow], or says that a demanding edge has no sound record.
func (l *Ledger) BoundMetrics(g GroupID, since *Ledger, demanding []EdgeID, replicas int, maxHoldings, quantum Units) (BoundMetrics, error) {
	var m BoundMetrics
	var worst, held tally
	for range max(1, replicas) {
		worst.add(maxHoldings)
	}
	worst.add(quantum)
	for _, r := range l.Replicas() {
		n, err := l.Holdings(g, r)
		if err != nil {
			return m, err
		}
		held.add(max(0, n))
	}
	held.add(quantum)
	if worst.err != nil {
		return m, worst.err
	}
	if held.err != nil {
		return m, held.err
	}
	m.Worst, m.Current = worst.sum, min(worst.sum, held.sum)
	var err error
	m.Observed, err = l.observed(since, demanding)
	return m, err
}

// observed is the largest | share · Σ committed - committed |, rounded up.
func (l *Ledger) observed(since *Ledger, demanding []EdgeID) (Units, error) {
	committed := make([]Units, len(demanding))
	total, weights := new(big.Rat), new(big.Rat)
	for i, e := range demanding {
		r, ok := l.record(e)
		if !ok {
			return 0, fmt.Errorf("edge %q has %d records, so it has no share", e, len(l.records[e]))
		}
		now, err := l.Summary(e)
		if err != nil {
			return 0, err
		}
		then, err := since.Summary(e)
		if err != nil {
			return 0, err
		}
		committed[i] = now.Committed() - then.Committed()
		total.Add(total, new(big.Rat).SetInt64(int64(committed[i])))
		weights.Add(weights, r.Weight.Rat())
	}
	largest := new(big.Rat)
	for i, e := range demanding {
		r, _ := l.record(e)
		gap := r.Weight.Rat()
		gap.Mul(gap, total).Quo(gap, weights).Sub(gap, new(big.Rat).SetInt64(int64(committed[i])))
		if gap.Abs(gap); gap.Cmp(largest) > 0 {
			largest = gap
		}
	}
	up := new(big.Int).Add(largest.Num(), largest.Denom())
	up.Sub(up, big.NewInt(1)).Quo(up, largest.Denom())
	if !up.IsInt64() {
		return 0, fmt.Errorf("%w: an error of %s units", ErrOverflow, largest.RatString())
	}
	return Units(up.Int64()), nil
}
