// A second implementation of both rooms, so plain that it can be checked by
// reading: slices, scans, and one step of time after the other. Its share lanes
// are in naive_gate_test.go.

package lanes

import (
	"slices"
	"time"

	"ferryctl/lanes/fairshare"
)

type naiveItem struct {
	id, key      int
	at           time.Duration
	weight, rank int64
	cost         int64
	wait         Wait
}

type naiveLane struct {
	key   int
	share fairshare.Leaf
	items []*naiveItem // in arrival order
	state state
	cause Left

	// Since when it has been ready, calls of its key aside; how many of those went
	// to other share lanes; and whether the next one is its own.
	place, overtaken int
	promised         bool
}

// naiveCall is a batch or a direct call that is out.
type naiveCall struct {
	lane   *naiveLane
	direct bool
	res    fairshare.Reservation
	cost   int64
}

// naive is a perkey room, or a make room if single: then everything has key 0
// and the lane is never busy.
type naive struct {
	cfg     Config
	single  bool
	now     time.Duration
	lanes   []*naiveLane
	line    []*naiveLane // what is ready, of all share lanes
	calls   []naiveCall
	gate    *naiveGate // with share lanes
	closed  bool
	nextID  int
	flushed int // ids below it are due
	places  int // how many were given
	area    time.Duration
}

func (n *naive) queued() (count int, weight int64) {
	for _, ln := range n.lanes {
		for _, it := range ln.items {
			count++
			weight += it.weight
		}
	}
	return count, weight
}

// lanesOf lists the lanes of a key, one for each of its share lanes.
func (n *naive) lanesOf(key int) (all []*naiveLane) {
	for _, ln := range n.lanes {
		if ln.key == key {
			all = append(all, ln)
		}
	}
	return all
}

// count counts the calls that are out.
func (n *naive) count(direct bool) (out int) {
	for _, c := range n.calls {
		if c.direct == direct {
			out++
		}
	}
	return out
}

// parallel says that a lane is never busy.
func (n *naive) parallel() bool { return n.single || n.cfg.Parallel }

// isOut says whether a call of the lane itself is out, which keeps it.
func (n *naive) isOut(ln *naiveLane) bool {
	return !n.parallel() && slices.ContainsFunc(n.calls, func(c naiveCall) bool { return c.lane == ln })
}

// busy says whether a call of the key that its lanes wait for is out, or promised.
func (n *naive) busy(key int) bool {
	return !n.parallel() && (slices.ContainsFunc(n.calls, func(c naiveCall) bool { return c.lane.key == key }) ||
		slices.ContainsFunc(n.lanesOf(key), func(ln *naiveLane) bool { return ln.promised }))
}

func (n *naive) isFull(ln *naiveLane) bool {
	var w int64
	for _, it := range ln.items {
		w += it.weight
	}
	return len(ln.items) >= n.cfg.MaxBatchSize || w >= n.cfg.MaxBatchWeight
}

// dueAt is when a lane's oldest input makes it due.
func (n *naive) dueAt(ln *naiveLane) time.Duration {
	switch {
	case len(ln.items) == 0:
		return Never
	case ln.items[0].id < n.flushed:
		return 0
	case n.cfg.MaxBatchDelay == Never:
		return Never
	}
	return ln.items[0].at + n.cfg.MaxBatchDelay
}

// pass moves time to t with no change of state on the way.
func (n *naive) pass(t time.Duration) {
	d := t - n.now
	for _, ln := range n.lanes {
		for _, it := range ln.items {
			n.area += d
			switch ln.state {
			case isForming:
				it.wait.Forming += d
			case isBusy:
				it.wait.Turn += d
			case isReady:
				it.wait.Slot += d
			}
		}
	}
	n.now = t
}

func (n *naive) advance(t time.Duration) {
	for {
		var first *naiveLane
		for _, ln := range n.lanes {
			if ln.state == isForming && n.dueAt(ln) <= t &&
				(first == nil || ln.items[0].id < first.items[0].id) {
				first = ln
			}
		}
		if first == nil {
			n.pass(t)
			return
		}
		n.pass(max(n.now, n.dueAt(first)))
		n.makeReady(first, LeftDelay)
		n.tell()
	}
}

