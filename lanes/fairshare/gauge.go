// Gauges: an edge's virtual service, as the books have it.

package fairshare

import (
	"fmt"
	"math/big"
)

func (g Gauge) equal(h Gauge) bool { return g.Folded == h.Folded && g.Floor.Cmp(h.Floor) == 0 }

// join is the larger of each part: of the pairs in order of their fields the
// larger would forget a floor that the other has seen.
func (g Gauge) join(h Gauge) Gauge {
	if h.Floor.Cmp(g.Floor) > 0 {
		g.Floor = h.Floor
	}
	g.Folded = max(g.Folded, h.Folded)
	return g
}

// Gross returns an edge's virtual service before returns: its floor and, at its
// weight, what was issued since. Without a gauge it counts from the origin. An
// error says that the record is divergent or unknown, or wraps [ErrOverflow].
func (l *Ledger) Gross(e EdgeID) (*big.Rat, error) {
	rec, ok := l.record(e)
	if !ok {
		return nil, fmt.Errorf("edge %q has %d records, so it has no weight", e, len(l.records[e]))
	}
	issued, err := l.issued.total(e)
	if err != nil {
		return nil, err
	}
	return gross(l.gauges[e], rec.Weight, issued), nil
}

func gross(g Gauge, w Weight, issued Units) *big.Rat {
	since := new(big.Int).Sub(big.NewInt(int64(issued)), big.NewInt(int64(g.Folded)))
	v := new(big.Rat).SetInt(since)
	v.Quo(v, w.Rat())
	if g.Floor != nil {
		v.Add(v, g.Floor)
	}
	return v
}

// Virtual returns an edge's virtual service: gross, less what was returned.
func (l *Ledger) Virtual(e EdgeID) (*big.Rat, error) {
	v, err := l.Gross(e)
	if err != nil {
		return nil, err
	}
	returned, err := l.returned.total(e)
	if err != nil {
		return nil, err
	}
	rec, _ := l.record(e)
	back := new(big.Rat).SetInt64(int64(returned))
	return v.Sub(v, back.Quo(back, rec.Weight.Rat())), nil
}

// GaugeOf returns an edge's gauge; ok is false if it was never seated.
func (l *Ledger) GaugeOf(e EdgeID) (g Gauge, ok bool) {
	g, ok = l.gauges[e]
	return g, ok
}
