package lanes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// subject is the room under test, either kind, with everything else the test
// asks of it.
type subject struct {
	q *Queue[int]
	l *Lanes[int, int]
}

func (s subject) admit(now time.Duration, key, id int, weight, rank int64) (Ref, LaneRef, Admission) {
	if s.q != nil {
		ref, a := s.q.Admit(now, id, weight)
		return ref, 0, a
	}
	return s.l.Admit(now, key, s.l.Hash(key), id, weight, rank)
}

type common interface {
	Ready(time.Duration) bool
	Due() (time.Duration, bool)
	Take(time.Duration, *Batch[int]) bool
	Release(time.Duration, LaneRef)
	Withdraw(time.Duration, Ref) bool
	Flush(time.Duration)
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
	fmt.Fprintf(&b, "%+v %d %d\n", s.l.room, s.l.first, s.l.last)
	s.l.items.each(func(i int32, it *item[int]) bool { fmt.Fprintln(&b, i, *it); return true })
	s.l.lanes.each(func(i int32, ln *lane[int]) bool { fmt.Fprintln(&b, i, *ln); return true })
	for i := range s.l.forming.n {
		fmt.Fprintln(&b, *s.l.forming.get(i))
	}
	for i := range s.l.index.heads.n {
		fmt.Fprint(&b, *s.l.index.heads.get(i), " ")
	}
	return b.String()
}

type outBatch struct {
	ref LaneRef
	key int
}

// machine drives a room and its naive twin with the same operations.
type machine struct {
	s     subject
	n     *naive
	now   time.Duration
	refs  map[int]Ref // by id, kept after the input left: a stale Ref must name nothing
	out   []outBatch
	batch Batch[int]

	old     subject // a snapshot taken on the way, and what it held
	oldDump string
}

func newMachine(t *rapid.T, single bool) *machine {
	pick := func(name string, vs ...int64) int64 { return rapid.SampledFrom(vs).Draw(t, name) }
	cfg := Config{
		MaxBatchSize:    int(pick("size", 1, 2, 3, 5, int64(Unlimited))),
		MaxBatchWeight:  pick("batch weight", 1, 4, 10, int64(Unlimited)),
		MaxBatchDelay:   time.Duration(pick("delay", 0, 1, 5, 20, int64(Never))),
		MaxInFlight:     int(pick("in flight", 1, 2, 3, int64(Unlimited))),
		MaxQueued:       int(pick("queued", 1, 4, 60, int64(Unlimited))),
		MaxQueuedWeight: pick("queued weight", 3, 12, 200, int64(Unlimited)),
		Direct:          !single && rapid.Bool().Draw(t, "direct"),
		Ranked:          !single && rapid.Bool().Draw(t, "ranked"),
	}
	m := &machine{n: &naive{cfg: cfg, single: single}, refs: map[int]Ref{}}
	if single {
		m.s.q = NewQueue[int](cfg)
	} else {
		m.s.l = NewLanes[int, int](cfg)
	}
	return m
}

// step lets up to 7 units of time pass, half of the time none.
func (m *machine) step(t *rapid.T) {
	m.now += time.Duration(max(0, rapid.IntRange(-7, 7).Draw(t, "pass")))
	m.n.advance(m.now)
}

func (m *machine) Admit(t *rapid.T) {
	m.step(t)
	key := 0
	if m.s.l != nil {
		key = rapid.IntRange(0, 5).Draw(t, "key")
	}
	weight, rank := rapid.Int64Range(0, 4).Draw(t, "weight"), rapid.Int64Range(-2, 2).Draw(t, "rank")
	id, want := m.n.admit(key, weight, rank)
	ref, lane, got := m.s.admit(m.now, key, id, weight, rank)
	if got != want {
		t.Fatalf("admission: got %s, want %s", got, want)
	}
	switch got {
	case Admitted:
		m.refs[id] = ref
	case Claimed:
		m.out = append(m.out, outBatch{lane, key})
	}
}

