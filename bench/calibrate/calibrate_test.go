package calibrate_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/calibrate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustSpec(t testing.TB, text string) backend.Spec {
	t.Helper()
	spec, err := backend.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// measured calibrates a synthetic backend in simulated time, in which it takes
// exactly what it drew.
func measured(t *testing.T, text string, d calibrate.Design) (calls calibrate.Calls) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, err := backend.New(mustSpec(t, text), 5, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if calls, err = calibrate.Measure(t.Context(), b, d, func(calibrate.Progress) {}); err != nil {
			t.Fatal(err)
		}
	})
	return calls
}

func fitted(t *testing.T, text string, d calibrate.Design) *backend.Model {
	t.Helper()
	m, err := calibrate.Fit(measured(t, text, d))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCalibratingFindsTheModelThatIsThere(t *testing.T) {
	for _, c := range []struct {
		text        string
		shape       string
		concurrency int
		within      float64 // of the costs, beside four standard errors
	}{
		{"synthetic(base=1ms,per_item=20us,per_weight=3ns)", backend.ModelFixed, 0, 1e-6},
		{"synthetic(base=0s,per_item=70us)", backend.ModelFixed, 0, 1e-6},
		{"synthetic(base=2ms)", backend.ModelFixed, 0, 1e-6},
		{"synthetic(base=1ms,per_item=20us,concurrency=1)", backend.ModelFixed, 1, 1e-6},
		{"synthetic(base=1ms,per_item=20us,concurrency=5)", backend.ModelFixed, 5, 1e-6},
		{"synthetic(base=1ms,per_item=20us,per_weight=3ns,dist=exponential,concurrency=3)", backend.ModelExponential, 3, 0},
		{"synthetic(base=1ms,per_item=20us,dist=lognormal(sigma=0.5))", backend.ModelLognormal, 0, 0},
		{"synthetic(base=1ms,per_item=20us,jitter=40%)", backend.ModelRelative, 0, 0},
	} {
		m, want := fitted(t, c.text, calibrate.Default()), mustSpec(t, c.text)
		for _, cost := range []struct {
			name          string
			got, error, w float64
		}{
			{"base", m.Base, m.Fit.BaseError, float64(want.Base)},
			{"per_item", m.PerItem, m.Fit.PerItemError, float64(want.PerItem)},
			{"per_weight", m.PerWeight, m.Fit.PerWeightError, float64(want.PerWeight)},
		} {
			if off := math.Abs(cost.got - cost.w); off > 4*cost.error+c.within*max(cost.w, 1e3) && cost.w > 0 || off > 0.01*1e6 && c.within > 0 {
				t.Errorf("%s: %s is %v, %v off; the standard error is %v", c.text, cost.name, cost.got, off, cost.error)
			}
		}
		if m.Scatter.Shape != c.shape || m.Concurrency != c.concurrency || !m.Complete || !calibrate.Fits(m) {
			t.Errorf("%s: shape %s, concurrency %d, complete %t, lack of fit %v, %q", c.text, m.Scatter.Shape, m.Concurrency, m.Complete, m.Fit.LackOfFit, m.Warnings)
		}
		if r := (backend.Range{MinItems: 1, MaxItems: 256, MinWeight: 1, MaxWeight: 256 * 1024, MaxInFlight: 16}); m.Range != r {
			t.Errorf("%s: range %+v", c.text, m.Range)
		}
	}
}

// The overshoot of a timer is the same whatever the batch: it has to be found beside
// the mean, not as a part of it.
func TestLatenessIsFoundBesideTheMean(t *testing.T) {
	var calls calibrate.Calls
	late := []time.Duration{0, 50, 60, 70, 80, 90, 250} // microseconds
	for round := range 28 {
		for i, n := range []int{1, 4, 16, 64, 256} {
			took := time.Millisecond + time.Duration(n)*20*time.Microsecond + late[(round+i)%len(late)]*time.Microsecond
			calls.Alone = append(calls.Alone, calibrate.Call{Items: n, Weight: int64(n), InFlight: 1, Time: took})
		}
	}
	m, err := calibrate.Fit(calls)
	if err != nil {
		t.Fatal(err)
	}
	mean := 600.0 / 7 * 1e3
	if off := math.Abs(m.Base - 1e6 - mean); off > 1 || m.Scatter.Shape != backend.ModelAbsolute {
		t.Errorf("base %v is %v off, the scatter %s", m.Base, off, m.Scatter.Shape)
	}
	r := m.Scatter.Residuals
	if first, last := r[0]+mean, r[len(r)-1]+mean; math.Abs(first) > 1e3 || math.Abs(last-250e3) > 1e3 { // parts are not quite equal
		t.Errorf("the residuals are from %v to %v after the mean", r[0], r[len(r)-1])
	}
}

// The fit may not depend on the order of the calls, and no cost is negative.
func TestFitsAreLeastSquaresThatAreNotNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, item, weight := rapid.Float64Range(-2e5, 2e6).Draw(t, "base"), rapid.Float64Range(-1e3, 1e5).Draw(t, "item"), rapid.Float64Range(0, 10).Draw(t, "weight")
		noise := rapid.Float64Range(0, 1e5).Draw(t, "noise")
		var calls calibrate.Calls
		for i := range 60 {
			n := 1 << (i % 7)
			w := int64(n) * []int64{1, 50, 900}[i%3]
			took := max(0, base+item*float64(n)+weight*float64(w)+noise*math.Sin(float64(i*i)))
			calls.Alone = append(calls.Alone, calibrate.Call{Items: n, Weight: w, InFlight: 1, Time: time.Duration(took)})
		}
		m, err := calibrate.Fit(calls)
		if err != nil {
			t.Fatal(err)
		}
		if min(m.Base, m.PerItem, m.PerWeight) < 0 || m.Fit.RSquared > 1 || m.Fit.Calls != 60 || m.Fit.Cells != 21 {
			t.Fatalf("%+v", m)
		}
		var text strings.Builder
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := backend.ParseModel("m", []byte(text.String())); err != nil {
			t.Fatalf("the model cannot be read back: %v\n%s", err, text.String())
		}
	})
}

