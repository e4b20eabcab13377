package ferry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ferryctl/ferry"
)

// While a key's call is out, its inputs line up by rank.
func ExampleWithRank() {
	type job struct {
		tenant, name string
		priority     int64 // the lower, the sooner
	}
	begun, finish := make(chan bool, 2), make(chan bool)
	run := func(_ context.Context, tenant string, jobs []job) ([]struct{}, error) {
		fmt.Println(tenant, "runs", jobs)
		begun <- true
		<-finish
		return make([]struct{}, len(jobs)), nil
	}
	jobs, err := ferry.PerKey(ferry.PerKeyConfig{Config: ferry.Config{
		MaxBatchSize:       8,
		MaxInFlightBatches: 1,
		MaxQueued:          100,
	}}, func(j job) string { return j.tenant }, run,
		ferry.WithRank(func(j job) int64 { return j.priority }))
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	do := func(j job) { callers.Go(func() { _, _ = jobs.Do(context.Background(), j) }) }
	do(job{"acme", "first", 9})
	<-begun // it is out; what comes now waits
	for i, j := range []job{{"acme", "nightly", 9}, {"acme", "report", 5}, {"acme", "alert", 1}} {
		do(j)
		for jobs.Metrics().Queued <= i {
			runtime.Gosched()
		}
	}
	close(finish)
	callers.Wait()
	_ = jobs.Close()
	// Output:
	// acme runs [{acme first 9}]
	// acme runs [{acme alert 1} {acme report 5} {acme nightly 9}]
}
