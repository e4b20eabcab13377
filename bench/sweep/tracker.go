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

// A Spot is what is known of a point before the sweep is over.
type Spot struct {
	Running bool
	Runs    int           // that were made of it
	Verdict bench.Verdict // the worst of theirs; "" before the first
	SLO     Met           // met in all of them, missed in one
	Figures []bench.Num   // of [Tracker.Figures], in the newest of them; not changed later
}

// A Tracker follows a sweep. Its methods may be called from several goroutines; a
// nil Tracker follows nothing. Make it with [NewTracker].
type Tracker struct {
	objectives []Objective
	trust      Trust
	figures    []Figure

	mu      sync.Mutex
	p       Progress
	left    []int  // of each point, the runs that are missing
	spots   []Spot // of each point
	began   time.Time
	session int // runs that ended in this session
}

// NewTracker returns a tracker that looks for the best by the objectives, among
// runs that can be trusted so far.
func NewTracker(objectives []Objective, trust Trust) *Tracker {
	t := &Tracker{objectives: objectives, trust: trust, figures: slices.Clone(Figures[:2])} // throughput, rejected
	for _, name := range []string{"mean", "p99"} {
		if f, ok := figureOf(name); ok {
			t.figures = append(t.figures, f)
		}
	}
	for _, o := range objectives {
		if !slices.ContainsFunc(t.figures, func(f Figure) bool { return f.Name == o.Figure.Name }) {
			t.figures = append(t.figures, o.Figure)
		}
	}
	return t
}

// Figures returns those that the tracker keeps of each point: throughput, what is
// rejected, mean and p99 first, then what else the objectives are about.
func (t *Tracker) Figures() []Figure { return t.figures }

func (t *Tracker) begin(s *Store) {
	if t == nil {
		return
	}
	t.plan(s)
	if held, _ := s.Len(); held == 0 {
		return
	}
	for r, err := range s.Records() {
		if err != nil {
			return // whoever analyses the sweep will say so
		}
		t.mu.Lock() // for each anew: whoever looks on must not wait for all of them
		t.keep(r.Point, r.Result)
		t.mu.Unlock()
	}
}

// plan takes down what there is to do.
func (t *Tracker) plan(s *Store) {
	t.mu.Lock()
	defer t.mu.Unlock()
	held, all := s.Len()
	t.spots = make([]Spot, s.Header.Points)
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
	t.spots[x.point-1].Running = true
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
		_, t.spots[x.point-1].Running = slices.BinarySearch(t.p.Running, x.point) // another repeat of it
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
	t.keep(x.point, r)
}

// keep notes a run, and lets it compete if it can be trusted.
func (t *Tracker) keep(point int, r *bench.Result) {
	s := &t.spots[point-1]
	o := outcomeOf([]Record{{Point: point, Result: r}})
	if s.Runs++; s.Runs == 1 || worse(o.Verdict, s.Verdict) {
		s.Verdict = o.Verdict
	}
	if s.SLO != Missed {
		s.SLO = o.SLO
	}
	s.Figures = make([]bench.Num, len(t.figures))
	for i, f := range t.figures {
		s.Figures[i] = f.Of(r)
	}
	if t.trust.takes(o.Verdict) {
		t.rank(point, r)
	}
}

// Spots appends the state of every point, by number, to into.
func (t *Tracker) Spots(into []Spot) []Spot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(into, t.spots...)
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
