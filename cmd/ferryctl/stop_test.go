package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// stopping runs a stopper in a bubble under the signals that play sends. It
// returns what was printed and the codes that the process would have left with,
// each with the time since the start.
func stopping(t *testing.T, play func(s *stopper, signals chan<- os.Signal)) (printed string, left map[time.Duration]int) {
	left = make(map[time.Duration]int)
	synctest.Test(t, func(*testing.T) {
		start := time.Now()
		var b strings.Builder
		signals, done := make(chan os.Signal, 4), make(chan struct{})
		s := newStopper(signals, done, messenger{w: &b}, "stopping", func(code int) { left[time.Since(start)] = code })
		play(s, signals)
		synctest.Wait()
		close(done)
		synctest.Wait()
		printed = b.String()
	})
	return printed, left
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestOneSignalStopsAndAnotherLeaves(t *testing.T) {
	printed, left := stopping(t, func(s *stopper, signals chan<- os.Signal) {
		if s.code() != exitDone || closed(s.stop) || closed(s.kill) {
			t.Error("stopped before any signal")
		}
		signals <- syscall.SIGTERM
		synctest.Wait()
		if s.code() != exitTerminate || !closed(s.stop) || closed(s.kill) {
			t.Errorf("after one signal: code %d, stop %v, kill %v", s.code(), closed(s.stop), closed(s.kill))
		}
		time.Sleep(time.Hour)
		signals <- syscall.SIGINT
		synctest.Wait()
		if s.code() != exitTerminate || !closed(s.kill) {
			t.Errorf("after two signals: code %d, kill %v", s.code(), closed(s.kill))
		}
		time.Sleep(time.Second)
	})
	if len(left) != 1 || left[time.Hour+leaveWithin] != exitTerminate {
		t.Errorf("left %v, want once, %s after the second signal, with %d", left, leaveWithin, exitTerminate)
	}
	if strings.Count(printed, "\n") != 2 || !strings.HasPrefix(printed, "ferryctl: SIGTERM: ") {
		t.Errorf("printed %q", printed)
	}
}

// TestABurstOfSignalsCutsNothingShort: whoever sends ten gets the result that two
// leave the time for.
func TestABurstOfSignalsCutsNothingShort(t *testing.T) {
	_, left := stopping(t, func(_ *stopper, signals chan<- os.Signal) {
		for range 10 {
			signals <- syscall.SIGHUP
		}
		time.Sleep(leaveWithin - time.Millisecond)
	})
	if len(left) != 0 {
		t.Errorf("left %v while there was time to write", left)
	}
}

func TestARunThatEndsInTimeIsNotCutOff(t *testing.T) {
	_, left := stopping(t, func(_ *stopper, signals chan<- os.Signal) {
		signals <- os.Interrupt
		signals <- os.Interrupt
		time.Sleep(leaveWithin - time.Millisecond)
	})
	if len(left) != 0 {
		t.Errorf("left %v although all was done", left)
	}
}
