// The actions: what may happen in a world, and what does.

package main

import (
	"fmt"
	"slices"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// kind names an action as the models and the Go code do.
type kind uint8

const (
	admit         kind = iota // a caller comes to the door: Admit, which may claim the key
	check                     // weakness checkApart: it looks whether the room is open
	withdraw                  // a caller that waits gives up: Withdraw
	giveUp                    // a caller whose input is out gives up: giveUp, when Withdraw finds nothing
	take                      // a worker takes the next batch: Take
	run                       // it leaves out who gave up, and calls: run
	end                       // the call is over, however it ended: an answer, an error, a panic, a Goexit
	settle                    // a caller of the batch is told: settle
	release                   // the call's lane and slot are given back: Release
	pass                      // time passes
	flush                     // Flush
	drain                     // Close begins: Drain
	settleDrained             // Close tells a caller that it turned out: settle
)

var kindNames = [...]string{
	"Admit", "Check", "Withdraw", "GiveUp", "Take", "Run", "End", "Settle", "Release", "Tick", "Flush", "Drain", "SettleDrained",
}

// action is one step. who is a caller, or the index of a call.
type action struct {
	kind              kind
	who               int8
	key, weight, rank int8
	share             fairshare.Leaf
}

func (a action) String() string {
	switch a.kind {
	case admit:
		s := fmt.Sprintf("Admit(caller %d, key %c, weight %d, rank %d", a.who+1, 'a'+a.key, a.weight, a.rank)
		if a.share != fairshare.Untagged {
			s += fmt.Sprintf(", share lane %d", a.share)
		}
		return s + ")"
	case check, withdraw, giveUp, settle, settleDrained:
		return fmt.Sprintf("%s(caller %d)", kindNames[a.kind], a.who+1)
	case run, end, release:
		return fmt.Sprintf("%s(key %c)", kindNames[a.kind], 'a'+a.key)
	}
	return kindNames[a.kind]
}

// fair says whether an action happens sooner or later if it stays possible:
// what workers, time and Close do. What callers do may never happen.
func (a action) fair() bool {
	switch a.kind {
	case take, run, end, settle, release, pass, settleDrained:
		return true
	}
	return false
}

// class tells the actions apart that are each given weak fairness: by caller,
// by worker, or, of a room with a lane per key, by the key whose call it is.
func (a action) class(in *instance) uint8 {
	switch {
	case a.kind == take, a.kind == pass:
		return uint8(a.kind) << 4
	case a.kind == settle, a.kind == settleDrained, in.make:
		return uint8(a.kind)<<4 | uint8(a.who)
	}
	return uint8(a.kind)<<4 | uint8(a.key)
}

// actions lists all that may happen.
func (w *world) actions() []action {
	var list []action
	for i := range w.callers {
		list = w.callerActions(list, entry(i))
	}
	for i, c := range w.calls {
		switch {
		case c.phase == out && !c.direct:
			list = append(list, action{kind: run, who: int8(i), key: c.key})
		case c.phase == running:
			list = append(list, action{kind: end, who: int8(i), key: c.key})
		case c.phase == ended && (c.direct || len(c.who) == 0):
			list = append(list, action{kind: release, who: int8(i), key: c.key})
		}
		if c.phase == ended && !c.direct && w.in.weak != strandOnEnd {
			for _, e := range c.who {
				list = append(list, action{kind: settle, who: e, key: c.key})
			}
		}
	}
	if f := w.room.fork(); f.Take(w.now, new(batch)) {
		list = append(list, action{kind: take})
	}
	if w.in.window() > 0 && w.in.config.MaxBatchDelay != lanes.Never && slices.ContainsFunc(w.queue, func(e entry) bool { return !w.due(e) }) {
		list = append(list, action{kind: pass})
	}
	if w.in.flush && slices.ContainsFunc(w.queue, func(e entry) bool { return !w.due(e) }) {
		list = append(list, action{kind: flush})
	}
	if w.in.close && !w.closed {
		list = append(list, action{kind: drain})
	}
	return list
}

func (w *world) callerActions(list []action, e entry) []action {
	c := &w.callers[e]
	switch c.stage {
	case idle:
		kind := admit
		if w.in.weak == checkApart {
			if w.closed {
				return list
			}
			kind = check
		}
		for key := range int8(w.in.keys) {
			for _, weight := range w.in.weights {
				for _, rank := range w.in.ranks {
					for _, share := range w.shares(key) {
						list = append(list, action{kind, e, key, weight, rank, share})
					}
				}
			}
		}
	case checked:
		list = append(list, action{admit, e, c.key, c.weight, c.rank, c.share})
	case waiting:
		list = append(list, action{kind: withdraw, who: e})
	case taken, drained:
		list = append(list, action{kind: giveUp, who: e})
	}
	if c.stage == drained || c.stage == gone && !w.held(e) {
		list = append(list, action{kind: settleDrained, who: e})
	}
	return list
}

// shares lists the share lanes that an input of a key may be of.
func (w *world) shares(key int8) []fairshare.Leaf {
	switch {
	case w.in.config.Shares == nil:
		return []fairshare.Leaf{fairshare.Untagged}
	case w.in.twins:
		return []fairshare.Leaf{1, 2}
	}
	return []fairshare.Leaf{fairshare.Leaf(key) + 1}
}

// held says whether a batch holds a caller's input.
func (w *world) held(e entry) bool {
	return slices.ContainsFunc(w.calls, func(c call) bool { return slices.Contains(c.who, e) })
}

// do makes an action happen; what it breaks is in w.fault. It returns what the
// room said, as the scripts of package lanes print it.
func (w *world) do(a action) (said string) {
	switch a.kind {
	case admit:
		return w.admit(a)
	case check:
		w.callers[a.who] = caller{stage: checked, key: a.key, weight: a.weight, rank: a.rank, share: a.share}
	case withdraw:
		if !w.room.Withdraw(w.now, w.callers[a.who].ref) {
			w.broken("OneOwner: an input that waits can't be withdrawn")
			said = "not there"
		}
		w.forget(a.who)
		w.callers[a.who] = caller{}
	case giveUp:
		w.callers[a.who].stage = gone
	case take:
		return w.take()
	case run:
		w.run(&w.calls[a.who])
	case end:
		w.calls[a.who].phase = ended
	case settle:
		for i := range w.calls {
			if at := slices.Index(w.calls[i].who, a.who); at >= 0 {
				w.calls[i].who = slices.Delete(w.calls[i].who, at, at+1)
			}
		}
		w.callers[a.who] = caller{}
	case release:
		w.release(int(a.who))
	case pass:
		w.now += tick
	case flush:
		w.room.Flush(w.now)
		for _, e := range w.queue {
			w.callers[e].flushed = true
		}
	case drain:
		return w.drain()
	case settleDrained:
		w.callers[a.who] = caller{}
	}
	return said
}

// broken notes the first rule that an action broke.
func (w *world) broken(fault string) {
	if w.fault == "" && w.in.minds(fault) {
		w.fault = fault
	}
}

// forget takes a caller from the list of those who wait.
func (w *world) forget(e entry) {
	if i := slices.Index(w.queue, e); i >= 0 {
		w.queue = slices.Delete(w.queue, i, i+1)
	}
}

// run leaves out who gave up; a batch that is left with nobody is not called.
func (w *world) run(c *call) {
	live := c.who[:0]
	for _, e := range c.who {
		if w.callers[e].stage == gone {
			w.callers[e] = caller{}
			continue
		}
		live = append(live, e)
	}
	c.who, c.phase = live, running
	if len(live) == 0 {
		c.phase = ended
	}
}

func (w *world) release(i int) {
	c := w.calls[i]
	if !c.freed {
		w.room.Release(w.now, c.lane)
	}
	for _, e := range c.who { // of a direct call
		w.callers[e] = caller{}
	}
	if w.in.make {
		w.calls[i] = call{}
		return
	}
	w.calls = slices.Delete(w.calls, i, i+1)
}

func (w *world) drain() string {
	w.closed = true
	var names []string
	w.room.Drain(w.now, func(e entry) {
		names = append(names, w.name(e))
		if w.callers[e].stage != waiting {
			w.broken("OneOwner: Drain handed out an input that does not wait")
			return
		}
		w.forget(e)
		w.callers[e].stage = drained
	})
	slices.Sort(names)
	return join(names, " ")
}