func (n *naive) makeReady(ln *naiveLane, cause Left) {
	ln.state, ln.cause = isReady, cause
	if ln.place == 0 {
		n.places++
		ln.place = n.places
	}
	if ln.promised {
		n.line = slices.Insert(n.line, 0, ln)
		return
	}
	n.line = append(n.line, ln)
}

// leaves says whether a batch of a lane would leave, if its key had no call out.
func (n *naive) leaves(ln *naiveLane) bool {
	return len(ln.items) > 0 && (n.isFull(ln) || n.dueAt(ln) <= n.now)
}

// review puts a lane where it belongs after a change, or drops it.
func (n *naive) review(ln *naiveLane, cause Left) {
	leaves := n.leaves(ln)
	switch {
	case ln.state == isBusy:
	case leaves && ln.state == isForming:
		n.makeReady(ln, cause)
	case !leaves && ln.state == isReady:
		n.leaveLine(ln)
	}
	if !leaves && ln.state == isForming {
		ln.place, ln.overtaken, ln.promised = 0, 0, false
	}
	n.drop(ln)
}

// drop forgets a lane that holds nothing.
func (n *naive) drop(ln *naiveLane) {
	if len(ln.items) == 0 && !n.isOut(ln) {
		n.lanes = slices.DeleteFunc(n.lanes, func(x *naiveLane) bool { return x == ln })
	}
}

func (n *naive) admit(key int, in Input[int]) (id int, a Admission) {
	defer n.tell()
	if n.closed {
		return 0, Closed
	}
	mine := n.lanesOf(key)
	if len(mine) == 0 && n.cfg.Direct && n.cfg.MaxBatchDelay == 0 && !n.parallel() {
		c := naiveCall{lane: &naiveLane{key: key, share: in.Share, state: isBusy}, direct: true, cost: in.Cost}
		if n.licence(&c) {
			n.lanes = append(n.lanes, c.lane)
			n.calls = append(n.calls, c)
			return 0, Claimed
		}
	}
	if a := n.door(in); a != Admitted {
		return 0, a
	}
	at := slices.IndexFunc(mine, func(ln *naiveLane) bool { return ln.share == in.Share })
	if at < 0 {
		ln := &naiveLane{key: key, share: in.Share}
		if n.busy(key) {
			ln.state = isBusy
		}
		n.lanes = append(n.lanes, ln)
		mine, at = append(mine, ln), len(mine)
	}
	it := &naiveItem{id: n.nextID, key: key, at: n.now, weight: in.Weight, rank: in.Rank, cost: in.Cost}
	n.nextID++
	mine[at].items = append(mine[at].items, it)
	n.review(mine[at], LeftDelay)
	return it.id, Admitted
}

func (n *naive) door(in Input[int]) Admission {
	count, total := n.queued()
	switch {
	case in.Weight > n.cfg.MaxQueuedWeight, n.gate != nil && n.gate.never(n, in):
		return TooHeavy
	case count+1 > n.cfg.MaxQueued:
		return FullCount
	case total+in.Weight > n.cfg.MaxQueuedWeight:
		return FullWeight
	case n.gate != nil:
		return n.gate.door(n, in)
	}
	return Admitted
}

func (n *naive) ready() bool { return len(n.line) > 0 && n.count(false) < n.cfg.MaxInFlight }

// batch is what would leave a lane next.
func (n *naive) batch(ln *naiveLane) (items []*naiveItem, weight, cost int64) {
	order := slices.Clone(ln.items)
	if n.cfg.Ranked {
		slices.SortStableFunc(order, func(a, b *naiveItem) int { return int(a.rank - b.rank) })
	}
	for _, it := range order {
		if len(items) > 0 && (len(items) >= n.cfg.MaxBatchSize || weight+it.weight > n.cfg.MaxBatchWeight) {
			break
		}
		items = append(items, it)
		weight += it.weight
		cost += it.cost
	}
	return items, weight, cost
}

