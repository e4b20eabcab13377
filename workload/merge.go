// Several independent processes as one sequence.

package workload

import "time"

// A merge is the superposition of one process for each lane, in order of offset
// and then of lane. It is a heap of the lanes' next arrivals.
type merge struct {
	processes []process
	heap      []arrival // heap[0] is the earliest
}

type arrival struct {
	at   time.Duration
	lane int
}

func (a arrival) before(b arrival) bool {
	return a.at < b.at || a.at == b.at && a.lane < b.lane
}

func newMerge(processes []process) *merge {
	m := &merge{processes: processes}
	for lane := range m.processes {
		if at, ok := m.processes[lane].next(); ok {
			m.heap = append(m.heap, arrival{at, lane})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// next returns the earliest arrival and its lane.
func (m *merge) next() (at time.Duration, lane int, ok bool) {
	if len(m.heap) == 0 {
		return 0, 0, false
	}
	first := m.heap[0]
	if after, more := m.processes[first.lane].next(); more {
		m.heap[0].at = after
	} else {
		m.heap[0] = m.heap[len(m.heap)-1]
		m.heap = m.heap[:len(m.heap)-1]
	}
	m.sink(0)
	return first.at, first.lane, true
}

// sink moves the arrival at i down until none below it is earlier.
func (m *merge) sink(i int) {
	for {
		child := i + i + 1
		if child >= len(m.heap) {
			return
		}
		if child+1 < len(m.heap) && m.heap[child+1].before(m.heap[child]) {
			child++
		}
		if !m.heap[child].before(m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}
