// Progress: nothing that is owed can be put off for ever, if what workers, time
// and Close can do is done sooner or later (weak fairness of each).
//
// The check is that of linear temporal logic on a finite graph: of the states in
// which the debt stands, look for a strongly connected part in which one could
// stay and be fair, that is, in which every fair action is somewhere impossible
// or somewhere taken. Tarjan, "Depth-first search and linear graph algorithms",
// SIAM J. Comput. 1972.

package main

import "fmt"

// debt is something that must come to an end.
type debt struct {
	name string
	bit  uint32
	lane int8 // it is paid by each input that leaves this lane; -1: by what wants says alone
}

// debts lists what is owed in an instance. A caller may be overtaken for ever
// inside a lane with ranks; the lane is still served.
func (in *instance) debts() []debt {
	var list []debt
	if in.close {
		list = append(list, debt{"CloseReturns: something is out for ever", closing, -1})
	}
	if in.window() == 1 && in.flush {
		return list // without a delay, that someone flushes is not for workers to bring about
	}
	if !in.config.Ranked {
		// Callers differ by name only, so one stands for all.
		list = append(list, debt{"EveryInputIsAnswered: caller 1 is never told", 1, -1})
	}
	if in.shares == "" {
		list = append(list, debt{"EveryLaneIsTaken: the lane of key a is left alone for ever", 1 << 16, 0})
	}
	return list
}

// progress looks for each debt that can stand for ever.
func (s *search) progress() {
	for _, d := range s.in.debts() {
		if !s.in.minds(d.name) {
			continue
		}
		t := newTrap(s.edges, func(id int32) bool { return s.wants[id]&d.bit != 0 }, func(e edge) bool { return d.lane >= 0 && e.key == d.lane })
		if t.look() {
			s.report.fault, s.report.trace = d.name, s.path(t.found[0])
			for _, p := range t.around() {
				s.report.cycle = append(s.report.cycle, s.replay(s.path(p.state)).actions()[p.step])
			}
			return
		}
	}
}

// trap looks for a part of the graph in which a debt can stand for ever.
type trap struct {
	edges    [][]edge
	owed     func(state int32) bool
	pays     func(edge) bool // a step that pays, whatever state it leads to
	num, low []int32
	in       []int32 // by state: the number of its part, when that is known
	parts    int32
	clock    int32
	stack    []int32
	found    []int32
	places   []place // of the trap: to be passed again and again
}

func newTrap(edges [][]edge, owed func(int32) bool, pays func(edge) bool) *trap {
	n := len(edges)
	return &trap{edges: edges, owed: owed, pays: pays, low: make([]int32, n), num: make([]int32, n), in: make([]int32, n)}
}

// look says whether there is such a part, and leaves it in found.
func (t *trap) look() bool {
	for i := range t.edges {
		if t.num[i] == 0 && t.owed(int32(i)) {
			t.walk(int32(i))
		}
		if t.found != nil {
			return true
		}
	}
	return false
}

// stays says whether a step leaves the debt standing.
func (t *trap) stays(e edge) bool { return t.owed(e.to) && !t.pays(e) }

type frame struct {
	id   int32
	next int
}

// walk is Tarjan's algorithm with a stack of its own.
func (t *trap) walk(root int32) {
	t.enter(root)
	frames := []frame{{root, 0}}
	for len(frames) > 0 && t.found == nil {
		f := &frames[len(frames)-1]
		if f.next < len(t.edges[f.id]) {
			e := t.edges[f.id][f.next]
			f.next++
			if !t.stays(e) || t.in[e.to] != 0 {
				continue
			}
			if t.num[e.to] == 0 {
				t.enter(e.to)
				frames = append(frames, frame{e.to, 0})
			} else {
				t.low[f.id] = min(t.low[f.id], t.num[e.to])
			}
			continue
		}
		id := f.id
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].id
			t.low[up] = min(t.low[up], t.low[id])
		}
		if t.low[id] == t.num[id] {
			t.part(id)
		}
	}
}

func (t *trap) enter(id int32) {
	t.clock++
	t.num[id], t.low[id] = t.clock, t.clock
	t.stack = append(t.stack, id)
}

// part closes a strongly connected part and judges it.
func (t *trap) part(root int32) {
	t.parts++
	from := len(t.stack) - 1
	for t.stack[from] != root {
		from--
	}
	states := t.stack[from:]
	t.stack = t.stack[:from]
	for _, id := range states {
		t.in[id] = t.parts
	}
	if t.fairWithin(states) {
		t.found = append([]int32(nil), states...)
	}
}

// place is a state, or a step from it: a place where a fair action is done
// justice.
type place struct {
	state int32
	step  int // index in its edges; -1: the state itself, where the action is impossible
}

// fairWithin says whether one can stay within these states for ever and be fair,
// and if so leaves the places to pass again and again in t.places.
func (t *trap) fairWithin(states []int32) bool {
	t.places = t.places[:0]
	for class := range 256 {
		at, just := t.justice(states, uint8(class))
		if !just {
			return false // it would have to happen, and that leads out
		}
		if at.step >= 0 {
			t.places = append(t.places, at)
		}
	}
	return true
}

// justice finds where among these states an action of a class is taken, or else
// where it is impossible.
func (t *trap) justice(states []int32, class uint8) (place, bool) {
	impossible := place{-1, -1}
	for _, id := range states {
		possible := false
		for i, e := range t.edges[id] {
			if !e.fair || e.class != class {
				continue
			}
			possible = true
			if t.stays(e) && t.in[e.to] == t.parts {
				return place{id, i}, true
			}
		}
		if !possible {
			impossible = place{id, -1}
		}
	}
	return impossible, impossible.state >= 0
}

// around returns steps from the trap's first state through every place where a
// fair action is taken and back; none if one may only stand still.
func (t *trap) around() []place {
	var cycle []place
	at := t.found[0]
	for _, p := range t.places {
		cycle = append(append(cycle, t.way(at, p.state)...), p)
		at = t.edges[p.state][p.step].to
	}
	return append(cycle, t.way(at, t.found[0])...)
}

// way returns the shortest way between two states of the trap.
func (t *trap) way(start, goal int32) []place {
	part := t.in[start]
	from := map[int32]place{start: {-1, -1}}
	for queue := []int32{start}; len(queue) > 0 && queue[0] != goal; queue = queue[1:] {
		for i, e := range t.edges[queue[0]] {
			if _, known := from[e.to]; !known && t.stays(e) && t.in[e.to] == part {
				from[e.to] = place{queue[0], i}
				queue = append(queue, e.to)
			}
		}
	}
	var way []place
	for id := goal; id != start; id = from[id].state {
		way = append([]place{from[id]}, way...)
	}
	return way
}

func (r *report) String() string {
	return fmt.Sprintf("%-34s %8d states  depth %2d  %8d steps", r.in.name, r.states, r.depth, r.steps)
}
