package fairshare

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The worked example of EEVDF with weights 3, 2, 1 and quantum 6; and that ties
// go by the bytes of the names.
func TestWorkedExampleIsServedInItsOrder(t *testing.T) {
	for last, want := range map[string]string{"c": "ababacabab", "A": "abaAababaA"} {
		d := newDriver(t, Config{Quantum: 6}, "a=3,b=2,"+last+"=1")
		var order strings.Builder
		for _, lane := range []string{"a", "b", last} {
			d.backlog(lane, 6)
		}
		for range 10 {
			order.WriteString(d.serve())
		}
		if got := order.String(); got != want {
			t.Errorf("order %s, want %s", got, want)
		}
	}
}

// A newborn is seated where the front is when it is born, however long its birth
// was under way, and then gets its share.
func TestANewbornIsSeatedAtTheFrontOfItsBirth(t *testing.T) {
	for _, delay := range []int{0, 5, 25, 200} {
		d := newDriver(t, Config{Quantum: 1}, "a=1,b=1,n=2")
		d.backlog("n", 1)
		_, res := d.reserve()
		d.backlog("n", 0)
		d.backlog("a", 1)
		d.backlog("b", 1)
		d.rounds(25)
		if err := d.SetWeight("n", One); err != nil {
			t.Fatal(err)
		}
		d.rounds(delay) // it drains: its call is still out
		_ = d.Complete(res, 1)
		d.backlog("n", 1)
		if got := d.rounds(30)["n"]; got != 10 {
			t.Errorf("after a delay of %d it gets %d of 30, want 10", delay, got)
		}
	}
}

func TestAJoinerIsSeatedAtTheFrontExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "lanes")
		var ids []string
		var weights []Weight
		for i := range k + 1 {
			ids = append(ids, fmt.Sprint("lane", i))
			weights = append(weights, Weight{int64(rapid.IntRange(1, 4).Draw(t, "weight")), 1})
		}
		shares := make([]Share, len(ids))
		for i := range ids {
			shares[i] = Share{ids[i], weights[i]}
		}
		n, err := NewNode(Config{Quantum: 3}, shares)
		if err != nil {
			t.Fatal(err)
		}
		sum, all := new(big.Rat), new(big.Rat)
		for i := 1; i <= k; i++ {
			_ = n.SetBacklog(Leaf(i), 1000, 3)
		}
		for range rapid.IntRange(1, 50).Draw(t, "rounds") {
			leaf, _ := n.Turn()
			res, _ := n.Reserve(leaf, 3)
			_ = n.Complete(res, 3)
		}
		n.Turn()
		for i := 1; i <= k; i++ {
			v, w := &n.verts[n.lanes[i].vert], weights[i-1].Rat()
			all.Add(all, w)
			sum.Add(sum, new(big.Rat).Mul(w, virtual(v.ev, weights[i-1])))
		}
		front := sum.Quo(sum, all)
		_ = n.SetBacklog(Leaf(k+1), 1000, 3)
		n.Turn() // the grant of the turn before is still unclaimed, so nothing else moves
		got := virtual(n.verts[n.lanes[k+1].vert].ev, weights[k])
		if got.Cmp(front) != 0 {
			t.Fatalf("it is seated at %s, the front is %s", got, front)
		}
	})
}

// A joiner that is ahead of the front doesn't lift it for those that join with it.
func TestJoinersShareOneFront(t *testing.T) {
	f := newFamily(t, []string{"ahead", "behind", "runs"}, []Weight{One, One, One})
	f.put(t, "ahead", big.NewRat(30, 1), 0)
	f.put(t, "behind", new(big.Rat), 0)
	f.put(t, "runs", big.NewRat(10, 1), 1)
	for _, id := range []string{"ahead", "behind"} {
		f.verts[f.vert(id)].work = 1
		f.touch(f.vert(id))
	}
	f.join()
	for id, want := range map[string]int64{"ahead": 30, "behind": 10, "runs": 10} {
		if got := f.at(id); got.Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%s is at %s, want %d", id, got, want)
		}
	}
}

