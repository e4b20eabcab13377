// What is to come in a run in virtual time: a priority queue of the ends of
// calls and the returns of clients, and the line of calls before a backend.

package bench

import "time"

// An eventKind also orders events of the same instant.
type eventKind uint8

const (
	callEnds eventKind = iota
	clientComes
)

// An event happens at a time; equal ones in the order in which they were added.
type event struct {
	at     time.Duration
	seq    uint64
	kind   eventKind
	number int32 // of the call or the client
}

func (a *event) before(b *event) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.kind != b.kind {
		return a.kind < b.kind
	}
	return a.seq < b.seq
}

// An agenda is a 4-ary heap: half as deep as a binary one, and the children of
// a node lie side by side. The zero agenda is empty.
type agenda struct {
	seq    uint64
	events []event
}

func (a *agenda) add(at time.Duration, kind eventKind, number int32) {
	a.seq++
	e := event{at, a.seq, kind, number}
	a.events = append(a.events, e)
	i := len(a.events) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&a.events[up]) {
			break
		}
		a.events[i] = a.events[up]
		i = up
	}
	a.events[i] = e
}

// next returns when the first event happens.
func (a *agenda) next() (at time.Duration, ok bool) {
	if len(a.events) == 0 {
		return 0, false
	}
	return a.events[0].at, true
}

// pop takes the first event; there must be one.
func (a *agenda) pop() event {
	first := a.events[0]
	last := len(a.events) - 1
	e := a.events[last]
	a.events = a.events[:last]
	if last == 0 {
		return first
	}
	i := 0
	for {
		least, child := -1, 4*i+1
		for c := child; c < min(child+4, last); c++ {
			if least < 0 || a.events[c].before(&a.events[least]) {
				least = c
			}
		}
		if least < 0 || !a.events[least].before(&e) {
			break
		}
		a.events[i] = a.events[least]
		i = least
	}
	a.events[i] = e
	return first
}

// A fifo is a line of numbers in a ring. The zero fifo is empty.
type fifo struct {
	ring  []int32 // its length is a power of two
	first int
	n     int
}

func (f *fifo) push(v int32) {
	if f.n == len(f.ring) {
		ring := make([]int32, max(16, 2*len(f.ring)))
		for i := range f.n {
			ring[i] = f.ring[(f.first+i)&(len(f.ring)-1)]
		}
		f.ring, f.first = ring, 0
	}
	f.ring[(f.first+f.n)&(len(f.ring)-1)] = v
	f.n++
}

func (f *fifo) pop() (v int32, ok bool) {
	if f.n == 0 {
		return 0, false
	}
	v = f.ring[f.first]
	f.first = (f.first + 1) & (len(f.ring) - 1)
	f.n--
	return v, true
}
