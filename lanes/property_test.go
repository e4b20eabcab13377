package lanes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ferryctl/lanes/fairshare"
)

// subject is the room under test, either kind, with everything else the test
// asks of it.
type subject struct {
	q *Queue[int]
	l *Lanes[int, int]
}

func (s subject) admit(now time.Duration, key int, in Input[int]) (Ref, LaneRef, Admission) {
	if s.q != nil {
		ref, a := s.q.Admit(now, in.Entry, in.Weight)
		return ref, 0, a
	}
	return s.l.Admit(now, key, s.l.Hash(key), in)
}

type common interface {
	Ready(time.Duration) bool
	Due() (time.Duration, bool)
	Take(time.Duration, *Batch[int]) bool
	Release(time.Duration, LaneRef)
	Withdraw(time.Duration, Ref) bool
	Flush(time.Duration)
	Reconfigure(time.Duration, Config)
	Drain(time.Duration, func(int))
	Advance(time.Duration)
	Stats() Stats
}

func (s subject) room() common {
	if s.q != nil {
		return s.q
	}
	return s.l
}

func (s subject) snapshot() subject {
	if s.q != nil {
		return subject{q: s.q.Snapshot()}
	}
	return subject{l: s.l.Snapshot()}
}

// dump writes all that a room holds, as its own fields say, so that two dumps
// are equal only if nothing at all has changed.
func (s subject) dump() string {
	var b strings.Builder
	if s.q != nil {
		fmt.Fprintf(&b, "%+v %d %d\n", s.q.room, s.q.head, s.q.tail)
		s.q.items.each(func(i int32, it *item[int]) bool { fmt.Fprintln(&b, i, *it); return true })
		return b.String()
	}
	fmt.Fprintf(&b, "%+v %d %d %d\n", s.l.room, s.l.ready.first, s.l.ready.last, s.l.loner)
	s.l.items.each(func(i int32, it *item[int]) bool { fmt.Fprintln(&b, i, *it); return true })
	s.l.lanes.each(func(i int32, ln *lane[int]) bool { fmt.Fprintln(&b, i, *ln); return true })
	for i := range s.l.forming.n {
		fmt.Fprintln(&b, *s.l.forming.get(i))
	}
	for i := range s.l.index.n {
		fmt.Fprint(&b, s.l.index.head(i), " ")
	}
	if g := s.l.gate; g != nil {
		fmt.Fprintf(&b, "\n%+v\n%+v\n%+v\n", *g, *g.node, *g.meter)
	}
	return b.String()
}

type outBatch struct {
	ref LaneRef
	key int
}

// pair is a room and its naive twin, to which the same is done.
type pair struct {
	s     subject
	n     *naive
	now   time.Duration
	refs  map[int]Ref // by id, kept after the input left: a stale Ref must name nothing
	out   []outBatch
	batch Batch[int]
}

func newPair(cfg Config, single bool) *pair {
	p := &pair{n: &naive{cfg: cfg, single: single}, refs: map[int]Ref{}}
	if single {
		p.s.q = NewQueue[int](cfg)
	} else {
		p.s.l = NewLanes[int, int](cfg)
	}
	return p
}

// newSharePair is a pair with share lanes.
func newSharePair(cfg Config, quantum fairshare.Units, shares []fairshare.Share) *pair {
	node, err := fairshare.NewNode(fairshare.Config{Quantum: quantum}, shares)
	if err != nil {
		panic(err)
	}
	cfg.Shares = node
	p := newPair(cfg, false)
	p.n.gate = newNaiveGate(node, shares)
	p.n.divide()
	return p
}

func (p *pair) pass(d time.Duration) {
	p.now += d
	p.n.advance(p.now)
}

func (p *pair) admit(key int, in Input[int]) error {
	id, want := p.n.admit(key, in)
	in.Entry = id
	ref, lane, got := p.s.admit(p.now, key, in)
	if got != want {
		return fmt.Errorf("admission: got %s, want %s", got, want)
	}
	switch got {
	case Admitted:
		p.refs[id] = ref
	case Claimed:
		p.out = append(p.out, outBatch{lane, key})
	}
	return nil
}

