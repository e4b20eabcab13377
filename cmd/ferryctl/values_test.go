package main

import (
	"regexp"
	"strings"
	"testing"

	"ferryctl/bench/settings"
)

// TestTheValuesThatHelpNamesAreTaken holds the topic to the knobs' own readers.
func TestTheValuesThatHelpNamesAreTaken(t *testing.T) {
	r := try(nil, nil, "help", "values")
	if r.code != exitDone || r.stdout != valuesText {
		t.Fatalf("help values ends with %d and prints\n%s", r.code, r.stdout)
	}
	take := func(knob, value string) {
		t.Helper()
		if !strings.Contains(valuesText, value) {
			t.Errorf("the topic does not name %q", value)
		}
		s := settings.Default()
		if err := s.Set(knob, value, "flag --"+knob); err != nil {
			t.Error(err)
		}
	}
	for knob, values := range map[string][]string{
		"rate":         {"50k/s", "max", "ramp:1k/s..80k/s/60s", "500/s", "1.2M/s"},
		"arrivals":     {"poisson", "constant", "bursty(factor=4,on=1s,off=9s)", "trace"},
		"weights":      {"4KiB", "constant(4KiB)", "uniform(min=1,max=100)", "lognormal(median=4KiB,sigma=1)", "pareto(min=1KiB,alpha=1.5)"},
		"batch_weight": {"10k", "1.5M", "2G", "1T", "512B", "1MiB", "1GiB", "1TiB", "unlimited"},
		"batch_delay":  {"250ns", "20us", "1.5ms", "2s", "5m", "1h", "1m30s", "0s", "never"},
		"lanes":        {"gold=0.2,free=0.8"},
		"warmup":       {"5%", "2s"},
		"slo":          {"p99<=20ms,rejected<=0.1%"},
	} {
		for _, v := range values {
			take(knob, v)
		}
	}
	s := settings.Default()
	_, block, _ := strings.Cut(valuesText, "Backend (")
	block, _, _ = strings.Cut(block, "\n\n")
	fields := regexp.MustCompile(`(?m)^  ([a-z_]+) +[A-Zh0]`).FindAllStringSubmatch(block, -1)
	for _, field := range fields {
		if !strings.Contains(s.Get("backend"), field[1]+"=") {
			t.Errorf("the backend has no %s", field[1])
		}
	}
	if n := strings.Count(s.Get("backend"), "="); len(fields) != n {
		t.Errorf("the topic names %d fields of the backend, which has %d", len(fields), n)
	}
	for _, metric := range []string{"p50", "p99", "p99.9", "mean", "max"} {
		if err := s.Set("slo", metric+"<=1ms", "flag --slo"); err != nil {
			t.Error(err)
		}
	}
	for line := range strings.Lines(valuesText) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}