func TestWhatAModelCannotSayIsAWarningOrAnError(t *testing.T) {
	d := calibrate.Default()
	d.Weights, d.Concurrency = []int64{1}, []int{1}
	if m := fitted(t, "synthetic(base=1ms,per_item=20us)", d); m.PerWeight != 0 || !strings.Contains(fmt.Sprint(m.Warnings), "all items had one weight") {
		t.Errorf("one weight: %v, %q", m.PerWeight, m.Warnings)
	}
	d.Sizes = []int{8}
	if m := fitted(t, "synthetic(base=1ms,per_item=20us)", d); math.Abs(m.Base-1160e3) > 1e-3 || !strings.Contains(fmt.Sprint(m.Warnings), "all batches had one size") {
		t.Errorf("one size: base %v, %q", m.Base, m.Warnings)
	}
	m := fitted(t, "synthetic(base=1ms,per_item=20us,errors=20%)", calibrate.Default())
	if math.Abs(m.Errors-0.2) > 0.05 || m.Source.Failed == 0 || m.Fit.Calls >= 9*3*30 {
		t.Errorf("errors %v, %+v", m.Errors, m.Source)
	}
	if _, err := calibrate.Fit(measured(t, "synthetic(base=1ms,errors=100%)", calibrate.Default())); err == nil || !strings.Contains(err.Error(), "calls failed") {
		t.Errorf("a backend that always fails gives %v", err)
	}
	if _, err := calibrate.Fit(calibrate.Calls{}); err == nil {
		t.Error("no calls give a model")
	}
	var bent calibrate.Calls
	for i := range 100 {
		n := 1 << (i % 8)
		bent.Alone = append(bent.Alone, calibrate.Call{Items: n, Weight: int64(n), Time: time.Duration(n*n) * time.Microsecond})
	}
	if m, err := calibrate.Fit(bent); err != nil || calibrate.Fits(m) || !strings.Contains(fmt.Sprint(m.Warnings), "do not fit") {
		t.Errorf("a cost that grows with the square gives %v, %+v", err, m)
	}
}

func TestAStoppedMeasurementGivesWhatItHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := backend.New(mustSpec(t, "synthetic(base=100ms)"), 5, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 8050*time.Millisecond)
		defer cancel()
		calls, err := calibrate.Measure(ctx, b, calibrate.Default(), func(calibrate.Progress) {})
		if err != nil || calls.Complete || len(calls.Alone) != 70 || calls.Rounds != 2 {
			t.Errorf("%v, complete %t, %d calls in %d rounds; want 80 without the 10 that warm up, and the one under way", err, calls.Complete, len(calls.Alone), calls.Rounds)
		}
		m, err := calibrate.Fit(calls)
		if err != nil || m.Complete || !strings.Contains(fmt.Sprint(m.Warnings), "stopped after 2 rounds") {
			t.Errorf("%v, %+v", err, m)
		}
	})
}

func TestTheBudgetEndsTheGrid(t *testing.T) {
	d := calibrate.Default()
	d.Budget = 10 * time.Second
	if calls := measured(t, "synthetic(base=100ms)", d); calls.Rounds != 4 || !calls.Complete || len(calls.Together) == 0 {
		t.Errorf("%d rounds of 2.7 s after a second of warm-up in 10 s; want 4", calls.Rounds)
	}
}

func TestEveryCellIsMetOnceARound(t *testing.T) {
	d := calibrate.Default()
	calls := measured(t, "synthetic(base=1us)", d)
	same := 0
	for r := range d.Rounds {
		seen := map[calibrate.Call]bool{}
		for i, c := range calls.Alone[r*27 : (r+1)*27] {
			seen[calibrate.Call{Items: c.Items, Weight: c.Weight}] = true
			if r > 0 && c.Items == calls.Alone[i].Items && c.Weight == calls.Alone[i].Weight {
				same++
			}
		}
		if len(seen) != 27 {
			t.Fatalf("round %d has %d cells", r, len(seen))
		}
	}
	if same > 100 {
		t.Errorf("%d of %d calls have the place of the first round: the order is not drawn", same, 29*27)
	}
}

func TestBadDesignsAreRefusedWithEveryFault(t *testing.T) {
	d := calibrate.Design{Sizes: []int{0}, Weights: []int64{1, 1}, Rounds: 1, Warmup: -1}
	_, err := calibrate.Measure(t.Context(), nil, d, nil)
	for _, want := range []string{"sizes is out of range", "item_weights has a value twice", "concurrency has 0 values", "rounds 1 is out", "warmup_calls -1", "budget 0s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v has no %q", err, want)
		}
	}
}
