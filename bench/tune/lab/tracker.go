// How a search is getting on, for whoever looks on: polled, never pushed.

package lab

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Progress is how far a search is. The number of runs is an estimate: what a search
// needs depends on what it finds.
type Progress struct {
	Phase          string
	Runs, RunsDone int
	Elapsed        time.Duration
	ETA            time.Duration // 0 if it can't be told yet
}

// A Try is a point of a search as far as it was measured.
type Try struct {
	Texts  []string // a value for each axis; not changed later
	Shot   *Shot    // of the first seed; nil while it runs
	Missed bool     // the SLO, with a seed so far
}

// A Tracker follows a search. Its methods may be called from several goroutines.
// The zero Tracker is ready.
type Tracker struct {
	mu    sync.Mutex
	p     Progress
	began time.Time
	least int           // runs that all is thought to take
	asked int           // runs asked for so far
	last  time.Duration // of the runs by the real clock, at the end
	tries []Try
	at    map[string]int // where among them the one with these texts is
}

// Begin starts the time, with the runs in virtual time and the time by the real
// clock that all is thought to take.
func (t *Tracker) Begin(runs int, last time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.least, t.last = time.Now(), runs, last
}

// Phase says what goes on from now.
func (t *Tracker) Phase(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.Phase = name
}

// Expect says that so many more runs are to be made.
func (t *Tracker) Expect(runs int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked += runs
}

// Ended says that a run is over.
func (t *Tracker) Ended() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.RunsDone++
}

// Trying says that a run of a point has begun.
func (t *Tracker) Trying(texts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.try(texts)
}

// Tried says what a run of a point came to.
func (t *Tracker) Tried(texts []string, shot *Shot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.try(texts)
	if x.Shot == nil {
		x.Shot = shot
	}
	x.Missed = x.Missed || !shot.Met()
}

func (t *Tracker) try(texts []string) *Try {
	key := strings.Join(texts, "\x00")
	i, ok := t.at[key]
	if !ok {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.tries)
		t.at[key] = i
		t.tries = append(t.tries, Try{Texts: slices.Clone(texts)})
	}
	return &t.tries[i]
}

// Tries appends the points so far to into, in the order in which they were begun.
func (t *Tracker) Tries(into []Try) []Try {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(into, t.tries...)
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
