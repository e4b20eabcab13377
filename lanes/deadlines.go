// Which waiting lane is due first: a binary heap of lanes by their oldest
// input. The delay is one and the same for all, so the oldest input, by its
// arrival number, is the earliest deadline.

package lanes

type formingLane struct {
	seq  uint64 // of the lane's oldest input
	lane int32
}

// watch puts a lane into the heap.
func (l *Lanes[K, E]) watch(i int32, seq uint64) {
	l.forming.push(formingLane{seq, i})
	l.lanes.mut(i).heap = l.forming.n
	l.siftUp(l.forming.n - 1)
}

// unwatch takes a lane out of the heap.
func (l *Lanes[K, E]) unwatch(i int32) {
	ln := l.lanes.mut(i)
	at := ln.heap - 1
	ln.heap = 0
	last := *l.forming.get(l.forming.n - 1)
	l.forming.pop()
	if last.lane == i {
		return
	}
	l.place(at, last)
	l.siftUp(at)
	l.siftDown(l.lanes.get(last.lane).heap - 1)
}

// place writes an entry and tells its lane where it is (one more than its
// index: 0 is not in the heap).
func (l *Lanes[K, E]) place(at int32, e formingLane) {
	*l.forming.mut(at) = e
	l.lanes.mut(e.lane).heap = at + 1
}

func (l *Lanes[K, E]) siftUp(at int32) {
	e := *l.forming.get(at)
	for at > 0 {
		up := (at - 1) / 2
		above := *l.forming.get(up)
		if above.seq <= e.seq {
			break
		}
		l.place(at, above)
		at = up
	}
	l.place(at, e)
}

func (l *Lanes[K, E]) siftDown(at int32) {
	e := *l.forming.get(at)
	for {
		down := 2*at + 1
		if down >= l.forming.n {
			break
		}
		below := *l.forming.get(down)
		if down+1 < l.forming.n {
			if other := *l.forming.get(down + 1); other.seq < below.seq {
				down, below = down+1, other
			}
		}
		if e.seq <= below.seq {
			break
		}
		l.place(at, below)
		at = down
	}
	l.place(at, e)
}
