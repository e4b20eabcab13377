package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/export"
)

// binaryDir holds the real command once binary has built it.
var binaryDir string

// binary builds the real command once; the tests below send signals to it.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ferryctl-test")
	if err != nil {
		return "", err
	}
	binaryDir = dir
	path := filepath.Join(dir, "ferryctl")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// A session is a running ferryctl whose stderr is read line by line.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  chan string // of stderr; closed at its end
	seen   []string
	stdout bytes.Buffer
	file   string // of the JSON result
}

// start runs ferryctl bench with the JSON result in a file.
func start(t *testing.T, args ...string) *session {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "result.json")
	s := startCommand(t, exec.Command(path, append([]string{"bench", "-o", "json=" + file}, args...)...))
	s.file = file
	return s
}

func startCommand(t *testing.T, cmd *exec.Cmd) *session {
	t.Helper()
	s := &session{t: t, cmd: cmd, lines: make(chan string, 1000)}
	s.cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm"}
	s.cmd.Stdout = &s.stdout
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Not a limit on how long it may take, only on how long a broken build hangs.
	guard := time.AfterFunc(2*time.Minute, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		guard.Stop()
		_ = s.cmd.Process.Kill() // it has ended, unless the test failed
	})
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

// until reads stderr up to a line that contains text.
func (s *session) until(text string) {
	s.t.Helper()
	for line := range s.lines {
		s.seen = append(s.seen, line)
		if strings.Contains(line, text) {
			return
		}
	}
	s.t.Fatalf("stderr ended without %q:\n%s", text, strings.Join(s.seen, "\n"))
}

func (s *session) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end of the process, which must come with the code.
func (s *session) ends(code int) {
	s.t.Helper()
	for line := range s.lines {
		s.seen = append(s.seen, line)
	}
	_ = s.cmd.Wait() // the state says more
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d (%s), want %d; stderr:\n%s", got, s.cmd.ProcessState, code, strings.Join(s.seen, "\n"))
	}
}

// result reads the JSON file, which must be whole.
func (s *session) result() *bench.Result {
	s.t.Helper()
	f, err := os.Open(s.file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	r, err := export.Read(f)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// TestOneSignalInAnyPhaseStillReports stops the real binary in each phase.
func TestOneSignalInAnyPhaseStillReports(t *testing.T) {
	long := []string{"--rate", "1k/s", "--duration", "1h"}
	tests := []struct {
		phase bench.Phase
		args  []string
		sig   syscall.Signal
		code  int
	}{
		{bench.PhaseCeiling, long, syscall.SIGINT, exitInterrupt},
		{bench.PhaseWarmup, append(long, "--warmup", "50%"), syscall.SIGTERM, exitTerminate},
		{bench.PhaseMeasure, append(long, "--warmup", "0s"), syscall.SIGHUP, exitHangup},
		{bench.PhaseDrain, []string{
			"--items", "10", "--rate", "1k/s", "--warmup", "0s", "--drain", "1h",
			"--backend", "synthetic(base=1h)",
		}, syscall.SIGINT, exitInterrupt},
	}
	for _, tt := range tests {
		t.Run(tt.phase.String(), func(t *testing.T) {
			s := start(t, tt.args...)
			s.until("ferryctl: " + tt.phase.String())
			s.signal(tt.sig)
			if tt.phase == bench.PhaseDrain { // one signal lets it drain on
				s.until("draining what is in the room")
				s.signal(tt.sig)
			}
			s.ends(tt.code)
			r := s.result()
			if r.Complete {
				t.Error("the result says that it is complete")
			}
			if c := r.Counts; c.Offered != c.Done+c.Rejected+c.Failed+c.Cancelled+c.Unsent+c.InFlightAtEnd {
				t.Errorf("the counts don't add up: %+v", c)
			}
			if !strings.Contains(s.stdout.String(), "stopped early") {
				t.Errorf("the table doesn't say that the run was stopped:\n%s", s.stdout.String())
			}
		})
	}
}

// TestASignalWhileWritingCutsNothingOff holds the writer up with a named pipe
// that nobody reads until the signal has been taken.
func TestASignalWhileWritingCutsNothingOff(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--items", "100", "--rate", "1k/s", "-o", "csv="+pipe)
	s.until("writing")
	s.signal(syscall.SIGTERM)
	s.until("SIGTERM")
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil || bytes.Count(text, []byte("\n")) < 2 {
		t.Errorf("the pipe carried %q, %v", text, err)
	}
	s.ends(exitTerminate)
	if !s.result().Complete {
		t.Error("the run was over, but its result says that it is not complete")
	}
}

// TestTwoSignalsLeaveAWriterThatHangs: nobody ever reads the pipe.
func TestTwoSignalsLeaveAWriterThatHangs(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--items", "100", "--rate", "1k/s", "-o", "csv="+pipe)
	s.until("writing")
	s.signal(syscall.SIGINT)
	s.until("SIGINT")
	s.signal(syscall.SIGINT)
	s.ends(exitInterrupt)
	s.result()
}

// TestAClosedPipeEndsItQuietly: the reader of stdout is gone before the result comes.
func TestAClosedPipeEndsItQuietly(t *testing.T) {
	for _, args := range [][]string{{"bench", "--clients", "2", "--items", "1000"}, {"profiles", "list"}, {"version"}} {
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var stderr bytes.Buffer
		cmd := exec.Command(path, args...)
		cmd.Stdout, cmd.Stderr = w, &stderr
		_ = cmd.Run() // the state says more
		w.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitFailed {
			t.Errorf("%v: exit code %d (%s), want %d", args, code, cmd.ProcessState, exitFailed)
		}
		if text := stderr.String(); strings.Contains(text, "error") || strings.Contains(text, "goroutine") {
			t.Errorf("%v: not quiet:\n%s", args, text)
		}
	}
}

// TestNohupIsHeeded: a process that was started to outlive its terminal does.
func TestNohupIsHeeded(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, exec.Command("sh", "-c", `trap "" HUP; exec "$0" bench --rate 1k/s --duration 1h --warmup 0s`, path))
	s.until("ferryctl: measuring")
	s.signal(syscall.SIGHUP)
	s.signal(syscall.SIGINT)
	s.ends(exitInterrupt)
}
