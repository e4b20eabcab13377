package bench

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

// doneSample is an item of the window that waited and was served.
func doneSample(scheduled, wait, service time.Duration) sample {
	return sample{
		scheduled: scheduled, sent: scheduled, started: scheduled + wait, ended: scheduled + wait + service,
		returned: scheduled + wait + service, slot: wait, weight: 1, measured: true,
	}
}

func TestEverySampleIsCountedOnceWhateverTheInterleaving(t *testing.T) {
	r := newRecorder(true)
	r.open(0)
	const callers, each = 8, 2100 // a multiple of the outcomes
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			s := r.shard(n)
			for i := range each {
				x := doneSample(time.Duration(i)*ms, time.Duration(n)*ms, ms)
				x.lane = n % 3
				x.outcome = outcome(i % int(outcomes))
				var busy atomic.Uint32
				busy.Store(1)
				if !s.record(&x, &busy) || busy.Load() != 0 {
					t.Error("a sample was not counted")
				}
			}
		})
	}
	series := newSeries()
	var next int64
	for ; next < 2; next++ {
		r.collect(next, series.add)
	}
	wg.Wait()
	total := r.totals(series, next)
	for o := range outcomes {
		if got := total.window.by[o]; got != callers*each/uint64(outcomes) {
			t.Errorf("outcome %d counted %d times, want %d", o, got, callers*each/uint64(outcomes))
		}
	}
	var inSeries, inLanes uint64
	for _, in := range series.intervals(2 * time.Second) {
		inSeries += in.Done
	}
	for _, l := range total.laneSections([]string{"a", "b", "c"}, &[maxLanes + 1]uint64{}) {
		inLanes += l.Done
	}
	if want := total.window.by[outcomeDone]; inSeries != want || inLanes != want || total.sojourn.count != want || total.wait.count != want {
		t.Errorf("%d done, but %d in the intervals, %d in the lanes, %d sojourns and %d waits", want, inSeries, inLanes, total.sojourn.count, total.wait.count)
	}
}

func TestAFrozenRecorderCountsNothing(t *testing.T) {
	r := newRecorder(false)
	r.open(0)
	r.freeze()
	x := doneSample(0, ms, ms)
	var busy atomic.Uint32
	busy.Store(1)
	if r.shard(0).record(&x, &busy) {
		t.Error("a frozen recorder took a sample")
	}
	if busy.Load() != 1 {
		t.Error("an item that was not recorded must stay in flight")
	}
	r.shard(0).batch(1, 0, 0, ms)
	if got := r.totals(newSeries(), 0); got.whole.answered() != 0 || got.batches.count != 0 {
		t.Errorf("counted %d items and %d batches after the freeze", got.whole.answered(), got.batches.count)
	}
}

func TestCompletionsCountByWhenTheyEndAndItemsByWhenTheyWereDue(t *testing.T) {
	r := newRecorder(false)
	r.open(time.Second)
	r.close(2 * time.Second)
	record := func(scheduled, took time.Duration, measured bool) {
		x := doneSample(scheduled, 0, took)
		x.measured = measured
		r.shard(0).record(&x, nil)
	}
	record(900*ms, 200*ms, false) // of the warm-up, ends in the window
	record(1500*ms, 100*ms, true) // in the window altogether
	record(1900*ms, 100*ms, true) // ends on the window's end: after it
	record(1990*ms, 500*ms, true)
	record(2100*ms, 1*ms, false)
	got := r.totals(newSeries(), 0)
	if got.completed != 2 || got.window.by[outcomeDone] != 3 || got.whole.by[outcomeDone] != 5 {
		t.Errorf("completed %d, of the window %d, in all %d; want 2, 3, 5", got.completed, got.window.by[outcomeDone], got.whole.by[outcomeDone])
	}
}

