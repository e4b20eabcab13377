package ferry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func cfg() Config {
	return Config{MaxBatchSize: 4, MaxInFlightBatches: 2, MaxQueued: 100}
}

func double(_ context.Context, in []int) ([]int, error) {
	out := make([]int, len(in))
	for i, v := range in {
		out[i] = 2 * v
	}
	return out, nil
}

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := Make(cfg(), double)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if a, err := f.Do(t.Context(), i); a != 2*i || err != nil {
				t.Fatal(a, err)
			}
		}
		f.Close()
		if _, err := f.Do(t.Context(), 1); !errors.Is(err, ErrClosed) {
			t.Fatal(err)
		}
		p, err := PerKey(PerKeyConfig{Config: cfg()}, func(i int) int { return i % 3 }, func(ctx context.Context, k int, in []int) ([]int, error) {
			time.Sleep(time.Millisecond)
			return double(ctx, in)
		})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		for i := range 50 {
			go func() {
				if a, err := p.Do(context.Background(), i); a != 2*i || err != nil {
					t.Error(a, err)
				}
				done <- struct{}{}
			}()
		}
		for range 50 {
			<-done
		}
		t.Logf("%+v", p.Metrics())
		p.Close()
	})
}
