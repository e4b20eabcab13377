// How a sweep is getting on, for whoever looks on: polled, never pushed.

package sweep

import (
	"slices"
	"sync"
	"time"

	"ferryctl/bench"
)

// Progress is the state of a sweep.
type Progress struct {
	Points, PointsDone int           // measured in all their repeats
	Runs, RunsDone     int           // those of earlier sessions included
	Running            []int         // numbers of the points that are being measured, ascending
	Elapsed            time.Duration // of this session
	ETA                time.Duration // until the last run ends; 0 if it can't be told yet
	Best               []Best        // of each objective, over the trusted runs so far; nil before the first
	Front              []Mark        // the Pareto set of these runs
}

// Best is the run with the best figure so far.
type Best struct {
	Objective Objective
	Mark      Mark
}

// A Mark is one run in the space of the objectives.
type Mark struct {
	Point   int
	Figures []float64 // of each objective
}

// A Tracker follows a sweep. Its methods may be called from several goroutines; a
// nil Tracker follows nothing. Make it with [NewTracker].
type Tracker struct {
	objectives []Objective
	trust      Trust

	mu      sync.Mutex
	p       Progress
	left    []int // of each point, the runs that are missing
	began   time.Time
	session int // runs that ended in this session
}

// NewTracker returns a tracker that looks for the best by the objectives, among
// runs that can be trusted so far.
func NewTracker(objectives []Objective, trust Trust) *Tracker {
	return &Tracker{objectives: objectives, trust: trust}
}

func (t *Tracker) begin(s *Store) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	held, all := s.Len()
	t.p = Progress{Points: s.Header.Points, Runs: all, RunsDone: held}
	t.began, t.session = time.Now(), 0
	t.left = make([]int, s.Header.Points)
	for i := range t.left {
		for r := range s.Header.Repeat {
			if !s.Has(i+1, r+1) {
				t.left[i]++
			}
		}
		if t.left[i] == 0 {
			t.p.PointsDone++
		}
	}
}

func (t *Tracker) started(x task) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at, _ := slices.BinarySearch(t.p.Running, x.point)
	t.p.Running = slices.Insert(slices.Clone(t.p.Running), at, x.point)
}

// ended takes down a run that is over; r is nil if it failed.
func (t *Tracker) ended(x task, r *bench.Result, now time.Time) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := slices.BinarySearch(t.p.Running, x.point); ok {
		t.p.Running = slices.Delete(slices.Clone(t.p.Running), at, at+1)
	}
	if r == nil || !r.Complete {
		return
	}
	t.session++
	t.p.RunsDone++
	if t.left[x.point-1]--; t.left[x.point-1] == 0 {
		t.p.PointsDone++
	}
	t.p.ETA = eta(now.Sub(t.began), t.session, t.p.Runs-t.p.RunsDone)
	if t.trust.takes(r.Measurement.Verdict) {
		t.rank(x.point, r)
	}
}

// eta estimates how long the runs that are left will take, from those that ended,
// several at once as they were.
func eta(elapsed time.Duration, ended, left int) time.Duration {
	if ended == 0 {
		return 0
	}
	return time.Duration(float64(elapsed) / float64(ended) * float64(left))
}

// rank lets a run compete.
func (t *Tracker) rank(point int, r *bench.Result) {
	m := Mark{Point: point, Figures: make([]float64, len(t.objectives))}
	for i, o := range t.objectives {
		v, ok := o.Figure.of(r).Get()
		if !ok {
			return
		}
		m.Figures[i] = v
	}
	if t.p.Best == nil {
		for _, o := range t.objectives {
			t.p.Best = append(t.p.Best, Best{o, m})
		}
	}
	best := slices.Clone(t.p.Best) // what was handed out stays as it was
	for i, o := range t.objectives {
		if o.better(m.Figures[i], best[i].Mark.Figures[i]) {
			best[i].Mark = m
		}
	}
	t.p.Best = best
	for _, f := range t.p.Front {
		if dominates(t.objectives, f.Figures, m.Figures) {
			return
		}
	}
	front := slices.DeleteFunc(slices.Clone(t.p.Front), func(f Mark) bool { return dominates(t.objectives, m.Figures, f.Figures) })
	t.p.Front = append(front, m)
}

// Progress returns the state now. The slices in it are not changed later.
func (t *Tracker) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.p
	if !t.began.IsZero() {
		p.Elapsed = time.Since(t.began)
	}
	return p
}
