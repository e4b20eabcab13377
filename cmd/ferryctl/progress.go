package main

import (
	"fmt"
	"strings"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// How often progress is shown: a live line as fast as an eye follows, a line of
// a log seldom enough to be read.
const (
	liveEvery  = 200 * time.Millisecond
	plainEvery = 10 * time.Second
)

// A progress shows where a run is. On a live screen that is one line, redrawn;
// elsewhere a line every ten seconds, and one whenever a phase begins.
type progress struct {
	screen *screen
	live   bool
	width  func() int

	shown time.Time // when a line was shown last; zero before the first
	phase string    // of that line
}

// update takes the state of the run at now. It is not for concurrent use.
func (p *progress) update(now time.Time, s bench.Progress) {
	p.tell(now, s.Phase.String(), func() string { return progressLine(s) })
}

// tell shows the line of a phase, if it is time for one. It is not for concurrent use.
func (p *progress) tell(now time.Time, phase string, line func() string) {
	every := plainEvery
	if p.live {
		every = liveEvery
	}
	if !p.shown.IsZero() && phase == p.phase && now.Sub(p.shown) < every {
		return
	}
	p.shown, p.phase = now, phase
	p.show(line())
}

// show shows text as the live line, or as a line of a log.
func (p *progress) show(text string) {
	if p.live {
		p.screen.draw(text, p.width())
		return
	}
	messenger{w: p.screen}.say("%s", text)
}

// writing says that the result is being written, unless that goes to the same
// terminal: then the result itself says so, and would begin behind these words.
func (p *progress) writing(env *environ) {
	if env.tty == nil || !env.tty.stdout {
		p.show("writing")
	}
}

// progressLine says where the run is and how it fares, the most important first:
// what does not fit a narrow screen is cut off.
func progressLine(s bench.Progress) string {
	if s.Phase == bench.PhaseCeiling {
		return s.Phase.String() + ": measuring what the generator itself can offer"
	}
	parts := []string{
		s.Phase.String() + " " + howFar(s),
		"offered " + human.Rate(s.OfferedPerS),
		"done " + human.Rate(s.DonePerS),
		"waiting " + human.Count(float64(s.Queued)),
		"in flight " + human.Count(float64(s.InFlight)),
	}
	if p99, ok := s.P99.Get(); ok {
		parts = append(parts, "p99 "+human.Duration(p99))
	}
	for _, c := range []struct {
		name string
		n    uint64
	}{{"rejected", s.Rejected}, {"failed", s.Failed}, {"late", s.Late}, {"unsent", s.Unsent}} {
		if c.n > 0 {
			parts = append(parts, c.name+" "+human.Count(float64(c.n)))
		}
	}
	return strings.Join(parts, ", ")
}

// howFar is the part of the run that is over, by the bound that it has.
func howFar(s bench.Progress) string {
	elapsed := s.Elapsed.Truncate(100 * time.Millisecond).String()
	switch {
	case s.Items > 0:
		return fmt.Sprintf("%s, %s of %s items", elapsed, human.Count(float64(s.Offered)), human.Count(float64(s.Items)))
	case s.Total > 0:
		return fmt.Sprintf("%s of %s", elapsed, s.Total)
	default:
		return elapsed
	}
}
