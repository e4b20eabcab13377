package fairshare

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A twin is the node as the formulas of the specification have it: rationals,
// sorted lists, and the real ledger, through whose operations everything goes.
// It is slow and simple on purpose.
type twin struct {
	cfg    Config
	ledger *Ledger
	lanes  []*twinLane // by Leaf; 0 is nil
	groups []*twinGroup
	calls  map[Reservation]twinCall
	mints  Units
}

const me ReplicaID = "me"

// A twinGroup is a group or a lane with the edge that attaches it now.
type twinGroup struct {
	path     string // "" for the root
	parent   *twinGroup
	children []*twinGroup
	lane     *twinLane

	gen    int
	weight Weight
	next   *Weight // while it drains

	offset *big.Rat // of this generation
	seen   bool     // had work at the last sample; of a lane that waits to be seated it isn't asked
}

type twinLane struct {
	group             *twinGroup
	units, head, open Units
}

type twinCall struct {
	leaf Leaf
	max  Units
	path []EdgeID
}

func (g *twinGroup) edge() EdgeID { return EdgeID(fmt.Sprintf("%s %d", g.path, g.gen)) }

func (g *twinGroup) id() GroupID {
	switch {
	case g.parent == nil:
		return RootGroup
	case g.lane != nil:
		return GroupID(g.path)
	}
	return GroupID(g.edge())
}

func newTwin(cfg Config, shares []Share) *twin {
	t := &twin{cfg: cfg, ledger: NewLedger("l"), calls: map[Reservation]twinCall{}}
	at := map[string]*twinGroup{"": {}}
	var lanes []string
	weights := map[string]Weight{}
	for _, s := range shares {
		weights[strings.TrimSuffix(s.Path, "/")] = s.Weight
		if !strings.HasSuffix(s.Path, "/") {
			lanes = append(lanes, s.Path)
		}
	}
	slices.Sort(lanes)
	t.lanes = []*twinLane{nil}
	t.groups = []*twinGroup{at[""]}
	for _, path := range lanes {
		var g *twinGroup
		for i := 0; i <= len(path); i++ {
			if i < len(path) && path[i] != '/' {
				continue
			}
			prefix := path[:i]
			if at[prefix] == nil {
				w, ok := weights[prefix]
				if !ok {
					w = One
				}
				above := at[prefix[:max(0, strings.LastIndexByte(prefix, '/'))]]
				at[prefix] = &twinGroup{path: prefix, parent: above, gen: 1, weight: w, offset: new(big.Rat)}
				above.children = append(above.children, at[prefix])
				t.groups = append(t.groups, at[prefix])
			}
			g = at[prefix]
		}
		g.lane = &twinLane{group: g}
		t.lanes = append(t.lanes, g.lane)
	}
	slices.SortFunc(t.groups, func(a, b *twinGroup) int { return cmp.Compare(a.path, b.path) })
	for _, g := range t.groups {
		slices.SortFunc(g.children, func(a, b *twinGroup) int { return cmp.Compare(a.path, b.path) })
	}
	for _, g := range t.groups[1:] {
		t.attach(g)
		t.must(t.ledger.Seat(g.edge(), new(big.Rat)))
	}
	t.mint(cfg.Supply)
	return t
}

// must merges a patch that the twin is entitled to.
func (t *twin) must(p *Ledger, err error) {
	if err == nil {
		err = t.ledger.Merge(p)
	}
	if err != nil {
		panic(err)
	}
}

func (t *twin) mint(n Units) {
	t.mints += n
	t.must(t.ledger.Mint("minted by "+MintID(me), me, t.mints))
}

func (t *twin) attach(g *twinGroup) {
	t.must(t.ledger.Prepare(g.edge(), Record{g.parent.id(), g.id(), g.weight}))
	t.must(t.ledger.Activate(g.edge()))
}

func (t *twin) holdings(g GroupID) Units {
	n, err := t.ledger.Holdings(g, me)
	if err != nil {
		panic(err)
	}
	return n
}

// held is what a lane may reserve.
func (t *twin) held(l *twinLane) Units { return t.holdings(l.group.id()) - l.open }

