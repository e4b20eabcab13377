package fairshare

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"testing"
)

// The scenarios of testdata/vectors.json, each through the part that has it: the
// node where it is about turns, the ledger where it is about books. A scenario's
// numbers are read from the file by its name.

// expected finds a scenario and decodes what it expects.
func expected[T any](t *testing.T, list []namedScenario, name string) T {
	t.Helper()
	var want T
	for _, s := range list {
		if s.Name != name {
			continue
		}
		if err := json.Unmarshal(s.Expect, &want); err != nil {
			t.Fatal(err)
		}
		return want
	}
	t.Fatalf("there is no scenario %q", name)
	return want
}

// driver declares, and serves whoever has the turn.
type driver struct {
	t testing.TB
	*Node
}

func newDriver(t testing.TB, cfg Config, list string) driver {
	t.Helper()
	shares, err := ParseShares(list)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewNode(cfg, shares)
	if err != nil {
		t.Fatal(err)
	}
	return driver{t, n}
}

func (d driver) leaf(path string) Leaf {
	d.t.Helper()
	leaf, ok := d.Lookup(path)
	if !ok {
		d.t.Fatalf("no lane %s", path)
	}
	return leaf
}

// backlog declares: this lane has calls of this cost without end; cost 0: none.
func (d driver) backlog(path string, cost Units) {
	d.t.Helper()
	if err := d.SetBacklog(d.leaf(path), 1000*cost, cost); err != nil {
		d.t.Fatal(err)
	}
}

// reserve has the lane with the turn reserve its next call; "" if none has it.
func (d driver) reserve() (string, Reservation) {
	d.t.Helper()
	leaf, ok := d.Turn()
	if !ok {
		return "", Reservation{}
	}
	res, err := d.Reserve(leaf, d.lanes[leaf].head)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.Path(leaf), res
}

