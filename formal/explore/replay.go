// Is a trace a behaviour of the model? The lines of the trace are what was seen;
// between them any steps may have been taken that nobody saw. So worlds that
// agree with the trace so far are followed, depth first, until one has come to
// its end; if none can, the trace is no behaviour of the model.
//
// What a trace tells later is used earlier: an input whose Do will have returned
// ErrRejected must be turned away at the door, a batch that will be called with
// certain inputs must be taken with them. And a step that no other can be told
// from is taken as soon as it can be. This loses no world that could have come
// to the end, and leaves few.

package main

import (
	"fmt"
	"slices"

	"ferryctl/lanes"
)

// fate is what a trace tells of an input, all in all.
type fate struct {
	door   string  // "admitted", "claimed", "rejected", or "": closed, or gone before it came
	batch  []entry // of those with which it was called
	answer string
}

// guess is a world that agrees with the trace so far.
type guess struct {
	*world
	door      []byte // by input: 0 not here yet, 1 at the door, 2 past it
	cancel    []bool // its caller may give up
	announced []bool // by input: its batch was told of
	closing   bool
}

func (g *guess) clone() *guess {
	return &guess{g.world.clone(), slices.Clone(g.door), slices.Clone(g.cancel), slices.Clone(g.announced), g.closing}
}

// key tells guesses apart.
func (g *guess) key() string {
	b := fmt.Appendf(nil, "%v %v %t %t %v", g.door, g.announced, g.closing, g.closed, g.queue)
	for _, c := range g.callers {
		b = append(b, byte(c.stage))
	}
	for _, c := range g.calls {
		b = fmt.Appendf(b, " %d %d %v %d", c.key, c.phase, c.who, c.left)
	}
	for _, i := range g.queue {
		b = append(b, byte(g.age(i)))
	}
	v := g.in.look(g.room, g.now)
	b = fmt.Appendf(b, " %v %v", v.line, v.left)
	if slices.Contains(v.left, lanes.LeftSize) { // why would they leave once one of them gives up?
		loose := *g.in
		loose.config.MaxBatchSize, loose.config.MaxBatchDelay = maxInputs+1, 0
		b = fmt.Append(b, loose.look(g.room, g.now).left)
	}
	return string(b)
}

// tooHard bounds the steps that are tried for one trace.
const tooHard = 1_000_000

