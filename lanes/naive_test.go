// A second implementation of both rooms, so plain that it can be checked by
// reading: slices, scans, and one step of time after the other.

package lanes

import (
	"slices"
	"time"
)

type naiveItem struct {
	id, key      int
	at           time.Duration
	weight, rank int64
	wait         Wait
}

type naiveLane struct {
	key    int
	items  []*naiveItem // in arrival order
	state  state
	direct bool
	cause  Left
}

// naive is a perkey room, or a make room if single: then everything has key 0
// and the lane is never busy.
type naive struct {
	cfg     Config
	single  bool
	now     time.Duration
	lanes   []*naiveLane
	line    []*naiveLane // the ready line
	out     int
	direct  int
	closed  bool
	nextID  int
	flushed int // ids below it are due
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

func (n *naive) lane(key int) *naiveLane {
	for _, ln := range n.lanes {
		if ln.key == key {
			return ln
		}
	}
	return nil
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
	}
}

func (n *naive) makeReady(ln *naiveLane, cause Left) {
	ln.state, ln.cause = isReady, cause
	n.line = append(n.line, ln)
}

// review puts a lane where it belongs after a change, or drops it.
func (n *naive) review(ln *naiveLane, cause Left) {
	leaves := len(ln.items) > 0 && (n.isFull(ln) || n.dueAt(ln) <= n.now)
	switch {
	case ln.state == isBusy:
	case leaves && ln.state == isForming:
		n.makeReady(ln, cause)
	case !leaves && ln.state == isReady:
		n.line = slices.DeleteFunc(n.line, func(x *naiveLane) bool { return x == ln })
		ln.state = isForming
	}
	if len(ln.items) == 0 && ln.state == isForming {
		n.lanes = slices.DeleteFunc(n.lanes, func(x *naiveLane) bool { return x == ln })
	}
}

func (n *naive) admit(key int, weight, rank int64) (id int, a Admission) {
	if n.closed {
		return 0, Closed
	}
	ln := n.lane(key)
	if ln == nil && n.cfg.Direct && n.cfg.MaxBatchDelay == 0 && !n.single {
		n.lanes = append(n.lanes, &naiveLane{key: key, state: isBusy, direct: true})
		n.direct++
		return 0, Claimed
	}
	count, total := n.queued()
	switch {
	case weight > n.cfg.MaxQueuedWeight:
		return 0, TooHeavy
	case count+1 > n.cfg.MaxQueued:
		return 0, FullCount
	case total+weight > n.cfg.MaxQueuedWeight:
		return 0, FullWeight
	}
	if ln == nil {
		ln = &naiveLane{key: key}
		n.lanes = append(n.lanes, ln)
	}
	it := &naiveItem{id: n.nextID, key: key, at: n.now, weight: weight, rank: rank}
	n.nextID++
	ln.items = append(ln.items, it)
	n.review(ln, LeftDelay)
	return it.id, Admitted
}

func (n *naive) ready() bool { return len(n.line) > 0 && n.out < n.cfg.MaxInFlight }

func (n *naive) take() (items []*naiveItem, left Left, key int) {
	ln := n.line[0]
	order := slices.Clone(ln.items)
	left = ln.cause
	if ln.items[0].id < n.flushed && (n.cfg.MaxBatchDelay == Never || ln.items[0].at+n.cfg.MaxBatchDelay > n.now) {
		left = LeftClose
	}
	if n.cfg.Ranked {
		slices.SortStableFunc(order, func(a, b *naiveItem) int { return int(a.rank - b.rank) })
	}
	var weight int64
	for _, it := range order {
		if len(items) > 0 && (len(items) >= n.cfg.MaxBatchSize || weight+it.weight > n.cfg.MaxBatchWeight) {
			break
		}
		items = append(items, it)
		weight += it.weight
	}
	ln.items = slices.DeleteFunc(ln.items, func(it *naiveItem) bool { return slices.Contains(items, it) })
	switch {
	case len(items) == n.cfg.MaxBatchSize:
		left = LeftSize
	case len(ln.items) > 0 || weight >= n.cfg.MaxBatchWeight:
		left = LeftWeight
	}
	n.out++
	n.line = n.line[1:]
	ln.state = isForming
	if n.single {
		n.review(ln, LeftDelay)
	} else {
		ln.state = isBusy
	}
	return items, left, ln.key
}

func (n *naive) release(key int) {
	if n.single {
		n.out--
		return
	}
	ln := n.lane(key)
	if ln.direct {
		n.direct--
	} else {
		n.out--
	}
	ln.state, ln.direct = isForming, false
	cause := LeftDelay
	if n.cfg.MaxBatchDelay == 0 {
		cause = LeftFreed
	}
	n.review(ln, cause)
}

func (n *naive) withdraw(id int) bool {
	for _, ln := range n.lanes {
		for i, it := range ln.items {
			if it.id == id {
				ln.items = slices.Delete(ln.items, i, i+1)
				n.review(ln, LeftDelay)
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
	n.cfg = cfg
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