// Idle lanes lend their share and do not save it: once awake, alone or all
// together, each gets its share of the next grants within one.
func TestIdleLanesComeBackLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "lanes")
		var shares []Share
		for i := range k {
			shares = append(shares, Share{fmt.Sprint("lane", i), One})
		}
		n, err := NewNode(Config{Quantum: 1}, shares)
		if err != nil {
			t.Fatal(err)
		}
		serve := func() Leaf {
			leaf, ok := n.Turn()
			if ok {
				res, _ := n.Reserve(leaf, 1)
				_ = n.Complete(res, 1)
			}
			return leaf
		}
		_ = n.SetBacklog(1, 1000, 1)
		for range rapid.IntRange(0, 300).Draw(t, "solo") {
			serve()
		}
		if rapid.Bool().Draw(t, "all idle in between") {
			_ = n.SetBacklog(1, 0, 0)
			serve()
		}
		for leaf := 1; leaf <= k; leaf++ {
			_ = n.SetBacklog(Leaf(leaf), 1000, 1)
		}
		before := n.verts[n.lanes[k].vert].ev
		count := make([]int, k+1)
		const rounds = 60
		for range rounds {
			count[serve()]++
		}
		for leaf := 1; leaf <= k; leaf++ {
			if math.Abs(float64(count[leaf])-float64(rounds)/float64(k)) > 1 {
				t.Fatalf("lane %d gets %d of %d among %d", leaf, count[leaf], rounds, k)
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "naps") {
			_ = n.SetBacklog(Leaf(k), 0, 0)
			serve()
			_ = n.SetBacklog(Leaf(k), 1000, 1)
			n.Turn()
			if after := n.verts[n.lanes[k].vert].ev; after.less(before) {
				t.Fatal("waking again lowered its virtual service")
			} else {
				before = after
			}
			serve()
		}
	})
}

// A lane that holds a grant is demanding, though it needs no more.
func TestAnUnclaimedGrantIsNoSleep(t *testing.T) {
	d := newDriver(t, Config{Quantum: 2}, "a=1,b=1")
	d.backlog("a", 2)
	d.backlog("b", 2)
	leaf, _ := d.Turn()
	before := [...]float64{d.at("a"), d.at("b")}
	for range 10 {
		if again, ok := d.Turn(); !ok || again != leaf {
			t.Fatal("the turn moved on without a reservation")
		}
	}
	if after := [...]float64{d.at("a"), d.at("b")}; after != before {
		t.Errorf("virtual service moved from %v to %v", before, after)
	}
}

func TestSettlingMoreThanReservedIsRefused(t *testing.T) {
	d := newDriver(t, Config{Quantum: 10}, "a=1")
	d.backlog("a", 10)
	_, res := d.reserve()
	for _, actual := range []Units{11, -1} {
		if err := d.Complete(res, actual); !errors.Is(err, ErrAmount) {
			t.Errorf("settled %d: %v", actual, err)
		}
	}
	if r := d.Report(1); r.Earmarked != 10 {
		t.Errorf("%d units are earmarked, want 10", r.Earmarked)
	}
	if err := d.Complete(res, 8); err != nil {
		t.Error(err)
	}
	if r := d.Report(1); r.Earmarked != 0 || r.Spent != 8 {
		t.Errorf("%+v", r)
	}
	d.Cancel(res)
	d.Cancel(Reservation{slot: 99, seq: 7})
	if r := d.Report(1); r.Spent != 8 {
		t.Errorf("settled twice: %+v", r)
	}
}

func TestWhatACallDidNotUseIsItsLanesAgain(t *testing.T) {
	d := newDriver(t, Config{Quantum: 10}, "a=1,b=1")
	d.backlog("a", 10)
	_, res := d.reserve()
	_ = d.Complete(res, 4)
	d.Turn()
	if r := d.Report(d.leaf("a")); r.Held != 10 || d.issued("a") != 14 {
		t.Errorf("it holds %d, and was granted %d in all", r.Held, d.issued("a"))
	}
	d.backlog("a", 0)
	d.Turn()
	if s := d.Supply(); s.Held != 0 || s.Free+s.Spent != s.Minted {
		t.Errorf("%+v", s)
	}
}

// Of several lanes that hold their next call's cost, the first by name goes first.
func TestLanesThatHoldEnoughGoInOrderOfTheirNames(t *testing.T) {
	const names = "abcdefghij"
	var list []string
	for _, name := range names {
		list = append(list, string(name)+"=1")
	}
	d := newDriver(t, Config{Quantum: 2}, strings.Join(list, ","))
	var open []Reservation
	for _, name := range names {
		d.backlog(string(name), 2)
	}
	for range names {
		_, res := d.reserve()
		open = append(open, res)
	}
	for i := range open { // not in the order of their names
		d.Cancel(open[(i*7+3)%len(open)])
	}
	d.backlog("e", 0)
	order := ""
	for range len(names) - 1 {
		lane, _ := d.reserve()
		order += lane
	}
	if order != "abcdfghij" {
		t.Errorf("order %s", order)
	}
}