func (g *twinGroup) blocked() bool {
	for ; g != nil; g = g.parent {
		if g.next != nil {
			return true
		}
	}
	return false
}

// demanding: a lane with dispatchable work, a group with one below it.
func (t *twin) demanding(g *twinGroup) bool {
	if l := g.lane; l != nil {
		return l.units > 0 && !g.blocked() && (t.cfg.MaxOutstanding == 0 || l.open+l.head <= t.cfg.MaxOutstanding)
	}
	return slices.ContainsFunc(g.children, t.demanding)
}

// active children can be granted to.
func (t *twin) active(g *twinGroup) []*twinGroup {
	var list []*twinGroup
	for _, c := range g.children {
		if stage, _ := t.ledger.Stage(c.edge()); stage == Active {
			list = append(list, c)
		}
	}
	return list
}

func (t *twin) ev(g *twinGroup) *big.Rat {
	v, err := t.ledger.Virtual(g.edge())
	if err != nil {
		panic(err)
	}
	return v.Add(v, g.offset)
}

// mean is Σ w·ev / Σ w.
func (t *twin) mean(list []*twinGroup) *big.Rat {
	sum, all := new(big.Rat), new(big.Rat)
	for _, g := range list {
		w := g.weight.Rat()
		all.Add(all, w)
		sum.Add(sum, w.Mul(w, t.ev(g)))
	}
	return sum.Quo(sum, all)
}

// toGrid takes a front up to the next step: 1/grid of virtual service once the
// weights of the group are brought to one denominator.
func (t *twin) toGrid(g *twinGroup, front *big.Rat) *big.Rat {
	common := big.NewInt(1)
	for _, c := range g.children {
		w := c.weight
		if c.next != nil {
			w = *c.next
		}
		den := big.NewInt(w.den)
		common.Div(new(big.Int).Mul(common, den), new(big.Int).GCD(nil, nil, common, den))
	}
	step := new(big.Rat).SetFrac(common, big.NewInt(grid))
	steps := new(big.Rat).Quo(front, step)
	up := new(big.Int).Add(steps.Num(), new(big.Int).Sub(steps.Denom(), big.NewInt(1)))
	up.Div(up, steps.Denom())
	return new(big.Rat).Mul(new(big.Rat).SetInt(up), step)
}

// front is where joiners go: the mean over the demanding ones that are no
// joiners, or the highest of all.
func (t *twin) front(g *twinGroup, joiners []*twinGroup) *big.Rat {
	var others []*twinGroup
	top := new(big.Rat)
	for _, c := range t.active(g) {
		if v := t.ev(c); v.Cmp(top) > 0 {
			top = v
		}
		if t.demanding(c) && !slices.Contains(joiners, c) {
			others = append(others, c)
		}
	}
	if len(others) > 0 {
		return t.toGrid(g, t.mean(others))
	}
	return t.toGrid(g, top)
}

func (t *twin) join(g *twinGroup) {
	var joiners []*twinGroup
	for _, c := range t.active(g) {
		_, seated := t.ledger.GaugeOf(c.edge())
		if !seated || t.demanding(c) && !c.seen {
			joiners = append(joiners, c)
		}
	}
	if len(joiners) > 0 {
		front := t.front(g, joiners)
		for _, c := range joiners {
			if _, seated := t.ledger.GaugeOf(c.edge()); !seated {
				t.must(t.ledger.Seat(c.edge(), front))
				continue
			}
			vRaw, _ := t.ledger.Virtual(c.edge())
			credit := new(big.Rat).SetInt64(int64(t.cfg.SleeperCredit))
			vRaw.Add(vRaw, credit.Quo(credit, c.weight.Rat()))
			if gap := new(big.Rat).Sub(front, vRaw); gap.Cmp(c.offset) > 0 {
				c.offset = gap
			}
		}
	}
	for _, c := range t.active(g) {
		c.seen = t.demanding(c)
	}
}

func (t *twin) release(l *twinLane, n Units) {
	for g := l.group; g.parent != nil; g = g.parent {
		t.must(t.ledger.Release(me, g.edge(), n))
	}
}

