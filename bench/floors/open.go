package floors

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ferryctl/ferry"
)

// OpenNames are the subjects of an open loop; those that start with "keyed-"
// run one call per key at a time. Without direct calls, calls of a millisecond
// and a few in flight could not keep up with thousands of keys; PublishScheduler,
// which has none, gets a worker for every key, and is to be compared with
// "keyed-perkey-unlimited", which may have as many batches in flight.
var OpenNames = []string{"floor-1", "make", "bundler", "gocloud", "dataloader", "keyed-perkey-direct", "keyed-perkey-unlimited", "keyed-publishscheduler"}

// NewOpen builds a subject for an open loop: calls that take time, and several
// of them in flight. The dataloader has no such limit.
func NewOpen(name string, takes time.Duration, inFlight int) (Subject, error) {
	slow := func(_ context.Context, _ int, in []int) ([]int, error) {
		time.Sleep(takes)
		return in, nil
	}
	handle := func(items any) {
		time.Sleep(takes)
		answer(items)
	}
	cfg := ferry.Config{MaxBatchSize: MaxBatchSize, MaxInFlightBatches: inFlight, MaxQueued: 1 << 20}
	key := func(i input) int { return i.key }
	serve := func(_ context.Context, _ int, in []input) ([]int, error) {
		time.Sleep(takes)
		return zeros[:len(in)], nil
	}
	switch name {
	case "floor-1":
		return NewWorkers(inFlight, slow), nil
	case "make":
		f, err := ferry.Make(cfg, func(ctx context.Context, in []input) ([]int, error) { return serve(ctx, 0, in) })
		return batcher{f}, err
	case "keyed-perkey-direct":
		f, err := ferry.PerKey(ferry.PerKeyConfig{Config: cfg}, key, serve)
		return batcher{f}, err
	case "keyed-perkey-unlimited":
		cfg.MaxInFlightBatches = maxKeys
		f, err := ferry.PerKey(ferry.PerKeyConfig{Config: cfg}, key, serve)
		return batcher{f}, err
	case "bundler":
		return newBundler(handle, inFlight), nil
	case "gocloud":
		return newGocloud(handle, inFlight), nil
	case "dataloader":
		return newDataloader(takes), nil
	case "keyed-publishscheduler":
		return newScheduled(handle, maxKeys), nil
	}
	return nil, fmt.Errorf("no subject %q; there are %v", name, OpenNames)
}

// Open sends inputs at a constant rate for some time, whatever becomes of the
// earlier ones, and returns the sorted times from each one's scheduled arrival
// to its answer. It waits for every answer.
func Open(s Subject, perSecond float64, duration time.Duration, keys []int) []time.Duration {
	n := int(perSecond * duration.Seconds())
	took := make([]time.Duration, n)
	start := time.Now()
	at := func(i int) time.Time { return start.Add(time.Duration(float64(i) / perSecond * 1e9)) }
	var answered sync.WaitGroup
	answered.Add(n)
	idle := make(chan chan int, n) // never full
	call := func(c chan int) {
		for i := range c {
			if _, err := s.Do(context.Background(), keys[i&(len(keys)-1)], i); err != nil {
				panic(err)
			}
			took[i] = time.Since(at(i))
			answered.Done()
			idle <- c
		}
	}
	var callers []chan int
	for i := 0; i < n; {
		now := time.Now()
		for ; i < n && !at(i).After(now); i++ {
			var c chan int
			select {
			case c = <-idle:
			default:
				c = make(chan int, 1)
				callers = append(callers, c)
				go call(c)
			}
			c <- i
		}
		time.Sleep(100 * time.Microsecond)
	}
	answered.Wait()
	for range callers {
		close(<-idle)
	}
	slices.Sort(took)
	return took
}
