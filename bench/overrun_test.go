package bench

import (
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/workload"
)

// With every caller stuck in a call, a load without a schedule still ends when
// its time is over.
func TestAFloodEndsInTimeThoughEveryCallerIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := single("make")
		load := workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Duration: 2 * time.Second}
		began := time.Now()
		r, _ := measure(t, plan{kernel: k, load: load, callers: 3}, takes(10*time.Second), nil, nil)
		if r.Counts.Offered != 3 || r.Counts.Done != 3 {
			t.Errorf("counts are %+v", r.Counts)
		}
		// Three calls of ten seconds one after the other, and no fourth after them.
		if took := time.Since(began); took > 31*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
