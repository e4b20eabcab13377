package export

import (
	"strings"
	"testing"

	"ferryctl/bench"
)

// TestALagBeyondItsBoundIsExplained: a bound that does not hold there must not look
// as if it did.
func TestALagBeyondItsBoundIsExplained(t *testing.T) {
	for lag, want := range map[float64]bool{0: false, 8: false, 8.000001: false, 9: true} {
		f := bench.Fairness{WorstLane: "a", WorstErrorRatio: bench.Some(0.01), MaxLagUnits: bench.Some(lag), BoundUnits: bench.Some(8), Jain: bench.Some(1)}
		if got := strings.Contains(fairness(f), "beyond it"); got != want {
			t.Errorf("a lag of %v of 8: %s", lag, fairness(f))
		}
	}
	if f := (bench.Fairness{MaxLagUnits: bench.Some(9)}); strings.Contains(fairness(f), "beyond it") {
		t.Errorf("without a bound: %s", fairness(f))
	}
}
