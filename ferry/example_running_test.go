package ferry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"ferryctl/ferry"
)

// Settings change in one step, while everything goes on. What is not to change
// comes from Settings.
func ExampleFerry_reconfigure() {
	double := func(_ context.Context, in []int) ([]int, error) {
		for i := range in {
			in[i] *= 2
		}
		return in, nil // answers may be the inputs' own slice
	}
	f, err := ferry.Make(ferry.Config{
		MaxBatchSize: 8, MaxBatchDelay: time.Hour, MaxInFlightBatches: 1, MaxQueued: 100,
	}, double)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	fmt.Println(f.Settings())
	answer := make(chan int)
	go func() {
		a, _ := f.Do(context.Background(), 21)
		answer <- a
	}()
	for f.Metrics().Queued == 0 { // it waits for company, for up to an hour
		runtime.Gosched()
	}

	cfg := f.Settings().PerKeyConfig
	cfg.MaxBatchDelay = 0
	if err := f.Reconfigure(cfg); err != nil {
		fmt.Println(err) // every fault at once, and nothing has changed
	}
	fmt.Println(<-answer)
	fmt.Println(f.Settings().MaxBatchDelay)
	// Output:
	// make: MaxBatchSize 8, MaxBatchWeight unlimited, MaxBatchDelay 1h0m0s, MaxInFlightBatches 1, MaxQueued 100, MaxQueuedWeight unlimited
	// 42
	// 0s
}

// Which keys hold things up? The longest lines, as of now.
func ExampleFerry_waiting() {
	finish := make(chan bool)
	f, err := ferry.PerKey(ferry.PerKeyConfig{Config: ferry.Config{
		MaxBatchSize: 8, MaxInFlightBatches: 2, MaxQueued: 100,
	}}, func(user string) string { return user },
		func(_ context.Context, _ string, in []string) ([]string, error) { <-finish; return in, nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	for _, user := range []string{"ada", "bob", "bob", "bob"} {
		callers.Go(func() { _, _ = f.Do(context.Background(), user) })
	}
	for f.Metrics().Submitted < 4 {
		runtime.Gosched()
	}

	var longest ferry.Lane
	for lane := range f.Waiting() {
		if lane.Queued > longest.Queued {
			longest = lane
		}
	}
	fmt.Println(longest.Key, "has", longest.Queued, "waiting; a call is out:", longest.Busy)
	close(finish)
	callers.Wait()
	_ = f.Close()
	// Output:
	// bob has 2 waiting; a call is out: true
}

// How large batches are, and why they leave, says which setting binds.
func ExampleObserver() {
	var mu sync.Mutex
	sizes, reasons := map[int]int{}, map[ferry.Left]int{}
	count := &ferry.Observer[int]{
		Taken: func(b ferry.Batch, _ []int, _ []ferry.Wait) {
			mu.Lock() // batches are taken side by side
			defer mu.Unlock()
			sizes[b.Size]++
			reasons[b.Left]++
		},
	}
	f, err := ferry.Make(ferry.Config{
		MaxBatchSize: 4, MaxBatchDelay: ferry.Never, MaxInFlightBatches: 2, MaxQueued: 100,
	}, func(_ context.Context, in []int) ([]int, error) { return in, nil }, ferry.WithObserver(count))
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	for i := range 10 {
		callers.Go(func() { _, _ = f.Do(context.Background(), i) })
	}
	for f.Metrics().Admitted < 10 {
		runtime.Gosched()
	}
	f.Flush() // the last two would wait for ever
	callers.Wait()
	_ = f.Close()
	fmt.Println("sizes", sizes)
	fmt.Println("reasons", reasons)
	// Output:
	// sizes map[2:1 4:2]
	// reasons map[size:2 close:1]
}
