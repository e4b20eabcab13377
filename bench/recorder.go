// The recorder of the measured path. It is split into shards so that callers on
// different processors seldom meet; each shard is one mutex around plain
// counters and histograms. An uncontended mutex costs less than the atomics it
// replaces, since one item touches a dozen counters (BenchmarkRecorder).

package bench

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxShards bounds the recorder's memory: a shard in use holds seven
	// histograms of 270 KB.
	maxShards = 16

	// maxLanes is how many share lanes have figures of their own; later ones are
	// counted together, as "other (7 lanes)".
	maxLanes = 64

	// slotLength is the recorder's own interval. Series may be coarser.
	slotLength = time.Second

	// keptSlots is how many intervals a shard holds at once. Three can be open
	// together while the oldest waits to be collected: a full one, the window's
	// last, which may be cut as short as one likes, and the drain's first. The
	// fourth is for a collector that comes a second late.
	keptSlots = 4
)

// A recorder collects the samples and batches of one run.
type recorder struct {
	from, to atomic.Int64 // the window [from, to), offsets in nanoseconds
	// When the kernel's gauges were read at the window's two ends, for Little's
	// law: as near to from and to as the scheduler allowed.
	gaugedFrom, gaugedTo atomic.Int64
	byLane               bool // record lanes by themselves
	shards               []shard
	spare                slot // swapped in for the slot that is taken out; owned by collect
}

// newRecorder returns a recorder with no window yet: nothing counts as inside it.
func newRecorder(byLane bool) *recorder {
	r := &recorder{byLane: byLane, shards: make([]shard, min(runtime.GOMAXPROCS(0), maxShards)), spare: newSlot(0)}
	r.from.Store(math.MaxInt64)
	r.to.Store(math.MaxInt64)
	r.gaugedFrom.Store(math.MaxInt64)
	r.gaugedTo.Store(math.MaxInt64)
	for i := range r.shards {
		r.shards[i].init(r)
	}
	return r
}

// open starts the window, close ends it. Both may name a time that is still to
// come.
func (r *recorder) open(from time.Duration) { r.from.Store(int64(from)) }
func (r *recorder) close(to time.Duration)  { r.to.Store(int64(to)) }

// window returns the window as far as it is known; a bound that is not known yet
// is math.MaxInt64.
func (r *recorder) window() (from, to time.Duration) {
	return time.Duration(r.from.Load()), time.Duration(r.to.Load())
}

// shard returns the shard of caller number n.
func (r *recorder) shard(n int) *shard { return &r.shards[n%len(r.shards)] }

// freeze makes every later sample count for nothing, in one step per shard: an
// item is either recorded or still in flight, never both or neither.
func (r *recorder) freeze() {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		s.mu.frozen = true
		s.mu.Unlock()
	}
}

// A shard is one part of a recorder.
type shard struct {
	recorder *recorder

	mu struct {
		sync.Mutex
		shardState
	}
	_ [64]byte // keeps neighbours off the last cache line
}

// shardState is what a shard's mutex guards.
type shardState struct {
	frozen    bool
	window    tally  // items of the window
	whole     tally  // every item, warm-up included
	completed uint64 // items done inside the window, whenever they arrived
	lateMax   time.Duration
	oldest    int64           // the first interval that is not collected yet
	slots     [keptSlots]slot // it and those that follow, each at its number modulo keptSlots
	wait      hist
	service   hist
	delivery  hist
	forming   sum128 // of the items done
	turn      sum128
	slot      sum128
	roomTime  sum128 // time that items spent in the room during the window, nanoseconds
	lanes     [maxLanes + 1]*laneTally
	batches   batchTally
	segments  segmented
}

// A slot is one interval of one shard.
type slot struct {
	index   int64 // the interval, counted in slotLength from the window's start
	counts  tally
	sojourn hist
}

func newSlot(index int64) slot { return slot{index: index, sojourn: newHist(3)} }

func (s *slot) reset(index int64) {
	s.index, s.counts = index, tally{}
	s.sojourn.reset()
}

// A laneTally is one share lane's part of a shard.
type laneTally struct {
	counts  tally
	sojourn hist
}

func (s *shard) init(r *recorder) {
	s.recorder = r
	for i := range s.mu.slots {
		s.mu.slots[i] = newSlot(int64(i))
	}
	s.mu.wait, s.mu.service, s.mu.delivery = newHist(3), newHist(3), newHist(3)
}

