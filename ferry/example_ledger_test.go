package ferry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ferryctl/ferry"
)

type entry struct {
	account string
	amount  int
}

// receipt is the answer to one entry. What is wrong with one input alone belongs
// into its answer: the call's error is that of the whole batch.
type receipt struct {
	balance int
	refused error
}

var errOverdrawn = errors.New("overdrawn")

// bank stands for a database with a row for each account.
type bank struct{ balances sync.Map }

func (b *bank) read(account string) int {
	balance, _ := b.balances.LoadOrStore(account, 0)
	n, _ := balance.(int)
	return n
}

func (b *bank) write(account string, balance int) { b.balances.Store(account, balance) }

// Writes to one account happen one after the other, those to different accounts
// side by side. Nothing has to be locked, and what comes in while an account is
// being written is written together: one read and one write for all of it.
func ExamplePerKey() {
	b := &bank{}
	book := func(_ context.Context, account string, entries []entry) ([]receipt, error) {
		balance := b.read(account)
		receipts := make([]receipt, len(entries))
		for i, e := range entries {
			if balance+e.amount < 0 {
				receipts[i] = receipt{balance, errOverdrawn}
				continue
			}
			balance += e.amount
			receipts[i].balance = balance
		}
		b.write(account, balance)
		return receipts, nil
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
	defer ledger.Close()

	ctx := context.Background()
	var callers sync.WaitGroup
	for range 100 {
		for _, account := range []string{"ada", "bob"} {
			callers.Go(func() {
				if _, err := ledger.Do(ctx, entry{account, 5}); err != nil {
					fmt.Println(err)
				}
			})
		}
	}
	callers.Wait()
	for _, e := range []entry{{"ada", -600}, {"bob", -200}} {
		r, err := ledger.Do(ctx, e)
		fmt.Println(e.account, r.balance, r.refused, err)
	}
	// Output:
	// ada 500 overdrawn <nil>
	// bob 300 <nil> <nil>
}
