package fairshare

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var trees = []string{
	"a=1,b=1",
	"a=3,b=2,c=1",
	"a=2.5,b=1/3,c=7,d=1",
	"gold=3,free=1,acme/interactive=3,acme/batch=1",
	"x/=2,x/a=1,x/b/=3,x/b/c=2,x/b/d=1.5,y=1,z/z/z=4",
	"a=23,b=29,c=31,d=37", // no sum of these divides the grid
	"a=1,b=1,c=2,d=1,e=1,f=1,g=3,h=1,i=1",
	"only=1",
}

// A pair is a node and its twin, to which the same is done.
type pair struct {
	n    *Node
	t    *twin
	open []Reservation
}

func drawPair(t *rapid.T) *pair {
	list := rapid.SampledFrom(trees).Draw(t, "tree")
	shares, err := ParseShares(list)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Quantum: Units(rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "quantum"))}
	switch rapid.IntRange(0, 5).Draw(t, "bound") {
	case 0:
		cfg.MaxOutstanding = 12
	case 1:
		cfg.Supply = 60
	case 2:
		cfg.SleeperCredit = 5
	}
	n, err := NewNode(cfg, shares)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{n: n, t: newTwin(cfg, shares)}
}

func (p *pair) leaf(t *rapid.T) Leaf { return Leaf(rapid.IntRange(1, p.n.Leaves()).Draw(t, "lane")) }

func (p *pair) reserve(t *rapid.T, leaf Leaf, cost Units) {
	res, err := p.n.Reserve(leaf, cost)
	switch ok := p.t.reserve(leaf, cost, res); {
	case err == nil && !ok, errors.Is(err, ErrDeferred) && ok:
		t.Fatalf("reserve %d at %s: %v, the twin says %t", cost, p.n.Path(leaf), err, ok)
	case err == nil:
		p.open = append(p.open, res)
	case !errors.Is(err, ErrDeferred):
		t.Fatal(err)
	}
}

func (p *pair) turn(t *rapid.T) (Leaf, bool) {
	leaf, ok := p.n.Turn()
	if wantLeaf, want := p.t.turn(); leaf != wantLeaf || ok != want {
		t.Fatalf("turn: %d %t, the twin says %d %t", leaf, ok, wantLeaf, want)
	}
	return leaf, ok
}

func (p *pair) declare(t *rapid.T, leaf Leaf, units, head Units) {
	if err := p.n.SetBacklog(leaf, units, head); err != nil {
		t.Fatal(err)
	}
	if units == 0 {
		head = 0
	}
	p.t.lanes[leaf].units, p.t.lanes[leaf].head = units, head
}

// Steps that a batcher takes, and those that need somebody who governs it.
var (
	batching  = []string{"backlog", "backlog", "turn", "serve", "serve", "serve", "reserve", "settle", "settle", "claim", "clone"}
	governing = []string{"weigh", "mint"}
)

// step does one thing to both.
func (p *pair) step(t *rapid.T) { p.one(t, slices.Concat(batching, governing)) }

// goOn does one thing to both that leaves shares and settings as they are.
func (p *pair) goOn(t *rapid.T) { p.one(t, batching) }

func (p *pair) one(t *rapid.T, of []string) {
	switch rapid.SampledFrom(of).Draw(t, "op") {
	case "backlog":
		head := Units(rapid.IntRange(0, 9).Draw(t, "head"))
		p.declare(t, p.leaf(t), 3*head, head)
	case "turn":
		p.turn(t)
	case "serve":
		if leaf, ok := p.turn(t); ok {
			p.reserve(t, leaf, p.t.lanes[leaf].head)
			if rapid.Bool().Draw(t, "last") {
				p.declare(t, leaf, 0, 0)
			}
		}
	case "reserve":
		p.reserve(t, p.leaf(t), Units(rapid.IntRange(1, 9).Draw(t, "cost")))
	case "settle":
		if len(p.open) > 0 {
			i := rapid.IntRange(0, len(p.open)-1).Draw(t, "call")
			actual := Units(rapid.IntRange(-1, 9).Draw(t, "actual"))
			ok := p.n.Complete(p.open[i], actual) == nil
			if want := p.t.complete(p.open[i], actual); ok != want {
				t.Fatalf("complete %d: %t, the twin says %t", actual, ok, want)
			}
		}
	case "claim":
		p.claim(t)
	case "weigh":
		path := p.t.groups[rapid.IntRange(1, len(p.t.groups)-1).Draw(t, "group")].path
		w, _ := NewWeight(int64(rapid.IntRange(1, 6).Draw(t, "num")), int64(rapid.IntRange(1, 3).Draw(t, "den")))
		if err := p.n.SetWeight(path, w); err != nil {
			t.Fatal(err)
		}
		p.t.setWeight(path, w)
	case "mint":
		if p.n.cfg.Supply > 0 {
			if err := p.n.Mint(20); err != nil {
				t.Fatal(err)
			}
			p.t.mint(20)
		}
	case "clone":
		old := p.n
		p.n = old.Clone()
		for leaf := Leaf(1); int(leaf) <= old.Leaves(); leaf++ { // must not show in the clone
			_ = old.SetBacklog(leaf, 5, 5)
		}
		old.Turn()
	}
}

