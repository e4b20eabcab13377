// What is wrong with a ledger: a diagnostic, never a gate.

package fairshare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ConflictKind says what kind of fault a [Conflict] is.
type ConflictKind string

// The kinds of conflict.
const (
	// PerEdgeSafety: more was spent and returned through an edge than issued.
	PerEdgeSafety ConflictKind = "per-edge safety"
	// NegativeHoldings: a replica granted or spent more at a group than it held.
	NegativeHoldings ConflictKind = "negative holdings"
	// RecordDivergence: one edge id stands for two attachments.
	RecordDivergence ConflictKind = "record divergence"
	// DualInbound: two live edges lead into one group, closing ones counted.
	DualInbound ConflictKind = "dual inbound"
	// ClosureViolation: an edge retired with units outstanding.
	ClosureViolation ConflictKind = "closure violation"
	// LineageCycle: a group is its own ancestor.
	LineageCycle ConflictKind = "lineage cycle"
	// ConservationViolation: more was spent than ever minted.
	ConservationViolation ConflictKind = "conservation violation"
	// OutOfRange: a sum leaves the range of Units, so nothing more is said of it.
	OutOfRange ConflictKind = "out of range"
)

// A Conflict is one fault of a ledger's state.
type Conflict struct {
	Kind    ConflictKind
	Edge    EdgeID    // or empty
	Group   GroupID   // or empty
	Replica ReplicaID // or empty
	Detail  string
}

func (c Conflict) String() string { return string(c.Kind) + ": " + c.Detail }

// Validate lists what is wrong with the state, sorted, the same on every
// replica that holds the same state. While patches are under way it may report
// that an edge or a group is short of funding that has not arrived yet.
func (l *Ledger) Validate() []Conflict {
	var found []Conflict
	report := func(c Conflict, format string, args ...any) {
		c.Detail = fmt.Sprintf(format, args...)
		found = append(found, c)
	}
	for _, e := range l.Edges() {
		l.validateEdge(e, report)
	}
	for _, g := range l.Groups() {
		l.validateGroup(g, report)
	}
	minted, errMinted := l.Minted()
	spent, errSpent := l.Spent()
	switch err := errors.Join(errMinted, errSpent); {
	case err != nil:
		report(Conflict{Kind: OutOfRange}, "%v", err)
	case spent > minted:
		report(Conflict{Kind: ConservationViolation}, "%d units spent of %d minted", spent, minted)
	}
	slices.SortFunc(found, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Replica, b.Replica), cmp.Compare(a.Detail, b.Detail))
	})
	return found
}

func (l *Ledger) validateEdge(e EdgeID, report func(Conflict, string, ...any)) {
	if n := len(l.records[e]); n > 1 {
		report(Conflict{Kind: RecordDivergence, Edge: e}, "edge %q stands for %d attachments", e, n)
	}
	s, err := l.Summary(e)
	if err != nil {
		report(Conflict{Kind: OutOfRange, Edge: e}, "edge %q: %v", e, err)
		return
	}
	if s.Outstanding() < 0 {
		report(Conflict{Kind: PerEdgeSafety, Edge: e}, "edge %q: %d spent and %d returned of %d issued", e, s.Spent, s.Returned, s.Issued)
	}
	if l.lifecycle[e] == Retired && s.Outstanding() != 0 {
		report(Conflict{Kind: ClosureViolation, Edge: e}, "edge %q is retired with %d units outstanding", e, s.Outstanding())
	}
}

func (l *Ledger) validateGroup(g GroupID, report func(Conflict, string, ...any)) {
	if _, live := l.inbound(g); len(live) > 1 {
		report(Conflict{Kind: DualInbound, Group: g}, "group %q has %d live edges leading into it: %q", g, len(live), live)
	}
	if l.loops(g) {
		report(Conflict{Kind: LineageCycle, Group: g}, "group %q is its own ancestor", g)
	}
	for _, r := range l.Replicas() {
		held, err := l.Holdings(g, r)
		if err != nil {
			report(Conflict{Kind: OutOfRange, Group: g, Replica: r}, "group %q, replica %q: %v", g, r, err)
		} else if held < 0 {
			report(Conflict{Kind: NegativeHoldings, Group: g, Replica: r}, "replica %q holds %d units at group %q", r, held, g)
		}
	}
}

// loops says whether live edges lead from g to g.
func (l *Ledger) loops(g GroupID) bool {
	seen := map[GroupID]bool{}
	next := []GroupID{g}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		_, live := l.inbound(at)
		for _, e := range live {
			for _, r := range l.records[e] {
				if r.Parent == g {
					return true
				}
				if r.Child == at && !seen[r.Parent] {
					seen[r.Parent] = true
					next = append(next, r.Parent)
				}
			}
		}
	}
	return false
}