func TestOnlyAFiniteSupplyIsMintedByHand(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1")
	if err := d.Mint(1); !errors.Is(err, ErrAmount) {
		t.Errorf("a node that mints on need: %v", err)
	}
	d = newDriver(t, Config{Quantum: 1, Supply: 1}, "a=1")
	if err := d.Mint(-1); !errors.Is(err, ErrAmount) {
		t.Errorf("-1 units: %v", err)
	}
	if err := d.Mint(MaxUnits); !errors.Is(err, ErrOverflow) {
		t.Errorf("more than can be minted: %v", err)
	}
}

// A head that costs more than a quantum collects several grants.
func TestAQuantumSmallerThanACallStillServesIt(t *testing.T) {
	s := newSim(t, Config{Quantum: 2}, "a=3,b=1", 1)
	for range 400 {
		s.add(1, 7)
		s.add(2, 7)
	}
	for len(s.order) < 400 {
		s.dispatch(one)
		s.tick()
	}
	if f := s.meter.Report(); f.Lanes[1].Served != 2100 || f.Lanes[2].Served != 700 || s.idle > 0 {
		t.Errorf("a got %g and b %g of 2800", f.Lanes[1].Served, f.Lanes[2].Served)
	}
}

func TestANewWeightTakesEffectOnceDrained(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1,b=1")
	d.backlog("a", 1)
	d.backlog("b", 1)
	_, first := d.reserve()
	_, second := d.reserve()
	leaf := d.leaf("a")
	if err := d.SetWeight("a", Weight{3, 1}); err != nil {
		t.Fatal(err)
	}
	if got := d.rounds(10); got["a"] != 0 || d.Report(leaf).State != Blocked {
		t.Errorf("it is %s and was served %d times while it drains", d.Report(leaf).State, got["a"])
	}
	if _, err := d.Reserve(leaf, 1); !errors.Is(err, ErrBlocked) || !errors.Is(err, ErrDeferred) {
		t.Errorf("reserve: %v", err)
	}
	_ = d.Complete(first, 1)
	_ = d.Complete(second, 1)
	if got := d.rounds(400); got["a"] != 300 || d.leaf("a") != leaf {
		t.Errorf("it gets %d of 400, want 300", got["a"])
	}
	if r := d.Report(leaf); r.Spent != 301 || r.Weight != (Weight{3, 1}) {
		t.Errorf("%+v", r)
	}
	l := d.Ledger("l", me)
	if stage, ok := l.Stage("a 1"); !ok || stage != Retired {
		t.Errorf("the old edge is %s", stage)
	}
	if found := l.Validate(); len(found) > 0 {
		t.Error(found)
	}
}

func TestReweighingAGroupRenewsWhatIsBelowIt(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1,g/x=1,g/y=3")
	for _, lane := range []string{"a", "g/x", "g/y"} {
		d.backlog(lane, 1)
	}
	d.rounds(80)
	if err := d.SetWeight("g/", Weight{3, 1}); err != nil {
		t.Fatal(err)
	}
	if got := d.rounds(160); got["a"] != 40 || got["g/x"] != 30 || got["g/y"] != 90 {
		t.Errorf("served %v", got)
	}
	if found := d.Ledger("l", me).Validate(); len(found) > 0 {
		t.Error(found)
	}
	for path, w := range map[string]Weight{"": One, "nobody": One, "a": {}} {
		if err := d.SetWeight(path, w); err == nil {
			t.Errorf("weight %s for %q is taken", w, path)
		}
	}
}

func TestAClaimTakesItsLanesTurn(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1,b=1")
	res, err := d.Claim(d.leaf("a"), 1)
	if err != nil {
		t.Fatal(err)
	}
	d.backlog("b", 1)
	if leaf, _ := d.Turn(); d.Path(leaf) != "b" {
		t.Fatal("b has no turn")
	}
	if _, err := d.Claim(d.leaf("a"), 1); !errors.Is(err, ErrDeferred) {
		t.Errorf("a claims b's turn: %v", err)
	}
	_ = d.Complete(res, 1)
	d.serve()
	if r := d.Report(d.leaf("a")); r.Spent != 1 || r.Dispatchable != 0 || r.Held != 0 {
		t.Errorf("%+v", r)
	}
}

