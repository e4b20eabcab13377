// The watch: one goroutine off the measured path that takes the recorder's
// intervals out in time and tells of the run's progress.

package bench

import (
	"time"

	"ferryctl/ferry"
)

const (
	// watchTick is how often the watch looks; progress is told as often.
	watchTick = 100 * time.Millisecond

	// collectAfter is how long after an interval's end it is taken out: time for
	// items that ended in it to be recorded. Later ones count to the next. It must
	// be shorter than slotLength; see keptSlots.
	collectAfter = 300 * time.Millisecond
)

// A Phase is a part of a run.
type Phase int32

// The phases in their order.
const (
	PhaseCeiling Phase = iota // the generator's own ceiling is measured
	PhaseWarmup
	PhaseMeasure
	PhaseDrain
)

func (p Phase) String() string {
	return [...]string{"ceiling", "warm-up", "measuring", "draining"}[p]
}

// Progress is how a run is getting on. Its counts are over the whole run so far,
// warm-up included; its rates and gauges are of the last tenth of a second or so.
type Progress struct {
	Phase   Phase
	Elapsed time.Duration // since the first phase after the ceiling began; in the drain, since that began
	Total   time.Duration // planned length without the drain; 0 if it is not known, and in the drain
	Items   uint64        // planned number of items; 0 if there is none

	Offered, Done, Rejected, Failed, Unsent, Late uint64

	OfferedPerS, DonePerS float64
	P50, P99              Num // sojourn, of the last whole interval of the window; nanoseconds
	Queued, InFlight      int
}

// enter says that a phase has begun. Several goroutines do, so one that comes late
// does not put the run back into a phase that it has left.
func (e *engine) enter(p Phase) {
	for {
		was := e.phase.Load()
		if int32(p) <= was || e.phase.CompareAndSwap(was, int32(p)) {
			return
		}
	}
}

// A watch is the engine's watcher.
type watch struct {
	e      *engine
	report func(Progress)
	done   chan struct{}   // closed when the run is over
	cuts   <-chan cutOrder // segments to begin; nil if nobody turns knobs

	next       int64 // the interval to take out next
	gauged     int64 // the interval to read the gauges for next
	last       Progress
	lastRateAt time.Duration
	lastCounts [2]uint64 // offered and done at lastRateAt
}

func (e *engine) newWatch(report func(Progress)) *watch {
	e.enter(PhaseWarmup)
	w := &watch{e: e, report: report, done: make(chan struct{})}
	if e.live != nil {
		w.cuts = e.live.control.cuts
	}
	e.watch = w
	return w
}

func (w *watch) run() {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case o := <-w.cuts:
			w.e.begin(o, w.e.live.control)
		case <-tick.C:
			w.collect(w.e.now())
			w.tell()
		}
	}
}

// tell tells whoever looks on of the run's progress.
func (w *watch) tell() {
	if w.report == nil && w.e.live == nil {
		return
	}
	p := w.progress()
	if w.report != nil {
		w.report(p)
	}
	if w.e.live != nil {
		w.e.live.look(w.e, p)
	}
}

// collect takes out the intervals that ended long enough ago.
func (w *watch) collect(now time.Duration) {
	from, to := w.e.rec.window()
	if from == unknown {
		return
	}
	for now >= w.end(w.gauged, from, to) {
		w.e.gauge(w.gauged, w.e.kernel.Metrics())
		w.gauged++
	}
	for now >= w.end(w.next, from, to)+collectAfter {
		w.e.rec.collect(w.next, w.e.series.add)
		w.e.series.pass(w.next)
		w.next++
	}
}

// gauge notes what the kernel says at the end of an interval.
func (e *engine) gauge(interval int64, m ferry.Metrics) {
	e.series.read(interval, float64(m.Queued), float64(m.InFlight+m.Direct))
}

// end returns when an interval ends.
func (w *watch) end(interval int64, from, to time.Duration) time.Duration {
	if to == unknown {
		return from + time.Duration(interval+1)*slotLength
	}
	inWindow := slotsIn(to - from)
	if interval < inWindow {
		return min(from+time.Duration(interval+1)*slotLength, to)
	}
	return to + time.Duration(interval-inWindow+1)*slotLength
}

// progress sums up.
func (w *watch) progress() Progress {
	e, now := w.e, w.e.now()
	_, whole := e.rec.progress()
	m := e.kernel.Metrics()
	last := e.series.last()
	p := Progress{
		Phase: Phase(e.phase.Load()), Elapsed: now, Total: e.plan.load.Duration, Items: e.plan.load.Items,
		Offered: e.front.sent.Load() + e.front.missed.Load(), Done: whole.by[outcomeDone], Rejected: whole.rejected(),
		Failed: whole.by[outcomeFailed], Unsent: e.front.missed.Load(), Late: whole.late,
		P50: last.P50, P99: last.P99, Queued: m.Queued, InFlight: m.InFlight + m.Direct,
		OfferedPerS: w.last.OfferedPerS, DonePerS: w.last.DonePerS,
	}
	if passed := now - w.lastRateAt; passed > 0 {
		p.OfferedPerS = float64(p.Offered-w.lastCounts[0]) / passed.Seconds()
		p.DonePerS = float64(p.Done-w.lastCounts[1]) / passed.Seconds()
		w.lastRateAt, w.lastCounts = now, [2]uint64{p.Offered, p.Done}
	}
	if p.Phase == PhaseDrain {
		p.Elapsed, p.Total = max(0, now-e.offered), 0 // offered was set before the phase was
	}
	w.last = p
	return p
}
