// The heap of sleepers by the instant they are due.

//go:build linux

package sleep

import "time"

// An entry is one sleeping goroutine.
type entry struct {
	at    time.Duration // when it is due, from the alarm's beginning
	place int           // index in the heap; -1 when not in it
	rung  chan struct{} // holds a token when the alarm woke the sleeper
	timer *time.Timer   // the sleeper's own
}

func newEntry() *entry {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &entry{place: -1, rung: make(chan struct{}, 1), timer: timer}
}

// entries implements heap.Interface.
type entries []*entry

func (h entries) Len() int           { return len(h) }
func (h entries) Less(i, j int) bool { return h[i].at < h[j].at }

func (h entries) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *entries) Push(x any) {
	e := x.(*entry) //nolint:errcheck,forcetypeassert // only Sleep pushes
	e.place = len(*h)
	*h = append(*h, e)
}

func (h *entries) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.place = -1
	return e
}
