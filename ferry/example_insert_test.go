package ferry_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"ferryctl/ferry"
)

// database is as much of a *sql.DB as a statement needs.
type database struct{ statements []string }

func (db *database) ExecContext(_ context.Context, statement string, args ...any) error {
	db.statements = append(db.statements, fmt.Sprintf("%s with %d values", statement, len(args)))
	return nil
}

type event struct {
	user int
	name string
}

// Many callers each insert one row; the table gets one statement a batch.
func ExampleMake() {
	db := &database{}
	insert := func(ctx context.Context, rows []event) ([]struct{}, error) {
		statement := "INSERT INTO events (user_id, name) VALUES ($1, $2)"
		args := []any{rows[0].user, rows[0].name}
		for _, r := range rows[1:] {
			statement += fmt.Sprintf(", ($%d, $%d)", len(args)+1, len(args)+2)
			args = append(args, r.user, r.name)
		}
		// One statement is all or nothing, and so is the answer.
		return make([]struct{}, len(rows)), db.ExecContext(ctx, statement, args...)
	}
	events, err := ferry.Make(ferry.Config{
		MaxBatchSize:       3,
		MaxBatchDelay:      ferry.Never, // so that the example always prints the same; often 0, or a few milliseconds
		MaxInFlightBatches: 1,
		MaxQueued:          10_000,
	}, insert)
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	for user := range 6 {
		callers.Go(func() {
			if _, err := events.Do(context.Background(), event{user, "signed in"}); err != nil {
				fmt.Println(err)
			}
		})
	}
	callers.Wait()
	_ = events.Close()
	fmt.Println(strings.Join(db.statements, "\n"))
	// Output:
	// INSERT INTO events (user_id, name) VALUES ($1, $2), ($3, $4), ($5, $6) with 6 values
	// INSERT INTO events (user_id, name) VALUES ($1, $2), ($3, $4), ($5, $6) with 6 values
}
