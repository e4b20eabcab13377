package ferry_test

import (
	"context"
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
