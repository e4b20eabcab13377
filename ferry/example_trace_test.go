package ferry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ferryctl/ferry"
)

// span is what a tracing library keeps in a context.
type span struct{}

func spanOf(ctx context.Context) string {
	name, _ := ctx.Value(span{}).(string)
	return name
}

// read carries the caller's span as part of the input.
type read struct {
	account string
	span    string
}

// A batch is of many callers, and so has the context of none of them: it gets
// the values of WithContext's, and finds its callers' spans in the inputs. A
// direct call is of one caller, and has that one's values.
func ExampleWithContext() {
	begun, finish := make(chan bool, 2), make(chan bool)
	load := func(ctx context.Context, account string, reads []read) ([]int, error) {
		var links []string
		for _, r := range reads {
			links = append(links, r.span)
		}
		fmt.Printf("%s: a span of %s, linked to %v\n", account, spanOf(ctx), links)
		begun <- true
		<-finish
		return make([]int, len(reads)), nil
	}
	accounts, err := ferry.PerKey(ferry.PerKeyConfig{Config: ferry.Config{
		MaxBatchSize: 8, MaxInFlightBatches: 2, MaxQueued: 100,
	}}, func(r read) string { return r.account }, load,
		ferry.WithContext[read](context.WithValue(context.Background(), span{}, "the service")))
	if err != nil {
		fmt.Println(err)
		return
	}
	get := func(ctx context.Context, account string) (int, error) {
		return accounts.Do(ctx, read{account, spanOf(ctx)})
	}

	var callers sync.WaitGroup
	for i, request := range []string{"request 1", "request 2", "request 3"} {
		ctx := context.WithValue(context.Background(), span{}, request)
		callers.Go(func() { _, _ = get(ctx, "ada") })
		if i == 0 {
			<-begun // a direct call is out; what comes now waits, and leaves together
		}
		for accounts.Metrics().Queued < i {
			runtime.Gosched()
		}
	}
	close(finish)
	callers.Wait()
	_ = accounts.Close()
	// Output:
	// ada: a span of request 1, linked to [request 1]
	// ada: a span of the service, linked to [request 2 request 3]
}
