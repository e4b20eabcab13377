package floors

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// BenchmarkCall is the closed loop: what one call costs, callers included.
func BenchmarkCall(b *testing.B) {
	for _, keys := range []string{"one", "zipf", "uniform"} {
		drawn := Keys(keys)
		for _, name := range Names {
			for _, callers := range []int{1, 64, 1024} {
				b.Run(fmt.Sprintf("impl=%s/callers=%d/keys=%s", name, callers, keys), func(b *testing.B) {
					s, err := New(name)
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					Closed(s, callers, 10*callers, drawn)
					b.ReportAllocs()
					b.ResetTimer()
					Closed(s, callers, b.N, drawn)
				})
			}
		}
	}
}

// TestEverySubjectAnswers keeps the comparison a comparison: whoever loses
// inputs is fast.
func TestEverySubjectAnswers(t *testing.T) {
	for _, name := range Names {
		s, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		answered := 0
		for c := range 50 {
			wg.Go(func() {
				for i := range 20 {
					if _, err := s.Do(context.Background(), i, c); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					mu.Lock()
					answered++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		s.Close()
		if answered != 1000 {
			t.Errorf("%s answered %d of 1000", name, answered)
		}
	}
}