// record counts one item whose caller has its answer, and reports whether it
// still counted. If it did, busy is cleared in the same step.
func (s *shard) record(x *sample, busy *atomic.Uint32) bool {
	from, to := s.recorder.window()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.frozen {
		return false
	}
	if busy != nil {
		busy.Store(0)
	}
	s.mu.whole.count(x)
	if x.outcome == outcomeDone && x.ended >= from && x.ended < to {
		s.mu.completed++
	}
	if x.started > 0 && x.outcome != outcomeCancelled {
		s.countRoomTime(x)
	}
	if x.measured {
		s.recordMeasured(x, slotOf(x.over(), from, to))
	}
	return true
}

// countRoomTime adds the part of the item's stay in the room that lies between
// the two readings of the kernel's gauges. The caller holds the mutex.
func (s *shard) countRoomTime(x *sample) {
	from, to := time.Duration(s.recorder.gaugedFrom.Load()), time.Duration(s.recorder.gaugedTo.Load())
	if inside := min(to, x.started) - max(from, x.started-x.room()); inside > 0 {
		s.mu.roomTime.add(uint64(inside))
	}
}

// recordMeasured counts an item of the window that was over in an interval. The
// caller holds the mutex.
func (s *shard) recordMeasured(x *sample, interval int64) {
	m := &s.mu
	m.window.count(x)
	if len(m.segments.parts) > 0 {
		m.segments.at(x.scheduled).count(x)
	}
	m.lateMax = max(m.lateMax, x.sent-x.scheduled)
	slot := m.slotFor(interval)
	slot.counts.count(x)
	var lane *laneTally
	if s.recorder.byLane {
		lane = m.lane(x.lane)
		lane.counts.count(x)
	}
	if x.outcome != outcomeDone {
		return
	}
	sojourn := x.ended - x.scheduled
	slot.sojourn.record(sojourn)
	m.wait.record(x.started - x.scheduled)
	m.service.record(x.ended - x.started)
	m.delivery.record(x.returned - x.ended)
	m.forming.add(uint64(x.forming))
	m.turn.add(uint64(x.turn))
	m.slot.add(uint64(x.slot))
	if lane != nil {
		lane.sojourn.record(sojourn)
	}
}

// slotFor returns the slot of an interval. An item whose interval was collected
// already, or is further ahead than there are slots, goes to the nearest: the
// totals are exact, whatever the collector's lateness.
func (m *shardState) slotFor(interval int64) *slot {
	interval = min(max(interval, m.oldest), m.oldest+keptSlots-1)
	return &m.slots[interval%keptSlots]
}

// lane returns a lane's tally; all lanes beyond the bound share the last one.
func (m *shardState) lane(i int) *laneTally {
	i = min(max(i, 0), maxLanes)
	if m.lanes[i] == nil {
		m.lanes[i] = &laneTally{sojourn: newHist(2)}
	}
	return m.lanes[i]
}

// collect takes interval i out of every shard and hands each part to add, which
// must not keep it. It is called for 0, 1, 2, … from one goroutine.
func (r *recorder) collect(i int64, add func(*slot)) {
	for n := range r.shards {
		s := &r.shards[n]
		s.mu.Lock()
		at := &s.mu.slots[i%keptSlots]
		r.spare.index = i + keptSlots
		*at, r.spare = r.spare, *at
		s.mu.oldest = i + 1
		s.mu.Unlock()
		if r.spare.counts.answered() > 0 {
			add(&r.spare)
		}
		r.spare.reset(0)
	}
}

// skip goes on with interval i. Those before it must have been collected, or
// have nothing in them.
func (r *recorder) skip(i int64) {
	for n := range r.shards {
		s := &r.shards[n]
		s.mu.Lock()
		s.mu.oldest = i
		for j := i; j < i+keptSlots; j++ {
			s.mu.slots[j%keptSlots].index = j
		}
		s.mu.Unlock()
	}
}

// progress returns the counts so far: of the window, and of the whole run.
func (r *recorder) progress() (window, whole tally) {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		window.merge(&s.mu.window)
		whole.merge(&s.mu.whole)
		s.mu.Unlock()
	}
	return window, whole
}
