// A run in virtual time: a discrete-event shell around the same pure rooms that
// the real kernels are shells around. Nothing here decides who is admitted, when
// a batch leaves or whose turn it is; it only says what time it is, and how long
// calls take.
//
// At one instant, things happen in this order: calls end, in the order in which
// they began; what became ready by that or by time leaves; then the arrivals of
// that instant come, one after the other, each followed by what it makes ready.

package bench

import (
	"fmt"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/ferry"
	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
	"ferryctl/workload"
)

// A simulation is the kernel, its callers and its backend of a run in virtual
// time. Its memory follows what is in the system, not the run's length.
type simulation struct {
	e    *engine
	now  time.Duration
	room simRoom

	queue  *lanes.Queue[int32]                 // make and keyed
	perKey *lanes.Lanes[uint64, int32]         // perkey
	shared *lanes.Lanes[fairshare.Leaf, int32] // make and keyed with share lanes, a line for each
	gate   ferry.GatedRoom                     // perKey or shared, with share lanes
	leaves []fairshare.Leaf                    // of the load's share lanes met so far
	keyed  bool
	asked  ferry.Settings
	counts ferry.Metrics

	spec    backend.Spec
	seed    uint64
	serving int // calls in service at the backend
	waiting fifo
	stats   backend.Stats

	batch  lanes.Batch[int32]
	inputs numbered[simInput] // in the system
	calls  numbered[simCall]  // out
	agenda agenda

	all, measured int // inputs in the system
	distinct      map[uint64]struct{}
	decided       func(decision) // hears of every decision, for tests; nil otherwise
}

// simRoom is what both rooms have in common.
type simRoom interface {
	Due() (time.Duration, bool)
	Take(time.Duration, *lanes.Batch[int32]) bool
	Release(time.Duration, lanes.LaneRef)
	Flush(time.Duration)
	Drain(time.Duration, func(int32))
	Advance(time.Duration)
	Stats() lanes.Stats
	ResetPeaks()
	Config() lanes.Config
}

// A simInput is an input in the system.
type simInput struct {
	sample
	index  uint64
	key    uint64
	client int32 // closed loop: who waits for it
}

// newSimulation returns an engine whose kernel runs in virtual time.
func newSimulation(p plan, spec backend.Spec) (*engine, error) {
	if err := p.kernel.Validate(); err != nil {
		return nil, err
	}
	e := &engine{plan: p, rec: newRecorder(p.byLane()), series: newSeries()}
	source, err := p.open()
	if err != nil {
		return nil, err
	}
	e.source, e.halt = source, func() {}
	s := &simulation{e: e, spec: spec, seed: p.load.Seed, asked: p.kernel, keyed: p.kernel.Kernel == "keyed", distinct: map[uint64]struct{}{}}
	cfg := p.kernel.Room(false)
	switch kernel := p.kernel.Kernel; {
	case kernel == "perkey":
		s.perKey = lanes.NewLanes[uint64, int32](cfg)
		s.room, s.gate = s.perKey, s.perKey
	case (kernel == "make" || kernel == "keyed") && p.gated():
		s.shared = lanes.NewLanes[fairshare.Leaf, int32](cfg)
		s.room, s.gate = s.shared, s.shared
	case kernel == "make" || kernel == "keyed":
		s.queue = lanes.NewQueue[int32](cfg)
		s.room = s.queue
	default:
		return nil, fmt.Errorf("kernel %q is unknown: want make, keyed or perkey", p.kernel.Kernel)
	}
	if !p.gated() {
		s.gate = nil
	}
	e.sim, e.kernel = s, s
	e.busy = func() (all, measured, most int) { return s.all, s.measured, 0 }
	return e, nil
}

// Settings implements account.
func (s *simulation) Settings() ferry.Settings { return s.asked.Effective() }

// ResetPeaks implements account.
func (s *simulation) ResetPeaks() {
	s.room.Advance(s.now)
	s.room.ResetPeaks()
}

// Metrics implements account.
func (s *simulation) Metrics() ferry.Metrics {
	s.room.Advance(s.now)
	m, st := s.counts, s.room.Stats()
	m.Queued, m.QueuedWeight, m.Lanes, m.InFlight, m.Direct = st.Queued, st.QueuedWeight, st.Lanes, st.InFlight, st.Direct
	m.PeakQueued, m.PeakQueuedWeight, m.PeakInFlight = st.PeakQueued, st.PeakQueuedWeight, st.PeakInFlight
	m.QueuedSeconds, m.Running = st.QueuedSeconds, s.all-st.Queued
	return m
}

