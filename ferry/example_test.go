package ferry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ferryctl/ferry"
)

// Many callers each want one user; the store is asked for many at once.
func ExampleKeyed() {
	load := func(_ context.Context, ids []int) (map[int]string, error) {
		users := make(map[int]string, len(ids))
		for _, id := range ids {
			users[id] = fmt.Sprint("user ", id)
		}
		return users, nil
	}
	users, err := ferry.Keyed(ferry.Config{
		MaxBatchSize:       64,
		MaxBatchDelay:      time.Millisecond,
		MaxInFlightBatches: 8,
		MaxQueued:          10_000,
	}, func(id int) int { return id }, load)
	if err != nil {
		fmt.Println(err)
		return
	}
	var names [3]string
	var callers sync.WaitGroup
	for id := range names {
		callers.Go(func() {
			names[id], _ = users.Do(context.Background(), id)
		})
	}
	callers.Wait()
	fmt.Println(strings.Join(names[:], ", "))
	fmt.Println(users.Close())
	// Output:
	// user 0, user 1, user 2
	// <nil>
}

// Writes to one account happen one after the other, those to different accounts
// side by side.
func ExamplePerKey() {
	type entry struct {
		account string
		amount  int
	}
	balance := struct {
		sync.Mutex
		of map[string]int
	}{of: map[string]int{}}
	book := func(_ context.Context, account string, entries []entry) ([]int, error) {
		balance.Lock()
		defer balance.Unlock()
		after := make([]int, len(entries))
		for i, e := range entries {
			balance.of[account] += e.amount
			after[i] = balance.of[account]
		}
		return after, nil
	}
	ledger, err := ferry.PerKey(ferry.PerKeyConfig{Config: ferry.Config{
		MaxBatchSize:       64,
		MaxInFlightBatches: 8,
		MaxQueued:          10_000,
	}}, func(e entry) string { return e.account }, book)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	fmt.Println(ledger.Do(ctx, entry{"ada", 5}))
	fmt.Println(ledger.Do(ctx, entry{"ada", 2}))
	_ = ledger.Close()
	_, err = ledger.Do(ctx, entry{"ada", 1})
	fmt.Println(errors.Is(err, ferry.ErrClosed))
	// Output:
	// 5 <nil>
	// 7 <nil>
	// true
}
