package bench

import (
	"testing"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
)

// The watch, the window's conductor and the run itself say what phase begins, each in a goroutine
// of its own: without a warm-up the second may come before the first.
func TestARunDoesNotGoBackToAPhase(t *testing.T) {
	for _, late := range []Phase{PhaseCeiling, PhaseWarmup, PhaseMeasure, PhaseDrain} {
		for p := late; p <= PhaseDrain; p++ {
			var e engine
			e.enter(p)
			e.enter(late)
			if got := Phase(e.phase.Load()); got != p {
				t.Errorf("%s, and then late %s: it says %s", p, late, got)
			}
		}
	}
}

// A stop may come between the moment when the window is to begin and the one when it does.
func TestAWindowThatWasEndedDoesNotBegin(t *testing.T) {
	e, err := newEngine(plan{
		kernel: single("make"), load: constant(1, time.Minute), callers: 1, sleeper: sleep.Plain,
		backend: func() (backend.Backend, error) { return takes(time.Second), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.release()
	e.closeAt(time.Second)
	e.openAt(0)
	if from, to := e.rec.window(); e.gauges.open || from != to {
		t.Errorf("it lasts from %v to %v, and has begun: %t", from, to, e.gauges.open)
	}
}
