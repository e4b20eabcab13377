// The operations on a ledger. Each reads the state, checks, and returns the
// patch that brings its effect about; merging the patch is the effect. An error
// means that there is no patch: it wraps ErrRefused when the state doesn't
// allow the operation, and ErrAmount or ErrOverflow when the caller is wrong.

package fairshare

import (
	"fmt"
	"math/big"
)

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Mint puts n >= 0 units into the hands of a replica, at the root. The id names
// the act, and another patch with the same id is the same act. It is the only
// operation that creates units.
func (l *Ledger) Mint(id MintID, holder ReplicaID, n Units) (*Ledger, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: mint of %d units", ErrAmount, n)
	}
	p := NewLedger(l.id)
	p.minted[id] = Mint{holder, n}
	return p, nil
}

// Prepare makes a new edge known. It grants nothing until it is activated.
func (l *Ledger) Prepare(e EdgeID, r Record) (*Ledger, error) {
	switch {
	case r.Weight.IsZero():
		return nil, refuse("edge %q has no weight", e)
	case r.Child == RootGroup:
		return nil, refuse("edge %q leads into the root, which nothing does", e)
	case l.knows(e):
		return nil, refuse("edge %q is known already; a new attachment needs a new id", e)
	}
	p := NewLedger(l.id)
	p.addRecord(e, r)
	p.lifecycle[e] = Prepared
	return p, nil
}

// knows says whether any part of the ledger has heard of e.
func (l *Ledger) knows(e EdgeID) bool {
	p := l.Restrict(e)
	return len(p.records)+len(p.lifecycle)+len(p.gauges)+len(p.issued)+len(p.returned)+len(p.leaf)+len(p.rollup) > 0
}

// sound returns an edge's record if the edge is known and not divergent.
func (l *Ledger) sound(e EdgeID) (Record, error) {
	r, ok := l.record(e)
	if !ok {
		return r, refuse("edge %q has %d records; exactly one is sound", e, len(l.records[e]))
	}
	return r, nil
}

func (l *Ledger) advance(e EdgeID, to Lifecycle) *Ledger {
	p := NewLedger(l.id)
	p.lifecycle[e] = to
	return p
}

// Activate lets an edge grant. Doing it again changes nothing.
func (l *Ledger) Activate(e EdgeID) (*Ledger, error) {
	if _, err := l.sound(e); err != nil {
		return nil, err
	}
	if stage := l.lifecycle[e]; stage > Active {
		return nil, refuse("edge %q is %s already", e, stage)
	}
	return l.advance(e, Active), nil
}

// CloseEdge ends an edge's grants. Doing it again changes nothing.
func (l *Ledger) CloseEdge(e EdgeID) (*Ledger, error) {
	if _, err := l.sound(e); err != nil {
		return nil, err
	}
	if l.lifecycle[e] == Retired {
		return nil, refuse("edge %q is retired already", e)
	}
	return l.advance(e, Closing), nil
}

// Retire ends an edge that is closing and has nothing outstanding. Its patch
// carries all that was seen of the edge, as the witness that it has drained.
func (l *Ledger) Retire(e EdgeID) (*Ledger, error) {
	if stage := l.lifecycle[e]; stage != Closing {
		return nil, refuse("edge %q is %s; it retires from closing", e, stage)
	}
	s, err := l.Summary(e)
	if err != nil {
		return nil, err
	}
	if s.Outstanding() != 0 {
		return nil, refuse("edge %q has %d units outstanding", e, s.Outstanding())
	}
	p := l.Restrict(e)
	p.lifecycle[e] = Retired
	return p, nil
}

// Seat places an edge that was never seated: at the front, or where its own
// issuance puts it if that is higher.
func (l *Ledger) Seat(e EdgeID, front *big.Rat) (*Ledger, error) {
	if _, err := l.sound(e); err != nil {
		return nil, err
	}
	if _, seated := l.gauges[e]; seated {
		return nil, refuse("edge %q is seated already", e)
	}
	own, err := l.Gross(e)
	if err != nil {
		return nil, err
	}
	if max(front.Num().BitLen(), front.Denom().BitLen()) > maxFloorBits || front.Sign() < 0 {
		return nil, fmt.Errorf("%w: a front that is no fraction of at most %d bits, neither part negative", ErrAmount, maxFloorBits)
	}
	if front.Cmp(own) > 0 {
		own.Set(front)
	}
	issued, err := l.issued.total(e)
	if err != nil {
		return nil, err
	}
	p := NewLedger(l.id)
	p.gauges[e] = Gauge{own, issued}
	return p, nil
}

