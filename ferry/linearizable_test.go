package ferry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The history of a counter per key. A call adds its inputs to its key's
// counter one after the other, in the order of its batch, without a lock: the
// batcher's promise of one call per key is all that guards it, which the race
// detector checks as well.
type addInput struct {
	id, key int
	rank    int64
	fail    bool // the call that gets it fails, having added nothing
}

type addOutput struct {
	was int // the counter before this input was added
	err error
}

// counterModel allows what a counter may do: an input that was answered was
// added once, and saw the sum of those before it; one that failed, or was
// turned away, was not added; one whose caller gave up may have been, or not.
var counterModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[int][]porcupine.Operation{}
		for _, op := range history {
			k := op.Input.(addInput).key //nolint:errcheck // the history holds nothing else
			byKey[k] = append(byKey[k], op)
		}
		var parts [][]porcupine.Operation
		for _, p := range byKey {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() []any { return []any{0} },
	Step: func(state, _, output any) []any {
		n, out := state.(int), output.(addOutput) //nolint:errcheck // as above
		switch {
		case out.err == nil && out.was == n:
			return []any{n + 1}
		case out.err == nil:
			return nil
		case errors.Is(out.err, context.Canceled):
			return []any{n, n + 1}
		}
		return []any{n}
	},
	Equal: func(a, b any) bool { return a == b },
}

// historyOf lets clients loose on a PerKey batcher and returns what happened.
func historyOf(t *testing.T, seed uint64, delay time.Duration, direct bool) []porcupine.Operation {
	const clients, each, keys = 10, 60, 3
	counters := make([]int, keys)
	boom := errors.New("boom")
	call := func(_ context.Context, key int, in []addInput) ([]int, error) {
		for i, x := range in {
			if i > 0 && x.rank < in[i-1].rank {
				t.Errorf("batch %v is not in rank order", in)
			}
			if x.fail {
				return nil, boom
			}
		}
		answers := make([]int, len(in))
		for i := range in {
			answers[i] = counters[key]
			counters[key]++
		}
		if seed%2 == 0 {
			time.Sleep(20 * time.Microsecond)
		}
		return answers, nil
	}
	f, err := PerKey(PerKeyConfig{Config: Config{
		MaxBatchSize: 4, MaxBatchDelay: delay, MaxInFlightBatches: 2, MaxQueued: 6,
	}, NoDirect: !direct}, func(x addInput) int { return x.key }, call, WithRank(func(x addInput) int64 { return x.rank }))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var mu sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(c)))
			for i := range each {
				in := addInput{id: c*each + i, key: r.IntN(keys), rank: int64(r.IntN(3)), fail: r.IntN(15) == 0}
				ctx, cancel := context.WithCancel(context.Background())
				if r.IntN(3) == 0 {
					time.AfterFunc(time.Duration(r.IntN(150))*time.Microsecond, cancel)
				}
				began := time.Since(start).Nanoseconds()
				was, err := f.Do(ctx, in)
				ended := time.Since(start).Nanoseconds()
				cancel()
				if errors.Is(err, context.Canceled) {
					ended = 1 << 62 // its call may still add it, at any time
				}
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: c, Input: in, Call: began, Output: addOutput{was, err}, Return: ended})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return history
}

func TestPerKeyHistoriesAreLinearizable(t *testing.T) {
	model := counterModel.ToModel()
	for seed := range uint64(12) {
		delay := []time.Duration{0, 0, 100 * time.Microsecond}[seed%3]
		t.Run(fmt.Sprintf("seed=%d/delay=%s", seed, delay), func(t *testing.T) {
			history := historyOf(t, seed, delay, seed%2 == 0)
			answered := 0
			for _, op := range history {
				if out, ok := op.Output.(addOutput); ok && out.err == nil {
					answered++
				}
			}
			if answered < len(history)/10 {
				t.Fatalf("only %d of %d were answered: the history says nothing", answered, len(history))
			}
			if !porcupine.CheckOperations(model, history) {
				t.Error("no order of these operations explains the answers")
			}
		})
	}
}
