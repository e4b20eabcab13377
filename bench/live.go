// What a screen sees of a run while it goes on: a picture that the watch puts
// together off the measured path and swaps in whole. Whoever looks takes the
// newest picture and is never waited for.

package bench

import (
	"math"
	"sync/atomic"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/ferry"
)

// A Live is the link between a run and whoever looks on and turns its knobs. Its
// methods may be called at any time and from any goroutine. The zero Live is
// ready; it serves one run.
type Live struct {
	newest atomic.Pointer[Snapshot]
	orders atomic.Pointer[control]
}

// Snapshot returns the newest picture of the run, nil before there is one. A
// picture never changes; it must not be written to.
func (l *Live) Snapshot() *Snapshot { return l.newest.Load() }

// A Snapshot is one picture of a run. Figures are over the window so far unless
// they say otherwise; what is not known yet is missing.
type Snapshot struct {
	Progress      // counts of the whole run, warm-up included
	Over     bool // the run is over and the figures are those of its result

	Offered1, Done1, Rejected1 Num // per second, over the last second or so

	Measured time.Duration // length of the window so far
	Counts   Counts        // of the window; InFlightAtEnd are those that are with the kernel now
	Ceiling  Num           // of the generator, items per second
	Load     Num           // what is offered, as a part of Ceiling

	Sojourn Latency
	Split   Split // this and the next: of the segment that runs, until Over
	Batches Batches
	Room    LiveRoom

	Points   []Point // one for each closed interval, by time
	Lanes    []Lane
	Fairness Fairness

	Verdict Verdict // provisional until Over
	Reasons []string
	SLO     []SLO // provisional until Over

	Knobs   []LiveKnob // in their settled order
	Segment int        // number of the segment that runs, from 1
	Changed []Setting  // what began it; empty in the first
}

// A LiveRoom is the waiting room now, beside its bounds. A bound that is not set
// is ferry.Unlimited.
type LiveRoom struct {
	Queued, InFlight, Direct       int
	QueuedWeight                   int64
	PeakQueued, PeakInFlight       int // of the window
	MaxQueued, MaxInFlight         int
	MaxQueuedWeight                int64
	PeakQueuedWeight, MaxBatchSize int64
}

// A Point is one interval of the run.
type Point struct {
	Start, Length                         time.Duration // from the window's start
	Offered, Done, Rejected, Failed, Late uint64
	P50, P95, P99, P999                   Num // of the sojourn, nanoseconds
	Queued, InFlight                      Num // at its end
}

// A LiveKnob is a knob and its present value.
type LiveKnob struct {
	Name, Value string
	Fixed       string // why it cannot be turned now; "" if it can
}

// live is the watch's part of a Live.
type live struct {
	to      *Live
	terms   []slo.Term
	ceiling Num
	control *control

	shown  int64     // the interval that the slow figures were made after
	cuts   int       // the segments that had begun then, but for the first
	slowAt time.Time // when they were made
	slow   Snapshot  // its slow figures
	recent [recentTicks]recentCount
	ticks  int
}

// recentTicks is how many readings the rates of a snapshot are over: a second's.
const recentTicks = 10

// A recentCount is the counts at a time of the run.
type recentCount struct {
	at                      time.Duration
	offered, done, rejected uint64
}

// slowEvery is how often the slow figures are made in a run whose intervals are
// not the wall clock's.
const slowEvery = time.Second

// look puts a picture together and swaps it in. The progress is of this moment.
func (l *live) look(e *engine, p Progress) {
	s := &Snapshot{}
	next, cuts := e.watch.next, len(e.segments.starts)
	if next != l.shown || cuts != l.cuts || l.slowAt.IsZero() || time.Since(l.slowAt) >= slowEvery {
		l.shown, l.cuts, l.slowAt = next, cuts, time.Now()
		l.slow = e.slowFigures(l)
	}
	*s = l.slow
	s.Progress = p
	l.rates(s)
	m, k := e.kernel.Metrics(), e.kernel.Settings()
	s.Room = LiveRoom{
		Queued: m.Queued, InFlight: m.InFlight, Direct: m.Direct, QueuedWeight: m.QueuedWeight,
		PeakQueued: m.PeakQueued, PeakInFlight: m.PeakInFlight, PeakQueuedWeight: m.PeakQueuedWeight,
		MaxQueued: k.MaxQueued, MaxInFlight: k.MaxInFlightBatches, MaxQueuedWeight: k.MaxQueuedWeight, MaxBatchSize: int64(k.MaxBatchSize),
	}
	s.Ceiling = l.ceiling
	if c := l.ceiling.Or(0); c > 0 {
		s.Load = Some(s.Offered1.Or(0) / c)
	}
	s.Knobs = *l.control.knobs.Load()
	s.Segment, s.Changed = l.control.segment()
	l.to.newest.Store(s)
}

