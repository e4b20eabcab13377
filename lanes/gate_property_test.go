// Share lanes against the naive twin: what both say of themselves, and what
// rapid does to them.

package lanes

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ferryctl/lanes/fairshare"
)

// checkShares compares the share lanes: the room's account of them, the trees,
// and the meters.
func (p *pair) checkShares() error {
	l, g := p.s.l, p.n.gate
	for i := range l.Shares().Leaves() + 1 {
		leaf := fairshare.Leaf(i)
		count, weight := p.n.holds(i)
		want := ShareStats{
			Queued: int(count), QueuedWeight: weight,
			Part: int(g.count[i]), PartWeight: g.weight[i],
		}
		got := l.Share(leaf)
		if i > 0 { // nothing gates or counts untagged work
			want.Starved = p.n.waited(i)
		}
		heaviest := got.Heaviest
		if got.Heaviest = 0; got != want {
			return fmt.Errorf("share lane %d: %+v, want %+v", i, got, want)
		}
		in := Input[int]{Share: leaf, Weight: heaviest}
		if g.never(p.n, in) {
			return fmt.Errorf("share lane %d: an input of weight %d is not too heavy by its own account", i, heaviest)
		}
		if in.Weight++; heaviest < int64(Unlimited) && !g.never(p.n, in) {
			return fmt.Errorf("share lane %d: an input of weight %d is too heavy by its own account", i, heaviest+1)
		}
	}
	if got, want := l.Shares().Supply(), g.node.Supply(); got != want {
		return fmt.Errorf("supply %+v, want %+v", got, want)
	}
	for i := 1; i <= l.Shares().Leaves(); i++ {
		// What is declared counts when the turn is asked for, and may be late until then.
		got, want := l.Shares().Report(fairshare.Leaf(i)), g.node.Report(fairshare.Leaf(i))
		got.State, got.Dispatchable, want.State, want.Dispatchable = 0, 0, 0, 0
		if got != want {
			return fmt.Errorf("share lane %+v, want %+v", got, want)
		}
	}
	return sameFairness(l.Fairness(), g.meter.Report())
}

// takeOfShares takes, and compares what both trees were told when they were asked.
func (p *pair) takeOfShares() error {
	var before []fairshare.Units
	for i := range p.n.gate.node.Leaves() + 1 {
		_, units, _ := p.n.lined(fairshare.Leaf(i))
		before = append(before, fairshare.Units(units))
	}
	asked := p.n.ready()
	if err := p.take(); err != nil || !asked {
		return err
	}
	for i := 1; i < len(before); i++ {
		got := p.s.l.Shares().Report(fairshare.Leaf(i)).Dispatchable
		if now := p.n.gate.node.Report(fairshare.Leaf(i)).Dispatchable; got != before[i] && got != now {
			return fmt.Errorf("share lane %d: %d units declared, want %d, or %d after the take", i, got, before[i], now)
		}
	}
	return nil
}

// sameFairness compares two reports: they add up in another order.
func sameFairness(got, want fairshare.Fairness) error {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }
	if got.Calls != want.Calls || !near(got.Served, want.Served) || !near(got.Worst, want.Worst) {
		return fmt.Errorf("fairness %+v, want %+v", got, want)
	}
	for i, g := range got.Lanes {
		w := want.Lanes[i]
		if !near(g.Offered, w.Offered) || !near(g.Served, w.Served) || !near(g.Owed, w.Owed) || !near(g.Got, w.Got) ||
			!near(g.End, w.End) || !near(g.MaxLag, w.MaxLag) || !near(g.MaxLead, w.MaxLead) || g.Starved != w.Starved {
			return fmt.Errorf("fairness of share lane %d: %+v, want %+v", i, g, w)
		}
	}
	return nil
}

// shapes are the trees that are drawn: a path each, a slash at the end for a
// group's own weight.
var shapes = [][]string{
	{"a"},
	{"a", "b"},
	{"a", "b", "c"},
	{"x/", "x/a", "x/b", "y"},
	{"x/", "x/a", "x/b/", "x/b/c", "x/b/d", "y/e", "z"},
}

