package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferryctl/bench/backend"
	"ferryctl/bench/settings"
)

// modelFile writes a model of 1 ms a call and 20 us an item, calibrated on batches
// of up to 8 inputs and from a backend that takes 2 ms a call, and returns its path.
func modelFile(t testing.TB, change func(*backend.Model)) string {
	t.Helper()
	m := &backend.Model{
		Complete: true, Base: 1e6, PerItem: 2e4, Scatter: backend.Scatter{Shape: backend.ModelFixed},
		Range:  backend.Range{MinItems: 1, MaxItems: 8, MinWeight: 1, MaxWeight: 8, MaxInFlight: 2},
		Source: backend.ModelSource{Backend: "synthetic(base=2ms)"},
	}
	change(m)
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAModelDecidesHowLongCallsTake(t *testing.T) {
	load := []string{"kernel", "make", "rate", "2k/s", "items", "5000", "seed", "4", "in_flight", "2", "batch_size", "8", "queue", "100"}
	file := modelFile(t, func(*backend.Model) {})
	r := runVirtual(t, append(load, "backend", "model:"+file)...)
	same := runVirtual(t, append(load, "backend", "synthetic(base=1ms,per_item=20us)")...)
	if r.Latency.Sojourn.Mean != same.Latency.Sojourn.Mean || r.Histograms != same.Histograms {
		t.Errorf("the model gives %+v, its law %+v", r.Latency.Sojourn, same.Latency.Sojourn)
	}
	m := r.CostModel
	if m == nil || m.File != file || len(m.SHA256) != 64 || m.Backend != "synthetic(base=2ms)" || m.Calls == 0 || m.Extrapolated != 0 || same.CostModel != nil {
		t.Fatalf("the result has %+v", m)
	}
	wide := runVirtual(t, append(load, "backend", "model:"+file, "batch_size", "9", "in_flight", "1", "rate", "20k/s")...)
	if m := wide.CostModel; m.Extrapolated == 0 || !strings.Contains(strings.Join(wide.Warnings, "\n"), "unlike any that "+file+" was calibrated on, which were of 1 to 8 inputs") {
		t.Errorf("batches of 9 by a model of 8: %+v, %q", m, wide.Warnings)
	}
	many := runVirtual(t, append(load, "backend", "model:"+file, "in_flight", "3", "rate", "20k/s")...)
	if m := many.CostModel; m.Extrapolated == 0 || m.Extrapolated > m.Calls {
		t.Errorf("three calls at once by a model of two: %+v", m)
	}
}

func TestAModelsOwnLimitAndErrorsHold(t *testing.T) {
	file := modelFile(t, func(m *backend.Model) {
		m.PerItem, m.Concurrency, m.Errors, m.Warnings = 0, 1, 0.25, []string{"take care"}
	})
	r := runVirtual(t, "kernel", "make", "clients", "4", "items", "4000", "seed", "4", "batch_size", "1", "backend", "model:"+file)
	if got := r.Latency.Service.P50.Or(0); got < 3.9e6 || got > 4.1e6 {
		t.Errorf("four calls at a backend that serves one take %v ns, want 4 ms", got)
	}
	if got := float64(r.Counts.Failed) / float64(r.Counts.Offered); got < 0.22 || got > 0.28 {
		t.Errorf("%v of the items failed, want a quarter", got)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "calibrated model "+file+": take care") {
		t.Errorf("the model's warning is not among %q", r.Warnings)
	}
}

// By both clocks a model is held to the backend that it was calibrated from.
func TestBothClocksHoldAModelToItsBackend(t *testing.T) {
	file := modelFile(t, func(*backend.Model) {})
	s := virtualSettings(t, "rate", "200/s", "items", "100", "warmup", "0s", "seed", "3", "direct", "on", "backend", "model:"+file)
	s.Clock = settings.Both
	r, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Latency.Service.Min.Or(0); got < 2e6 {
		t.Errorf("a call took %v ns in real time: the model's backend takes 2 ms", got)
	}
	if b, _ := r.Settings.Get("backend"); b != "model:"+file || r.CostModel == nil {
		t.Errorf("the backend is %q, the model %+v", b, r.CostModel)
	}
	if r.Model == nil || r.Model.Trust || r.Model.Figures[2].Virtual.Or(0) > 1.5e6 {
		t.Errorf("2 ms are taken for 1 ms: %+v", r.Model)
	}
	s.Backend = mustLoad(t, modelFile(t, func(m *backend.Model) { m.Source.Backend = "postgres:host=x" }))
	if _, err := Run(s, Options{}); err == nil || !strings.Contains(err.Error(), "source.backend") {
		t.Errorf("a model of a backend that cannot be called gives %v", err)
	}
}

func mustLoad(t *testing.T, file string) backend.Spec {
	t.Helper()
	spec, err := backend.Spec{Kind: backend.ModelKind, File: file}.Load()
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestAModelThatIsNotThereStartsNothing(t *testing.T) {
	s := virtualSettings(t, "items", "100", "backend", "model:no-such.yaml")
	if r, err := Run(s, Options{}); r != nil || err == nil || !strings.Contains(err.Error(), "no-such.yaml") {
		t.Errorf("%v, %v", r, err)
	}
	free := modelFile(t, func(m *backend.Model) { m.Base, m.PerItem = 0, 0 })
	s = virtualSettings(t, "clients", "2", "duration", "1s", "backend", "model:"+free)
	if _, err := Run(s, Options{}); err == nil || !strings.Contains(err.Error(), "takes no time") {
		t.Errorf("clients of a model without costs: %v", err)
	}
}
