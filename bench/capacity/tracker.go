// How a search is getting on, for whoever looks on: polled, never pushed.

package capacity

import (
	"sync/atomic"

	"ferryctl/bench/tune/lab"
)

// A Bracket is what a search knows of the capacity so far, per second: it lies
// between these; 0 for not known yet.
type Bracket struct{ Low, High float64 }

// A Tracker follows a search. Its phases are "scan", "bisect", "curve" and
// "confirm", and its tries are rates, behind the values of what else varies. Its methods may be called from several
// goroutines. The zero Tracker is ready.
type Tracker struct {
	lab.Tracker
	between atomic.Pointer[Bracket]
}

// Between returns the bracket so far.
func (t *Tracker) Between() Bracket {
	if b := t.between.Load(); b != nil {
		return *b
	}
	return Bracket{}
}

func (t *Tracker) bracket(low, high float64) { t.between.Store(&Bracket{low, high}) }
