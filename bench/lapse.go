// How time passes in a run in virtual time.

package bench

import "time"

// leave moves the clock to a time at which something happens, by way of the
// window's two ends and of the intervals' ends: what they read is as it was
// before that time.
func (s *simulation) leave(to time.Duration) {
	e := s.e
	if !e.plan.byIndex {
		if !e.gauges.open && to >= e.plan.warmup {
			s.now = e.plan.warmup
			e.openAt(e.plan.warmup)
		}
		if end := e.plannedEnd(); end != unknown && !e.gauges.shut && to >= end {
			s.intervals(end)
			s.now = end
			e.closeAt(end)
		}
	}
	s.intervals(to)
	s.now = max(s.now, to)
}

// intervals takes out the intervals that end by a time, up to which nothing more
// happens.
func (s *simulation) intervals(to time.Duration) {
	w := s.e.watch
	from, until := s.e.rec.window()
	if from == unknown || to < w.end(w.next, from, until) {
		return
	}
	st := s.room.Stats()
	queued, inFlight := float64(st.Queued), float64(st.InFlight+st.Direct)
	for i := 0; to >= w.end(w.next, from, until); i++ {
		if i == 2 { // the two that could hold something are out: the rest is silence
			if last := slotOf(to, from, until); last > w.next {
				s.e.rec.skip(last)
				w.next = last
			}
			s.e.series.gauge(w.next-1, queued, inFlight)
			return
		}
		s.e.rec.collect(w.next, s.e.series.add)
		s.e.series.gauge(w.next, queued, inFlight)
		w.next++
	}
}