// serve runs that call to its end.
func (d driver) serve() string {
	d.t.Helper()
	path, res := d.reserve()
	if path == "" {
		return ""
	}
	if err := d.Complete(res, d.calls[res.slot].max); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// rounds serves so many calls and counts them by lane.
func (d driver) rounds(n int) map[string]int {
	d.t.Helper()
	count := map[string]int{}
	for range n {
		count[d.serve()]++
	}
	return count
}

func (d driver) issued(path string) Units { return d.books[d.lanes[d.leaf(path)].vert].issued }

func TestClosedLoops(t *testing.T) {
	loops := map[string]closedLoop{}
	for _, v := range readVectors(t).Loops {
		loops[v.Name] = v
	}
	for _, name := range []string{"saturated 3:1", "saturated 4:2:1"} {
		v := loops[name]
		list := "a=3,b=1"
		if name == "saturated 4:2:1" {
			list = "a=4,b=2,c=1"
		}
		d := newDriver(t, Config{Quantum: v.Quantum}, list)
		for lane := range v.Weights {
			d.backlog(lane, 1)
		}
		d.rounds(v.Rounds)
		for lane, want := range v.ExpectIssued {
			if got := d.issued(lane); got != want {
				t.Errorf("%s: %s got %d, want %d", name, lane, got, want)
			}
		}
	}
	d := newDriver(t, Config{Quantum: 1}, "a=1,s=1")
	d.backlog("a", 1)
	d.rounds(20)
	d.backlog("s", 1)
	if got := d.rounds(20)["s"]; got != 10 {
		t.Errorf("a sleeper that wakes after 20 solo rounds gets %d of 20, want 10", got)
	}
	one := []Weight{One, One}
	f := newFamily(t, []string{"h", "n"}, one)
	f.put(t, "h", big.NewRat(50, 1), 1)
	f.put(t, "n", new(big.Rat), 1)
	if got := f.grants(50); got["h"] != 0 {
		t.Errorf("the hoarder gets %d of 50, want 0", got["h"])
	}
	if h, n := f.at("h"), f.at("n"); h.Cmp(n) != 0 {
		t.Errorf("after that the hoarder is at %s and the other at %s", h, n)
	}
	f = newFamily(t, []string{"n", "r"}, one)
	f.put(t, "r", big.NewRat(20, 1), 1)
	f.put(t, "n", big.NewRat(10, 1), 1)
	if got := f.grants(20)["n"]; got != 15 {
		t.Errorf("a newborn at the mean with an idle lane gets %d of 20, want the 15 that are wrong", got)
	}
	f = newFamily(t, []string{"a", "b", "n"}, []Weight{One, One, One})
	f.put(t, "a", big.NewRat(25, 1), 1)
	f.put(t, "b", big.NewRat(25, 1), 1)
	f.put(t, "n", big.NewRat(25, 2), 1)
	if got := f.grants(30)["n"]; got != 18 {
		t.Errorf("a newborn seated 25 rounds late gets %d of 30, want the 18 that are wrong", got)
	}
	f.put(t, "n", f.at("a"), 1)
	f.put(t, "b", f.at("a"), 1)
	if got := f.grants(30)["n"]; got != 10 {
		t.Errorf("a newborn at the front gets %d of 30, want 10", got)
	}
}

func TestScheduleThreeToOneSpendsTheMint(t *testing.T) {
	want := expected[struct {
		Picks    [][2]any
		Holdings map[string]Units
	}](t, readVectors(t).Nodes, "schedule 3:1 mint 40 quantum 10")
	d := newDriver(t, Config{Quantum: 10, Supply: 40}, "laneA=3,laneB=1")
	d.backlog("laneA", 10)
	d.backlog("laneB", 10)
	for i, pick := range want.Picks {
		got, _ := d.reserve()
		if "root->"+got != pick[0] {
			t.Errorf("pick %d is %s, want %s", i, got, pick[0])
		}
	}
	if got, _ := d.reserve(); got != "" {
		t.Errorf("%s is served out of nothing", got)
	}
	l := d.Ledger("l", me)
	for group, units := range want.Holdings {
		g := GroupID(group)
		if group == "root" {
			g = RootGroup
		}
		if got, _ := l.Holdings(g, me); got != units {
			t.Errorf("%s holds %d, want %d", group, got, units)
		}
	}
}

func TestWakeClampThroughTheNode(t *testing.T) {
	want := expected[struct{ Issued map[string]Units }](t, readVectors(t).Nodes, "wake clamp through the node")
	d := newDriver(t, Config{Quantum: 10, Supply: 500}, "e1=1,e2=1")
	d.backlog("e1", 10)
	d.rounds(20)
	d.backlog("e2", 10)
	for d.serve() != "" {
	}
	for lane, units := range want.Issued {
		if got := d.issued(lane); got != units {
			t.Errorf("%s got %d, want %d", lane, got, units)
		}
	}
}

// A new generation is a newborn.
func TestNewbornAndWakerShareOneFront(t *testing.T) {
	want := expected[struct {
		E3Gauge vectorGauge
		Issued  map[string]Units
	}](t, readVectors(t).Nodes, "newborn and waker share one front")
	d := newDriver(t, Config{Quantum: 10, Supply: 500}, "e1=1,e2=1,e3=7")
	d.backlog("e1", 10)
	d.rounds(20)
	if err := d.SetWeight("e3", One); err != nil {
		t.Fatal(err)
	}
	for _, lane := range []string{"e1", "e2", "e3"} {
		d.backlog(lane, 10)
	}
	first, _ := d.Turn()
	g, _ := d.Ledger("l", me).GaugeOf("e3 2")
	if d.Path(first) == "e3" || g.Floor.Cmp(want.E3Gauge.Floor.rat()) != 0 || g.Folded != want.E3Gauge.Folded {
		t.Errorf("e3 is seated at (%s, %d), want (%s, %d)", g.Floor, g.Folded, want.E3Gauge.Floor.rat(), want.E3Gauge.Folded)
	}
	for d.serve() != "" {
	}
	for lane, units := range want.Issued {
		if got := d.issued(lane); got != units {
			t.Errorf("%s got %d, want %d", lane, got, units)
		}
	}
}

func TestReWakeCannotRefundAClamp(t *testing.T) {
	want := expected[struct{ EffectiveEvE2 rat }](t, readVectors(t).Nodes, "re-wake cannot refund a clamp")
	f := newFamily(t, []string{"e1", "e2", "e3"}, []Weight{One, One, One})
	f.put(t, "e1", big.NewRat(200, 1), 10)
	f.put(t, "e3", new(big.Rat), 10)
	e1, e2 := f.vert("e1"), f.vert("e2")
	set := func(i int32, work int32) {
		f.verts[i].work = work
		f.touch(i)
		f.join()
	}
	set(e2, 1)
	f.move(e2, f.verts[e2].ev.add(steps(20)))
	set(e2, 0)
	set(e1, 0)
	set(e2, 1)
	if got := f.at("e2"); got.Cmp(want.EffectiveEvE2.rat()) != 0 {
		t.Errorf("e2 is at %s, want %s", got, want.EffectiveEvE2.rat())
	}
}

func TestWhenAllWakeTheyAreLevel(t *testing.T) {
	want := expected[struct {
		With struct{ E1Grants, E2Grants int } `json:"withBusyPeriodReset"`
	}](t, readVectors(t).Nodes, "ALL-WAKE HOLE (finding of this study, not a repo test)").With
	for _, third := range []bool{false, true} {
		list := "e1=1,e2=1"
		if third { // idle, and far behind
			list = "e1=1,e2=1,e3=1"
		}
		d := newDriver(t, Config{Quantum: 10}, list)
		d.backlog("e1", 10)
		d.rounds(100)
		d.backlog("e1", 0)
		d.serve()
		d.backlog("e1", 10)
		d.backlog("e2", 10)
		got := d.rounds(30)
		if got["e1"] != want.E1Grants || got["e2"] != want.E2Grants {
			t.Errorf("with a third lane %t: e1 got %d and e2 %d, want %d and %d", third, got["e1"], got["e2"], want.E1Grants, want.E2Grants)
		}
	}
}

func TestCompleteIsIdempotent(t *testing.T) {
	want := expected[struct{ SpentDelta, Earmarked Units }](t, readVectors(t).Nodes, "complete is idempotent")
	d := newDriver(t, Config{Quantum: 10, Supply: 100}, "g1=1")
	d.backlog("g1", 10)
	_, res := d.reserve()
	for range 3 {
		if err := d.Complete(res, 7); err != nil {
			t.Fatal(err)
		}
	}
	if r := d.Report(1); r.Spent != want.SpentDelta || r.Earmarked != want.Earmarked {
		t.Errorf("%+v, want %+v", r, want)
	}
}

func TestTwoLanesCompleteThreeToOneThenDefer(t *testing.T) {
	all := readVectors(t).Admit
	want := expected[struct{ Completed, Deferred map[string]int }](t, all, "two lanes 3:1 complete 3:1")
	for _, s := range []string{"exhaustion defers, never drops", "eligibility does not change the books", "no consensus on the hot path"} {
		expected[any](t, all, s) // the same run, seen from other sides
	}
	d := newDriver(t, Config{Quantum: 10, Supply: 40}, "laneA=3,laneB=1")
	waiting := map[string]int{"laneA": 80, "laneB": 80}
	run := func() {
		for {
			for lane, n := range waiting {
				head := min(1, Units(n))
				if err := d.SetBacklog(d.leaf(lane), Units(n), head); err != nil {
					t.Fatal(err)
				}
			}
			lane := d.serve()
			if lane == "" {
				return
			}
			waiting[lane]--
		}
	}
	run()
	for lane, n := range want.Completed {
		if 80-waiting[lane] != n || waiting[lane] != want.Deferred[lane] {
			t.Errorf("%s completed %d and has %d waiting, want %d and %d", lane, 80-waiting[lane], waiting[lane], n, want.Deferred[lane])
		}
		if _, err := d.Reserve(d.leaf(lane), 1); !errors.Is(err, ErrDeferred) {
			t.Errorf("%s with nothing left: %v", lane, err)
		}
	}
	if err := d.Mint(40); err != nil {
		t.Fatal(err)
	}
	run()
	for lane, n := range want.Completed {
		if 80-waiting[lane] != 2*n {
			t.Errorf("%s completed %d after a second mint, want %d", lane, 80-waiting[lane], 2*n)
		}
	}
	if found := d.Ledger("l", me).Validate(); len(found) > 0 {
		t.Error(found)
	}
}

func TestUnknownLaneIsAnErrorAtOnce(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1, MaxOutstanding: 5}, "a=1,org/b=1")
	for _, name := range []string{"nobody", "org", "org/"} {
		if _, ok := d.Lookup(name); ok {
			t.Errorf("%q is a lane", name)
		}
	}
	for _, leaf := range []Leaf{-1, 3} {
		if _, err := d.Reserve(leaf, 1); !errors.Is(err, ErrUnknownLane) {
			t.Errorf("reserve at %d: %v", leaf, err)
		}
		if err := d.SetBacklog(leaf, 1, 1); !errors.Is(err, ErrUnknownLane) {
			t.Errorf("backlog at %d: %v", leaf, err)
		}
	}
	if _, err := d.Reserve(1, 6); !errors.Is(err, ErrNeverFits) || errors.Is(err, ErrDeferred) {
		t.Errorf("a cost above the bound: %v", err)
	}
	d = newDriver(t, Config{Quantum: 1, Supply: 5}, "a=1")
	if err := d.SetBacklog(1, 6, 6); !errors.Is(err, ErrNeverFits) {
		t.Errorf("a cost above the supply: %v", err)
	}
}

func TestUntaggedWorkTouchesNothing(t *testing.T) {
	d := newDriver(t, Config{Quantum: 1}, "a=1")
	before := fmt.Sprint(*d.Node)
	leaf, ok := d.Lookup("")
	if !ok || leaf != Untagged {
		t.Fatal("the empty name is not the untagged lane")
	}
	if err := d.SetBacklog(leaf, 9, 9); err != nil {
		t.Error(err)
	}
	res, err := d.Reserve(leaf, 1<<40)
	claimed, errClaim := d.Claim(leaf, 1<<40)
	if err != nil || errClaim != nil || res != (Reservation{}) || claimed != (Reservation{}) {
		t.Error(res, err, claimed, errClaim)
	}
	if err := d.Complete(res, 1<<40); err != nil {
		t.Error(err)
	}
	d.Cancel(res)
	if after := fmt.Sprint(*d.Node); after != before {
		t.Errorf("from\n%s\nto\n%s", before, after)
	}
}