func (p *pair) take() error {
	ready := p.n.ready()
	if got := p.s.room().Ready(p.now); got != ready {
		return fmt.Errorf("ready: got %t, want %t", got, ready)
	}
	ln, items, left := p.n.take()
	if got := p.s.room().Take(p.now, &p.batch); got != (ln != nil) {
		return fmt.Errorf("take: got %t, want %t", got, ln != nil)
	}
	if ln == nil {
		return nil
	}
	p.out = append(p.out, outBatch{p.batch.Lane, ln.key})
	if p.batch.Left != left {
		return fmt.Errorf("left by %s, want %s", p.batch.Left, left)
	}
	if p.batch.Share != ln.share {
		return fmt.Errorf("took from share lane %d, want %d", p.batch.Share, ln.share)
	}
	if !p.n.parallel() && p.s.l.Key(p.batch.Lane) != ln.key {
		return fmt.Errorf("took key %d, want %d", p.s.l.Key(p.batch.Lane), ln.key)
	}
	var weight int64
	for i, it := range items {
		weight += it.weight
		want := Taken[int]{Entry: it.id, At: it.at, Weight: it.weight, Rank: it.rank, Wait: it.wait}
		if p.s.q != nil {
			want.Rank = 0
		}
		if i >= len(p.batch.Items) || p.batch.Items[i] != want {
			return fmt.Errorf("batch %+v: item %d should be %+v", p.batch.Items, i, want)
		}
	}
	if len(p.batch.Items) != len(items) || p.batch.Weight != weight {
		return fmt.Errorf("batch of %d and weight %d, want %d and %d", len(p.batch.Items), p.batch.Weight, len(items), weight)
	}
	return nil
}

// release says that the i-th of the calls that are out is over.
func (p *pair) release(i int) {
	o := p.out[i]
	p.out = slices.Delete(p.out, i, i+1)
	p.n.release(i)
	p.s.room().Release(p.now, o.ref)
}

func (p *pair) withdraw(id int) error {
	want := p.n.withdraw(id)
	if got := p.s.room().Withdraw(p.now, p.refs[id]); got != want {
		return fmt.Errorf("withdraw %d: got %t, want %t", id, got, want)
	}
	return nil
}

func (p *pair) flush() {
	p.n.flush()
	p.s.room().Flush(p.now)
}

func (p *pair) reconfigure(cfg Config) {
	p.n.reconfigure(cfg)
	p.s.room().Reconfigure(p.now, cfg)
}

func (p *pair) reweigh(path string, w fairshare.Weight) error {
	if err := p.n.reweigh(path, w); err != nil {
		return err
	}
	return p.s.l.Reweigh(p.now, path, w)
}

func (p *pair) drain() error {
	want := p.n.drain()
	var got []int
	p.s.room().Drain(p.now, func(id int) { got = append(got, id) })
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("drained %v, want %v", got, want)
	}
	return nil
}

// check compares what both say of themselves.
func (p *pair) check() error {
	p.s.room().Advance(p.now)
	count, weight := p.n.queued()
	out, direct := p.n.count(false), p.n.count(true)
	st := p.s.room().Stats()
	if st.Queued != count || st.QueuedWeight != weight || st.InFlight != out || st.Direct != direct ||
		st.Closed != p.n.closed || st.QueuedSeconds != p.n.area.Seconds() {
		return fmt.Errorf("stats %+v, want %d queued of weight %d, %d out, %d direct, area %s", st, count, weight, out, direct, p.n.area)
	}
	if p.s.l != nil && st.Lanes != len(p.n.lanes) {
		return fmt.Errorf("%d lanes, want %d", st.Lanes, len(p.n.lanes))
	}
	want := Never
	if len(p.n.line) == 0 && out < p.n.cfg.MaxInFlight {
		for _, ln := range p.n.lanes {
			if ln.state == isForming {
				want = min(want, p.n.dueAt(ln))
			}
		}
	}
	if at, ok := p.s.room().Due(); ok != (want != Never) || ok && at != want {
		return fmt.Errorf("due %s %t, want %s", at, ok, want)
	}
	if p.n.gate != nil {
		return p.checkShares()
	}
	return nil
}

// machine does to a pair what rapid draws.
type machine struct {
	*pair
	tag     fairshare.Leaf // of all inputs, if the twin has no share lanes
	old     subject        // a snapshot taken on the way, and what it held
	oldDump string
}

