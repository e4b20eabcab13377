package ferry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"time"

	"ferryctl/ferry"
)

// First the callers, then the batcher: so nobody is turned away.
func ExampleFerry_close() {
	load := func(_ context.Context, ids []string) (map[string]string, error) {
		names := map[string]string{}
		for _, id := range ids {
			names[id] = "user " + id
		}
		return names, nil
	}
	users, err := ferry.Keyed(ferry.Config{
		MaxBatchSize: 64, MaxBatchDelay: 5 * time.Millisecond, MaxInFlightBatches: 8, MaxQueued: 10_000,
	}, func(id string) string { return id }, load)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, err := users.Do(r.Context(), r.FormValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, name)
	}))
	defer server.Close()

	got := make(chan string)
	go func() {
		resp, err := server.Client().Get(server.URL + "?id=7")
		if err != nil {
			got <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		got <- string(body)
	}()
	for users.Metrics().Submitted < 1 {
		runtime.Gosched()
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := server.Config.Shutdown(ctx); err != nil { // returns when every handler has, or at the deadline
		fmt.Println(err)
	}
	_ = users.Close() // turns away what still waits, and cancels what runs
	fmt.Println(<-got)
	_, err = users.Do(context.Background(), "8")
	fmt.Println(errors.Is(err, ferry.ErrClosed))
	// Output:
	// user 7
	// true
}
