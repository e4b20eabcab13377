// The two steps in which the room decides: who is let in, and who leaves. What
// it decides is compared with what the rules say, worked out anew from the
// model's account.

package main

import (
	"fmt"
	"slices"
	"strings"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// expected returns the answer that the rules give an input at the door. With
// share lanes a full room is theirs to divide, and whether a claim is granted
// their turn to say: the answer is then only checked against the bounds.
func (w *world) expected(a action) lanes.Admission {
	cfg := &w.in.config
	switch {
	case w.closed:
		return lanes.Closed
	case cfg.Direct && cfg.MaxBatchDelay == 0 && !w.busy(a.key) && len(w.lane(a.key)) == 0:
		return lanes.Claimed
	case int64(a.weight) > cfg.MaxQueuedWeight:
		return lanes.TooHeavy
	case len(w.queue) >= cfg.MaxQueued:
		return lanes.FullCount
	case w.queuedWeight()+int64(a.weight) > cfg.MaxQueuedWeight:
		return lanes.FullWeight
	}
	return lanes.Admitted
}

func (w *world) admit(a action) string {
	want := w.expected(a)
	ref, lane, got := w.room.admit(w.now, a.key, lanes.Input[entry]{
		Entry: a.who, Weight: int64(a.weight), Rank: int64(a.rank), Share: a.share, Cost: 1,
	})
	if got != want && (w.in.shares == "" || want == lanes.Closed) {
		w.broken(fmt.Sprintf("%s: an input was answered %q where the rules say %q", ruleOf(want), got, want))
	}
	c := caller{key: a.key, share: a.share, weight: a.weight, rank: a.rank, at: w.now, ref: ref}
	switch got {
	case lanes.Admitted:
		c.stage = waiting
		w.queue = append(w.queue, a.who)
	case lanes.Claimed:
		c.stage = calling
		w.put(call{phase: running, key: a.key, direct: true, lane: lane, who: []entry{a.who}})
	default:
		c = caller{}
	}
	w.callers[a.who] = c
	if got == lanes.Admitted {
		return ""
	}
	return got.String()
}

// ruleOf names the invariant that an answer at the door other than this breaks.
func ruleOf(want lanes.Admission) string {
	switch want {
	case lanes.Closed:
		return "ClosedIsEmpty"
	case lanes.FullCount, lanes.FullWeight, lanes.TooHeavy:
		return "RoomIsBounded"
	}
	return "NoNeedlessRejection"
}

func (w *world) take() string {
	before := w.in.look(w.room, w.now)
	var b batch
	if !w.room.Take(w.now, &b) {
		w.broken("LineHoldsReady: Take found nothing where its fork did")
		return "nothing"
	}
	key := w.room.keyOf(b.Lane)
	var got []entry
	for _, it := range b.Items {
		got = append(got, it.Entry)
	}
	if want := w.next(key); w.in.shares == "" && !slices.Equal(got, want) {
		w.broken(fmt.Sprintf("OrderIsKept: the batch holds %v where the longest prefix by rank and arrival is %v", w.names(got), w.names(want)))
	}
	if len(before.line) == 0 || before.line[0] != key {
		w.broken("FirstComeFirstServed: another lane than the first of the line was taken")
	}
	for _, e := range got {
		if w.callers[e].stage != waiting {
			w.broken("OneOwner: an input was taken that does not wait")
		}
		w.callers[e].stage = taken
		w.forget(e)
	}
	c := call{phase: out, key: key, lane: b.Lane, who: got, left: b.Left}
	said := w.waits(&b)
	if b.Share != fairshare.Untagged {
		said += " of " + w.in.config.Shares.Path(b.Share)
	}
	said += fmt.Sprintf(" (by %s)", b.Left)
	if w.in.weak == releaseEarly {
		c.freed = true
		w.room.Release(w.now, b.Lane)
	}
	w.put(c)
	return said
}

// put finds a place for a call: make has workers, and the first idle one takes it.
func (w *world) put(c call) {
	slices.Sort(c.who)
	if w.in.make {
		for i := range w.calls {
			if w.calls[i].phase == none {
				w.calls[i] = c
				return
			}
		}
	}
	at := len(w.calls) // the order of their keys: what is out has no other
	for at > 0 && w.calls[at-1].key > c.key {
		at--
	}
	w.calls = slices.Insert(w.calls, at, c)
}

// name is a caller's input in a script: its key's letter, and its number.
func (w *world) name(e entry) string { return fmt.Sprintf("%c%d", 'a'+w.callers[e].key, e+1) }

func (w *world) names(list []entry) []string {
	var names []string
	for _, e := range list {
		names = append(names, w.name(e))
	}
	return names
}

// waits prints a batch's inputs with what they waited for.
func (w *world) waits(b *batch) string {
	var items []string
	for _, it := range b.Items {
		s := w.name(it.Entry)
		for _, part := range []struct {
			cause string
			d     fmt.Stringer
			some  bool
		}{{"forming", it.Wait.Forming, it.Wait.Forming > 0}, {"turn", it.Wait.Turn, it.Wait.Turn > 0}, {"slot", it.Wait.Slot, it.Wait.Slot > 0}} {
			if part.some {
				s += fmt.Sprintf(" %s=%s", part.cause, part.d)
			}
		}
		items = append(items, s)
	}
	return join(items, ", ")
}

func join(list []string, sep string) string { return strings.Join(list, sep) }
