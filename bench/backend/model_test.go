package backend_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
)

// modelOf returns a model of 1 ms a call, 20 us an item and 0.25 ns a unit of
// weight with a scatter.
func modelOf(s backend.Scatter) *backend.Model {
	return &backend.Model{
		Complete: true, Base: 1e6, PerItem: 2e4, PerWeight: 0.25, Concurrency: 3, Errors: 0.125, Scatter: s,
		Range: backend.Range{MinItems: 1, MaxItems: 64, MinWeight: 1, MaxWeight: 1 << 20, MaxInFlight: 8},
		Fit: backend.ModelFit{
			Calls: 900, Cells: 27, RSquared: 0.998, BaseError: 12.5, ConcurrencyInFlight: []float64{1, 2}, ConcurrencyServiceMeanNS: []float64{1e6, 1e6 + 0.1},
		},
		Source: backend.ModelSource{
			Command: "ferryctl calibrate --backend 'synthetic(base=1ms)'", Backend: "synthetic(base=1ms)", Seed: math.MaxUint64,
			Calls: 1000, Failed: 100, Started: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC), Go: "go1.26", OS: "linux", Arch: "amd64", CPUs: 2,
			CPUModel: "x \"y\"\u2028: #é",
		},
		Warnings: []string{"one: with a colon", "# two, with \x00 and \\"},
	}
}

// written returns the model's file.
func written(t testing.TB, m *backend.Model) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// loaded returns the backend that follows the model, by way of a file.
func loaded(t testing.TB, m *backend.Model) backend.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, written(t, m), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := mustSpec(t, "model:"+file).Load()
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

var scatters = []backend.Scatter{
	{Shape: backend.ModelFixed},
	{Shape: backend.ModelExponential},
	{Shape: backend.ModelLognormal, Sigma: 0.5},
	{Shape: backend.ModelRelative, Residuals: []float64{0.5, 0.75, 1, 1.75}},
	{Shape: backend.ModelAbsolute, Residuals: []float64{-3e5, -1e5, 4e5}},
}

