// Segments: the parts of a run between changes of its knobs. Items belong to the
// segment in which they were due, as they belong to the window. Until the first
// change there are none, and the measured path pays one comparison for them.

package bench

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxSegments bounds their memory: up to 350 KB each in every shard. Later
	// changes go on in the last one.
	maxSegments = 32

	// cutAhead is how far ahead of the change its segment begins: time to tell
	// every shard before an item of the segment comes to it.
	cutAhead = time.Millisecond
)

// A Segment is the part of a run between two changes of its knobs. Its figures
// are over the items of the window that were due in it.
type Segment struct {
	Start      Num        `json:"t_s"` // from the start of the window
	Length     Num        `json:"length_s"`
	Changed    []Setting  `json:"changed"` // what began it, with the new values; empty in the first
	Counts     Counts     `json:"counts"`
	OfferedPer Num        `json:"offered_per_s"`
	DonePer    Num        `json:"done_per_s"` // of the items due in it, whenever they were done
	Latency    Latencies  `json:"latency"`    // wait and service with two digits; delivery is not told apart
	Split      Split      `json:"split"`
	Batches    Batches    `json:"batches"` // whose call began in it
	Histograms Histograms `json:"histograms"`
}

// A segmentTally is one shard's part of a segment.
type segmentTally struct {
	counts                 tally
	sojourn, wait, service hist
	forming, turn, slot    sum128
	batches                batchTally
}

func newSegmentTally() *segmentTally {
	return &segmentTally{sojourn: newHist(3), wait: newHist(2), service: newHist(2)}
}

// segmented is a shard's account by segment; empty before the first cut.
type segmented struct {
	starts []time.Duration // of the segments but the first
	parts  []*segmentTally // one more than starts
}

// at returns the part of the segment that a time lies in.
func (s *segmented) at(t time.Duration) *segmentTally {
	return s.parts[sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > t })]
}

// count adds an item of the window.
func (p *segmentTally) count(x *sample) {
	p.counts.count(x)
	if x.outcome != outcomeDone {
		return
	}
	p.sojourn.record(x.ended - x.scheduled)
	p.wait.record(x.started - x.scheduled)
	p.service.record(x.ended - x.started)
	p.forming.add(uint64(x.forming))
	p.turn.add(uint64(x.turn))
	p.slot.add(uint64(x.slot))
}

func (p *segmentTally) merge(o *segmentTally) {
	p.counts.merge(&o.counts)
	p.sojourn.merge(&o.sojourn)
	p.wait.merge(&o.wait)
	p.service.merge(&o.service)
	p.forming.merge(o.forming)
	p.turn.merge(o.turn)
	p.slot.merge(o.slot)
	p.batches.merge(&o.batches)
}

// cut begins a segment at a time a moment ahead. Only the watch calls it, which
// also takes intervals out of the shards: so what was recorded before the first
// cut is in the series, or still in the shards, and never in both.
func (r *recorder) cut(at time.Duration, s *series) (first *segmentTally) {
	for i := range r.shards {
		sh := &r.shards[i]
		sh.mu.Lock()
		seg := &sh.mu.segments
		if len(seg.parts) == 0 {
			seg.parts = append(seg.parts, sh.mu.soFar())
		}
		seg.starts, seg.parts = append(seg.starts, at), append(seg.parts, newSegmentTally())
		sh.mu.Unlock()
	}
	first = newSegmentTally()
	s.mu.Lock()
	first.sojourn.merge(&s.total)
	s.mu.Unlock()
	return first
}

// soFar is what the shard has recorded, but for the sojourns that were taken out.
func (m *shardState) soFar() *segmentTally {
	p := newSegmentTally()
	p.counts.merge(&m.window)
	for i := range m.slots {
		p.sojourn.merge(&m.slots[i].sojourn)
	}
	p.wait.merge(&m.wait) // of three digits, to be kept with two
	p.service.merge(&m.service)
	p.forming, p.turn, p.slot = m.forming, m.turn, m.slot
	p.batches.merge(&m.batches)
	return p
}

// A frontCut is where a segment begins in the generator's account.
type frontCut struct{ offered, unsent uint64 }

// frontCuts are the segments' starts as the generator meets them. It looks at
// next for every item and goes on only when it is passed.
type frontCuts struct {
	next atomic.Int64 // the earliest start that is not met yet

	mu      sync.Mutex
	pending []time.Duration
	met     []frontCut
}

// add announces a start.
func (f *frontCuts) add(at time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = append(f.pending, at)
	f.next.Store(int64(f.pending[0]))
}

