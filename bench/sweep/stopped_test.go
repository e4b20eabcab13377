package sweep

import (
	"math"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// TestWhatWasNotMeasuredChangesNothingYet: of a sweep that was stopped, levels that
// nobody has measured are no evidence that they are all the same.
func TestWhatWasNotMeasuredChangesNothingYet(t *testing.T) {
	k, _ := settings.Lookup("batch_size")
	a, err := Parse(k, "1..32:x2", "flag --batch-size")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := figureOf("throughput")
	none := math.NaN()
	for _, tt := range []struct {
		name   string
		curves [][]float64
		beyond string
	}{
		{"the first three", [][]float64{{10, 20, 40, none, none, none}, {11, 22, 44, none, none, none}}, ""},
		{"one curve goes on", [][]float64{{10, 20, 40, 40, none, none}, {11, 22, 44, none, none, none}, {12, 24, 48, none, none, none}}, ""},
		{"all of them go on", [][]float64{{10, 20, 40, 40, 40, none}, {11, 22, 44, 44, none, none}, {12, 24, 48, 48, 48, none}}, "4"},
		{"measured to the end", [][]float64{{10, 20, 40, 40, 40, 40}, {11, 22, 44, 44, 44, 44}}, "4"},
	} {
		e := Effect{Knob: a.Knob, Figure: f, Within: sameWithin}
		e.along(a, tt.curves)
		if e.Beyond != tt.beyond || strings.Contains(e.Text, "beyond") != (tt.beyond != "") || !e.Change.Known() {
			t.Errorf("%s: beyond %q, want %q: %s", tt.name, e.Beyond, tt.beyond, e.Text)
		}
	}
}

// TestWhatTheDrainHadToDoWasTooMuch: an overload is one also if everything is done in
// the end.
func TestWhatTheDrainHadToDoWasTooMuch(t *testing.T) {
	r := &bench.Result{}
	r.Counts.Offered, r.Counts.Done = 10_000, 10_000
	r.Rates.Offered, r.Rates.Throughput = bench.Some(12_000), bench.Some(10_700)
	r.Measurement.ServiceActual, r.Measurement.BackendWaited = bench.Some(3e6), bench.Some(2e6)
	if got := LimitsOf(r).Throughput; len(got) != 1 || got[0] != LimitBackend {
		t.Errorf("with a backlog that grew: %v", got)
	}
	r.Rates.Throughput = bench.Some(11_950)
	if got := LimitsOf(r).Throughput; len(got) != 1 || got[0] != LimitRate {
		t.Errorf("without: %v", got)
	}
}
