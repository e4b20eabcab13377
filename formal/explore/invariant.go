// What must hold in every state, and across every step, by the names that the
// TLA+ models give it.

package main

import (
	"fmt"
	"slices"
	"strings"

	"ferryctl/lanes"
)

// check returns the first rule that a state breaks, with what breaks it.
func (w *world) check(v view) string {
	for _, rule := range []func(view) string{w.oneOwner, w.bounded, w.oneCall, w.closedIsEmpty, w.readyLine, w.account} {
		if fault := rule(v); fault != "" && w.in.minds(fault) {
			return fault
		}
	}
	return ""
}

// minds says whether an instance is held to the rule that is broken.
func (in *instance) minds(fault string) bool {
	return in.only == "" || strings.HasPrefix(fault, in.only+":") || strings.HasPrefix(fault, "NoPanic:")
}

// oneOwner: every input that is owed an answer is in exactly one place, the room,
// a batch, or its caller's own hands, and no place holds one that is owed none.
func (w *world) oneOwner(v view) string {
	places := make([]int, len(w.callers))
	for _, e := range v.held {
		places[e]++
		if w.callers[e].stage != waiting {
			return fmt.Sprintf("OneOwner: the room holds %s, whose caller does not wait", w.name(e))
		}
	}
	for _, c := range w.calls {
		for _, e := range c.who {
			places[e]++
			if s := w.callers[e].stage; s != taken && s != gone && s != calling {
				return fmt.Sprintf("OneOwner: a call holds %s, which was answered", w.name(e))
			}
		}
	}
	for i, c := range w.callers {
		owed := c.stage == waiting || c.stage == taken || c.stage == calling
		if n := places[i]; n > 1 || owed && n == 0 {
			return fmt.Sprintf("OneOwner: %s is in %d places", w.name(entry(i)), n)
		}
	}
	return ""
}

// bounded: the room's bounds and the slots are never passed.
func (w *world) bounded(v view) string {
	cfg, weight := &w.in.config, int64(0)
	for _, e := range v.held {
		weight += int64(w.callers[e].weight)
	}
	switch {
	case len(v.held) > cfg.MaxQueued:
		return fmt.Sprintf("RoomIsBounded: %d inputs wait, more than %d", len(v.held), cfg.MaxQueued)
	case weight > cfg.MaxQueuedWeight:
		return fmt.Sprintf("RoomIsBounded: a weight of %d waits, more than %d", weight, cfg.MaxQueuedWeight)
	case w.batches() > cfg.MaxInFlight:
		return fmt.Sprintf("SlotsAreBounded: %d batches are out, more than %d", w.batches(), cfg.MaxInFlight)
	}
	return ""
}

// oneCall: a key has at most one call out, direct calls included.
func (w *world) oneCall(view) string {
	if w.in.make {
		return ""
	}
	for i := 1; i < len(w.calls); i++ {
		if w.calls[i].key == w.calls[i-1].key {
			return fmt.Sprintf("OneCallPerKey: two calls of key %c are out", 'a'+w.calls[i].key)
		}
	}
	return ""
}

// closedIsEmpty: nothing waits after Close drained the room.
func (w *world) closedIsEmpty(v view) string {
	if w.closed && len(v.held) > 0 {
		return fmt.Sprintf("ClosedIsEmpty: %s waits in a closed room", w.name(v.held[0]))
	}
	return ""
}

// readyLine: the line holds exactly the lanes that are full or due and have no
// call out, each once.
func (w *world) readyLine(v view) string {
	if w.in.make {
		want := 0
		if w.ready(0) {
			want = 1
		}
		if min(len(v.line), 1) != want {
			return fmt.Sprintf("LineHoldsReady: %d batches are ready where %d ought to be", len(v.line), want)
		}
		return ""
	}
	if w.in.twins {
		return "" // a key has several lanes: see the tests of package lanes
	}
	for key := range int8(w.in.keys) {
		n := 0
		for _, k := range v.line {
			if k == key {
				n++
			}
		}
		if want := w.ready(key); n > 1 || (n == 1) != want {
			return fmt.Sprintf("LineHoldsReady: key %c is in the line %d times; that it is ready is %t", 'a'+key, n, want)
		}
	}
	return ""
}

// account: what the room tells of itself is so.
func (w *world) account(v view) string {
	st := w.room.Stats()
	direct := len(w.calls) - w.batches()
	if w.in.make {
		direct = 0
	}
	batches := w.batches()
	if w.in.weak == releaseEarly {
		batches = st.InFlight
	}
	if st.Queued != len(v.held) || st.InFlight != batches || st.Direct != direct {
		return fmt.Sprintf("AccountIsTrue: the room counts %d waiting, %d batches and %d direct calls out where there are %d, %d and %d",
			st.Queued, st.InFlight, st.Direct, len(v.held), batches, direct)
	}
	free := st.InFlight < w.in.config.MaxInFlight
	if got, want := w.room.Ready(w.now), free && len(v.line) > 0; got != want {
		return fmt.Sprintf("AccountIsTrue: Ready says %t where that is %t", got, want)
	}
	at, ok := w.room.Due()
	if ok && free && len(v.line) == 0 {
		first := slices.MinFunc(w.queue, func(a, b entry) int { return int(w.callers[a].at - w.callers[b].at) })
		if want := w.callers[first].at + w.in.config.MaxBatchDelay; !w.busyAll() && at > want {
			return fmt.Sprintf("DueComesFromTheOldest: Due says %s where the oldest input that waits is due at %s", at, want)
		}
	}
	if !ok && free && len(v.line) == 0 && len(v.held) > 0 && !w.busyAll() && w.in.config.MaxBatchDelay != lanes.Never {
		return "DueComesFromTheOldest: nothing is said to become due, and an input waits"
	}
	return ""
}

// busyAll says whether every input that waits is behind a call of its key.
func (w *world) busyAll() bool {
	return !slices.ContainsFunc(w.queue, func(e entry) bool { return !w.busy(w.callers[e].key) })
}

// step returns the rule that a step from one line to the next breaks: lanes that
// stay keep their order, and those that come line up behind them.
func (in *instance) step(from, to view, a action) string {
	if in.make || in.shares != "" {
		return ""
	}
	stay := func(key int8) bool { return slices.Contains(from.line, key) && (a.kind != release || a.key != key) }
	var old, rest []int8
	for _, key := range from.line {
		if slices.Contains(to.line, key) && stay(key) {
			old = append(old, key)
		}
	}
	rest = to.line[:min(len(old), len(to.line))]
	if !slices.Equal(old, rest) {
		return fmt.Sprintf("FirstComeFirstServed: the lanes %v that were in line are overtaken: it is now %v", letters(old), letters(to.line))
	}
	return ""
}

func letters(keys []int8) string {
	var b []byte
	for _, k := range keys {
		b = append(b, 'a'+byte(k))
	}
	return string(b)
}