// renew retires what has drained and attaches its successors.
func (t *twin) renew() {
	for _, g := range t.groups {
		if g.next == nil {
			continue
		}
		if s, _ := t.ledger.Summary(g.edge()); s.Outstanding() == 0 {
			t.retire(g)
			t.reattach(g)
		}
	}
}

func (t *twin) retire(g *twinGroup) {
	t.must(t.ledger.CloseEdge(g.edge()))
	t.must(t.ledger.Retire(g.edge()))
	for _, c := range g.children {
		t.retire(c)
	}
}

func (t *twin) reattach(g *twinGroup) {
	if g.next != nil {
		g.weight, g.next = *g.next, nil
	}
	g.gen++
	g.offset, g.seen = new(big.Rat), false
	t.attach(g)
	for _, c := range g.children {
		t.reattach(c)
	}
}

func (t *twin) turn() (Leaf, bool) {
	for _, l := range t.lanes[1:] {
		if n := t.held(l); n > 0 && !t.demanding(l.group) {
			t.release(l, n)
		}
	}
	t.renew()
	for _, g := range t.groups {
		if g.lane == nil {
			t.join(g)
		}
	}
	for {
		some := false
		for i, l := range t.lanes[1:] {
			some = some || t.demanding(l.group)
			if t.demanding(l.group) && t.held(l) >= l.head {
				return Leaf(i + 1), true
			}
		}
		if !some {
			return 0, false
		}
		if have := t.holdings(RootGroup); have < t.cfg.Quantum && t.cfg.Supply == 0 {
			t.mint(t.cfg.Quantum - have)
		}
		have := t.holdings(RootGroup)
		if have == 0 {
			return 0, false
		}
		g := t.groups[0]
		n := min(t.ask(t.pick(g)), have)
		for g.lane == nil {
			g = t.pick(g)
			t.must(t.ledger.Delegate(me, g.edge(), n))
		}
	}
}

// ask is what a child would be granted: a lane what it lacks, at most a
// quantum; a group what its winner would be.
func (t *twin) ask(g *twinGroup) Units {
	if l := g.lane; l != nil {
		return min(l.head-t.held(l), t.cfg.Quantum)
	}
	return t.ask(t.pick(g))
}

// pick is the rule: of the demanding children with ev <= V the one with the
// earliest deadline, then the lowest id.
func (t *twin) pick(g *twinGroup) *twinGroup {
	var list []*twinGroup
	for _, c := range t.active(g) {
		if t.demanding(c) {
			list = append(list, c)
		}
	}
	v := t.mean(list)
	var best *twinGroup
	var due *big.Rat
	for _, c := range list {
		ev := t.ev(c)
		if ev.Cmp(v) > 0 {
			continue
		}
		d := new(big.Rat).SetInt64(int64(t.ask(c)))
		d.Add(ev, d.Quo(d, c.weight.Rat()))
		if best == nil || d.Cmp(due) < 0 || d.Cmp(due) == 0 && c.edge() < best.edge() {
			best, due = c, d
		}
	}
	return best
}

func (t *twin) reserve(leaf Leaf, cost Units, as Reservation) bool {
	l := t.lanes[leaf]
	if l.group.blocked() || t.held(l) < cost || t.cfg.MaxOutstanding > 0 && l.open+cost > t.cfg.MaxOutstanding {
		return false
	}
	path, err := t.ledger.Lineage(l.group.id())
	if err != nil {
		panic(err)
	}
	l.open += cost
	t.calls[as] = twinCall{leaf, cost, path}
	return true
}

func (t *twin) complete(res Reservation, actual Units) bool {
	c, ok := t.calls[res]
	if !ok {
		return true
	}
	if actual < 0 || actual > c.max {
		return false
	}
	t.must(t.ledger.Charge(me, c.path, actual))
	t.lanes[c.leaf].open -= c.max
	delete(t.calls, res)
	return true
}

func (t *twin) setWeight(path string, w Weight) {
	for _, g := range t.groups[1:] {
		if g.path == path && (g.next != nil || g.weight != w) {
			if g.next == nil {
				t.must(t.ledger.CloseEdge(g.edge()))
			}
			g.next = &w
		}
	}
}
