// How a search is getting on, for whoever looks on: polled, never pushed.

package tune

import (
	"sync"
	"time"
)

// Progress is the state of a search. The number of runs is an estimate: what a
// search needs depends on what it finds.
type Progress struct {
	Phase          string // "design", "descent", "lines", "check", "explain", "confirm"
	Runs, RunsDone int
	Elapsed        time.Duration
	ETA            time.Duration // 0 if it can't be told yet
	Best           *Best         // so far; nil before the first
}

// Best is the best point so far.
type Best struct {
	Settings string  // its values, as text
	Value    float64 // of the objective
	Met      bool    // the SLO
	Points   int     // that were measured so far
}

// A Tracker follows a search. Its methods may be called from several goroutines; a
// nil Tracker follows nothing. The zero Tracker is ready.
type Tracker struct {
	mu       sync.Mutex
	p        Progress
	began    time.Time
	estimate int           // runs that all is thought to take
	asked    int           // runs asked for so far
	last     time.Duration // of the runs by the real clock, at the end
}

// begin starts the time, with the runs in virtual time and the time by the real
// clock that all is thought to take.
func (t *Tracker) begin(runs int, last time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.estimate, t.last = time.Now(), runs, last
}

func (t *Tracker) phase(name string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.Phase = name
}

func (t *Tracker) expect(runs int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked += runs
}

func (t *Tracker) ended() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.RunsDone++
}

func (t *Tracker) best(b Best) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.Best = &b
}

// Progress returns the state now. What Best points to is not changed later.
func (t *Tracker) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.p
	p.Runs = max(t.estimate, t.asked)
	if t.began.IsZero() {
		return p
	}
	p.Elapsed = time.Since(t.began)
	if p.RunsDone > 0 {
		p.ETA = time.Duration(float64(p.Elapsed)/float64(p.RunsDone)*float64(p.Runs-p.RunsDone)) + t.last
	}
	return p
}
