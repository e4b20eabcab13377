// Package lab makes runs for searches: several at once, in batches whose answers
// come in the order in which they were asked for, so that what a search does next
// never depends on which run ended first.
package lab

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// A Lab makes runs. The zero Lab makes one at a time with [bench.Run].
type Lab struct {
	Run     func(settings.Settings, bench.Options) (*bench.Result, error) // nil for bench.Run
	Jobs    int                                                           // runs at once; 0 for one
	Version string                                                        // the program's, for the results

	Stop <-chan struct{} // once closed, no further run is begun
	Kill <-chan struct{} // once closed, running ones end at once and are forgotten
}

// ErrStopped says that a search was stopped before its end.
var ErrStopped = errors.New("stopped before its end")

// Measure makes a run with each of the settings and returns what keep makes of
// them, in the order of the settings. keep is called from several goroutines, and
// begun and ended from one at a time, before and after each run, with its place. When it is stopped, or a run fails, the runs that
// are under way end, and the places of those that were not made are the zero T.
func Measure[T any](l Lab, all []settings.Settings, keep func(*bench.Result) T, begun func(i int), ended func(i int, kept T)) ([]T, error) {
	out := make([]T, len(all))
	faults := make([]error, len(all))
	var next, made atomic.Int64
	var failed atomic.Bool
	var told sync.Mutex
	var workers sync.WaitGroup
	for range min(max(1, l.Jobs), len(all)) {
		workers.Go(func() {
			for l.goOn() && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return
				}
				told.Lock()
				begun(i)
				told.Unlock()
				r, err := l.run(all[i])
				switch {
				case err != nil:
					faults[i] = err
					failed.Store(true)
					continue
				case !r.Complete:
					continue // killed: a part of a run is no measurement
				}
				out[i] = keep(r)
				made.Add(1)
				told.Lock()
				ended(i, out[i])
				told.Unlock()
			}
		})
	}
	workers.Wait()
	if err := errors.Join(faults...); err != nil {
		return out, err
	}
	if int(made.Load()) < len(all) {
		return out, ErrStopped
	}
	return out, nil
}

func (l Lab) run(s settings.Settings) (*bench.Result, error) {
	run := l.Run
	if run == nil {
		run = bench.Run
	}
	r, err := run(s, bench.Options{Stop: l.Kill, Kill: l.Kill, Version: l.Version})
	if err != nil {
		return nil, fmt.Errorf("a run by the %s clock: %w", s.Clock, err)
	}
	return r, nil
}

// goOn says whether to begin another run.
func (l Lab) goOn() bool {
	select {
	case <-l.Stop:
	case <-l.Kill:
	default:
		return true
	}
	return false
}

// Both makes a run by both clocks, of that length and with a warm-up of a twentieth
// of it, while no other runs beside it.
func (l Lab) Both(s settings.Settings, length time.Duration) (*bench.Result, error) {
	s.Clock, s.Duration, s.Items = settings.Both, length, 0
	s.Warmup = settings.Warmup{Fraction: 0.05}
	l.Jobs = 1
	results, err := Measure(l, []settings.Settings{s}, func(r *bench.Result) *bench.Result { return r }, func(int) {}, func(int, *bench.Result) {})
	if err != nil {
		return nil, fmt.Errorf("confirming in real time: %w", err)
	}
	return results[0], nil
}
