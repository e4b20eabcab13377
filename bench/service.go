// The backend of a run in virtual time: calls that take what the cost model says,
// and wait in line where it serves no more at once.

package bench

import (
	"time"

	"ferryctl/lanes"
)

// A simCall is a call that is out.
type simCall struct {
	inputs  []int32
	number  uint64
	lane    lanes.LaneRef
	direct  bool
	left    lanes.Left
	items   int // as the backend sees them: keyed inputs of one key are one
	weight  int64
	inside  int // calls at the backend when it came, it included
	started time.Duration
}

// start begins a call: its batch gets its number, and it goes to the backend,
// which serves it now or when it has room.
func (s *simulation) start(n int32) {
	c := &s.calls.at[n]
	c.number, c.started = s.e.batches.Add(1)-1, s.now
	c.inside = s.serving + s.waiting.n + 1
	s.tell(c.left.String(), c.number, c.inputs...)
	if s.spec.Concurrency > 0 && s.serving >= s.spec.Concurrency {
		s.waiting.push(n)
		return
	}
	s.serve(n)
}

func (s *simulation) serve(n int32) {
	c := &s.calls.at[n]
	d := s.spec.ServiceTime(s.seed, c.number, c.items, c.weight)
	s.serving++
	if d > 0 {
		if s.spec.Extrapolates(c.items, c.weight, c.inside) {
			s.stats.Extrapolated++
		}
		s.stats.Calls++
		s.stats.Asked += d
		s.stats.Actual += d
		s.stats.Waited += s.now - c.started
	}
	s.agenda.add(s.now+d, callEnds, n)
}

// end is a call's end: its inputs are answered, its slot and lane given back.
func (s *simulation) end(n int32) {
	c := &s.calls.at[n]
	s.tell(callEnded, c.number)
	s.serving--
	if next, ok := s.waiting.pop(); ok {
		s.serve(next)
		c = &s.calls.at[n]
	}
	outcome := outcomeDone
	if s.spec.Fails(s.seed, c.number) {
		outcome = outcomeFailed
		s.counts.Failed += uint64(len(c.inputs))
	} else {
		s.counts.Done += uint64(len(c.inputs))
	}
	s.counts.Batches[c.left]++
	s.e.rec.shard(0).batch(len(c.inputs), uint8(c.left), c.started, s.now)
	s.room.Release(s.now, c.lane)
	for _, i := range c.inputs {
		in := &s.inputs.at[i]
		in.started, in.ended = c.started, s.now
		s.answer(i, outcome)
	}
	c = &s.calls.at[n]
	c.inputs = c.inputs[:0]
	s.calls.give(n)
	s.take()
}