// meet notes the account at every start up to a time.
func (f *frontCuts) meet(at time.Duration, now frontCut) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pending) > 0 && f.pending[0] <= at {
		f.pending, f.met = f.pending[1:], append(f.met, now)
	}
	f.next.Store(math.MaxInt64)
	if len(f.pending) > 0 {
		f.next.Store(int64(f.pending[0]))
	}
}

// segmentLog is the watch's account of the segments.
type segmentLog struct {
	starts  []time.Duration
	changed [][]Setting
	first   *segmentTally // what was recorded of the first before it ended, and was in the series
}

// begin begins a segment, unless there are too many: then the change belongs to
// the last.
func (e *engine) begin(o cutOrder, c *control) {
	defer close(o.done)
	log := &e.segments
	if len(log.starts)+2 > maxSegments {
		last := len(log.changed) - 1
		log.changed[last] = append(log.changed[last], o.changed...)
		return
	}
	at := e.now() + cutAhead
	first := e.rec.cut(at, e.series)
	if log.first == nil {
		log.first = first
	}
	e.front.cuts.add(at)
	log.starts, log.changed = append(log.starts, at), append(log.changed, o.changed)
	c.last.Store(&Segment{Changed: o.changed})
	c.count.Store(int64(len(log.starts) + 1))
}

// peekSegment adds up what the shards hold of the segment that runs, as peek does
// of the run.
func (r *recorder) peekSegment() *totals {
	t := &totals{}
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		if parts := s.mu.segments.parts; len(parts) > 0 {
			p := parts[len(parts)-1]
			t.wait.count += p.wait.count
			t.wait.sum.merge(p.wait.sum)
			t.service.sum.merge(p.service.sum)
			t.forming.merge(p.forming)
			t.turn.merge(p.turn)
			t.slot.merge(p.slot)
			t.batches.merge(&p.batches)
		}
		s.mu.Unlock()
	}
	return t
}

// segment returns the number of the segment that runs and what began it.
func (c *control) segment() (number int, changed []Setting) {
	return int(c.count.Load()), c.last.Load().Changed
}

// segmentSections returns the segments of a run that is over, nil if its knobs
// were left alone.
func (e *engine) segmentSections() []Segment {
	log := &e.segments
	if len(log.starts) == 0 {
		return nil
	}
	from, to := e.rec.window()
	f := &e.front
	met := append([]frontCut{{}}, f.cuts.met...)
	end := frontCut{f.offered.Load(), f.unsent.Load()}
	for len(met) < len(log.starts)+2 { // starts that no item came after
		met = append(met, end)
	}
	out := make([]Segment, 0, len(log.starts)+1)
	begins := append([]time.Duration{from}, log.starts...)
	for i, begin := range begins {
		part := newSegmentTally()
		if i == 0 {
			part.merge(log.first)
		}
		for n := range e.rec.shards {
			part.merge(e.rec.shards[n].mu.segments.parts[i]) // frozen: nobody writes it any more
		}
		until := to
		if i+1 < len(begins) {
			until = min(max(begins[i+1], from), to)
		}
		begin = min(max(begin, from), to)
		out = append(out, part.section(begin-from, until-begin, met[i], met[i+1]))
	}
	for i, changed := range log.changed {
		out[i+1].Changed = changed
	}
	return out
}

// section writes one segment.
func (p *segmentTally) section(start, length time.Duration, from, to frontCut) Segment {
	n := p.wait.count
	s := Segment{
		Start: Some(start.Seconds()), Length: Some(max(0, length).Seconds()), Changed: []Setting{},
		Counts: Counts{
			Offered: to.offered - from.offered, Done: p.counts.by[outcomeDone], Rejected: p.counts.rejected(), Failed: p.counts.by[outcomeFailed],
			Cancelled: p.counts.by[outcomeCancelled], Unsent: to.unsent - from.unsent, Late: p.counts.late,
		},
		Latency:    Latencies{Sojourn: p.sojourn.latency(), Wait: p.wait.latency(), Service: p.service.latency(), Delivery: emptyLatency()},
		Split:      splitOf(n, p.wait.sum, p.service.sum, p.forming, p.turn, p.slot),
		Batches:    p.batches.batches(),
		Histograms: Histograms{Sojourn: p.sojourn.encode(), Wait: p.wait.encode(), Service: p.service.encode()},
	}
	c := &s.Counts
	if over := c.Done + c.Rejected + c.Failed + c.Cancelled + c.Unsent; c.Offered > over {
		c.InFlightAtEnd = c.Offered - over
	}
	s.OfferedPer, s.DonePer = Ratio(float64(c.Offered), length.Seconds()), Ratio(float64(c.Done), length.Seconds())
	return s
}

func emptyLatency() Latency {
	h := newHist(2)
	return h.latency()
}
