// How a search is getting on, for whoever looks on: polled, never pushed.

package capacity

import (
	"sync"
	"time"
)

// Progress is the state of a search. The number of runs is an estimate.
type Progress struct {
	Phase          string // "scan", "bisect", "curve", "confirm"
	Runs, RunsDone int
	Elapsed        time.Duration
	ETA            time.Duration // 0 if it can't be told yet
	Low, High      float64       // per second: between these so far; 0 for not known yet
}

// A Tracker follows a search. Its methods may be called from several goroutines; a
// nil Tracker follows nothing. The zero Tracker is ready.
type Tracker struct {
	mu    sync.Mutex
	p     Progress
	began time.Time
	least int           // runs that all is thought to take
	asked int           // runs asked for so far
	last  time.Duration // of the runs by the real clock, at the end
}

func (t *Tracker) change(by func()) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	by()
}

func (t *Tracker) begin(runs int, last time.Duration) {
	t.change(func() { t.began, t.least, t.last = time.Now(), runs, last })
}
func (t *Tracker) phase(name string) { t.change(func() { t.p.Phase = name }) }
func (t *Tracker) expect(runs int)   { t.change(func() { t.asked += runs }) }
func (t *Tracker) ended()            { t.change(func() { t.p.RunsDone++ }) }

func (t *Tracker) bracket(low, high float64) {
	t.change(func() { t.p.Low, t.p.High = low, high })
}

// Progress returns the state now.
func (t *Tracker) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.p
	p.Runs = max(t.least, t.asked)
	if t.began.IsZero() {
		return p
	}
	p.Elapsed = time.Since(t.began)
	if p.RunsDone > 0 {
		p.ETA = time.Duration(float64(p.Elapsed)/float64(p.RunsDone)*float64(p.Runs-p.RunsDone)) + t.last
	}
	return p
}
