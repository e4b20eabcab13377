// A ledger as JSON: sorted, so that equal ledgers are equal bytes, and decoded
// strictly, since a snapshot may come from anywhere.

package fairshare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// snapshotFormat names the layout; another one is refused.
const snapshotFormat = "fairshare-ledger/1"

// maxFloorBits bounds the numerator and the denominator of a gauge's floor.
const maxFloorBits = 512

type snapshot struct {
	Format string     `json:"format"`
	Ledger string     `json:"ledger"`
	Edges  []edgeJSON `json:"edges"`
	Mints  []mintJSON `json:"mints"`
	Slots  []slotJSON `json:"slots"`
}

type edgeJSON struct {
	ID      EdgeID       `json:"id"`
	Stage   *string      `json:"stage,omitempty"`
	Records []recordJSON `json:"records,omitempty"`
	Gauge   *gaugeJSON   `json:"gauge,omitempty"`
}

type recordJSON struct {
	Parent GroupID `json:"parent"`
	Child  GroupID `json:"child"`
	Weight string  `json:"weight"`
}

type gaugeJSON struct {
	Floor  string `json:"floor"`
	Folded Units  `json:"folded"`
}

type mintJSON struct {
	ID     MintID    `json:"id"`
	Holder ReplicaID `json:"holder"`
	Amount Units     `json:"amount"`
}

type slotJSON struct {
	Edge     EdgeID    `json:"edge"`
	Replica  ReplicaID `json:"replica"`
	Issued   *Units    `json:"issued,omitempty"`
	Returned *Units    `json:"returned,omitempty"`
	Leaf     *Units    `json:"leafSpent,omitempty"`
	Rollup   *Units    `json:"rollupSpent,omitempty"`
}

// MarshalJSON writes the ledger. Equal ledgers give equal bytes.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	s := snapshot{Format: snapshotFormat, Ledger: l.id, Edges: []edgeJSON{}, Mints: []mintJSON{}, Slots: []slotJSON{}}
	for _, e := range l.edgesWithState() {
		j := edgeJSON{ID: e}
		if stage, ok := l.lifecycle[e]; ok {
			name := stage.String()
			j.Stage = &name
		}
		for _, r := range l.records[e] {
			j.Records = append(j.Records, recordJSON{r.Parent, r.Child, r.Weight.String()})
		}
		if g, ok := l.gauges[e]; ok {
			j.Gauge = &gaugeJSON{g.Floor.RatString(), g.Folded}
		}
		s.Edges = append(s.Edges, j)
	}
	for id, m := range l.minted {
		s.Mints = append(s.Mints, mintJSON{id, m.Holder, m.Amount})
	}
	slices.SortFunc(s.Mints, func(a, b mintJSON) int { return cmp.Compare(a.ID, b.ID) })
	if err := l.checkNames(); err != nil {
		return nil, err
	}
	all := slots{}
	for _, c := range []slots{l.issued, l.returned, l.leaf, l.rollup} {
		all.join(c)
	}
	for _, k := range all.sorted() {
		s.Slots = append(s.Slots, slotJSON{
			k.edge, k.replica, l.issued.at(k), l.returned.at(k), l.leaf.at(k), l.rollup.at(k),
		})
	}
	return json.Marshal(s)
}

// checkNames refuses what JSON can't carry unchanged.
func (l *Ledger) checkNames() error {
	names := []string{l.id}
	for _, e := range l.edgesWithState() {
		names = append(names, string(e))
	}
	for _, g := range l.Groups() {
		names = append(names, string(g))
	}
	for _, r := range l.Replicas() {
		names = append(names, string(r))
	}
	for id := range l.minted {
		names = append(names, string(id))
	}
	slices.Sort(names)
	for _, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("ledger snapshot: the name %q is not valid UTF-8", name)
		}
	}
	return nil
}

func (s slots) at(k slot) *Units {
	if n, ok := s[k]; ok {
		return &n
	}
	return nil
}

// edgesWithState lists every edge of which there is more than a counter.
func (l *Ledger) edgesWithState() []EdgeID {
	edges := l.Edges()
	edges = slices.AppendSeq(edges, maps.Keys(l.lifecycle))
	edges = slices.AppendSeq(edges, maps.Keys(l.gauges))
	slices.Sort(edges)
	return slices.Compact(edges)
}

