package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// ran is a run of the whole command with a made-up result in place of a run.
type ran struct {
	code           int
	stdout, stderr string
	settings       settings.Settings // that the run was given
	started        bool
}

// try runs ferryctl with args. change, if not nil, sets up more of the environ.
func try(run runner, change func(*environ), args ...string) ran {
	var r ran
	var stdout, stderr bytes.Buffer
	env := environ{
		args: args, stdout: &stdout, stderr: &stderr,
		width:   func() int { return 60 },
		signals: func() (<-chan os.Signal, func()) { return nil, func() {} },
		exit:    func(int) {},
		run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
			r.settings, r.started = s, true
			return run(s, o)
		},
	}
	if change != nil {
		change(&env)
	}
	r.code = execute(env)
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

// gives is a runner whose run ends at once with r and err.
func gives(r *bench.Result, err error) runner {
	return func(settings.Settings, bench.Options) (*bench.Result, error) { return r, err }
}

func result(verdict bench.Verdict, slo ...bench.SLO) *bench.Result {
	r := &bench.Result{Schema: bench.Schema, Complete: true, SLO: slo}
	r.Measurement.Verdict = verdict
	r.Measurement.Reasons = []string{"a reason"}
	if verdict == bench.Invalid {
		r.Measurement.Reasons, r.Measurement.InvalidReasons = append(r.Measurement.Reasons, "a doubt"), 1
	}
	return r
}

func TestExitCodeAndWordsFollowFromTheResult(t *testing.T) {
	met, missed := bench.SLO{Term: "p99<=1ms", OK: true}, bench.SLO{Term: "rejected<=1%", Value: bench.Some(0.25), Unit: "ratio"}
	unknown := bench.SLO{Term: "p50<=1ms", Note: "no data: nothing"}
	tests := []struct {
		name   string
		run    runner
		code   int
		errors []string
	}{
		{"done", gives(result(bench.Valid, met), nil), exitDone, nil},
		{"suspect is done", gives(result(bench.Suspect), nil), exitDone, nil},
		{
			"missed", gives(result(bench.Valid, met, missed, unknown), nil), exitSLOMissed,
			[]string{"SLO missed: rejected<=1%: 25.0 %", "SLO missed: p50<=1ms: no data: nothing"},
		},
		{
			"invalid outranks missed", gives(result(bench.Invalid, missed), nil), exitInvalid,
			[]string{"measurement invalid: a reason", "measurement suspect: a doubt", "SLO missed: rejected<=1%: 25.0 %"},
		},
		{"failed on the way", gives(result(bench.Valid, missed), errors.New("it broke")), exitFailed, []string{"it broke"}},
		{"failed at once", gives(nil, errors.New("it broke")), exitFailed, []string{"it broke"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := try(tt.run, nil, "bench")
			if r.code != tt.code {
				t.Errorf("exit code %d, want %d", r.code, tt.code)
			}
			var got []string
			for line := range strings.Lines(r.stderr) {
				if text, ok := strings.CutPrefix(line, "ferryctl: error: "); ok {
					got = append(got, strings.TrimSpace(text))
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.errors, "\n") {
				t.Errorf("errors %q, want %q", got, tt.errors)
			}
		})
	}
}

func TestASignalOutranksTheVerdictsAndMarksTheResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	signals := make(chan os.Signal, 1)
	run := func(_ settings.Settings, o bench.Options) (*bench.Result, error) {
		signals <- syscall.SIGTERM
		<-o.Stop
		return result(bench.Invalid), nil
	}
	r := try(run, func(e *environ) { e.signals = func() (<-chan os.Signal, func()) { return signals, func() {} } }, "bench", "-o", "json="+file)
	if r.code != exitTerminate {
		t.Errorf("exit code %d, want %d", r.code, exitTerminate)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Complete *bool }
	if err := json.Unmarshal(text, &doc); err != nil || doc.Complete == nil || *doc.Complete {
		t.Errorf("complete is %v (%v), want false", doc.Complete, err)
	}
}