// validate says where a trace of an instance stops being a behaviour of its
// model, and returns how many steps were tried.
func validate(in *instance, trace []event) (steps int, err error) {
	fates := make([]fate, maxInputs)
	if err := foretell(trace, fates); err != nil {
		return 0, err
	}
	own := *in
	own.caller = maxInputs
	type place struct {
		*guess
		line int
	}
	furthest := 0
	seen := map[string]bool{}
	work := []place{{&guess{newWorld(&own), make([]byte, maxInputs), make([]bool, maxInputs), make([]bool, maxInputs), false}, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if furthest = max(furthest, at.line); at.line == len(trace) {
			return steps, nil
		}
		key := fmt.Sprint(at.line, " ", at.key())
		if seen[key] {
			continue
		}
		seen[key] = true
		if steps++; steps > tooHard {
			return steps, fmt.Errorf("undecided after %d steps; the furthest line reached was %d, %q", tooHard, furthest+1, trace[furthest])
		}
		for _, g := range at.unseen(fates) {
			work = append(work, place{g, at.line})
		}
		if g := at.see(trace[at.line], fates); g != nil {
			work = append(work, place{g, at.line + 1})
		}
	}
	return steps, fmt.Errorf("line %d, %q, is no step that the model could have come to", furthest+1, trace[furthest])
}

// foretell reads a trace through for what becomes of each input.
func foretell(trace []event, fates []fate) error {
	for n, e := range trace {
		for _, i := range e.input {
			f := &fates[i]
			switch e.what {
			case "admitted", "claimed", "rejected":
				if f.door != "" {
					return fmt.Errorf("line %d, %q: the input was %s before", n+1, e, f.door)
				}
				f.door = e.what
			case "taken":
				if f.batch != nil {
					return fmt.Errorf("line %d, %q: an input was taken before", n+1, e)
				}
				f.batch = slices.Sorted(slices.Values(e.input))
			case "answered":
				if f.answer != "" {
					return fmt.Errorf("line %d, %q: the input was answered before", n+1, e)
				}
				f.answer = e.word
			}
		}
	}
	return nil
}

// see returns the guess after a line, or nil if the line is not true of it.
func (g *guess) see(e event, fates []fate) *guess {
	to := g.clone()
	ok := false
	switch e.what {
	case "submitted":
		i := e.input[0]
		ok = g.door[i] == 0
		to.door[i], to.callers[i].key = 1, e.key
	case "admitted", "claimed", "rejected":
		ok = g.door[e.input[0]] == 2
	case "cancel":
		to.cancel[e.input[0]], ok = true, true
		to.letGo(e.input[0], fates)
	case "taken":
		ok = to.announce(e)
	case "ended":
		ok = to.ended(e, fates)
	case "answered":
		ok = to.answered(e, &fates[e.input[0]])
	case "close":
		to.closing, ok = true, true
	case "closed":
		ok = g.closed && !slices.ContainsFunc(g.calls, func(c call) bool { return c.phase != none })
	}
	if !ok {
		return nil
	}
	return to
}

// announce finds the call of a batch that is told of.
func (g *guess) announce(e event) bool {
	who := slices.Sorted(slices.Values(e.input))
	for _, c := range g.calls {
		if c.phase == running && !c.direct && slices.Equal(c.who, who) && c.left.String() == e.word && !g.announced[who[0]] {
			for _, i := range who {
				g.announced[i] = true
			}
			return true
		}
	}
	return false
}

// ended ends a call and tells all of its callers who will say that they were
// told: nobody can see that it happens later.
func (g *guess) ended(e event, fates []fate) bool {
	who := slices.Sorted(slices.Values(e.input))
	at := slices.IndexFunc(g.calls, func(c call) bool {
		return c.phase == running && slices.Equal(c.who, who) && (c.direct || g.announced[who[0]])
	})
	if at < 0 {
		return false
	}
	g.do(action{kind: end, who: int8(at), key: g.calls[at].key})
	if !g.calls[at].direct {
		g.tell(at, fates)
	}
	return true
}

// tell settles those of a call that is over who got its answer, or gave up before.
func (g *guess) tell(at int, fates []fate) {
	for _, i := range slices.Clone(g.calls[at].who) {
		if fates[i].answer != "cancelled" || g.cancel[i] {
			g.do(action{kind: settle, who: i})
		}
	}
}

// answered says whether Do can be about to return so.
func (g *guess) answered(e event, f *fate) bool {
	i := e.input[0]
	if e.word == "cancelled" && f.door == "" && g.door[i] == 1 {
		g.door[i] = 2 // its context was done before it came
		return g.cancel[i]
	}
	switch s := g.callers[i].stage; {
	case g.door[i] != 2:
		return false
	case e.word == "cancelled" && g.cancel[i] && s == taken: // a call holds the input, and will let go of it
		return true
	default:
		return s == idle || s == gone
	}
}

// unseen returns the guesses one step further that nobody sees, the likeliest
// last.
func (g *guess) unseen(fates []fate) []*guess {
	var list []*guess
	try := func(a action, before func(*guess) bool, after func(*guess) bool) {
		to := g.clone()
		if before != nil && !before(to) {
			return
		}
		to.try(a)
		if to.fault == "" && (after == nil || after(to)) {
			list = append(list, to)
		}
	}
	if g.closing && !g.closed {
		try(action{kind: drain}, nil, func(to *guess) bool {
			for i := range to.callers {
				to.letGo(entry(i), fates)
			}
			return true
		})
	}
	if cfg := &g.in.config; cfg.MaxBatchDelay > 0 && cfg.MaxBatchDelay != lanes.Never && slices.ContainsFunc(g.queue, func(i entry) bool { return !g.due(i) }) {
		try(action{kind: pass}, nil, nil)
	}
	for i := range g.callers {
		i, f := entry(i), &fates[i]
		switch {
		case g.door[i] == 1 && (f.door != "" || f.answer == "closed"):
			try(action{kind: admit, who: i, key: g.callers[i].key, weight: 1}, nil, func(to *guess) bool {
				to.door[i] = 2
				return to.came(i, f)
			})
		case g.callers[i].stage == waiting && g.cancel[i] && f.answer == "cancelled" && f.batch == nil:
			try(action{kind: withdraw, who: i}, nil, nil)
		}
	}
	if g.room.Ready(g.now) && !g.closed {
		try(action{kind: take}, nil, func(to *guess) bool { return to.tookAsTold(fates) })
	}
	for at, c := range g.calls {
		switch {
		case c.phase == out:
			try(action{kind: run, who: int8(at), key: c.key}, func(to *guess) bool { return to.leaveOut(at, fates) }, nil)
		case c.phase == ended && (c.direct || len(c.who) == 0):
			try(action{kind: release, who: int8(at), key: c.key}, nil, nil)
		}
	}
	return list
}

// tookAsTold says whether every batch that is out holds all inputs with which it
// will be called, and else only those that nobody is told of.
func (g *guess) tookAsTold(fates []fate) bool {
	for _, c := range g.calls {
		if c.phase != out {
			continue
		}
		var told []entry
		for _, i := range c.who {
			switch {
			case fates[i].batch == nil && fates[i].answer == "cancelled":
			case told == nil && fates[i].batch != nil:
				told = fates[i].batch
			case !slices.Equal(told, fates[i].batch) || told == nil:
				return false
			}
		}
		for _, i := range told {
			if !slices.Contains(c.who, i) {
				return false
			}
		}
	}
	return true
}

// leaveOut has those of a batch give up with whom it will not be called; false if
// one of them has no reason to.
func (g *guess) leaveOut(at int, fates []fate) bool {
	for _, i := range g.calls[at].who {
		if fates[i].batch != nil {
			continue
		}
		if !g.cancel[i] {
			return false
		}
		g.do(action{kind: giveUp, who: i})
	}
	return true
}

// came says whether the room answered an input at the door as the trace tells.
func (g *guess) came(i entry, f *fate) bool {
	s := g.callers[i].stage
	switch f.door {
	case "admitted":
		return s == waiting
	case "claimed":
		return s == calling
	case "rejected":
		return s == idle && !g.closed
	}
	return s == idle && g.closed
}

// letGo settles an input that its holder was through with, as soon as its caller
// gave up or is told: one that Close turned out, or whose call is over.
func (g *guess) letGo(i entry, fates []fate) {
	if fates[i].answer == "cancelled" && !g.cancel[i] {
		return
	}
	if g.callers[i].stage == drained {
		g.do(action{kind: settleDrained, who: i})
		return
	}
	for at, c := range g.calls {
		if c.phase == ended && !c.direct && slices.Contains(c.who, i) {
			g.tell(at, fates)
			return
		}
	}
}
