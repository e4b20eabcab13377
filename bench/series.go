// The run as a series of intervals: what happened when. Every interval keeps its
// own histogram, in encoded form, so that intervals can be put together without
// averaging a percentile; their number is bounded, so memory does not grow with
// the run.

package bench

import (
	"math"
	"slices"
	"sync"
	"time"
)

// maxIntervals bounds a series. When it is full, neighbours are put together two
// by two and intervals are twice as long from then on: one second each up to
// eight minutes, two seconds up to a quarter of an hour, and so on.
const maxIntervals = 512

// drainIntervals is how many more there may be after the window; the last takes
// everything later.
const drainIntervals = 64

// A series collects intervals in order, and the sojourn of the whole run with
// them. It is safe for concurrent use.
type series struct {
	mu      sync.Mutex
	scale   int64      // interval length in slots: 1, 2, 4, …
	window  int64      // the window's length in slots, its cut one included; until it closes, no bound
	list    []interval // the last one may still be open
	ahead   []offer    // of intervals that are not open yet
	gauged  int64      // the first slot that was not gauged yet
	pending []gauging  // of intervals that are not open yet
	total   hist       // sojourn over everything added
	current hist       // sojourn of the last interval in list, while it is open
}

// slotOf returns the slot of a time: slots of slotLength from the window's
// start, the last of them cut at its end, and then slots from its end on. So no
// slot holds both a part of the window and a part of the drain.
func slotOf(at, from, to time.Duration) int64 {
	if at < to {
		return int64((at - from) / slotLength)
	}
	return slotsIn(to-from) + int64((at-to)/slotLength)
}

// slotsIn returns how many slots a window has, the cut one included.
func slotsIn(window time.Duration) int64 {
	return int64((window + slotLength - 1) / slotLength)
}

// An offer is the arrivals scheduled in one slot.
type offer struct {
	slot            int64
	offered, unsent uint64
}

// A gauging is what the kernel said of its state at the end of some slots that
// follow each other: of one, as a rule.
type gauging struct {
	first, last      int64
	queued, inFlight float64
}

// An interval is one closed part of the series.
type interval struct {
	offered, unsent  uint64
	counts           tally
	sojourn          Latency
	packed           packed // of the sojourn
	queued, inFlight Num
}

func newSeries() *series {
	return &series{scale: 1, window: math.MaxInt64, total: newHist(3), current: newHist(3)}
}

// add counts one shard's part of a slot. Slots must come in ascending order.
func (s *series) add(part *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.at(part.index)
	s.list[i].counts.merge(&part.counts)
	s.total.merge(&part.sojourn)
	s.current.merge(&part.sojourn)
}

// offer counts arrivals scheduled in a slot. It may come before or after the
// slot's other counts; slots must come in ascending order.
func (s *series) offer(o offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = append(s.ahead, o)
	s.settle()
}

// settle counts the offers, and notes the gauges, whose interval is open by now.
func (s *series) settle() {
	s.pending = slices.DeleteFunc(s.pending, func(g gauging) bool {
		last := s.index(g.last)
		for i := s.index(g.first); i <= last && i < len(s.list); i++ {
			s.list[i].queued, s.list[i].inFlight = Some(g.queued), Some(g.inFlight)
		}
		return last < len(s.list)
	})
	n := 0
	for ; n < len(s.ahead); n++ {
		o := s.ahead[n]
		i := s.index(o.slot)
		if i >= len(s.list) {
			break
		}
		s.list[i].offered += o.offered
		s.list[i].unsent += o.unsent
	}
	s.ahead = slices.Delete(s.ahead, 0, n)
}

// read notes the kernel's state at the end of a slot, and of those before it that
// nobody read in time. The first reading of a slot is the nearest to its end, and
// stays. The slot's other counts may come later.
func (s *series) read(slot int64, queued, inFlight float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot < s.gauged {
		return
	}
	s.pending = append(s.pending, gauging{s.gauged, slot, queued, inFlight})
	s.gauged = slot + 1
	s.settle()
}

// pass says that a slot's counts are complete, and opens its interval if there
// were none.
func (s *series) pass(slot int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(slot)
}

// gauge passes a slot with what the kernel's state is at its end.
func (s *series) gauge(slot int64, queued, inFlight float64) {
	s.pass(slot)
	s.read(slot, queued, inFlight)
}

// close says how many slots the window turned out to have. It opens none of
// them: the last ones are still to be collected, in order.
func (s *series) close(slots int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = slots
}

// index returns the interval of a slot at the present scale.
func (s *series) index(slot int64) int {
	slot = max(slot, 0)
	if slot < s.window {
		return int(slot / s.scale)
	}
	inWindow := (s.window + s.scale - 1) / s.scale
	return int(min(inWindow+(slot-s.window)/s.scale, maxIntervals+drainIntervals-1))
}

// at returns the index of a slot's interval, opening it, and those that were
// left out, if it is new. A slot older than the open interval belongs to that
// one. The caller holds the mutex.
func (s *series) at(slot int64) int {
	if slot >= s.window && s.window > 0 {
		s.at(s.window - 1) // the window's last may have had nothing in it
	}
	for slot < s.window && s.index(slot) >= maxIntervals {
		s.halve()
	}
	for len(s.list) <= s.index(slot) {
		s.seal()
		s.list = append(s.list, interval{})
		s.settle()
	}
	return len(s.list) - 1
}

// seal closes the last interval: its figures are taken and its histogram packed.
func (s *series) seal() {
	if len(s.list) == 0 {
		return
	}
	last := &s.list[len(s.list)-1]
	last.sojourn, last.packed = s.current.latency(), pack(&s.current)
	s.current.reset()
}

// last returns the figures of the newest interval that is closed.
func (s *series) last() Latency {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) < 2 {
		return Latency{}
	}
	return s.list[len(s.list)-2].sojourn
}

// intervals closes the series over a window of that length and returns it.
func (s *series) intervals(window time.Duration) []Interval {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slots := slotsIn(window); slots > 0 {
		s.at(slots - 1) // nothing may have happened in the last ones
	}
	if n := len(s.ahead); n > 0 {
		s.at(s.ahead[n-1].slot)
	}
	s.seal()
	length := time.Duration(s.scale) * slotLength
	inWindow := int((slotsIn(window) + s.scale - 1) / s.scale)
	out := make([]Interval, 0, len(s.list))
	for i := range s.list {
		in := &s.list[i]
		start, long := time.Duration(i)*length, length
		if i < inWindow {
			long = min(long, window-start)
		} else {
			start = window + time.Duration(i-inWindow)*length
		}
		l := in.sojourn
		out = append(out, Interval{
			Start: Some(start.Seconds()), Length: Some(long.Seconds()),
			Offered: in.offered, Done: in.counts.by[outcomeDone], Rejected: in.counts.rejected(),
			Failed: in.counts.by[outcomeFailed], Unsent: in.unsent, Late: in.counts.late,
			Mean: l.Mean, P50: l.P50, P99: l.P99, Max: l.Max,
			Queued: in.queued, InFlight: in.inFlight, Histogram: in.packed.encode(&s.current),
		})
	}
	return out
}
