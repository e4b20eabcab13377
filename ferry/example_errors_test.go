package ferry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"ferryctl/ferry"
)

// A server tells its callers what an overload means for them.
func ExampleRejectedError() {
	statusOf := func(err error) (status int, text string) {
		var failed *ferry.FailedError
		var full *ferry.RejectedError
		switch {
		case err == nil:
			return http.StatusOK, ""
		case errors.As(err, &failed): // first: what it holds may be any error
			return http.StatusBadGateway, failed.Err.Error()
		case errors.As(err, &full) && full.Never:
			return http.StatusRequestEntityTooLarge, fmt.Sprintf("weighs %d, at most %d", full.Weight, full.Limit)
		case errors.As(err, &full):
			return http.StatusServiceUnavailable, fmt.Sprintf("full by %s %d", full.Bound, full.Limit)
		case errors.Is(err, ferry.ErrClosed):
			return http.StatusServiceUnavailable, "shutting down"
		default: // the caller's own ctx.Err()
			return http.StatusGatewayTimeout, err.Error()
		}
	}

	finish := make(chan bool)
	pages, err := ferry.Make(ferry.Config{
		MaxBatchSize:       1,
		MaxInFlightBatches: 1,
		MaxQueued:          2,
		MaxQueuedWeight:    10,
	}, func(_ context.Context, sizes []int64) ([]int64, error) { <-finish; return sizes, nil },
		ferry.WithWeigh(func(size int64) int64 { return size }))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	var callers sync.WaitGroup
	do := func(size int64) { callers.Go(func() { _, _ = pages.Do(ctx, size) }) }
	try := func(ctx context.Context, size int64) {
		_, err := pages.Do(ctx, size)
		fmt.Println(statusOf(err))
	}
	do(1)
	for pages.Metrics().InFlight < 1 { // it is out; what comes now waits
		runtime.Gosched()
	}
	brief, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	try(brief, 1)
	do(8)
	for pages.Metrics().Queued < 1 {
		runtime.Gosched()
	}
	try(ctx, 11)
	try(ctx, 3)
	do(1)
	for pages.Metrics().Queued < 2 {
		runtime.Gosched()
	}
	try(ctx, 1)
	close(finish)
	callers.Wait()
	_ = pages.Close()
	try(ctx, 1)
	// Output:
	// 504 context deadline exceeded
	// 413 weighs 11, at most 10
	// 503 full by MaxQueuedWeight 10
	// 503 full by MaxQueued 2
	// 503 shutting down
}

// What may be tried again is the caller's to decide: a ferry repeats nothing.
func ExampleFailedError() {
	busy := errors.New("the database is busy")
	calls := 0
	load := func(_ context.Context, ids []int) (map[int]string, error) {
		if calls++; calls == 1 {
			return nil, busy
		}
		return map[int]string{1: "ada"}, nil
	}
	users, err := ferry.Keyed(ferry.Config{
		MaxBatchSize: 64, MaxInFlightBatches: 8, MaxQueued: 10_000,
	}, func(id int) int { return id }, load)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer users.Close()

	// A read may be repeated whatever came of it; a write only if it is known not
	// to have happened, or may happen twice.
	get := func(ctx context.Context, id int) (name string, err error) {
		for range 3 {
			name, err = users.Do(ctx, id)
			var failed *ferry.FailedError
			if !errors.As(err, &failed) || !errors.Is(failed, busy) {
				break // an answer, a rejection, a deadline: none gets better by insisting at once
			}
		}
		return name, err
	}
	fmt.Println(get(context.Background(), 1))
	_, err = get(context.Background(), 2)
	fmt.Println(err, errors.Is(err, ferry.ErrNoAnswer))
	// Output:
	// ada <nil>
	// ferry: call failed: the call gave no answer for the key 2 true
}
