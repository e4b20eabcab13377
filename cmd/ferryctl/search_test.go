package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferryctl/bench/capacity"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
)

// TestASignalEndsASearchWithWhatItHas: both searches write what they measured, marked
// as not complete. Their runs would take an hour in all.
func TestASignalEndsASearchWithWhatItHas(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"tune":     {"tune", "--profile", "hotkeys", "--seed", "1", "--duration", "1h"},
		"capacity": {"capacity", "--profile", "hotkeys", "--slo", "p99<=20ms", "--seed", "1", "--duration", "1h"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			s := startCommand(t, exec.Command(path, append(args, "--jobs", "1", "--out", dir)...))
			s.until("1 at once")
			s.signal(syscall.SIGINT)
			s.until("no further run is begun")
			s.signal(syscall.SIGINT)
			s.ends(exitInterrupt)
			text, err := os.ReadFile(filepath.Join(dir, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var doc struct {
				Schema   string
				Complete bool
			}
			if err := json.Unmarshal(text, &doc); err != nil || doc.Complete || doc.Schema != "ferryctl."+name+"/v1" {
				t.Errorf("%v: %+v", err, doc)
			}
		})
	}
}

func TestSearchesSayWhereTheyAre(t *testing.T) {
	o, err := tune.ParseObjective("p99", false)
	if err != nil {
		t.Fatal(err)
	}
	got := tuneLine(lab.Progress{Phase: "descent", Runs: 400, RunsDone: 40, ETA: 72 * time.Second},
		&tune.Best{Settings: "batch_size 8", Value: 2.1e6}, o)
	if want := "descent: 40 of about 400 runs, 72.0 s left, best p99 2.10 ms (batch_size 8), which misses the SLO"; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	got = capacityLine(lab.Progress{Phase: "bisect", Runs: 121, RunsDone: 26, ETA: 3 * time.Second}, capacity.Bracket{Low: 80_000, High: 90_000})
	if want := "bisect: 26 of about 121 runs, 3.00 s left, kept at 80.0k/s, missed at 90.0k/s"; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

// TestASavedProfileGivesTheRecommendedSettings: whatever the flags were.
func TestASavedProfileGivesTheRecommendedSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "best.yaml")
	out := ferryctl(t, nil, "tune", "--kernel", "make", "--rate", "8k/s", "--backend", "synthetic(base=4ms,per_item=50us,concurrency=4)",
		"--minimize", "cost", "--slo", "p99<=25ms", "--batch-size", "64,128", "--batch-delay", "0s,8ms", "--items", "10k", "--seed", "1", "--confirm", "0", "--save", file)
	shown := ferryctl(t, nil, "profiles", "show", file)
	for _, want := range []string{"batch_size: 128 ", "batch_delay: 8ms ", "rate: 8k/s ", "kernel: make ", "slo: 'p99<=25ms,rejected<=0.1%' ", "clock: real "} {
		if !strings.Contains(shown, want) {
			t.Errorf("the profile lacks %q:\n%s\nafter\n%s", want, shown, out)
		}
	}
}