func TestModelsAreReadBackAsWritten(t *testing.T) {
	for _, s := range scatters {
		want := modelOf(s)
		text := written(t, want)
		got, err := backend.ParseModel("m.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(got.Hash) != 64 {
			t.Errorf("hash %q", got.Hash)
		}
		got.Hash = ""
		if len(got.Scatter.Residuals) == 0 {
			got.Scatter.Residuals = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestModelsHaveTheirMeanWhateverTheirScatter(t *testing.T) {
	const n = 200_000
	for _, s := range scatters {
		spec := loaded(t, modelOf(s))
		want := 1e6 + 10*2e4 + 0.25*4000
		if got := spec.MeanServiceTime(10, 4000); got != time.Duration(want) {
			t.Errorf("%s: the mean is %s", s.Shape, got)
		}
		sum, apart := 0.0, map[time.Duration]bool{}
		for i := range uint64(n) {
			d := spec.ServiceTime(9, i, 10, 4000)
			sum += float64(d)
			if len(apart) < 100 {
				apart[d] = true
			}
		}
		if off := sum/n/want - 1; math.Abs(off) > 0.01 {
			t.Errorf("%s: the average of the draws is off by %g", s.Shape, off)
		}
		if most := max(len(s.Residuals), 1); len(apart) > most && (s.Shape == backend.ModelFixed || len(s.Residuals) > 0) {
			t.Errorf("%s: %d different times, want %d", s.Shape, len(apart), most)
		}
	}
}

func TestModelDrawsAreTheSameEverywhere(t *testing.T) {
	var hash uint64
	for _, s := range scatters {
		spec := loaded(t, modelOf(s))
		for i := range uint64(1000) {
			hash = hash*31 + uint64(spec.ServiceTime(42, i, int(i%64)+1, int64(i)))
			if spec.Fails(42, i) {
				hash++
			}
		}
	}
	if want := uint64(0x601c2cfe5a198eb9); hash != want {
		t.Errorf("hash %#x, want %#x", hash, want)
	}
}

// A model in the place of the law that it was fitted to draws the same: settings
// compared under either see the same luck.
func TestAModelDrawsAsTheSyntheticBackendDoes(t *testing.T) {
	for dist, s := range map[string]backend.Scatter{"exponential": scatters[1], "lognormal(sigma=0.5)": scatters[2]} {
		m := modelOf(s)
		m.PerWeight = 0
		model, synthetic := loaded(t, m), mustSpec(t, "synthetic(base=1ms,per_item=20us,dist="+dist+")")
		for i := range uint64(1000) {
			if a, b := model.ServiceTime(3, i, 7, 9), synthetic.ServiceTime(3, i, 7, 9); a != b {
				t.Fatalf("%s: batch %d takes %s by the model, %s by its law", dist, i, a, b)
			}
		}
	}
}

func TestBadModelsAreRefusedWithEveryFaultAtItsPlace(t *testing.T) {
	good := string(written(t, modelOf(scatters[0])))
	for _, c := range []struct{ old, new, want string }{
		{"base_ns: 1e+06", "base_ns: fast", `m.yaml:6:12: base_ns: "fast": want a number`},
		{"base_ns: 1e+06", "base_ns: -1", `m.yaml:6:12: base_ns: "-1" is out of bounds: want nanoseconds from 0 to 3600000000000`},
		{"base_ns: 1e+06", "base_ns: .nan", `base_ns: ".nan": want a number`},
		{"base_ns: 1e+06", "base_ns: [1]", `base_ns: found a list: want one value`},
		{"base_ns:", "bas_ns:", `m.yaml:6:3: unknown key "bas_ns", did you mean base_ns`},
		{"base_ns:", "bas_ns:", `m.yaml:1:1: cost.base_ns is missing`},
		{"ferryctl.model/v1", "ferryctl.model/v2", `schema: "ferryctl.model/v2" is out of bounds: want ferryctl.model/v1`},
		{"max_items: 64", "max_items: 0", `max_items: "0" is out of bounds: want at least min_items`},
		{`shape: "fixed"`, `shape: "fix"`, `want fixed, exponential, lognormal, relative, absolute`},
		{`shape: "fixed"`, `shape: "relative"`, `scatter: the scatter is by residuals and has none`},
		{`residuals: []`, `residuals: [2, 1]`, `want at most 1000 numbers, ascending`},
		{`residuals: []`, `residuals: [1]`, `residuals are given but the shape is fixed`},
		{`residuals: []`, `residuals: 1`, `residuals: found the value "1": want a list`},
		{"sigma: 0", "sigma: 1", `sigma is given but the shape is fixed`},
		{"complete: true", "complete: yes", `complete: "yes": want true or false`},
		{"seed: 18446744073709551615", "seed: 18446744073709551616", `seed: "18446744073709551616": want a whole number`},
		{"started: \"2026-01", "started: \"2026-13", `want a time such as 2026-01-31T12:00:00Z`},
		{"range:", "rnge:", `the section range is missing`},
		{"cost:", "cost: &a", "anchors, aliases and merge keys are not allowed"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%q is not in the file", c.old)
		}
		if _, err := backend.ParseModel("m.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s is refused with\n%v\nwant %q in it", c.new, err, c.want)
		}
	}
	text := strings.NewReplacer("base_ns: 1e+06", "base_ns: x", "error_ratio: 0.125", "error_ratio: 2", "cells: 27", "cels: 27").Replace(good)
	if _, err := backend.ParseModel("m.yaml", []byte(text)); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("four faults are reported as\n%v", err)
	}
	for _, text := range []string{"", "schema: ferryctl.model/v1", "[]", "{}", "cost: 1", "\x00", strings.Repeat("a", 1<<17)} {
		if m, err := backend.ParseModel("m.yaml", []byte(text)); err == nil {
			t.Errorf("%.20q is read as %+v", text, m)
		}
	}
}

func TestAModelsFileIsNamedInWhatIsWrongWithIt(t *testing.T) {
	for text, want := range map[string]string{
		"model:":                "is no path of a file: want one that ferryctl calibrate wrote",
		"model:/no/such.yaml":   "model /no/such.yaml: no such file or directory",
		"model:" + t.TempDir():  "is no regular file",
		"modle:x.yaml":          "want a name",
		"model:model_test.go":   "model_test.go:",
		"model:" + "\x00" + "a": "is no path of a file",
	} {
		spec, err := backend.ParseSpec(text)
		if err == nil {
			_, err = spec.Load()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q in it", text, err, want)
		}
	}
}

func TestCallsBeyondTheModelsRangeAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modelOf(scatters[0])
		m.Errors = 0
		b, err := backend.New(loaded(t, m), 1, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for i, c := range []struct {
			items  int
			weight int64
		}{{1, 1}, {64, 1 << 20}, {65, 100}, {1, 1<<20 + 1}, {1, 0}} {
			began := time.Now()
			if err := b.Call(t.Context(), uint64(i), c.items, c.weight); err != nil {
				t.Fatal(err)
			}
			if took, want := time.Since(began), time.Duration(1e6+2e4*float64(c.items)+0.25*float64(c.weight)+0.5); took != want {
				t.Errorf("call %d takes %s, want %s", i, took, want)
			}
		}
		if got := b.Stats(); got.Calls != 5 || got.Extrapolated != 3 {
			t.Errorf("%+v; want 3 of 5 calls beyond the range", got)
		}
		done := make(chan error)
		for i := range 10 { // the ninth and the tenth at once are too many
			go func() { done <- b.Call(t.Context(), uint64(i), 1, 1) }()
		}
		for range 10 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if got := b.Stats(); got.Calls != 15 || got.Extrapolated != 5 {
			t.Errorf("%+v; want 5 of 15 calls beyond the range", got)
		}
	})
}
