package ferry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ferryctl/ferry"
)

type prompt struct {
	text   string
	tokens int64
}

// A model server takes so many prompts at once, and so many tokens. A prompt
// that is longer than that goes alone.
func ExampleWithWeigh() {
	infer := func(_ context.Context, prompts []prompt) ([]string, error) {
		tokens := int64(0)
		answers := make([]string, len(prompts))
		for i, p := range prompts {
			tokens += p.tokens
			answers[i] = p.text + "!"
		}
		fmt.Println(len(prompts), "prompts,", tokens, "tokens")
		return answers, nil
	}
	model, err := ferry.Make(ferry.Config{
		MaxBatchSize:       16,
		MaxBatchWeight:     100, // tokens in a batch
		MaxBatchDelay:      ferry.Never,
		MaxInFlightBatches: 1, // the one accelerator
		MaxQueued:          1000,
		MaxQueuedWeight:    4000, // tokens that wait: more would wait for too long
	}, infer, ferry.WithWeigh(func(p prompt) int64 { return p.tokens }))
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	for i, p := range []prompt{{"one", 40}, {"two", 50}, {"three", 30}, {"four", 250}, {"five", 60}} {
		callers.Go(func() {
			if answer, err := model.Do(context.Background(), p); err != nil || answer != p.text+"!" {
				fmt.Println(answer, err)
			}
		})
		for model.Metrics().Admitted <= uint64(i) { // one after the other, for the example
			runtime.Gosched()
		}
	}
	model.Flush()
	callers.Wait()
	_ = model.Close()
	// Output:
	// 2 prompts, 90 tokens
	// 1 prompts, 30 tokens
	// 1 prompts, 250 tokens
	// 1 prompts, 60 tokens
}
