// How a search is getting on, for whoever looks on: polled, never pushed.

package tune

import (
	"sync/atomic"

	"ferryctl/bench/tune/lab"
)

// Best is the best point so far.
type Best struct {
	Settings string   // its values, as text
	Texts    []string // … one for each axis
	Value    float64  // of the objective
	Met      bool     // the SLO
	Points   int      // that were measured so far
}

// A Tracker follows a search. Its phases are "design", "descent", "lines", "grid",
// "check", "explain" and "confirm". Its methods may be called from several
// goroutines. The zero Tracker is ready.
type Tracker struct {
	lab.Tracker
	best atomic.Pointer[Best]
}

// Best returns the best point so far, nil before the first. What it points to is
// not changed later.
func (t *Tracker) Best() *Best { return t.best.Load() }