func (m *machine) Take(t *rapid.T) {
	m.step(t)
	want := m.n.ready()
	if got := m.s.room().Ready(m.now); got != want {
		t.Fatalf("ready: got %t, want %t", got, want)
	}
	if got := m.s.room().Take(m.now, &m.batch); got != want {
		t.Fatalf("take: got %t, want %t", got, want)
	}
	if !want {
		return
	}
	items, left, key := m.n.take()
	m.out = append(m.out, outBatch{m.batch.Lane, key})
	if m.batch.Left != left {
		t.Fatalf("left by %s, want %s", m.batch.Left, left)
	}
	if m.s.l != nil && m.s.l.Key(m.batch.Lane) != key {
		t.Fatalf("took key %d, want %d", m.s.l.Key(m.batch.Lane), key)
	}
	var weight int64
	for i, it := range items {
		weight += it.weight
		want := Taken[int]{Entry: it.id, At: it.at, Weight: it.weight, Rank: it.rank, Wait: it.wait}
		if m.s.q != nil {
			want.Rank = 0
		}
		if i >= len(m.batch.Items) || m.batch.Items[i] != want {
			t.Fatalf("batch %+v: item %d should be %+v", m.batch.Items, i, want)
		}
	}
	if len(m.batch.Items) != len(items) || m.batch.Weight != weight {
		t.Fatalf("batch of %d and weight %d, want %d and %d", len(m.batch.Items), m.batch.Weight, len(items), weight)
	}
}

func (m *machine) Release(t *rapid.T) {
	m.step(t)
	if len(m.out) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.out)-1).Draw(t, "which")
	o := m.out[i]
	m.out = slices.Delete(m.out, i, i+1)
	m.n.release(o.key)
	m.s.room().Release(m.now, o.ref)
}

func (m *machine) Withdraw(t *rapid.T) {
	m.step(t)
	if m.n.nextID == 0 {
		return
	}
	id := max(0, m.n.nextID-1-rapid.IntRange(0, 20).Draw(t, "how old"))
	want := m.n.withdraw(id)
	if got := m.s.room().Withdraw(m.now, m.refs[id]); got != want {
		t.Fatalf("withdraw %d: got %t, want %t", id, got, want)
	}
}

func (m *machine) Flush(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 3).Draw(t, "rarely") != 0 {
		return
	}
	m.n.flush()
	m.s.room().Flush(m.now)
}

func (m *machine) Drain(t *rapid.T) {
	m.step(t)
	if rapid.IntRange(0, 15).Draw(t, "very rarely") != 0 {
		return
	}
	want := m.n.drain()
	var got []int
	m.s.room().Drain(m.now, func(id int) { got = append(got, id) })
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("drained %v, want %v", got, want)
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
	m.s.room().Advance(m.now)
	count, weight := m.n.queued()
	st := m.s.room().Stats()
	if st.Queued != count || st.QueuedWeight != weight || st.InFlight != m.n.out || st.Direct != m.n.direct ||
		st.Closed != m.n.closed || st.QueuedSeconds != m.n.area.Seconds() {
		t.Fatalf("stats %+v, want %d queued of weight %d, %d out, %d direct, area %s", st, count, weight, m.n.out, m.n.direct, m.n.area)
	}
	if m.s.l != nil && st.Lanes != len(m.n.lanes) {
		t.Fatalf("%d lanes, want %d", st.Lanes, len(m.n.lanes))
	}
	want := Never
	if len(m.n.line) == 0 {
		for _, ln := range m.n.lanes {
			if ln.state == isForming {
				want = min(want, m.n.dueAt(ln))
			}
		}
	}
	if at, ok := m.s.room().Due(); ok != (want != Never) || ok && at != want {
		t.Fatalf("due %s %t, want %s", at, ok, want)
	}
}

func testAgainstNaive(single bool) func(*rapid.T) {
	return func(t *rapid.T) {
		m := newMachine(t, single)
		t.Repeat(rapid.StateMachineActions(m))
	}
}

func TestQueueDecidesAsItsNaiveTwin(t *testing.T) { rapid.Check(t, testAgainstNaive(true)) }

func TestLanesDecideAsTheirNaiveTwin(t *testing.T) { rapid.Check(t, testAgainstNaive(false)) }
