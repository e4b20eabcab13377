// What follows from a ledger: sums, lineages, and what a group holds.

package fairshare

import (
	"cmp"
	"fmt"
	"slices"
)

// A tally is a sum that remembers whether it left the range of Units.
type tally struct {
	sum Units
	err error
}

func (t *tally) add(n Units) {
	if t.err == nil {
		t.sum, t.err = add(t.sum, n)
	}
}

func (t *tally) sub(n Units) {
	if t.err == nil {
		t.sum, t.err = sub(t.sum, n)
	}
}

// total sums an edge's slots over the replicas.
func (s slots) total(e EdgeID) (Units, error) {
	// Counters are never negative, so the order of adding them doesn't matter.
	var t tally
	for k, n := range s {
		if k.edge == e {
			t.add(n)
		}
	}
	return t.sum, t.err
}

// A Summary is the account of one edge over all replicas.
type Summary struct {
	Issued   Units // granted through it
	Returned Units // given back through it
	Spent    Units // by its child, or below it
}

// Outstanding is what the child may still spend or give back. What is reserved
// and not settled is outstanding.
func (s Summary) Outstanding() Units { return s.Issued - s.Returned - s.Spent }

// Committed is what the policy charges the child for.
func (s Summary) Committed() Units { return s.Issued - s.Returned }

// Summary sums up an edge. An error wraps [ErrOverflow].
func (l *Ledger) Summary(e EdgeID) (Summary, error) {
	var s Summary
	var err error
	if s.Issued, err = l.issued.total(e); err != nil {
		return s, err
	}
	if s.Returned, err = l.returned.total(e); err != nil {
		return s, err
	}
	var spent tally
	for _, of := range []slots{l.leaf, l.rollup} {
		n, err := of.total(e)
		if err != nil {
			return s, err
		}
		spent.add(n)
	}
	s.Spent = spent.sum
	if spent.err == nil {
		// So that Outstanding and Committed are safe too.
		_, spent.err = add(s.Returned, s.Spent)
	}
	return s, spent.err
}

// Stage returns how far an edge has come; ok is false if it is unknown.
func (l *Ledger) Stage(e EdgeID) (stage Lifecycle, ok bool) {
	_, ok = l.records[e]
	return l.lifecycle[e], ok
}

// record returns an edge's record if it has exactly one.
func (l *Ledger) record(e EdgeID) (Record, bool) {
	if r := l.records[e]; len(r) == 1 {
		return r[0], true
	}
	return Record{}, false
}

// Edges lists all edges, in the order of their ids.
func (l *Ledger) Edges() []EdgeID {
	edges := make([]EdgeID, 0, len(l.records))
	for e := range l.records {
		edges = append(edges, e)
	}
	slices.Sort(edges)
	return edges
}

// Groups lists the root and every group that a record names, in order.
func (l *Ledger) Groups() []GroupID {
	groups := []GroupID{RootGroup}
	for _, records := range l.records {
		for _, r := range records {
			groups = append(groups, r.Parent, r.Child)
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// Replicas lists every writer, in order.
func (l *Ledger) Replicas() []ReplicaID {
	var all []ReplicaID
	for _, s := range []slots{l.issued, l.returned, l.leaf, l.rollup} {
		for k := range s {
			all = append(all, k.replica)
		}
	}
	for _, m := range l.minted {
		all = append(all, m.Holder)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inbound lists the edges that some record has end in g, and of them the live.
func (l *Ledger) inbound(g GroupID) (all, live []EdgeID) {
	for e, records := range l.records {
		if slices.ContainsFunc(records, func(r Record) bool { return r.Child == g }) {
			all = append(all, e)
			if l.lifecycle[e].live() {
				live = append(live, e)
			}
		}
	}
	slices.Sort(live)
	return all, live
}

// children lists the edges that some record has start in g, in any stage.
func (l *Ledger) children(g GroupID) []EdgeID {
	var edges []EdgeID
	for e, records := range l.records {
		if slices.ContainsFunc(records, func(r Record) bool { return r.Parent == g }) {
			edges = append(edges, e)
		}
	}
	slices.Sort(edges)
	return edges
}

// IsLeaf says whether no edge in any stage starts in g.
func (l *Ledger) IsLeaf(g GroupID) bool { return len(l.children(g)) == 0 }

// Lineage returns the live edges from the root down to g: none for the root and
// for a group that no record names. An error wrapping [ErrQuarantined] says why
// there is no sound way: a divergent record, two live edges into one group, a
// loop, or no live edge for now.
func (l *Ledger) Lineage(g GroupID) ([]EdgeID, error) {
	var path []EdgeID
	seen := map[GroupID]bool{}
	for at := g; at != RootGroup; {
		if seen[at] {
			return nil, fmt.Errorf("group %q is %w: its edges loop", g, ErrQuarantined)
		}
		seen[at] = true
		all, live := l.inbound(at)
		switch {
		case len(all) == 0 && at == g:
			return nil, nil
		case len(live) == 0:
			return nil, fmt.Errorf("group %q is %w: no live edge leads into %q", g, ErrQuarantined, at)
		case len(live) > 1:
			return nil, fmt.Errorf("group %q is %w: %d live edges lead into %q", g, ErrQuarantined, len(live), at)
		}
		r, ok := l.record(live[0])
		if !ok {
			return nil, fmt.Errorf("group %q is %w: edge %q has %d records", g, ErrQuarantined, live[0], len(l.records[live[0]]))
		}
		path = append(path, live[0])
		at = r.Parent
	}
	slices.Reverse(path)
	return path, nil
}

// Holdings returns what replica r may grant from group g, or spend there: 0 if g
// is quarantined. It can be negative on a partial or broken state. An error
// wraps [ErrOverflow].
func (l *Ledger) Holdings(g GroupID, r ReplicaID) (Units, error) {
	path, err := l.Lineage(g)
	if err != nil {
		return 0, nil //nolint:nilerr // what is quarantined holds nothing; Validate says why
	}
	var t tally
	switch {
	case g == RootGroup:
		for _, m := range l.minted {
			if m.Holder == r {
				t.add(m.Amount)
			}
		}
	case len(path) > 0:
		f := slot{path[len(path)-1], r}
		t.add(l.issued[f])
		t.sub(l.returned[f])
		t.sub(l.leaf[f])
	}
	for _, e := range l.children(g) {
		t.add(l.returned[slot{e, r}])
		t.sub(l.issued[slot{e, r}])
	}
	return t.sum, t.err
}

// Minted and Spent return the two sides of the books: all that was ever minted,
// and all that was charged at leaves. Holdings are the difference.
func (l *Ledger) Minted() (Units, error) {
	var t tally
	for _, m := range l.minted {
		t.add(m.Amount)
	}
	return t.sum, t.err
}

// Spent returns all that was ever charged at leaves.
func (l *Ledger) Spent() (Units, error) {
	var t tally
	for _, n := range l.leaf {
		t.add(n)
	}
	return t.sum, t.err
}

// sorted lists a counter's slots in order.
func (s slots) sorted() []slot {
	keys := make([]slot, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b slot) int { return cmp.Or(cmp.Compare(a.edge, b.edge), cmp.Compare(a.replica, b.replica)) })
	return keys
}
