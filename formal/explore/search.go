// Breadth first through every state, so that the first trace to a state is a
// shortest one.

package main

import "fmt"

// tooMany bounds a search: an instance of more states is no small one.
const tooMany = 3_000_000

// node is a state that was found.
type node struct {
	from int32 // the state it was first reached from; -1 of the first
	by   action
}

// edge is a step, kept only where progress is to be checked.
type edge struct {
	to    int32
	class uint8
	fair  bool
	key   int8 // of the lane that inputs left, taken or withdrawn; -1 of other steps
}

// report is what a search came to.
type report struct {
	in     *instance
	states int
	steps  int
	depth  int // the longest of the shortest traces, in states
	merged int // with recheck: merges that were looked into
	fault  string
	trace  []action
	cycle  []action // of a fault of progress: what may go on for ever
}

// search is one in progress.
type search struct {
	in      *instance
	names   []naming
	nodes   []node
	index   map[string]int32
	edges   [][]edge
	wants   []uint32 // by state: bit c: caller c is owed an answer; bit 16+k: lane k holds inputs; closing
	recheck bool
	report  report
}

// explore goes through an instance.
func explore(in *instance, recheck bool) report {
	s := &search{in: in, names: in.namings(), index: map[string]int32{}, recheck: recheck, report: report{in: in}}
	s.run()
	s.report.states = len(s.nodes)
	if s.report.fault == "" && !in.symmetric && !recheck {
		s.progress()
	}
	return s.report
}

// state is a world with what was seen of it.
type state struct {
	id   int32
	w    *world
	seen view
}

func (s *search) run() {
	first := newWorld(s.in)
	v := s.in.look(first.room, first.now)
	s.add(first, first.key(v, s.names), -1, action{})
	level := []state{{0, first, v}}
	for ; len(level) > 0; s.report.depth++ {
		var next []state
		for _, from := range level {
			for _, a := range from.w.actions() {
				to, fresh, ok := s.follow(from, a)
				if !ok {
					return
				}
				if fresh {
					next = append(next, to)
				}
			}
			if len(s.nodes) > tooMany {
				s.report.fault = fmt.Sprintf("the instance has more than %d states: make it smaller", tooMany)
				return
			}
		}
		level = next
	}
}

// follow makes one step; ok is false if that breaks a rule.
func (s *search) follow(from state, a action) (to state, fresh, ok bool) {
	s.report.steps++
	w := from.w.clone()
	w.try(a)
	var v view
	fault := w.fault
	if fault == "" {
		v, fault = w.inspect()
	}
	if fault == "" {
		if f := s.in.step(from.seen, v, a); s.in.minds(f) {
			fault = f
		}
	}
	if fault != "" {
		s.report.fault, s.report.trace = fault, append(s.path(from.id), a)
		return state{}, false, false
	}
	key := w.key(v, s.names)
	id, known := s.index[key]
	if !known {
		id = s.add(w, key, from.id, a)
	} else if s.recheck && !s.alike(w, id) {
		s.report.fault, s.report.trace = "the key merges states that go on differently", append(s.path(from.id), a)
		return state{}, false, false
	}
	if !s.in.symmetric {
		e := edge{to: id, class: a.class(s.in), fair: a.fair(), key: -1}
		switch {
		case a.kind == take && len(from.seen.line) > 0:
			e.key = from.seen.line[0]
		case a.kind == withdraw:
			e.key = from.w.callers[a.who].key
		}
		s.edges[from.id] = append(s.edges[from.id], e)
	}
	return state{id, w, v}, !known, true
}

// try makes an action happen; a room that panics breaks a rule of its own.
func (w *world) try(a action) (said string) {
	defer func() {
		if v := recover(); v != nil {
			w.fault = fmt.Sprintf("NoPanic: the room panicked: %v", v)
		}
	}()
	return w.do(a)
}

// inspect looks at a state and checks it.
func (w *world) inspect() (v view, fault string) {
	defer func() {
		if p := recover(); p != nil {
			fault = fmt.Sprintf("NoPanic: the room panicked: %v", p)
		}
	}()
	v = w.in.look(w.room, w.now)
	return v, w.check(v)
}

func (s *search) add(w *world, key string, from int32, by action) int32 {
	id := int32(len(s.nodes))
	s.index[key] = id
	s.nodes = append(s.nodes, node{from, by})
	if !s.in.symmetric {
		s.edges = append(s.edges, nil)
		s.wants = append(s.wants, w.wants())
	}
	return id
}

// closing is the bit of states in which Close was called and can't return yet.
const closing = 1 << 31

// wants says who is owed what, for the check of progress.
func (w *world) wants() (bits uint32) {
	for i, c := range w.callers {
		if c.stage != idle && c.stage != checked {
			bits |= 1 << i
		}
	}
	if w.closed && (bits > 0 || len(w.calls) > w.free()) {
		bits |= closing
	}
	for _, e := range w.queue {
		bits |= 1 << (16 + w.callers[e].key)
	}
	return bits
}

// free counts the workers that have nothing in hand.
func (w *world) free() (n int) {
	for _, c := range w.calls {
		if c.phase == none {
			n++
		}
	}
	return n
}

// alike compares what a state can do with what the one of the same key can that
// was found first: a merge that is not merely believed to be sound.
func (s *search) alike(w *world, id int32) bool {
	s.report.merged++
	first := s.replay(s.path(id))
	return s.fan(w) == s.fan(first)
}

// fan names all the states one step away. With share lanes that is by what the
// room would do there: the fair-share tree's key may tell apart what goes on
// alike.
func (s *search) fan(w *world) string {
	var b []byte
	for _, a := range w.actions() {
		c := w.clone()
		c.do(a)
		v := s.in.look(c.room, c.now)
		if s.in.shares == "" {
			b = append(fmt.Appendf(b, "%v ", a), c.key(v, s.names)...)
		} else {
			b = fmt.Appendf(b, "%v %v %v %v ", a, v.line, v.share, len(v.held))
		}
	}
	if !s.in.symmetric {
		return string(b)
	}
	return "" // the names differ
}

// path returns the actions that lead to a state.
func (s *search) path(id int32) []action {
	if s.nodes[id].from < 0 {
		return nil
	}
	return append(s.path(s.nodes[id].from), s.nodes[id].by)
}

// replay goes a path anew.
func (s *search) replay(path []action) *world {
	w := newWorld(s.in)
	for _, a := range path {
		w.do(a)
	}
	return w
}