// submit brings an input to the door.
func (s *simulation) submit(it *workload.Item, measured bool, client int32) {
	i := s.inputs.take()
	in := &s.inputs.at[i]
	*in = simInput{
		sample: sample{scheduled: s.now, sent: s.now, weight: it.Weight, lane: it.Lane, measured: measured},
		index:  it.Index, key: it.Key, client: client,
	}
	s.counts.Submitted++
	s.all++
	if measured {
		s.measured++
	}
	var lane lanes.LaneRef
	var a lanes.Admission
	leaf := s.leaf(it.Lane)
	entry := lanes.Input[int32]{Entry: i, Weight: it.Weight, Share: leaf, Cost: 1}
	switch {
	case s.queue != nil:
		_, a = s.queue.Admit(s.now, i, it.Weight)
	case s.shared != nil:
		_, lane, a = s.shared.Admit(s.now, leaf, s.shared.Hash(leaf), entry)
	default:
		_, lane, a = s.perKey.Admit(s.now, it.Key, s.perKey.Hash(it.Key), entry)
	}
	switch a {
	case lanes.Admitted:
		s.counts.Admitted++
		s.take()
	case lanes.Claimed:
		s.counts.Claimed++
		n := s.calls.take()
		c := &s.calls.at[n]
		c.inputs, c.lane, c.direct, c.left = append(c.inputs, i), lane, true, lanes.LeftDirect
		c.items, c.weight = 1, it.Weight
		s.start(n)
	case lanes.FullCount:
		s.reject(i, a, &s.counts.RejectedCount, outcomeRejectedCount)
	case lanes.FullShareCount:
		s.reject(i, a, &s.counts.RejectedCount, outcomeRejectedPart)
	case lanes.FullShareWeight:
		s.reject(i, a, &s.counts.RejectedWeight, outcomeRejectedPartWeight)
	default:
		o := outcomeRejectedWeight
		if a == lanes.TooHeavy && it.Weight <= s.room.Config().MaxQueuedWeight { // its share lane's part alone
			o = outcomeRejectedPartWeight
		}
		s.reject(i, a, &s.counts.RejectedWeight, o)
	}
}

// reject turns an input away.
func (s *simulation) reject(i int32, why lanes.Admission, count *uint64, o outcome) {
	*count++
	s.tell(why.String(), 0, i)
	s.answer(i, o)
}

// take starts every batch that may leave now.
func (s *simulation) take() {
	for s.room.Take(s.now, &s.batch) {
		n := s.calls.take()
		c := &s.calls.at[n]
		c.lane, c.direct, c.left = s.batch.Lane, false, s.batch.Left
		clear(s.distinct)
		c.items, c.weight = 0, 0
		for _, t := range s.batch.Items {
			in := &s.inputs.at[t.Entry]
			in.forming, in.turn, in.slot = t.Wait.Forming, t.Wait.Turn, t.Wait.Slot
			c.inputs = append(c.inputs, t.Entry)
			if s.keyed {
				if _, sent := s.distinct[in.key]; sent {
					continue
				}
				s.distinct[in.key] = struct{}{}
			}
			c.items++
			c.weight += t.Weight
		}
		s.start(n)
	}
}

// answer tells an input's caller, and lets a client of a closed loop go on.
func (s *simulation) answer(i int32, o outcome) {
	in := &s.inputs.at[i]
	in.outcome, in.returned = o, s.now
	if o == outcomeDone || o == outcomeFailed {
		in.returned = in.ended
	}
	s.e.rec.shard(0).record(&in.sample, nil)
	s.all--
	if in.measured {
		s.measured--
	}
	if in.client >= 0 {
		again := s.now
		if o.rejected() {
			again += rejectedPause
		}
		s.agenda.add(again, clientComes, in.client)
	}
	s.inputs.give(i)
}

// callEnded is the one thing told that is not the kernel's decision.
const callEnded = "ended"

// A decision is what the kernel did at a time: a batch left for its call, for a
// reason, or an input was turned away.
type decision struct {
	at    time.Duration
	what  string // the reason
	batch uint64 // its number
	items []uint64
}

func (s *simulation) tell(what string, batch uint64, inputs ...int32) {
	if s.decided == nil {
		return
	}
	d := decision{at: s.now, what: what, batch: batch}
	for _, i := range inputs {
		d.items = append(d.items, s.inputs.at[i].index)
	}
	s.decided(d)
}

// numbered hands out places by number, the last one given back first.
type numbered[T any] struct {
	at   []T
	free []int32
}

func (n *numbered[T]) take() int32 {
	if last := len(n.free) - 1; last >= 0 {
		i := n.free[last]
		n.free = n.free[:last]
		return i
	}
	var zero T
	n.at = append(n.at, zero)
	return int32(len(n.at) - 1)
}

func (n *numbered[T]) give(i int32) { n.free = append(n.free, i) }
