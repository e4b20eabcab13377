package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// fiftyPoints are the flags of a sweep of 50 points that takes a second or two.
var fiftyPoints = []string{
	"sweep", "--kernel", "make", "--rate", "20k/s", "--items", "10k", "--seed", "5", "--jobs", "2",
	"--backend", "synthetic(base=1ms,dist=exponential)", "--batch-size", "1..10:+1", "--batch-delay", "0s..4ms:+1ms",
}

// sweepFile returns the path of the file of the sweep in dir.
func sweepFile(dir string) string { return filepath.Join(dir, sweep.File) }

// whole returns the bytes of the finished sweep of fiftyPoints.
func whole(t *testing.T) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "whole")
	ferryctl(t, nil, append(slices.Clone(fiftyPoints), "--out", dir)...)
	text, err := os.ReadFile(sweepFile(dir))
	if err != nil || bytes.Count(text, []byte("\n")) != 51 {
		t.Fatalf("the sweep has %d lines, %v", bytes.Count(text, []byte("\n")), err)
	}
	return text
}

// runsIn counts the whole records of a sweep's file.
func runsIn(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(sweepFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	return max(0, bytes.Count(text, []byte("\n"))-1)
}

// TestASweepThatIsKilledAgainAndAgainEndsWithTheSameFile kills the process when its
// file has grown to sizes drawn from a seed, at whatever it is doing then. A record
// that was whole is never made again.
func TestASweepThatIsKilledAgainAndAgainEndsWithTheSameFile(t *testing.T) {
	want := whole(t)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "killed")
	args := append(slices.Clone(fiftyPoints), "--out", dir)
	chance := rand.New(rand.NewPCG(11, 17))
	kills := 0
	for at := int64(0); ; {
		at += 1 + chance.Int64N(int64(len(want)/4))
		s := startCommand(t, exec.Command(path, args...))
		over := make(chan struct{})
		go func() {
			for range s.lines { // nobody waits for it
			}
			close(over)
		}()
		for grown := false; !grown; {
			select {
			case <-over:
				grown = true
			default:
				info, err := os.Stat(sweepFile(dir))
				grown = err == nil && info.Size() >= at
			}
		}
		_ = s.cmd.Process.Kill() // it may have ended
		<-over
		_ = s.cmd.Wait()
		if s.cmd.ProcessState.Exited() {
			if code := s.cmd.ProcessState.ExitCode(); code != exitDone {
				t.Fatalf("exit code %d", code)
			}
			break
		}
		kills++
		before := runsIn(t, dir)
		store, err := sweep.Open(dir, versionIn(t, dir))
		if err != nil {
			t.Fatalf("after kill %d: %v", kills, err)
		}
		if held, _ := store.Len(); held != before {
			t.Errorf("after kill %d: %d runs are kept of %d that were whole", kills, held, before)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		args = []string{"sweep", "--resume", dir, "--jobs", "2"}
	}
	if kills < 2 {
		t.Errorf("it was killed %d times", kills)
	}
	if got, err := os.ReadFile(sweepFile(dir)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after %d kills the file is another one, %v", kills, err)
	}
}

// versionIn returns the version by which the sweep in dir was begun.
func versionIn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(sweepFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(text, []byte("\n"))
	var h sweep.Header
	if err := json.Unmarshal(head, &h); err != nil {
		t.Fatal(err)
	}
	return h.Version
}

// TestOneSignalFinishesTheRunningPointsAndSaysHowToGoOn: and that command works.
func TestOneSignalFinishesTheRunningPointsAndSaysHowToGoOn(t *testing.T) {
	want := whole(t)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a folder")
	s := startCommand(t, exec.Command(path, append(slices.Clone(fiftyPoints), "--out", dir, "-o", "csv")...))
	s.until("50 points, 2 at once")
	s.signal(syscall.SIGINT)
	s.ends(exitInterrupt)
	said := strings.Join(s.seen, "\n")
	held := runsIn(t, dir)
	if held == 50 || !strings.Contains(said, fmt.Sprintf("%d of 50 runs are kept; go on with", held)) {
		t.Errorf("with %d runs in the file it says\n%s", held, said)
	}
	again := regexp.MustCompile(`(?m)^ferryctl:   ferryctl (sweep --resume .*)$`).FindStringSubmatch(said)
	if again == nil {
		t.Fatalf("it does not say how to go on:\n%s", said)
	}
	resumed := startCommand(t, exec.Command("sh", "-c", path+" "+again[1]))
	resumed.ends(exitDone)
	if got, err := os.ReadFile(sweepFile(dir)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the resumed file is another one, %v", err)
	}
	if rows := strings.Count(resumed.stdout.String(), "\r\n"); rows != 51 {
		t.Errorf("the resumed sweep prints %d rows of CSV, want 51", rows)
	}
}

// TestASecondSignalLeavesASweepAtOnce: in a run that would take a minute.
func TestASecondSignalLeavesASweepAtOnce(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	s := startCommand(t, exec.Command(path, "sweep", "--clock", "real", "--duration", "1m", "--batch-size", "1,8", "--out", dir))
	s.until("2 points, each measured 3 times, 1 at once")
	s.signal(syscall.SIGTERM)
	s.until("no further point is begun")
	s.signal(syscall.SIGTERM)
	s.ends(exitTerminate)
	if held := runsIn(t, dir); held != 0 {
		t.Errorf("%d runs are kept, of which none had ended", held)
	}
	if !strings.Contains(s.stdout.String(), "stopped at 0 of 6 runs") {
		t.Errorf("stdout has\n%s", s.stdout.String())
	}
}

func TestASweepSaysWhereItIs(t *testing.T) {
	k := sweep.Axis{Knob: "batch_size", Text: "1,8", Source: "flag --batch-size", Values: []sweep.Value{{Text: "1", Amount: 1}, {Text: "8", Amount: 8}}}
	base := settings.Default()
	if err := base.Set("clock", settings.Virtual, "default"); err != nil {
		t.Fatal(err)
	}
	space, err := sweep.NewSpace(base, []sweep.Axis{k}, sweep.Sample{}, false)
	if err != nil {
		t.Fatal(err)
	}
	o, err := sweep.ParseObjectives("throughput,p99")
	if err != nil {
		t.Fatal(err)
	}
	m := sweep.Mark{Point: 2, Figures: []float64{48_000, 2.1e6}}
	got := sweepLine(sweep.Progress{
		Points: 1200, PointsDone: 300, Runs: 3600, RunsDone: 1000, ETA: 72 * time.Second,
		Best: []sweep.Best{{Objective: o[0], Mark: m}, {Objective: o[1], Mark: m}},
	}, space)
	want := "300 of 1,200 points, 1,000 of 3,600 runs, 72.0 s left, best throughput 48.0k/s (batch_size 8), best p99 2.10 ms (batch_size 8)"
	if got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

func TestTheExitCodeOfASweepFollowsFromAllItsPoints(t *testing.T) {
	point := func(v bench.Verdict, slo sweep.Met) sweep.Outcome { return sweep.Outcome{Verdict: v, SLO: slo} }
	for _, tt := range []struct {
		outcomes []sweep.Outcome
		signal   int
		failed   error
		want     int
	}{
		{nil, 0, nil, exitDone},
		{[]sweep.Outcome{point(bench.Valid, sweep.NoSLO), point(bench.Invalid, sweep.NoSLO)}, 0, nil, exitDone},
		{[]sweep.Outcome{point(bench.Valid, sweep.Missed), point(bench.Suspect, sweep.SLOMet)}, 0, nil, exitDone},
		{[]sweep.Outcome{point(bench.Valid, sweep.Missed), point(bench.Invalid, sweep.SLOMet)}, 0, nil, exitSLOMissed},
		{[]sweep.Outcome{point(bench.Invalid, sweep.SLOMet)}, 0, nil, exitInvalid},
		{[]sweep.Outcome{point(bench.Invalid, sweep.SLOMet)}, 0, os.ErrClosed, exitFailed},
		{[]sweep.Outcome{point(bench.Valid, sweep.NoSLO)}, exitInterrupt, nil, exitInterrupt},
	} {
		if got := exitCode(concludeSweep(&sweep.Report{Outcomes: tt.outcomes}, tt.signal, tt.failed)); got != tt.want {
			t.Errorf("%v, signal %d, %v: exit code %d, want %d", tt.outcomes, tt.signal, tt.failed, got, tt.want)
		}
	}
}
