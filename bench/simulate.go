// The loop of a run in virtual time, and what it says of itself on the way.

package bench

import (
	"time"

	"ferryctl/ferry"
	"ferryctl/workload"
)

// lookEvery is how many events pass between two looks at the outside: at orders
// to stop, and at the wall clock, for progress. Events that close an interval
// take about a millisecond, others a fraction of a microsecond.
const lookEvery = 1 << 8

// simulate makes the run; it is to virtual time what engine.run is to real time.
func (e *engine) simulate(stop, kill <-chan struct{}, report func(Progress)) error {
	s := e.sim
	e.newWatch(report)
	if !e.plan.byIndex {
		e.rec.open(e.plan.warmup)
		e.rec.close(e.plannedEnd())
	}
	out := &outside{e: e, stop: stop, kill: kill, lastReport: time.Now()}
	s.offer(out)
	e.finish()
	e.endWindow()
	e.enter(PhaseDrain)
	s.drain(out)
	s.leave(s.now)
	e.rec.freeze()
	e.drained = e.now()
	from, to := e.rec.window()
	e.gauge(slotOf(e.drained, from, to), s.Metrics()) // of the interval that the run ends in
	e.final = s.Metrics()
	return e.front.err
}

// outside is what a run in virtual time has to do with the rest of the world.
type outside struct {
	e          *engine
	stop, kill <-chan struct{}
	events     uint64
	lastReport time.Time
	killed     bool
}

// look reports whether to go on.
func (o *outside) look() bool {
	o.events++
	if o.events%lookEvery != 0 {
		return true
	}
	select {
	case <-o.stop:
		o.e.stopped = true
	default:
	}
	select {
	case <-o.kill:
		o.e.stopped, o.killed = true, true
	default:
	}
	if now := time.Now(); now.Sub(o.lastReport) >= watchTick {
		o.lastReport = now
		o.e.watch.tell()
	}
	return !o.e.stopped
}

// offer runs until nothing more is offered: the source is at its end, the
// planned time is over, or the run was stopped.
func (s *simulation) offer(out *outside) {
	var it workload.Item
	pending := false // it was taken from the source and is still to come
	for n := range s.e.plan.clients {
		s.agenda.add(0, clientComes, int32(n))
	}
	for out.look() {
		arrival := unknown
		switch {
		case s.e.plan.clients > 0:
			if s.e.front.finished {
				return
			}
		case !pending:
			if pending = s.e.source.Next(&it); !pending {
				s.e.front.finished = true
				if end := s.e.plannedEnd(); end != unknown && s.e.source.Err() == nil {
					s.advanceTo(end, out)
				}
				return
			}
			s.e.front.taken++
			arrival = it.At
		default:
			arrival = it.At
		}
		at, what := s.upNext()
		if end := s.e.plan.load.Duration; s.e.plan.clients > 0 && end > 0 && min(arrival, at) >= end {
			s.leave(end)
			return
		}
		if arrival < at {
			s.leave(arrival)
			s.arrive(&it)
			pending = false
			continue
		}
		if at == unknown {
			return // a closed loop in which everybody waits for a batch that never fills
		}
		s.leave(at)
		s.happen(what)
	}
}

// arrive hands over an item of an open loop.
func (s *simulation) arrive(it *workload.Item) {
	measured := s.e.take(it, it.At)
	if measured {
		bump(&s.e.front.inTime)
	}
	bump(&s.e.front.sent)
	s.submit(it, measured, -1)
}

// come lets a client of a closed loop take the next item.
func (s *simulation) come(client int32) {
	f := &s.e.front
	if f.finished {
		return
	}
	var it workload.Item
	if !s.e.source.Next(&it) {
		f.finished = true
		return
	}
	f.taken++
	measured := s.e.take(&it, s.now)
	bump(&f.sent)
	s.submit(&it, measured, client)
}

// what can come next besides an arrival.
type upcoming uint8

const (
	agendaEvent upcoming = iota
	deadline
)

// upNext returns the time of the next event or deadline, or unknown. Events come
// first.
func (s *simulation) upNext() (time.Duration, upcoming) {
	at, ok := s.agenda.next()
	if !ok {
		at = unknown
	}
	if due, ok := s.room.Due(); ok && due < at {
		return due, deadline
	}
	return at, agendaEvent
}

// happen lets it happen; it is time.
func (s *simulation) happen(what upcoming) {
	if what == deadline {
		s.take()
		return
	}
	switch e := s.agenda.pop(); e.kind {
	case callEnds:
		s.end(e.number)
	case clientComes:
		s.come(e.number)
	}
}

// advanceTo lets everything happen that does so up to a time.
func (s *simulation) advanceTo(t time.Duration, out *outside) {
	for {
		at, what := s.upNext()
		if at > t {
			break
		}
		if !out.look() {
			return
		}
		s.leave(at)
		s.happen(what)
	}
	s.leave(t)
}

// drain lets what was offered come to its end, for as long as the plan allows.
// What would wait for longer than that is due at once.
func (s *simulation) drain(out *outside) {
	until := s.now + s.e.plan.drain
	s.e.front.finished = true // clients do not come again
	if d := s.asked.MaxBatchDelay; d == ferry.Never || d >= s.e.plan.drain {
		s.room.Flush(s.now)
		s.take()
	}
	for s.all > 0 && !out.killed {
		at, what := s.upNext()
		if at > until {
			return
		}
		out.look()
		s.leave(at)
		s.happen(what)
	}
}