func TestALaneAtItsBoundWaitsForItsOwnCalls(t *testing.T) {
	d := newDriver(t, Config{Quantum: 4, MaxOutstanding: 10}, "a=9,b=1")
	d.backlog("a", 4)
	d.backlog("b", 4)
	got := map[string]int{}
	var flying []Reservation
	for range 4 {
		lane, res := d.reserve()
		got[lane]++
		flying = append(flying, res)
	}
	if got["a"] != 2 || got["b"] != 2 {
		t.Errorf("in flight: %v, want two each", got)
	}
	if lane, _ := d.reserve(); lane != "" {
		t.Errorf("%s passes its bound", lane)
	}
	for _, res := range flying {
		_ = d.Complete(res, 4)
	}
	if d.serve() == "" {
		t.Error("nobody has the turn after all settled")
	}
}

// A process that starts again under its old name without its old counters would
// write lower values into its slots, which the join takes for old news.
func TestANewStartNeedsANewReplicaID(t *testing.T) {
	old := newDriver(t, Config{Quantum: 1}, "a=1")
	old.backlog("a", 1)
	old.rounds(5)
	for again, want := range map[ReplicaID]Units{me: 5, "me 2": 8} {
		peer := old.Ledger("l", me)
		fresh := newDriver(t, Config{Quantum: 1}, "a=1")
		fresh.backlog("a", 1)
		fresh.rounds(3)
		if err := peer.Merge(fresh.Ledger("l", again)); err != nil {
			t.Fatal(err)
		}
		if spent, _ := peer.Spent(); spent != want {
			t.Errorf("as %q: %d units spent, want %d", again, spent, want)
		}
	}
}

func TestDecisionsDoNotAllocate(t *testing.T) {
	n := manyLanes(t, 200)
	for leaf := Leaf(1); leaf <= 200; leaf++ {
		_ = n.SetBacklog(leaf, 8, 8)
	}
	decide := func() {
		leaf, _ := n.Turn()
		res, _ := n.Reserve(leaf, 8)
		_ = n.SetBacklog(leaf, 0, 0)
		_ = n.Complete(res, 8)
		_ = n.SetBacklog(leaf%200+1, 8, 8)
		_ = n.SetBacklog(leaf, 8, 8)
	}
	for range 1000 {
		decide()
	}
	if got := testing.AllocsPerRun(1000, decide); got != 0 {
		t.Errorf("a decision allocates %g times", got)
	}
}

func TestWideArithmeticIsExact(t *testing.T) {
	toBig := func(a wide) *big.Int {
		n := new(big.Int).Lsh(new(big.Int).SetUint64(a.hi), 64)
		return n.Add(n, new(big.Int).SetUint64(a.lo))
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) wide {
			return wide{rapid.Uint64Max(1<<61).Draw(t, name), rapid.Uint64().Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		v, w := rapid.Uint64Range(1, maxScaledSum).Draw(t, "v"), rapid.Uint64Range(1, maxScaledSum).Draw(t, "w")
		if rapid.Bool().Draw(t, "small") {
			a.hi, b.hi = 0, 0
		}
		if rapid.Bool().Draw(t, "tie") { // a/v = b/w
			a, b = wide{0, a.lo}.times(v), wide{0, a.lo}.times(w)
		}
		left := new(big.Int).Mul(toBig(a), new(big.Int).SetUint64(w))
		right := new(big.Int).Mul(toBig(b), new(big.Int).SetUint64(v))
		if got := compare(a, v, b, w); got != left.Cmp(right) {
			t.Fatalf("%v/%d and %v/%d compare as %d", a, v, b, w, got)
		}
		if got := toBig(a.add(b)); got.Cmp(new(big.Int).Add(toBig(a), toBig(b))) != 0 {
			t.Fatal("sum")
		}
		if b.less(a) && toBig(a.sub(b)).Cmp(new(big.Int).Sub(toBig(a), toBig(b))) != 0 {
			t.Fatal("difference")
		}
		up := new(big.Int).Add(toBig(a), new(big.Int).SetUint64(v-1))
		if got := toBig(a.up(v)); got.Cmp(up.Quo(up, new(big.Int).SetUint64(v))) != 0 {
			t.Fatal("quotient")
		}
	})
}
