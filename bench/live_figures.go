// The figures of a snapshot: what the recorder holds so far, read while others
// go on writing to it.

package bench

import (
	"fmt"
	"time"

	"ferryctl/bench/human"
)

// peek adds up what the shards hold at this moment: everything but sojourns,
// which the series has, and histograms of the other times, of which it takes the
// counts and sums. Each lock is held for some microseconds.
func (r *recorder) peek() *totals {
	t := &totals{}
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		m := &s.mu.shardState
		t.window.merge(&m.window)
		t.whole.merge(&m.whole)
		t.completed += m.completed
		t.lateMax = max(t.lateMax, m.lateMax)
		t.wait.count += m.wait.count
		t.wait.sum.merge(m.wait.sum)
		t.service.sum.merge(m.service.sum)
		t.forming.merge(m.forming)
		t.turn.merge(m.turn)
		t.slot.merge(m.slot)
		t.batches.merge(&m.batches)
		s.mu.Unlock()
		if r.byLane {
			s.peekLanes(t)
		}
	}
	return t
}

// peekLanes adds up the share lanes, one at a time: a histogram takes a while.
func (s *shard) peekLanes(t *totals) {
	for i := range t.lanes {
		s.mu.Lock()
		if l := s.mu.lanes[i]; l != nil {
			if t.lanes[i] == nil {
				t.lanes[i] = &laneTally{sojourn: newHist(2)}
			}
			t.lanes[i].counts.merge(&l.counts)
			t.lanes[i].sojourn.merge(&l.sojourn)
		}
		s.mu.Unlock()
	}
}

// counts says what became of the window's items; inFlight of them are with the
// kernel.
func (e *engine) counts(t *totals, inFlight int) Counts {
	f := &e.front
	c := Counts{
		Offered: f.offered.Load(), Done: t.window.by[outcomeDone], Rejected: t.window.rejected(), Failed: t.window.by[outcomeFailed],
		Cancelled: t.window.by[outcomeCancelled], Unsent: f.unsent.Load(), Late: t.window.late, InFlightAtEnd: uint64(inFlight),
	}
	if e.plan.scheduled() && t.window.answered() > 0 {
		c.LateMaxNS = Some(float64(t.lateMax))
	}
	return c
}

// points returns the series as a screen draws it. While the run goes on, open
// says so, and an interval in progress is left out.
func (s *series) points(open bool) []Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.list)
	if open {
		n-- // it may still grow
	}
	length := time.Duration(s.scale) * slotLength
	inWindow := int((s.window + s.scale - 1) / s.scale)
	if s.window > maxSlots { // not known yet
		inWindow = n
	}
	out := make([]Point, 0, max(n, 0))
	for i := range max(n, 0) {
		in := &s.list[i]
		start := time.Duration(i) * length
		if i >= inWindow {
			break // the drain is in no picture
		}
		l := in.sojourn
		out = append(out, Point{
			Start: start, Length: length,
			Offered: in.offered, Done: in.counts.by[outcomeDone], Rejected: in.counts.rejected(),
			Failed: in.counts.by[outcomeFailed], Late: in.counts.late,
			P50: l.P50, P95: l.P95, P99: l.P99, P999: l.P999, Queued: in.queued, InFlight: in.inFlight,
		})
	}
	return out
}

// maxSlots is more slots than any run has.
const maxSlots = int64(1) << 40

// provisional is the verdict on what was measured so far. It leaves out what can
// be told at the end alone.
func (e *engine) provisional(s *Snapshot, ceiling Num) (Verdict, []string) {
	r := &Result{Counts: s.Counts}
	r.Latency.Sojourn = s.Sojourn
	r.Window.Measured = Some(s.Measured.Seconds())
	if e.sim == nil {
		e.gauges.mu.Lock()
		begun, gc := e.gauges.open, e.gauges.start.gc
		e.gauges.mu.Unlock()
		if begun {
			_, longest, total := e.collections().since(gc)
			r.Measurement.GCMaxPause, r.Measurement.GCPaused = longest, total
		}
	}
	f := &facts{scheduled: e.plan.scheduled(), saturating: !e.plan.scheduled(), inTime: e.front.inTime.Load(), noCaller: e.front.noCaller.Load()}
	r.Rates.Offered = Ratio(float64(s.Counts.Offered), s.Measured.Seconds())
	setCeiling(r, f, ceiling)
	judgeBy([]check{rateSoFar, checkUnsent, checkCeiling, checkPauses}, r, f)
	return r.Measurement.Verdict, r.Measurement.Reasons
}

// rateSoFar is checkRate while the run goes on.
func rateSoFar(r *Result, f *facts) []finding {
	missing := float64(r.Counts.Offered) - float64(f.inTime)
	if r.Window.Measured.Or(0) < shortestWindow || !f.rateMissed(r) {
		return nil
	}
	return []finding{invalid("rate not held so far: %s of the arrivals are missing", human.Percent(missing/float64(r.Counts.Offered)))}
}

// answeredByLane counts the items of each lane that came back: what a lane was
// offered is the generator's alone while it runs.
func (t *totals) answeredByLane() *[maxLanes + 1]uint64 {
	var out [maxLanes + 1]uint64
	for i, l := range t.lanes {
		if l != nil {
			out[i] = l.counts.answered()
		}
	}
	return &out
}

// laneNames returns the share lanes met so far. A trace names them as they come;
// those that the generator has not told of yet have a number.
func (e *engine) laneNames() []string {
	if names := e.front.names.Load(); names != nil {
		return *names
	}
	var out []string
	for i := range maxLanes {
		out = append(out, fmt.Sprintf("lane %d", i+1))
	}
	return out
}

// soFar returns the sojourn of everything that was collected.
func (s *series) soFar() Latency {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total.latency()
}

// percentile returns a percentile of everything that was collected, in nanoseconds.
func (s *series) percentile(percent float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.total.percentile(percent))
}