func drawWeight(t *rapid.T) fairshare.Weight {
	w, err := fairshare.NewWeight(rapid.Int64Range(1, 6).Draw(t, "num"), rapid.SampledFrom([]int64{1, 1, 1, 2, 3}).Draw(t, "den"))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (m *machine) drawShare(t *rapid.T) fairshare.Leaf {
	if m.n.gate == nil {
		return m.tag
	}
	return fairshare.Leaf(rapid.IntRange(0, m.n.gate.node.Leaves()).Draw(t, "share"))
}

func leaves(paths []string) (n int) {
	for _, path := range paths {
		if !strings.HasSuffix(path, "/") {
			n++
		}
	}
	return n
}

// roomy raises the bounds to what so many share lanes need.
func roomy(cfg Config, lanes int) Config {
	least := lanes + 1
	if cfg.Policy == Guaranteed {
		least *= 2
	}
	if cfg.Policy != Shared {
		cfg.MaxQueued, cfg.MaxQueuedWeight = max(cfg.MaxQueued, least), max(cfg.MaxQueuedWeight, int64(least))
	}
	return cfg
}

// shareMachine does to a pair with share lanes what can be done to any, and
// changes their weights.
type shareMachine struct {
	machine
	paths []string
}

// Reweigh gives a share lane or a group another weight.
func (m *shareMachine) Reweigh(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 2).Draw(t, "rarely") == 0 {
		path, w := rapid.SampledFrom(m.paths).Draw(t, "path"), drawWeight(t)
		must(t, m.reweigh(path, w))
	}
}

// Take looks at what was declared besides.
func (m *shareMachine) Take(t *rapid.T) {
	m.step(t)
	must(t, m.takeOfShares())
}

// ResetPeaks begins a new account.
func (m *shareMachine) ResetPeaks(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 5).Draw(t, "rarely") == 0 {
		m.n.restart()
		m.s.l.Advance(m.now)
		m.s.l.ResetPeaks()
	}
}

// Again takes what there is once and again, so that lines move.
func (m *shareMachine) Again(t *rapid.T) {
	m.step(t)
	for len(m.out) > 0 {
		m.release(0)
		must(t, m.take())
		if rapid.Bool().Draw(t, "enough") {
			return
		}
	}
}

func TestShareLanesDecideAsTheirNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shares []fairshare.Share
		m := &shareMachine{paths: rapid.SampledFrom(shapes).Draw(t, "shape")}
		for _, path := range m.paths {
			shares = append(shares, fairshare.Share{Path: path, Weight: drawWeight(t)})
		}
		m.pair = newSharePair(roomy(drawConfig(t, false), leaves(m.paths)), fairshare.Units(rapid.IntRange(1, 8).Draw(t, "quantum")), shares)
		t.Repeat(rapid.StateMachineActions(m))
	})
}

// TestOneShareLaneDecidesAsNone drives rooms with share lanes, of which one or
// none has all the inputs, beside a twin that knows of no share lanes.
func TestOneShareLaneDecidesAsNone(t *testing.T) {
	for name, tag := range map[string]fairshare.Leaf{"one": 1, "untagged": fairshare.Untagged} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				cfg := drawConfig(t, false)
				cfg.Policy = Shared // a part kept for others is no room without them
				m := &machine{pair: newPair(cfg, false), tag: tag}
				var shares []fairshare.Share
				for _, path := range rapid.SampledFrom(shapes[:2]).Draw(t, "shape") {
					shares = append(shares, fairshare.Share{Path: path, Weight: drawWeight(t)})
				}
				node, err := fairshare.NewNode(fairshare.Config{Quantum: fairshare.Units(rapid.IntRange(1, 8).Draw(t, "quantum"))}, shares)
				if err != nil {
					t.Fatal(err)
				}
				cfg.Shares = node
				m.s.l = NewLanes[int, int](cfg)
				t.Repeat(rapid.StateMachineActions(m))
				if s := m.s.l.Shares().Supply(); tag == fairshare.Untagged && s != (fairshare.Supply{}) {
					t.Fatalf("untagged work touched the tree: %+v", s)
				}
			})
		})
	}
}