// rates fills in what was offered and done over the last second.
func (l *live) rates(s *Snapshot) {
	now := recentCount{s.Elapsed, s.Offered, s.Done, s.Rejected}
	if s.Phase == PhaseDrain {
		l.ticks = 0 // it counts its time from its own start
		return
	}
	first := l.recent[0]
	if l.ticks >= recentTicks {
		first = l.recent[l.ticks%recentTicks]
	}
	l.recent[l.ticks%recentTicks] = now
	l.ticks++
	if l.ticks == 1 || now.at <= first.at {
		return
	}
	per := func(now, then uint64) Num { return Some(float64(now-then) / (s.Elapsed - first.at).Seconds()) }
	s.Offered1, s.Done1, s.Rejected1 = per(now.offered, first.offered), per(now.done, first.done), per(now.rejected, first.rejected)
}

// finish swaps in the last picture, drawn from the result.
func (l *live) finish(e *engine, r *Result) {
	l.look(e, e.watch.progress()) // there may be none yet
	s := &Snapshot{}
	*s = *l.to.newest.Load()
	s.Over, s.Points = true, e.series.points(false)
	s.Measured = time.Duration(r.Window.Measured.Or(0) * 1e9)
	s.Counts, s.Sojourn, s.Split, s.Batches = r.Counts, r.Latency.Sojourn, r.Split, r.Batches
	s.Lanes, s.Fairness = r.Lanes, r.Fairness
	s.Ceiling, s.Load = r.Measurement.GeneratorCeiling, r.Measurement.GeneratorLoad
	s.Verdict, s.Reasons, s.SLO = r.Measurement.Verdict, r.Measurement.Reasons, r.SLO
	s.Offered1, s.Done1 = r.Rates.Offered, r.Rates.Throughput
	s.Rejected1 = Ratio(float64(r.Counts.Rejected), r.Window.Measured.Or(0))
	s.Phase, s.Elapsed, s.Total = PhaseDrain, e.offered, e.plan.load.Duration
	s.Room.PeakQueued, s.Room.PeakInFlight = int(r.Room.MaxQueued.Or(0)), int(r.Room.MaxInFlight.Or(0))
	s.Room.Queued, s.Room.QueuedWeight, s.Room.InFlight, s.Room.Direct = 0, 0, 0, 0
	l.to.newest.Store(s)
}

// join links the engine, which is about to run, with who looks on.
func (e *engine) join(to *Live, asked settings.Settings, ceiling Num) {
	if to == nil {
		return
	}
	e.live = &live{to: to, terms: asked.SLO, ceiling: ceiling, control: newControl(e, asked)}
	if e.sim == nil {
		to.orders.Store(e.live.control)
	}
}

// part shows the result to who looks on, and lets nobody turn knobs any more.
func (e *engine) part(r *Result) {
	if e.live != nil {
		e.live.to.orders.Store(nil)
		e.live.finish(e, r)
	}
}

// askedKernel returns the settings that the kernel was asked for last.
func (e *engine) askedKernel() ferry.Settings {
	if e.live == nil {
		return e.plan.kernel
	}
	e.live.control.mu.Lock()
	defer e.live.control.mu.Unlock()
	return e.live.control.kernel
}

// turnedRate reports whether the load's rate was changed on the way.
func (e *engine) turnedRate() bool {
	if e.live == nil {
		return false
	}
	e.live.control.mu.Lock()
	defer e.live.control.mu.Unlock()
	return e.live.control.turned
}

// slowFigures puts together what takes longer than a moment.
func (e *engine) slowFigures(l *live) Snapshot {
	from, to := e.rec.window()
	s := Snapshot{Batches: Batches{Size: BatchSize{Counts: SizeCounts{}}}, Verdict: Valid}
	if from == unknown {
		return s
	}
	now := e.now()
	s.Measured = max(0, min(now, to)-from)
	t := e.rec.peek()
	_, inFlight, _ := e.busy()
	s.Counts = e.counts(t, inFlight)
	s.Sojourn = e.series.soFar()
	s.Split, s.Batches = t.split(), t.batches.batches()
	largest := s.Batches.Size.Max.Or(0)
	if l.cuts > 0 {
		part := e.rec.peekSegment()
		s.Split, s.Batches = part.split(), part.batches.batches()
	}
	if e.rec.byLane {
		s.Lanes = t.laneSections(e.laneNames(), t.answeredByLane())
		for i := range s.Lanes {
			s.Lanes[i].Histogram = ""
		}
	}
	s.Points = e.series.points(true)
	s.Fairness = judgeFairness(s.Lanes, e.kernel.Shares(), e.kernel.Settings().Quantum, largest)
	s.SLO = objectiveOf(l.terms, slo.Figures{
		Samples: s.Sojourn.Count, Mean: s.Sojourn.Mean.Or(0), Max: s.Sojourn.Max.Or(0),
		Throughput: Ratio(float64(t.completed), s.Measured.Seconds()).Or(0),
		Offered:    s.Counts.Offered, Rejected: s.Counts.Rejected, Failed: s.Counts.Failed,
		Unfairness: s.Fairness.WorstErrorRatio.Or(math.NaN()), FairnessNote: s.Fairness.Note,
		Percentile: func(percent float64) float64 { return e.series.percentile(percent) },
	})
	s.Verdict, s.Reasons = e.provisional(&s, l.ceiling)
	return s
}