// Delegate grants n >= 1 units of replica r's from the edge's parent to its
// child. The edge is to be seated before. The same patch moves the gauge, so
// that nobody can see the issuance without it.
func (l *Ledger) Delegate(r ReplicaID, e EdgeID, n Units) (*Ledger, error) {
	if n < 1 {
		return nil, fmt.Errorf("%w: delegation of %d units", ErrAmount, n)
	}
	rec, err := l.sound(e)
	if err != nil {
		return nil, err
	}
	if stage := l.lifecycle[e]; stage != Active {
		return nil, refuse("edge %q is %s; it grants while active", e, stage)
	}
	if _, err := l.Lineage(rec.Child); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := l.covers(rec.Parent, r, n); err != nil {
		return nil, err
	}
	total, err := l.issued.total(e)
	if err != nil {
		return nil, err
	}
	if total, err = add(total, n); err != nil {
		return nil, err
	}
	p := NewLedger(l.id)
	p.issued[slot{e, r}] = l.issued[slot{e, r}] + n
	p.gauges[e] = Gauge{gross(l.gauges[e], rec.Weight, total), total}
	l.witness(p, rec.Parent, r)
	return p, nil
}

// covers says whether replica r holds n units at g.
func (l *Ledger) covers(g GroupID, r ReplicaID, n Units) error {
	held, err := l.Holdings(g, r)
	if err != nil {
		return err
	}
	if n > held {
		return refuse("replica %q holds %d units at group %q, not %d", r, held, g, n)
	}
	return nil
}

// witness adds to p where replica r's holdings at g came from, so that whoever
// sees the grant sees what covered it.
func (l *Ledger) witness(p *Ledger, g GroupID, r ReplicaID) {
	if g == RootGroup {
		for id, m := range l.minted {
			if m.Holder == r {
				p.minted[id] = m
			}
		}
		return
	}
	path, err := l.Lineage(g)
	if err != nil || len(path) == 0 {
		return
	}
	f := slot{path[len(path)-1], r}
	p.issued[f] = l.issued[f]
}

// Release gives n >= 1 units of replica r's back from the child of its live
// edge to the parent. What the caller has earmarked is not to be released.
func (l *Ledger) Release(r ReplicaID, e EdgeID, n Units) (*Ledger, error) {
	if n < 1 {
		return nil, fmt.Errorf("%w: release of %d units", ErrAmount, n)
	}
	rec, err := l.sound(e)
	if err != nil {
		return nil, err
	}
	path, err := l.Lineage(rec.Child)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if path[len(path)-1] != e {
		return nil, refuse("edge %q is %s; a release takes the live edge %q", e, l.lifecycle[e], path[len(path)-1])
	}
	if err := l.covers(rec.Child, r, n); err != nil {
		return nil, err
	}
	p := NewLedger(l.id)
	if p.returned[slot{e, r}], err = add(l.returned[slot{e, r}], n); err != nil {
		return nil, err
	}
	return p, nil
}

// Charge books n >= 0 units that replica r has spent at the end of a path, as
// it was captured when they were reserved. It never looks at the topology of
// now: what ran is charged, whatever became of the path since.
func (l *Ledger) Charge(r ReplicaID, path []EdgeID, n Units) (*Ledger, error) {
	if n < 0 || len(path) == 0 {
		return nil, fmt.Errorf("%w: charge of %d units over %d edges", ErrAmount, n, len(path))
	}
	p := NewLedger(l.id)
	for i, e := range path {
		from, to := l.rollup, p.rollup
		if i == len(path)-1 {
			from, to = l.leaf, p.leaf
		}
		total, err := add(from[slot{e, r}], n)
		if err != nil {
			return nil, err
		}
		to[slot{e, r}] = total
	}
	return p, nil
}
