// The phases of a run after it was set up: offering, drain, close.

package bench

import (
	"time"

	"ferryctl/ferry"
	"ferryctl/workload"
)

const (
	// drainPoll is how often the drain looks whether everybody is back.
	drainPoll = time.Millisecond

	// closeWithin is how long the kernel may take to close after a drain that
	// ran out of time, and killWithin after the order to leave at once.
	closeWithin = time.Second
	killWithin  = 200 * time.Millisecond

	// cutWithin is how long a generator that was stopped while it was behind may
	// take to count what it did not get to.
	cutWithin = 200 * time.Millisecond
)

// run makes the run; release follows. stop ends offering, kill ends everything; report, if not
// nil, hears of progress. It returns the source's error, if that failed.
func (e *engine) run(stop, kill <-chan struct{}, report func(Progress)) error {
	e.began = time.Now()
	if !e.plan.byIndex {
		e.rec.open(e.plan.warmup)
		e.rec.close(e.plannedEnd())
		e.helpers.Go(e.conduct)
	}
	watch := e.newWatch(report)
	e.helpers.Go(watch.run)

	offered := make(chan struct{})
	e.helpers.Go(func() {
		defer close(offered)
		e.offer()
	})
	select {
	case <-offered:
	case <-stop:
		e.stopped = true
	case <-kill:
		e.stopped = true
	}
	if e.stopped {
		e.halt()
		<-offered
	}
	e.endWindow()
	e.enter(PhaseDrain)
	drained := e.drainAll(kill)
	e.rec.freeze()
	e.drained = e.now()
	from, to := e.rec.window()
	e.gauge(slotOf(e.drained, from, to), e.kernel.Metrics())
	close(watch.done)
	e.shutDown(kill, drained)
	e.helpers.Wait()
	return e.front.err
}

// cutShort ends a schedule that was stopped, at an item: the window will end now,
// and what was due until then and was not handed over, for the generator was
// behind, is unsent. If there is too much of it to count, the window ends where
// counting did.
func (e *engine) cutShort(it *workload.Item) {
	now := e.now()
	e.front.cut = now
	for n := 1; it.At < now; n++ {
		e.skip(e.take(it, it.At), false)
		if n%1024 == 0 && e.now() > now+cutWithin {
			e.front.cut = it.At + 1
			return
		}
		if !e.source.Next(it) {
			return
		}
		e.front.taken++
	}
}

// endWindow closes the window where its planned end did not.
func (e *engine) endWindow() {
	e.offered = e.now()
	end := e.plannedEnd()
	switch {
	case e.stopped || e.front.overran || e.front.err != nil:
		if e.front.cut > 0 {
			e.offered = e.front.cut
		}
		end = min(end, e.offered)
		e.stopped = true
	case end == unknown:
		end = e.front.lastAt
	}
	e.halt()
	e.closeAt(end)
}

// drainAll waits until every caller is back and reports whether they are. With
// a delay longer than the drain, and with Never, what waits is due at once; with
// a shorter one inputs wait as long as they always did.
func (e *engine) drainAll(kill <-chan struct{}) bool {
	delay := e.ferry.Settings().MaxBatchDelay
	flush := delay == ferry.Never || delay >= e.plan.drain
	for deadline := e.now() + e.plan.drain; ; {
		busy, _, _ := e.pool.busy()
		if busy == 0 {
			return true
		}
		if e.now() >= deadline {
			return false
		}
		if flush {
			e.ferry.Flush() // again each time: an input may only now have come in
		}
		select {
		case <-time.After(drainPoll):
		case <-kill:
			return false
		}
	}
}

// shutDown closes the kernel and ends the callers. What does not heed its
// context is left behind, and said.
func (e *engine) shutDown(kill <-chan struct{}, drained bool) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = e.ferry.Close() // always nil
		e.pool.close()
		e.callers.Wait()
	}()
	var within <-chan time.Time
	if !drained {
		within = time.After(closeWithin)
	}
	var killed <-chan time.Time
	for {
		select {
		case <-closed:
			e.final = e.ferry.Metrics()
			return
		case <-within:
			e.leftover = true
		case <-kill:
			kill, killed = nil, time.After(killWithin)
			continue
		case <-killed:
			e.leftover = true
		}
		e.final = e.ferry.Metrics()
		return
	}
}