// claim is a call outside of the backlog: the turn as if it were part of it.
func (p *pair) claim(t *rapid.T) {
	leaf, cost := p.leaf(t), Units(rapid.IntRange(1, 9).Draw(t, "cost"))
	res, err := p.n.Claim(leaf, cost)
	l := p.t.lanes[leaf]
	units, head := l.units, l.head
	l.units, l.head = max(cost, units), cost
	turn, some := p.t.turn()
	ok := (!some || turn == leaf) && p.t.reserve(leaf, cost, res)
	l.units, l.head = units, head
	if ok != (err == nil) {
		t.Fatalf("claim %d at %s: %v, the twin says %t", cost, p.n.Path(leaf), err, ok)
	}
	if ok {
		p.open = append(p.open, res)
	}
}

// check compares the books, and holds the invariants that need no second state.
func (p *pair) check(t *rapid.T) {
	got, want := p.n.Ledger("l", me), p.t.ledger
	if !got.Equal(want) {
		a, _ := got.MarshalJSON()
		b, _ := want.MarshalJSON()
		t.Fatalf("the node's books\n%s\nthe twin's\n%s", a, b)
	}
	if found := got.Validate(); len(found) > 0 {
		t.Fatal(found)
	}
	checkConservation(t, got)
	for leaf := Leaf(1); int(leaf) <= p.n.Leaves(); leaf++ {
		r, l := p.n.Report(leaf), p.t.lanes[leaf]
		if r.Held != p.t.held(l) || r.Earmarked != l.open || r.Earmarked < 0 || r.Held < 0 {
			t.Fatalf("%s holds %d and has earmarked %d; the twin says %d and %d", r.Path, r.Held, r.Earmarked, p.t.held(l), l.open)
		}
	}
	if s := p.n.Supply(); s.Minted != s.Free+s.Held+s.Earmarked+s.Spent || s.Open != len(p.t.calls) {
		t.Fatalf("the account does not add up: %+v", s)
	}
	if err := p.n.sound(); err != nil {
		t.Fatal(err)
	}
}

// checkConservation: what was minted is held somewhere or was spent at a leaf,
// also if holdings below zero count as nothing.
func checkConservation(t *rapid.T, l *Ledger) {
	minted, _ := l.Minted()
	spent, _ := l.Spent()
	all, positive := spent, spent
	for _, g := range l.Groups() {
		for _, r := range l.Replicas() {
			held, err := l.Holdings(g, r)
			if err != nil {
				t.Fatal(err)
			}
			all += held
			positive += max(0, held)
		}
	}
	if all != minted || positive > minted {
		t.Fatalf("%d units minted, %d accounted for, %d with none below zero", minted, all, positive)
	}
}

// sound holds the trees' own invariants.
func (n *Node) sound() error {
	for i := range n.groups {
		g := &n.groups[i]
		var sum wide
		var weight uint64
		count := 0
		for _, c := range g.children {
			if v := &n.verts[c]; v.linked {
				count++
				if v.busy {
					sum, weight = sum.add(v.ev), weight+v.weight
				}
			}
		}
		if sum != g.sum || weight != g.weight {
			return fmt.Errorf("totals of group %q are off", n.names[g.self])
		}
		walked := 0
		for _, root := range []int32{g.busy, g.idle} {
			last := int32(0)
			var walk func(at, up int32) (best int32, err error)
			walk = func(at, up int32) (int32, error) {
				if at == 0 {
					return 0, nil
				}
				v := &n.verts[at]
				walked++
				if v.up != up || up != 0 && priority(at) < priority(up) || v.busy != (root == g.busy) {
					return 0, fmt.Errorf("%s hangs in the wrong place", n.names[at])
				}
				best, err := walk(v.left, at)
				if err != nil {
					return 0, err
				}
				if last != 0 && !n.before(last, at) {
					return 0, fmt.Errorf("%s is out of order", n.names[at])
				}
				last = at
				if best == 0 || n.earlier(at, best) {
					best = at
				}
				right, err := walk(v.right, at)
				if right != 0 && n.earlier(right, best) {
					best = right
				}
				if err == nil && v.busy && best != v.best { // of the others nobody asks
					err = fmt.Errorf("the earliest deadline below %s is %s's, not %s's", n.names[at], n.names[best], n.names[v.best])
				}
				return best, err
			}
			if _, err := walk(root, 0); err != nil {
				return err
			}
		}
		if walked != count {
			return fmt.Errorf("the trees of group %q hold %d children, not %d", n.names[g.self], walked, count)
		}
	}
	return nil
}

