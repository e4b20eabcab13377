// The runner: makes the runs that a store lacks.

package sweep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// Jobs returns how many runs are best made at once: in virtual time as many as
// there are processors, by the real clock one, since runs would disturb each
// other.
func Jobs(clock string) int {
	if clock != settings.Virtual {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Repeats returns how often a point is measured if nobody said: in virtual time
// once, where another measurement would only be another seed; by the real clock
// three times, since one measurement says nothing of how far the next would be.
func Repeats(s settings.Settings) int {
	switch {
	case s.Repeat > 0:
		return s.Repeat
	case s.Clock == settings.Virtual:
		return 1
	}
	return 3
}

// A Runner makes runs. The zero Runner makes one at a time with [bench.Run].
type Runner struct {
	Run     func(settings.Settings, bench.Options) (*bench.Result, error) // nil for bench.Run
	Jobs    int                                                           // runs at once; 0 for one
	Version string                                                        // the program's, for the results

	Stop <-chan struct{} // once closed, no further run is begun
	Kill <-chan struct{} // once closed, running ones end at once and are forgotten

	Tracker *Tracker // hears how it is getting on; nil for none
}

// ErrStopped says that a sweep was stopped before its end.
var ErrStopped = errors.New("the sweep was stopped before its end")

// Sweep makes all runs that the store lacks, and puts the store in order when all
// are there. A run that fails, or that can't be stored, ends the sweep once those
// that run beside it have ended; what they measured is kept. Without a failure it
// returns ErrStopped if some are still missing.
//
// In virtual time runs are made point after point. By the real clock all points
// are measured once before any is measured again, each time in another order drawn
// from the seed: what changes on the machine while the sweep runs meets all points
// alike.
func (r Runner) Sweep(store *Store) error {
	tasks := store.missing()
	r.Tracker.begin(store)
	next, failed := atomic.Int64{}, make(chan struct{})
	fail := sync.OnceFunc(func() { close(failed) })
	ended := make(chan end)
	var workers sync.WaitGroup
	for range max(1, r.Jobs) {
		workers.Go(func() {
			for r.goOn(failed) {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				r.Tracker.started(tasks[i])
				result, err := r.run(store.Space, tasks[i])
				if err != nil {
					fail() // before the next one is begun
				}
				ended <- end{tasks[i], result, err}
			}
		})
	}
	go func() {
		workers.Wait()
		close(ended)
	}()
	var faults []error
	for e := range ended {
		err := e.keep(store)
		if err != nil {
			faults, e.result = append(faults, err), nil // what is not stored is not done
			fail()
		}
		r.Tracker.ended(e.task, e.result, time.Now())
	}
	held, all := store.Len()
	switch {
	case len(faults) > 0:
		return errors.Join(faults...)
	case held < all:
		return ErrStopped
	}
	return store.Settle()
}

// goOn says whether to begin another run.
func (r Runner) goOn(failed <-chan struct{}) bool {
	select {
	case <-r.Stop:
	case <-r.Kill:
	case <-failed:
	default:
		return true
	}
	return false
}

// A task is a run that is to be made.
type task struct{ point, repeat int }

// An end is what came of one.
type end struct {
	task
	result *bench.Result
	err    error
}

// run makes a run.
func (r Runner) run(space *Space, t task) (*bench.Result, error) {
	point := space.Point(t.point)
	at, err := space.Settings(point, t.repeat)
	if err != nil {
		return nil, err
	}
	result, err := r.start(at, bench.Options{Stop: r.Kill, Kill: r.Kill, Version: r.Version})
	if err != nil {
		return nil, fmt.Errorf("point %d (%s): %w", t.point, space.String(point), err)
	}
	return result, nil
}

func (r Runner) start(s settings.Settings, o bench.Options) (*bench.Result, error) {
	if r.Run == nil {
		return bench.Run(s, o)
	}
	return r.Run(s, o)
}

// keep stores the result, unless the run was killed: a part of one is no
// measurement of its point.
func (e end) keep(store *Store) error {
	if e.err != nil || !e.result.Complete {
		return e.err
	}
	return store.Append(Record{Point: e.point, Repeat: e.repeat, Result: e.result})
}

// orderStream tells the draws of the order from all others of the same seed.
const orderStream = 0x5eed_0bde_1200_0001

// missing returns the runs that the store lacks, in the order in which they are to
// be made. The order is that of the whole sweep, whatever is there already.
func (s *Store) missing() []task {
	h := s.Header
	tasks := make([]task, 0, len(s.places)-s.held)
	add := func(point, repeat int) {
		if !s.Has(point, repeat) {
			tasks = append(tasks, task{point, repeat})
		}
	}
	if h.Clock == settings.Virtual {
		for point := range h.Points {
			for repeat := range h.Repeat {
				add(point+1, repeat+1)
			}
		}
		return tasks
	}
	chance := rand.New(rand.NewPCG(h.Seed, orderStream))
	for repeat := range h.Repeat {
		for _, point := range chance.Perm(h.Points) {
			add(point+1, repeat+1)
		}
	}
	return tasks
}