func TestRoomTimeIsCutAtTheWindowsEdges(t *testing.T) {
	r := newRecorder(false)
	r.gaugedFrom.Store(int64(1000 * ms))
	r.gaugedTo.Store(int64(2000 * ms))
	wait := func(admitted, taken time.Duration) {
		x := sample{scheduled: admitted, started: taken, ended: taken + ms, returned: taken + ms, turn: taken - admitted}
		r.shard(0).record(&x, nil)
	}
	wait(0, 900*ms)       // before
	wait(900*ms, 1100*ms) // 100 ms inside
	wait(1200*ms, 1300*ms)
	wait(1900*ms, 2500*ms) // 100 ms inside
	wait(500*ms, 2500*ms)  // all of it
	wait(2100*ms, 2200*ms) // after
	if got := time.Duration(r.totals(newSeries(), 0).roomTime.float()); got != 1300*ms {
		t.Errorf("room time in the window is %v, want 1.3s", got)
	}
}

func TestLatenciesAreOfTheItemsDoneOnly(t *testing.T) {
	r := newRecorder(false)
	r.open(0)
	x := doneSample(0, 3*ms, 2*ms)
	r.shard(0).record(&x, nil)
	for _, o := range []outcome{outcomeRejectedCount, outcomeRejectedWeight, outcomeFailed, outcomeCancelled} {
		y := sample{outcome: o, measured: true, returned: time.Nanosecond}
		r.shard(1).record(&y, nil)
	}
	got := r.totals(newSeries(), 0)
	l := got.latencies().Sojourn
	if l.Count != 1 || l.P50 != Some(float64(5*ms)) || l.Min != l.Max || l.Mean != l.Max {
		t.Errorf("sojourn is %+v, want one sample of 5 ms", l)
	}
	if s := got.split(); s.Slot != Some(float64(3*ms)) || s.Service != Some(float64(2*ms)) || s.Lag != Some(0) {
		t.Errorf("split is %+v", s)
	}
}

func TestTheSplitAddsUpToTheMeanSojourn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRecorder(false)
		r.open(0)
		gap := rapid.Int64Range(0, int64(time.Minute))
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			x := sample{measured: true}
			x.sent = time.Duration(gap.Draw(t, "lag"))
			x.forming, x.turn, x.slot = time.Duration(gap.Draw(t, "f")), time.Duration(gap.Draw(t, "t")), time.Duration(gap.Draw(t, "s"))
			x.started = x.sent + x.room() + time.Duration(gap.Draw(t, "handover"))
			x.ended = x.started + time.Duration(gap.Draw(t, "service"))
			x.returned = x.ended
			r.shard(0).record(&x, nil)
		}
		got := r.totals(newSeries(), 0)
		s := got.split()
		sum := s.Lag.Or(0) + s.Forming.Or(0) + s.Turn.Or(0) + s.Slot.Or(0) + s.Service.Or(0)
		if mean := got.sojourn.mean().Or(0); math.Abs(sum-mean) > 1 {
			t.Fatalf("the parts add up to %v, the mean sojourn is %v", sum, mean)
		}
	})
}

func TestLanesBeyondTheBoundAreCountedTogether(t *testing.T) {
	r := newRecorder(true)
	r.open(0)
	names := make([]string, 200)
	var offered [maxLanes + 1]uint64
	for i := range names {
		names[i] = string(rune('a' + i))
		x := doneSample(0, ms, ms)
		x.lane = i
		r.shard(i).record(&x, nil)
		offered[min(i, maxLanes)]++
	}
	lanes := r.totals(newSeries(), 0).laneSections(names, &offered)
	last := lanes[len(lanes)-1]
	if len(lanes) != maxLanes+1 || last.Lane != "other (136 lanes)" || last.Done != 200-maxLanes || last.Offered != 200-maxLanes || last.Sojourn.Count != last.Done {
		t.Errorf("%d lanes, the last %+v; want %d and one of all the others", len(lanes), last, maxLanes+1)
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r := newRecorder(true)
	r.open(0)
	x := doneSample(ms, ms, ms)
	s := r.shard(0)
	s.record(&x, nil)
	s.batch(64, 0, ms, 2*ms)
	if n := testing.AllocsPerRun(1000, func() {
		s.record(&x, nil)
		s.batch(64, 0, ms, 2*ms)
	}); n != 0 {
		t.Errorf("%v allocations per item", n)
	}
}