// The same declared, held and in flight, and another one in credit.
func TestTheKeyTellsWhoIsInCredit(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1,b=1")
	d.backlog("a", 1)
	d.backlog("b", 1)
	d.serve()
	odd := d.AppendKey(nil)
	if next := d.serve(); next != "b" {
		t.Fatalf("then %s is served", next)
	}
	even := d.AppendKey(nil)
	if next := d.serve(); next != "a" || bytes.Equal(odd, even) {
		t.Errorf("then %s is served; equal keys: %t", next, bytes.Equal(odd, even))
	}
	if again := d.AppendKey(nil); !bytes.Equal(odd, again) {
		t.Error("a round later the state has another key")
	}
}

func TestNodeIsItsNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			p.step(t)
			p.check(t)
		}
	})
}

// What a key leaves out, it leaves out because no front will be below leastFront.
func TestNoFrontIsBelowTheLeastEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			p.step(t)
		}
		least := make([]wide, len(p.n.groups))
		for i := range least {
			least[i] = p.n.leastFront(&p.n.groups[i])
		}
		for range rapid.IntRange(1, 40).Draw(t, "more") {
			p.goOn(t)
			for i := range least {
				g := &p.n.groups[i]
				if front := p.n.frontOf(g); g.busy+g.idle != 0 && front.less(least[i]) {
					t.Fatalf("a front of %q is %d steps below the least ever", p.n.names[g.self], least[i].sub(front).lo)
				}
			}
		}
	})
}

func TestTheLeastFrontKnowsOfCreditAndDrain(t *testing.T) {
	check := func(d driver, between func()) {
		t.Helper()
		g := &d.groups[d.verts[d.verts[d.lanes[d.leaf("x/a")].vert].parent].group]
		least, before := d.leastFront(g), d.frontOf(g)
		between()
		if at := d.frontOf(g); !at.less(before) || at.less(least) {
			t.Errorf("the front is at %d; it was at %d, and the least was to be %d", at.lo, before.lo, least.lo)
		}
	}

	d := newDriver(t, Config{Quantum: 1, SleeperCredit: 5}, "x/a=1,x/b=1")
	d.backlog("x/a", 6)
	d.serve()
	d.backlog("x/a", 0)
	d.Turn()
	check(d, func() { // b wakes, behind by its credit
		d.backlog("x/b", 1)
		d.Turn()
	})

	d = newDriver(t, Config{Quantum: 1}, "x/a=1,x/b=1")
	d.backlog("x/a", 6)
	d.serve()
	d.serve()
	_, call := d.reserve()
	d.backlog("x/a", 0)
	d.Turn()
	double, err := NewWeight(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SetWeight("x", double); err != nil {
		t.Fatal(err)
	}
	check(d, func() { // x has drained, and what is below it begins anew
		if err := d.Complete(call, 6); err != nil {
			t.Fatal(err)
		}
		d.Turn()
	})
}

// Equal keys mean equal answers: after a shift of all virtual service, too, and
// whether or not an idle lane was lifted in advance to where it will wake.
func TestEqualKeysAnswerAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			p.step(t)
		}
		n := p.n
		shifted := n.Clone()
		for i := range shifted.groups {
			g := &shifted.groups[i]
			floor := shifted.leastFront(g)
			for _, c := range g.children {
				if shifted.verts[c].linked {
					shifted.move(c, shifted.lifted(c, floor))
				}
			}
		}
		by := wide{0, rapid.Uint64().Draw(t, "shift")}
		for i := range shifted.groups {
			g := &shifted.groups[i]
			g.sum = g.sum.add(by.times(g.weight))
			for _, c := range g.children {
				if v := &shifted.verts[c]; v.linked {
					v.ev = v.ev.add(by.times(v.weight))
				}
			}
		}
		if !bytes.Equal(n.AppendKey(nil), shifted.AppendKey(nil)) {
			t.Fatal("the same but for a shift and what waits to be lifted, and another key")
		}
		var open [][2]Reservation
		for range 40 {
			leaf := Leaf(rapid.IntRange(1, n.Leaves()).Draw(t, "lane"))
			head := Units(rapid.IntRange(0, 9).Draw(t, "head"))
			if errA, errB := n.SetBacklog(leaf, head, head), shifted.SetBacklog(leaf, head, head); (errA == nil) != (errB == nil) {
				t.Fatal(errA, errB)
			}
			a, okA := n.Turn()
			b, okB := shifted.Turn()
			if a != b || okA != okB {
				t.Fatalf("turn of %d %t, and of %d %t", a, okA, b, okB)
			}
			if okA {
				x, errX := n.Reserve(a, n.lanes[a].head)
				y, errY := shifted.Reserve(a, n.lanes[a].head)
				if (errX == nil) != (errY == nil) {
					t.Fatal(errX, errY)
				}
				open = append(open, [2]Reservation{x, y})
			}
			if len(open) > 0 && rapid.Bool().Draw(t, "settle") {
				actual := Units(rapid.IntRange(0, 2).Draw(t, "actual"))
				_, _ = n.Complete(open[0][0], actual), shifted.Complete(open[0][1], actual)
				open = open[1:]
			}
		}
	})
}
