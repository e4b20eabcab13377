package main

import (
	"os"
	"sync/atomic"
	"time"
)

// leaveWithin is how long a second signal leaves for what is being written. The
// process is gone before a second has passed, whatever a disk or a pipe does.
const leaveWithin = 900 * time.Millisecond

// A stopper turns signals into the two ways of ending a run.
//
//	signals so far | closed     | then
//	0              |            | runs to its end
//	1              | stop       | offers no more, drains, reports
//	2              | stop, kill | reports at once; the process exits after leaveWithin, done or not
//	3 and more     | stop, kill | the same: they often come in bursts, and must not cost the result
type stopper struct {
	stop, kill chan struct{}
	first      atomic.Pointer[os.Signal]
}

// newStopper follows signals until done is closed. It tells the user through m
// what each signal has started, the first in the words of news, and ends the process through exit.
func newStopper(signals <-chan os.Signal, done <-chan struct{}, m messenger, news string, exit func(int)) *stopper {
	s := &stopper{stop: make(chan struct{}), kill: make(chan struct{})}
	go s.follow(signals, done, m, news, exit)
	return s
}

func (s *stopper) follow(signals <-chan os.Signal, done <-chan struct{}, m messenger, news string, exit func(int)) {
	var overdue <-chan time.Time
	for count := 1; ; {
		select {
		case sig := <-signals:
			switch count {
			case 1:
				s.first.Store(&sig)
				close(s.stop)
				m.say("%s: %s; once more leaves at once", signalName(sig), news)
			case 2:
				close(s.kill)
				overdue = time.After(leaveWithin)
				m.say("%s: leaving, writing what was measured", signalName(sig))
			}
			count++
		case <-overdue:
			exit(s.code())
		case <-done:
			return
		}
	}
}

// settled waits until all messages are handed on and reports whether they are.
// After a signal it leaves them no longer than everything else.
func (s *stopper) settled(messages <-chan struct{}) bool {
	select {
	case <-messages:
		return true
	case <-s.stop:
	}
	select {
	case <-messages:
		return true
	case <-time.After(leaveWithin):
		return false
	}
}

// code returns the exit code of the first signal, 0 if there was none.
func (s *stopper) code() int {
	if sig := s.first.Load(); sig != nil {
		return exitOfSignal(*sig)
	}
	return exitDone
}

// signalName is how people call the signal.
func signalName(sig os.Signal) string {
	switch exitOfSignal(sig) {
	case exitHangup:
		return "SIGHUP"
	case exitTerminate:
		return "SIGTERM"
	default:
		return "SIGINT"
	}
}