func drawConfig(t *rapid.T, single bool) Config {
	pick := func(name string, vs ...int64) int64 { return rapid.SampledFrom(vs).Draw(t, name) }
	return Config{
		MaxBatchSize:    int(pick("size", 1, 2, 3, 5, int64(Unlimited))),
		MaxBatchWeight:  pick("batch weight", 1, 4, 10, int64(Unlimited)),
		MaxBatchDelay:   time.Duration(pick("delay", 0, 1, 5, 20, int64(Never))),
		MaxInFlight:     int(pick("in flight", 1, 2, 3, int64(Unlimited))),
		MaxQueued:       int(pick("queued", 1, 4, 60, int64(Unlimited))),
		MaxQueuedWeight: pick("queued weight", 3, 12, 200, int64(Unlimited)),
		Direct:          !single && rapid.Bool().Draw(t, "direct"),
		Ranked:          !single && rapid.Bool().Draw(t, "ranked"),
		Parallel:        !single && rapid.IntRange(0, 3).Draw(t, "parallel") == 0,
		Policy:          RoomPolicy(rapid.IntRange(0, 2).Draw(t, "policy")),
	}
}

func newMachine(t *rapid.T, single bool) *machine {
	return &machine{pair: newPair(drawConfig(t, single), single)}
}

// step lets up to 7 units of time pass, half of the time none.
func (m *machine) step(t *rapid.T) {
	m.pass(time.Duration(max(0, rapid.IntRange(-7, 7).Draw(t, "pass"))))
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) Admit(t *rapid.T) {
	m.step(t)
	key := 0
	if m.s.l != nil {
		key = rapid.IntRange(0, 5).Draw(t, "key")
	}
	must(t, m.admit(key, Input[int]{
		Weight: rapid.Int64Range(0, 4).Draw(t, "weight"), Rank: rapid.Int64Range(-2, 2).Draw(t, "rank"),
		Share: m.drawShare(t), Cost: rapid.Int64Range(1, 5).Draw(t, "cost"),
	}))
}

func (m *machine) Take(t *rapid.T) {
	m.step(t)
	must(t, m.take())
}

func (m *machine) Release(t *rapid.T) {
	m.step(t)
	if len(m.out) > 0 {
		m.release(rapid.IntRange(0, len(m.out)-1).Draw(t, "which"))
	}
}

func (m *machine) Withdraw(t *rapid.T) {
	m.step(t)
	if m.n.nextID > 0 {
		must(t, m.withdraw(max(0, m.n.nextID-1-rapid.IntRange(0, 20).Draw(t, "how old"))))
	}
}

func (m *machine) Flush(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
		m.flush()
	}
}

func (m *machine) Reconfigure(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
		cfg := drawConfig(t, m.s.q != nil)
		was := m.n.cfg
		cfg.Ranked, cfg.Parallel, cfg.Shares, cfg.Policy = was.Ranked, was.Parallel, was.Shares, was.Policy
		if m.n.gate != nil {
			cfg = roomy(cfg, m.n.gate.node.Leaves())
		}
		m.reconfigure(cfg)
	}
}

func (m *machine) Drain(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 15).Draw(t, "very rarely") == 0 {
		must(t, m.drain())
	}
}

// Snapshot keeps the room as it is, checks the last one kept, and sometimes
// goes on with the fork instead of the original.
func (m *machine) Snapshot(t *rapid.T) {
	m.checkOld(t)
	m.old = m.s.snapshot()
	if rapid.Bool().Draw(t, "go on with the fork") {
		m.s, m.old = m.old, m.s
	}
	m.oldDump = m.old.dump()
}

func (m *machine) checkOld(t *rapid.T) {
	if m.oldDump != "" && m.old.dump() != m.oldDump {
		t.Fatalf("a snapshot has changed:\n%s\nwas\n%s", m.old.dump(), m.oldDump)
	}
}

// Check runs after every operation.
func (m *machine) Check(t *rapid.T) {
	m.checkOld(t)
	must(t, m.check())
}

func testAgainstNaive(single bool) func(*rapid.T) {
	return func(t *rapid.T) {
		m := newMachine(t, single)
		t.Repeat(rapid.StateMachineActions(m))
	}
}

func TestQueueDecidesAsItsNaiveTwin(t *testing.T) { rapid.Check(t, testAgainstNaive(true)) }

func TestLanesDecideAsTheirNaiveTwin(t *testing.T) { rapid.Check(t, testAgainstNaive(false)) }
