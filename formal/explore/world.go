// The model of the shell: what callers, workers and time can do to a room. Each
// action is one critical section of package ferry, or one step outside of its
// mutex that others can see.

package main

import (
	"slices"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// stage is where a caller is.
type stage uint8

const (
	idle    stage = iota // outside: it has its answer, or was never here
	checked              // weakness checkApart: it saw the room open
	waiting              // its input is in the room
	taken                // … in a batch
	calling              // it runs a direct call
	drained              // Close turned it out and has not told it yet
	gone                 // it gave up and has its answer; a batch or Close still holds its input
)

// caller is a caller and its input.
type caller struct {
	stage        stage
	key          int8
	share        fairshare.Leaf
	weight, rank int8
	at           time.Duration // of admission
	flushed      bool          // Flush came after it
	ref          lanes.Ref
}

// phase is how far a call is.
type phase uint8

const (
	none    phase = iota
	out           // its batch was taken; those who gave up are not yet left out
	running       // user code runs
	ended         // it is over, and its callers are being told
)

// call is a batch or a direct call, from Take or Claim until Release.
type call struct {
	phase  phase
	key    int8
	direct bool
	freed  bool // weakness releaseEarly: the room was told already
	lane   lanes.LaneRef
	who    []entry // callers not yet told
	left   lanes.Left
}

// world is a state: the room, and the model of all around it.
type world struct {
	in      *instance
	room    room
	now     time.Duration
	callers []caller
	calls   []call  // make: by worker; perkey: at most one for each key, but of a faulty room
	queue   []entry // who waits, in the order of arrival
	closed  bool
	fault   string // the rule that the last action broke; empty if none
}

func newWorld(in *instance) *world {
	w := &world{in: in, room: newRoom(in), callers: make([]caller, in.caller)}
	if in.make {
		w.calls = make([]call, in.config.MaxInFlight)
	}
	return w
}

// clone returns a world that goes its own way.
func (w *world) clone() *world {
	c := *w
	c.room, c.callers, c.queue = w.room.fork(), slices.Clone(w.callers), slices.Clone(w.queue)
	c.calls = slices.Clone(w.calls)
	for i := range c.calls {
		c.calls[i].who = slices.Clone(c.calls[i].who)
	}
	return &c
}

// age returns an input's age in ticks, no more than tells it from others.
func (w *world) age(e entry) int8 {
	c := &w.callers[e]
	window := w.in.window()
	switch {
	case c.flushed:
		return window
	case w.in.config.MaxBatchDelay == lanes.Never:
		return 0
	}
	return int8(min(time.Duration(window), (w.now-c.at)/tick))
}

// due says whether an input makes its batch leave, full or not.
func (w *world) due(e entry) bool { return w.age(e) == w.in.window() }

// lane lists who waits of a key, in the order of arrival.
func (w *world) lane(key int8) []entry {
	if w.in.make {
		return w.queue
	}
	var list []entry
	for _, e := range w.queue {
		if w.callers[e].key == key {
			list = append(list, e)
		}
	}
	return list
}

// busy says whether a call of a key is out, by the model's account.
func (w *world) busy(key int8) bool {
	return !w.in.make && slices.ContainsFunc(w.calls, func(c call) bool { return c.key == key && !c.freed })
}

// batches counts the batches out, direct calls aside.
func (w *world) batches() int {
	n := 0
	for _, c := range w.calls {
		if c.phase != none && !c.direct {
			n++
		}
	}
	return n
}

func (w *world) queuedWeight() (sum int64) {
	for _, e := range w.queue {
		sum += int64(w.callers[e].weight)
	}
	return sum
}

// next is the batch that ought to leave a key's lane: the longest prefix within
// the bounds, never empty, by rank and then arrival.
func (w *world) next(key int8) []entry {
	cfg := &w.in.config
	lane := slices.Clone(w.lane(key))
	if cfg.Ranked {
		slices.SortStableFunc(lane, func(a, b entry) int { return int(w.callers[a].rank - w.callers[b].rank) })
	}
	weight := int64(0)
	for i, e := range lane {
		weight += int64(w.callers[e].weight)
		if i > 0 && (i == cfg.MaxBatchSize || weight > cfg.MaxBatchWeight) {
			return lane[:i]
		}
	}
	return lane
}

// ready says whether a key's lane ought to be in the ready line.
func (w *world) ready(key int8) bool {
	lane := w.lane(key)
	if len(lane) == 0 || w.busy(key) {
		return false
	}
	weight := int64(0)
	for _, e := range lane {
		weight += int64(w.callers[e].weight)
	}
	return len(lane) >= w.in.config.MaxBatchSize || weight >= w.in.config.MaxBatchWeight || w.due(lane[0])
}
