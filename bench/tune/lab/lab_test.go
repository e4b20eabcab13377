package lab

import (
	"math"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/slo"
)

// TestDistanceIsTheLogarithmOfTheFactorToTheBound on the wrong side, whichever that is.
func TestDistanceIsTheLogarithmOfTheFactorToTheBound(t *testing.T) {
	for _, tt := range []struct {
		term  string
		value bench.Num
		want  float64
	}{
		{"p99<=10ms", bench.Some(20e6), math.Ln2},
		{"p99<=10ms", bench.Some(5e6), -math.Ln2},
		{"throughput>=10k/s", bench.Some(5_000), math.Ln2},
		{"throughput>=10k/s", bench.Some(20_000), -math.Ln2},
		{"throughput>=10k/s", bench.Some(0), math.Log(1e7)},
		{"rejected<=0%", bench.Some(1e-5), math.Log(10)},
		{"p99<=10ms", bench.Num{}, farthest},
	} {
		terms, err := slo.Parse(tt.term)
		if err != nil {
			t.Fatal(err)
		}
		if got := Distance(terms[0], tt.value); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v is %v from %s, want %v", tt.value, got, tt.term, tt.want)
		}
	}
}