// UnmarshalJSON reads what MarshalJSON wrote, and refuses anything else: other
// formats, unknown fields, anything twice, negative amounts, weights and stages
// that are none. It reports every such fault at once, and then leaves l alone.
func (l *Ledger) UnmarshalJSON(data []byte) error {
	var s snapshot
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("ledger snapshot: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("ledger snapshot: something follows its end")
	}
	if s.Format != snapshotFormat {
		return fmt.Errorf("ledger snapshot: format %q; this reads %q", s.Format, snapshotFormat)
	}
	read := NewLedger(s.Ledger)
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("ledger snapshot: "+format, args...))
	}
	seen := map[EdgeID]bool{}
	for _, e := range s.Edges {
		if seen[e.ID] {
			fault("edge %q is there twice", e.ID)
		}
		seen[e.ID] = true
		read.decodeEdge(e, fault)
	}
	for _, m := range s.Mints {
		if _, twice := read.minted[m.ID]; twice {
			fault("mint %q is there twice", m.ID)
		}
		if m.Amount < 0 {
			fault("mint %q is of %d units; it can't be negative", m.ID, m.Amount)
		}
		read.minted[m.ID] = Mint{m.Holder, m.Amount}
	}
	slotsSeen := map[slot]bool{}
	for _, c := range s.Slots {
		k := slot{c.Edge, c.Replica}
		if slotsSeen[k] {
			fault("the counters of edge %q, replica %q are there twice", c.Edge, c.Replica)
		}
		slotsSeen[k] = true
		read.decodeSlot(c, fault)
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	*l = *read
	return nil
}

func (l *Ledger) decodeEdge(e edgeJSON, fault func(string, ...any)) {
	if e.Stage != nil {
		at := slices.Index(lifecycleNames[:], *e.Stage)
		if at < 0 {
			fault("edge %q is %q; the stages are %s", e.ID, *e.Stage, strings.Join(lifecycleNames[:], ", "))
		} else {
			l.lifecycle[e.ID] = Lifecycle(at)
		}
	}
	for _, r := range e.Records {
		w, err := ParseWeight(r.Weight)
		switch {
		case err != nil:
			fault("edge %q: %w", e.ID, err)
		case r.Child == RootGroup:
			fault("edge %q leads into the root, which nothing does", e.ID)
		default:
			l.addRecord(e.ID, Record{r.Parent, r.Child, w})
		}
	}
	if e.Gauge != nil {
		floor, err := parseFloor(e.Gauge.Floor)
		switch {
		case err != nil:
			fault("edge %q: %w", e.ID, err)
		case e.Gauge.Folded < 0:
			fault("edge %q: its gauge has folded %d units; it can't be negative", e.ID, e.Gauge.Folded)
		default:
			l.gauges[e.ID] = Gauge{floor, e.Gauge.Folded}
		}
	}
}

// parseFloor reads "n" or "n/d". It looks at the length before it computes.
func parseFloor(s string) (*big.Rat, error) {
	bad := fmt.Errorf("gauge floor is not a fraction n/d of at most %d bits, neither part negative", maxFloorBits)
	if len(s) > maxFloorBits || s == "" || strings.Trim(s, "0123456789/") != "" {
		return nil, bad
	}
	floor, ok := new(big.Rat).SetString(s)
	if !ok || max(floor.Num().BitLen(), floor.Denom().BitLen()) > maxFloorBits {
		return nil, bad
	}
	return floor, nil
}

func (l *Ledger) decodeSlot(c slotJSON, fault func(string, ...any)) {
	k := slot{c.Edge, c.Replica}
	for _, part := range []struct {
		name string
		from *Units
		to   slots
	}{
		{"issued", c.Issued, l.issued},
		{"returned", c.Returned, l.returned},
		{"leafSpent", c.Leaf, l.leaf},
		{"rollupSpent", c.Rollup, l.rollup},
	} {
		switch {
		case part.from == nil || *part.from == 0:
		case *part.from < 0:
			fault("%s of edge %q, replica %q is %d; it can't be negative", part.name, c.Edge, c.Replica, *part.from)
		default:
			part.to[k] = *part.from
		}
	}
}