func TestFlagOutranksEnvironmentOutranksProfile(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(profile, []byte("kernel:\n  batch_size: 2\n  in_flight: 2\n  queue: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := try(gives(result(bench.Valid), nil), func(e *environ) {
		e.vars = []string{"FERRYCTL_IN_FLIGHT=3", "FERRYCTL_QUEUE=3", "FERRYCTL_PROFILE=" + profile}
	}, "bench", "--queue", "4")
	s := r.settings
	if s.BatchSize != 2 || s.InFlight != 3 || s.Queue != 4 || s.QueueWeight != settings.Unlimited {
		t.Errorf("batch_size %d, in_flight %d, queue %d, queue_weight %d; want 2, 3, 4, unlimited\n%s",
			s.BatchSize, s.InFlight, s.Queue, s.QueueWeight, r.stderr)
	}
}

func TestEveryKnobHasItsFlagVariableAndSet(t *testing.T) {
	for _, k := range settings.Knobs() {
		if k.Name == "trace" || k.Example == k.Default {
			continue // wants a file; has one value only
		}
		for _, give := range []struct {
			args []string
			env  string
		}{
			{args: []string{"--" + k.Flag, k.Example}},
			{args: []string{"--set", k.Name + "=" + k.Example}},
			{env: "FERRYCTL_" + strings.ToUpper(k.Name) + "=" + k.Example},
		} {
			args := append([]string{"profiles", "show"}, give.args...)
			r := try(nil, func(e *environ) { e.vars = []string{give.env} }, args...)
			if r.code == exitUsage && strings.Contains(r.stderr, k.Name) {
				continue // it was understood, and refused for want of another knob
			}
			if r.code != exitDone || r.stderr != "" {
				t.Errorf("%v: exit code %d: %s", give, r.code, r.stderr)
			}
		}
	}
}

func TestNothingStartsOnAFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	r := try(gives(result(bench.Valid), nil), nil, "bench", "--queue", "0", "-o", "json="+file)
	if r.started || r.code != exitUsage || r.stdout != "" {
		t.Errorf("started %v, exit code %d, stdout %q", r.started, r.code, r.stdout)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

func TestProgressIsSparseInAPipeAndLiveOnATerminal(t *testing.T) {
	start := time.Now()
	feed := func(p *progress) {
		for i := range 250 { // 25 seconds
			s := bench.Progress{Phase: bench.PhaseWarmup, Elapsed: time.Duration(i) * 100 * time.Millisecond, Total: time.Minute}
			if i >= 5 {
				s.Phase = bench.PhaseMeasure
			}
			p.update(start.Add(s.Elapsed), s)
		}
	}
	var plain, live strings.Builder
	feed(&progress{screen: &screen{w: &plain}})
	feed(&progress{screen: &screen{w: &live}, live: true, width: func() int { return 40 }})
	if got := strings.Count(plain.String(), "\n"); got != 4 || strings.ContainsAny(plain.String(), "\r\x1b") {
		t.Errorf("in a pipe %d lines, want one a phase and two more:\n%q", got, plain.String())
	}
	if got := strings.Count(live.String(), "\r"); got < 100 || got > 130 || strings.ContainsAny(live.String(), "\n\x1b") {
		t.Errorf("on a terminal %d draws in 25 s, want five a second", got)
	}
}

func TestALiveRunLeavesTheScreenClean(t *testing.T) {
	run := func(_ settings.Settings, o bench.Options) (*bench.Result, error) {
		o.Progress(bench.Progress{Phase: bench.PhaseMeasure, Elapsed: time.Second, Total: time.Minute})
		return result(bench.Valid), nil
	}
	r := try(run, func(e *environ) { e.terminal, e.vars = true, []string{"TERM=xterm"} }, "bench", "--seed", "1")
	if got := shown(r.stderr); strings.Contains(strings.Join(got, "\n"), "measuring") || !strings.Contains(r.stderr, "measuring") {
		t.Errorf("the screen shows %q", got)
	}
}

func TestAsciiKeepsWidth(t *testing.T) {
	var b strings.Builder
	if n, err := io.WriteString(asciiWriter{&b}, "12 µs █▎–…é"); n != len("12 µs █▎–…é") || err != nil || b.String() != "12 us #--~?" {
		t.Errorf("wrote %q, %d, %v", b.String(), n, err)
	}
}
