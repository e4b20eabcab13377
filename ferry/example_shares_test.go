package ferry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ferryctl/ferry"
	"ferryctl/lanes/fairshare"
)

// Two tenants have more work than there is service. Gold gets three times what
// free gets, by what the work costs and not by how many inputs it is.
func ExampleWithShares() {
	type job struct {
		tenant string
		cost   int64 // service units: milliseconds, pages, tokens
	}
	begun, finish := make(chan bool, 100), make(chan bool)
	got := map[string]int64{} // service units
	run := func(_ context.Context, jobs []job) ([]struct{}, error) {
		got[jobs[0].tenant] += jobs[0].cost
		begun <- true
		<-finish
		return make([]struct{}, len(jobs)), nil
	}
	jobs, err := ferry.Make(ferry.Config{
		MaxBatchSize:       1,
		MaxInFlightBatches: 1,
		MaxQueued:          1000,
	}, run,
		ferry.WithShares(ferry.Shares{Lanes: "gold=3,free=1", Policy: ferry.RoomGuaranteed, Quantum: 6},
			func(j job) string { return j.tenant }),
		ferry.WithCost(func(j job) int64 { return j.cost }))
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	do := func(j job) { callers.Go(func() { _, _ = jobs.Do(context.Background(), j) }) }
	do(job{cost: 1})
	<-begun // the slot is taken; what comes now waits
	for range 40 {
		do(job{tenant: "gold", cost: 6})
		do(job{tenant: "free", cost: 2})
	}
	for jobs.Metrics().Queued < 80 {
		runtime.Gosched()
	}
	for got["gold"] < 120 {
		finish <- true
		<-begun
	}
	for _, s := range jobs.Shares() {
		fmt.Printf("%s: %.0f %% is its share; it got %d, never more than %.0f off\n",
			s.Share, 100*s.Fraction, got[s.Share], max(s.MaxLag, s.MaxLead))
	}

	if err := jobs.Reweigh("gold", fairshare.One); err != nil { // for all that goes on
		fmt.Println(err)
	}
	fmt.Println(jobs.Settings().Lanes)
	close(finish)
	callers.Wait()
	_ = jobs.Close()
	// Output:
	// free: 25 % is its share; it got 40, never more than 2 off
	// gold: 75 % is its share; it got 120, never more than 2 off
	// gold=1,free=1
}
