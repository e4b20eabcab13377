package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// A stuck writer takes nothing until it is free, and then everything.
type stuck struct {
	strings.Builder
	free chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	return s.Builder.Write(p)
}

func TestWhoWritesToARelayNeverWaits(t *testing.T) {
	w := &stuck{free: make(chan struct{})}
	r := newRelay(w)
	line := strings.Repeat("x", 99) + "\n"
	for range 10 * relayHolds / len(line) { // far more than it keeps
		if n, err := r.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatalf("took %d, %v", n, err)
		}
	}
	if !r.behind() {
		t.Error("a relay whose writer is stuck is not behind")
	}
	close(w.free)
	<-r.close()
	got := w.String()
	if strings.ReplaceAll(got, line, "") != "" {
		t.Errorf("handed on parts of lines: %.300q", got)
	}
	if n := len(got); n < relayHolds/2 || n > 2*relayHolds {
		t.Errorf("kept %d bytes, want about %d", n, relayHolds)
	}
	if r.behind() {
		t.Error("a relay is behind after its close")
	}
	_, _ = r.Write([]byte("late")) // must not panic
	<-r.close()
}

func TestARelayHandsOnEverythingInOrder(t *testing.T) {
	var b strings.Builder
	r := newRelay(&b)
	want := ""
	for _, part := range strings.SplitAfter("a, b, c, d, e, f, g", " ") {
		_, _ = r.Write([]byte(part)) // never fails
		want += part
	}
	<-r.close()
	if b.String() != want {
		t.Errorf("handed on %q, want %q", b.String(), want)
	}
}

// TestLiveLinesLeaveTheRoomToMessages: the live line is redrawn for as long as
// the terminal is stuck, and the message that comes then is not lost to it.
func TestLiveLinesLeaveTheRoomToMessages(t *testing.T) {
	w := &stuck{free: make(chan struct{})}
	r := newRelay(w)
	s := &screen{w: r}
	for range 10_000 {
		s.draw(strings.Repeat("live ", 10), 80)
	}
	messenger{w: s}.say("SIGINT")
	close(w.free)
	<-r.close()
	if n := strings.Count(w.String(), "live"); n > 10 || !strings.Contains(w.String(), "SIGINT") {
		t.Errorf("%d words of live lines, message in %.200q", n, w.String())
	}
}

// TestAStuckTerminalHoldsUpNeitherRunNorSignals: with a stderr that takes nothing,
// progress does not stop the run, signals end it, and the result is written.
func TestAStuckTerminalHoldsUpNeitherRunNorSignals(t *testing.T) {
	for _, count := range []int{1, 2} {
		file := filepath.Join(t.TempDir(), "r.json")
		synctest.Test(t, func(t *testing.T) {
			w := &stuck{free: make(chan struct{})}
			defer close(w.free)
			signals := make(chan os.Signal, 2)
			left := make(chan int, 1)
			r := try(func(_ settings.Settings, o bench.Options) (*bench.Result, error) {
				for phase := range bench.PhaseDrain {
					o.Progress(bench.Progress{Phase: phase})
				}
				signals <- os.Interrupt
				<-o.Stop
				if count == 2 {
					signals <- os.Interrupt
					<-o.Kill
				}
				return result(bench.Valid), errors.New("a failure that nobody can be told")
			}, func(e *environ) {
				e.stderr = w
				e.signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
				e.exit = func(c int) { left <- c }
			}, "bench", "--seed", "1", "-o", "json="+file)
			if r.code != exitInterrupt {
				t.Errorf("%d signals: exit code %d, want %d", count, r.code, exitInterrupt)
			}
			if len(left) > 0 && <-left != exitInterrupt {
				t.Errorf("%d signals: left with another code than %d", count, exitInterrupt)
			}
			if !strings.HasPrefix(r.stdout, "bench ") {
				t.Errorf("stdout has %q", r.stdout)
			}
		})
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// TestMessagesWaitForASlowReader: without a signal nothing is lost to haste.
func TestMessagesWaitForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuck{free: make(chan struct{})}
		time.AfterFunc(time.Hour, func() { close(w.free) })
		try(gives(result(bench.Invalid), nil), func(e *environ) { e.stderr = w }, "bench")
		for _, want := range []string{"was drawn", "measurement invalid: a reason"} {
			if !strings.Contains(w.String(), want) {
				t.Errorf("%q is missing in %q", want, w.String())
			}
		}
	})
}
