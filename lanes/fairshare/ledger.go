// The ledger: who was granted what and who has consumed it, as counters that
// only grow, so that copies of it can be merged in any order.

package fairshare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// The names of a ledger's parts are opaque and ordered by their bytes.
type (
	// GroupID names a group; the empty one is the root.
	GroupID string
	// EdgeID names one generation of a group's attachment to its parent.
	EdgeID string
	// ReplicaID names a writer. A slot is written by its own replica only, so a
	// process that starts again without its old slots needs a new one.
	ReplicaID string
	// MintID names one act of minting.
	MintID string
)

// RootGroup is the group at the top of every ledger.
const RootGroup GroupID = ""

// Lifecycle is how far an edge has come; it never goes back.
type Lifecycle uint8

// The stages of an edge. One that has no entry yet reads as Prepared, so that
// nothing is granted through it before its entry is seen.
const (
	Prepared Lifecycle = iota // known, and grants nothing
	Active                    // grants
	Closing                   // grants no more; what is below drains
	Retired                   // drained: kept for its account alone
)

var lifecycleNames = [...]string{"prepared", "active", "closing", "retired"}

func (l Lifecycle) String() string { return lifecycleNames[l] }

// live says whether an edge in this stage attaches its child.
func (l Lifecycle) live() bool { return l == Active || l == Closing }

// A Record says what an edge attaches to what, at which weight. It never
// changes: a new weight or parent is a new edge.
type Record struct {
	Parent, Child GroupID
	Weight        Weight
}

// A Mint is one act: so many units for a replica to grant from the root.
type Mint struct {
	Holder ReplicaID
	Amount Units
}

// A Gauge places an edge's virtual service: Floor at the time when Folded units
// had been issued through it. The pair is what keeps a floor from being counted
// twice with the issuance that it already holds.
type Gauge struct {
	Floor  *big.Rat // never written in place
	Folded Units
}

// A slot is a counter of one edge's that one replica writes.
type slot struct {
	edge    EdgeID
	replica ReplicaID
}

type slots map[slot]Units

// A Ledger is a product of semilattices: [Ledger.Merge] takes the union of
// sets and the larger of two counters, so it is idempotent, commutative and
// associative, and nothing stored ever falls. A patch is a small ledger that
// carries the new values; applying it is merging it. Two patches made from the
// same state do not add up: read, check, patch and merge belong under one lock.
type Ledger struct {
	id        string
	records   map[EdgeID][]Record // sorted; more than one is a divergence, kept and reported
	lifecycle map[EdgeID]Lifecycle
	minted    map[MintID]Mint
	gauges    map[EdgeID]Gauge

	issued, returned, leaf, rollup slots
}

// The errors of ledger operations, beside those in units.go.
var (
	// ErrRefused says that the state doesn't allow the operation. Nothing changed.
	ErrRefused = errors.New("refused")
	// ErrForeign says that a patch belongs to another ledger.
	ErrForeign = errors.New("patch of another ledger")
	// ErrQuarantined says that a group has no sound way up to the root.
	ErrQuarantined = errors.New("quarantined")
)

// NewLedger returns an empty ledger. The id tells it from others: merging two
// ledgers that were started apart would credit the supply twice.
func NewLedger(id string) *Ledger {
	return &Ledger{
		id: id, records: map[EdgeID][]Record{}, lifecycle: map[EdgeID]Lifecycle{},
		minted: map[MintID]Mint{}, gauges: map[EdgeID]Gauge{},
		issued: slots{}, returned: slots{}, leaf: slots{}, rollup: slots{},
	}
}

// ID returns the ledger's id.
func (l *Ledger) ID() string { return l.id }

// Clone returns an independent copy.
func (l *Ledger) Clone() *Ledger {
	return &Ledger{
		id: l.id, records: maps.Clone(l.records), lifecycle: maps.Clone(l.lifecycle),
		minted: maps.Clone(l.minted), gauges: maps.Clone(l.gauges),
		issued: maps.Clone(l.issued), returned: maps.Clone(l.returned),
		leaf: maps.Clone(l.leaf), rollup: maps.Clone(l.rollup),
	}
}

// Equal says whether both hold the same.
func (l *Ledger) Equal(m *Ledger) bool {
	return l.id == m.id &&
		maps.EqualFunc(l.records, m.records, slices.Equal) && maps.Equal(l.lifecycle, m.lifecycle) &&
		maps.Equal(l.minted, m.minted) && maps.EqualFunc(l.gauges, m.gauges, Gauge.equal) &&
		maps.Equal(l.issued, m.issued) && maps.Equal(l.returned, m.returned) &&
		maps.Equal(l.leaf, m.leaf) && maps.Equal(l.rollup, m.rollup)
}

func (m Mint) join(o Mint) Mint {
	if c := cmp.Or(cmp.Compare(m.Holder, o.Holder), cmp.Compare(m.Amount, o.Amount)); c < 0 {
		return o
	}
	return m
}

func (r Record) compare(s Record) int {
	return cmp.Or(cmp.Compare(r.Parent, s.Parent), cmp.Compare(r.Child, s.Child),
		cmp.Compare(r.Weight.num*s.Weight.den, s.Weight.num*r.Weight.den))
}

// Merge joins a patch, or another replica's whole ledger, into l. An error
// wrapping [ErrForeign] leaves l as it was.
func (l *Ledger) Merge(p *Ledger) error {
	if p.id != l.id {
		return fmt.Errorf("%w: it is for %q, this is %q", ErrForeign, p.id, l.id)
	}
	for e, records := range p.records {
		for _, r := range records {
			l.addRecord(e, r)
		}
	}
	for e, stage := range p.lifecycle {
		if old, ok := l.lifecycle[e]; !ok || stage > old {
			l.lifecycle[e] = stage
		}
	}
	for id, m := range p.minted {
		if old, ok := l.minted[id]; ok {
			m = old.join(m)
		}
		l.minted[id] = m
	}
	for e, g := range p.gauges {
		if old, ok := l.gauges[e]; ok {
			g = old.join(g)
		}
		l.gauges[e] = g
	}
	l.issued.join(p.issued)
	l.returned.join(p.returned)
	l.leaf.join(p.leaf)
	l.rollup.join(p.rollup)
	return nil
}

// join keeps the larger of two counters. One at 0 is as good as none, and is not kept.
func (s slots) join(t slots) {
	for k, n := range t {
		if n > s[k] {
			s[k] = n
		}
	}
}

// addRecord adds to an edge's set, in a slice of its own.
func (l *Ledger) addRecord(e EdgeID, r Record) {
	at, found := slices.BinarySearchFunc(l.records[e], r, Record.compare)
	if !found {
		l.records[e] = slices.Insert(slices.Clone(l.records[e]), at, r)
	}
}

// Restrict returns what l holds of one edge, for handing on or for looking at.
func (l *Ledger) Restrict(e EdgeID) *Ledger {
	p := NewLedger(l.id)
	if r, ok := l.records[e]; ok {
		p.records[e] = r
	}
	if stage, ok := l.lifecycle[e]; ok {
		p.lifecycle[e] = stage
	}
	if g, ok := l.gauges[e]; ok {
		p.gauges[e] = g
	}
	for _, c := range [...]struct{ to, from slots }{
		{p.issued, l.issued}, {p.returned, l.returned}, {p.leaf, l.leaf}, {p.rollup, l.rollup},
	} {
		for k, n := range c.from {
			if k.edge == e {
				c.to[k] = n
			}
		}
	}
	return p
}