// take takes the next batch, nil if there is none.
func (n *naive) take() (ln *naiveLane, items []*naiveItem, left Left) {
	if !n.ready() {
		return nil, nil, 0
	}
	defer n.tell()
	c := naiveCall{lane: n.line[0]}
	if n.gate != nil && !n.turn(&c) {
		return nil, nil, 0
	}
	ln = c.lane
	left = ln.cause
	if ln.items[0].id < n.flushed && (n.cfg.MaxBatchDelay == Never || ln.items[0].at+n.cfg.MaxBatchDelay > n.now) {
		left = LeftClose
	}
	items, weight, _ := n.batch(ln)
	ln.items = slices.DeleteFunc(ln.items, func(it *naiveItem) bool { return slices.Contains(items, it) })
	switch {
	case len(items) == n.cfg.MaxBatchSize:
		left = LeftSize
	case len(ln.items) > 0 || weight >= n.cfg.MaxBatchWeight:
		left = LeftWeight
	}
	n.calls = append(n.calls, c)
	if n.parallel() {
		n.leaveLine(ln)
		n.review(ln, LeftDelay)
		return ln, items, left
	}
	for _, mine := range n.lanesOf(ln.key) {
		n.leaveLine(mine)
		mine.state = isBusy
	}
	ln.place, ln.overtaken, ln.promised = 0, 0, false
	return ln, items, left
}

func (n *naive) leaveLine(ln *naiveLane) {
	n.line = slices.DeleteFunc(n.line, func(x *naiveLane) bool { return x == ln })
	ln.state = isForming
}

// release says that the i-th call is over.
func (n *naive) release(i int) {
	defer n.tell()
	c := n.calls[i]
	n.calls = slices.Delete(n.calls, i, i+1)
	if n.gate != nil {
		n.gate.complete(c)
	}
	if n.parallel() {
		return
	}
	if n.gate != nil {
		n.promise(c.lane)
	}
	n.goOn(c.lane.key)
}

// goOn lets the lanes of a key go on after a call of it, or only the one that is
// promised the next.
func (n *naive) goOn(key int) {
	cause := LeftDelay
	if n.cfg.MaxBatchDelay == 0 {
		cause = LeftFreed
	}
	held := n.busy(key)
	for _, ln := range n.lanesOf(key) {
		if ln.state != isBusy || held && !ln.promised {
			n.drop(ln)
			continue
		}
		ln.state = isForming
		n.review(ln, cause)
	}
}

func (n *naive) withdraw(id int) bool {
	defer n.tell()
	for _, ln := range n.lanes {
		for i, it := range ln.items {
			if it.id == id {
				ln.items = slices.Delete(ln.items, i, i+1)
				promised := ln.promised
				if n.review(ln, LeftDelay); promised && !ln.promised {
					n.goOn(ln.key)
				}
				return true
			}
		}
	}
	return false
}

func (n *naive) flush() {
	n.flushed = n.nextID
	n.advance(n.now)
}

func (n *naive) reconfigure(cfg Config) {
	defer n.tell()
	n.cfg = cfg
	if n.gate != nil {
		n.divide()
	}
	for _, ln := range slices.Clone(n.line) { // what is no longer ready leaves first
		promised := ln.promised
		if n.review(ln, LeftDelay); promised && !ln.promised {
			for _, mine := range n.lanesOf(ln.key) {
				mine.state = isForming
			}
		}
	}
	n.measure()
	byAge := slices.Clone(n.lanes)
	slices.SortStableFunc(byAge, func(a, b *naiveLane) int {
		if len(a.items) == 0 || len(b.items) == 0 {
			return len(b.items) - len(a.items)
		}
		return a.items[0].id - b.items[0].id
	})
	for _, ln := range byAge {
		n.review(ln, LeftDelay)
	}
}

func (n *naive) drain() (ids []int) {
	defer n.tell()
	n.closed = true
	for _, ln := range slices.Clone(n.lanes) {
		for _, it := range ln.items {
			ids = append(ids, it.id)
		}
		ln.items = nil
		n.review(ln, LeftDelay)
	}
	return ids
}
