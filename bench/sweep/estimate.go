// How long a sweep will take, by a pilot: the beginnings of a few of its runs.

package sweep

import (
	"sync"
	"time"

	"ferryctl/bench"
)

// An Estimate says how long a sweep will take.
type Estimate struct {
	Total       time.Duration // 0 if it can't be told: a trace of unknown length
	Pilots      int           // runs that were begun to find out
	Least, Most time.Duration // of one run, among them
}

// The pilot: so many points, spread over the space, each for so long at most.
const (
	pilotPoints = 5
	pilotFor    = 300 * time.Millisecond
)

// Estimate begins a few runs of points all over the space, and tells from how far
// they come how long so many runs will take. Stop ends it early.
func (r Runner) Estimate(space *Space, runs int) (Estimate, error) {
	points := min(pilotPoints, space.Len())
	var e Estimate
	var sum time.Duration
	for i := range points {
		number := 1
		if points > 1 {
			number = 1 + i*(space.Len()-1)/(points-1)
		}
		cost, err := r.pilot(space, task{number, 1})
		switch {
		case err != nil:
			return e, err
		case !r.goOn(nil):
			return e, ErrStopped
		case cost == 0:
			return Estimate{Pilots: i + 1}, nil
		}
		if e.Pilots++; e.Least == 0 || cost < e.Least {
			e.Least = cost
		}
		e.Most = max(e.Most, cost)
		sum += cost
	}
	e.Total = time.Duration(float64(sum) / float64(points) * float64(runs) / float64(max(1, r.Jobs)))
	return e, nil
}

// pilot begins a run and returns how long all of it would take, 0 if that can't be
// told.
func (r Runner) pilot(space *Space, t task) (time.Duration, error) {
	began := time.Now()
	p := watcher{stop: make(chan struct{})}
	at, err := space.Settings(space.Point(t.point), t.repeat)
	if err != nil {
		return 0, err
	}
	done := make(chan struct{})
	defer close(done)
	go p.follow(r.Stop, r.Kill, done)
	result, err := r.start(at, bench.Options{Stop: p.stop, Kill: r.Kill, Progress: p.look, Version: r.Version})
	if err != nil {
		return 0, err
	}
	if result.Complete {
		return time.Since(began), nil
	}
	return p.cost(began), nil
}

// A watcher stops a run once it has seen enough of it.
type watcher struct {
	stop chan struct{}
	once sync.Once

	loaded time.Time     // when the load began
	seen   time.Duration // since then, when it was stopped
	part   float64       // of the run that was over at that time
}

// look is called from one goroutine, that of the run's progress.
func (w *watcher) look(p bench.Progress) {
	now := time.Now()
	switch {
	case p.Phase == bench.PhaseCeiling:
		return
	case w.loaded.IsZero():
		w.loaded = now
		return
	case w.seen > 0 || now.Sub(w.loaded) < pilotFor:
		return
	}
	w.seen = now.Sub(w.loaded)
	switch {
	case p.Items > 0:
		w.part = float64(p.Offered) / float64(p.Items)
	case p.Total > 0:
		w.part = p.Elapsed.Seconds() / p.Total.Seconds()
	}
	w.once.Do(func() { close(w.stop) })
}

// follow stops the run when the pilot is stopped.
func (w *watcher) follow(stop, kill, done <-chan struct{}) {
	select {
	case <-stop:
	case <-kill:
	case <-done:
		return
	}
	w.once.Do(func() { close(w.stop) })
}

// cost is what all of the run would take.
func (w *watcher) cost(began time.Time) time.Duration {
	if w.part <= 0 {
		return 0
	}
	return w.loaded.Sub(began) + time.Duration(float64(w.seen)/w.part)
}
