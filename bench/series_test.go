package bench

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// part is one shard's slot with n items of the given sojourn.
func part(index int64, n int, sojourn time.Duration) *slot {
	s := newSlot(index)
	for range n {
		x := doneSample(0, 0, sojourn)
		s.counts.count(&x)
		s.sojourn.record(sojourn)
	}
	return &s
}

func TestIntervalsAddUpToTheRunHoweverLongItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSeries()
		all := newHist(3)
		slots := rapid.Int64Range(1, 3*maxIntervals).Draw(t, "slots")
		step := rapid.Int64Range(max(1, slots/10), slots).Draw(t, "step")
		var offered uint64
		for at := int64(0); at < slots; at += step {
			sojourn := time.Duration(at+1) * time.Microsecond
			s.add(part(at, 2, sojourn))
			all.record(sojourn)
			all.record(sojourn)
			s.offer(offer{at, 3, 1})
			s.gauge(at, 7, 2)
			offered += 3
		}
		window := time.Duration(slots)*time.Second - 300*ms
		s.close(slotsIn(window))
		s.add(part(slots, 1, time.Hour)) // in the drain
		all.record(time.Hour)
		merged := newHist(3)
		var done, off uint64
		list := s.intervals(window)
		for i, in := range list {
			done += in.Done
			off += in.Offered
			unpackInto(&merged, &s.list[i])
		}
		wantPlaces(t, list, slots, step, window)
		if done != all.count || off != offered || len(list) > maxIntervals+1 {
			t.Fatalf("%d intervals hold %d done and %d offered, want %d and %d", len(list), done, off, all.count, offered)
		}
		if got, want := merged.encode(), all.encode(); got != want || s.total.encode() != want {
			t.Fatal("the intervals' histograms do not add up to the run's")
		}
	})
}

// wantPlaces checks that every interval holds what happened in its time: two
// items in each slot that is a multiple of step.
func wantPlaces(t *rapid.T, list []Interval, slots, step int64, window time.Duration) {
	for i, in := range list {
		start := int64(in.Start.Or(-1))
		end := start + int64(in.Length.Or(0)+0.999)
		if in.Start.Or(-1) >= window.Seconds() {
			continue // the drain
		}
		want := uint64(0)
		for at := (start + step - 1) / step * step; at < min(end, slots); at += step {
			want += 2
		}
		if in.Done != want {
			t.Fatalf("interval %d, from %d to %d s, holds %d items, want %d", i, start, end, in.Done, want)
		}
	}
}

func TestTheWindowsLastIntervalIsCutAtItsEnd(t *testing.T) {
	s := newSeries()
	from, to := 10*time.Second, 12500*ms
	for _, at := range []time.Duration{10 * time.Second, 12400 * ms, 12500 * ms, 13600 * ms} {
		s.add(part(slotOf(at, from, to), 1, ms))
	}
	s.close(slotsIn(to - from))
	list := s.intervals(to - from)
	want := []struct{ start, length, done float64 }{{0, 1, 1}, {1, 1, 0}, {2, 0.5, 1}, {2.5, 1, 1}, {3.5, 1, 1}}
	if len(list) != len(want) {
		t.Fatalf("%d intervals, want %d: %+v", len(list), len(want), list)
	}
	for i, w := range want {
		if got := list[i]; got.Start != Some(w.start) || got.Length != Some(w.length) || float64(got.Done) != w.done {
			t.Errorf("interval %d starts at %v, is %v long and has %d done; want %+v", i, got.Start, got.Length, got.Done, w)
		}
	}
}

func TestOffersDoNotRunAheadOfWhatEnded(t *testing.T) {
	s := newSeries()
	s.offer(offer{0, 10, 0})
	s.offer(offer{1, 20, 5}) // the generator is a slot ahead of the collector
	s.offer(offer{4, 40, 0})
	s.add(part(0, 3, ms))
	s.add(part(1, 4, ms))
	list := s.intervals(5 * time.Second)
	for i, want := range [][2]uint64{{10, 3}, {20, 4}, {0, 0}, {0, 0}, {40, 0}} {
		if got := list[i]; got.Offered != want[0] || got.Done != want[1] {
			t.Errorf("interval %d: offered %d, done %d; want %v", i, got.Offered, got.Done, want)
		}
	}
}

func TestAnIntervalWithoutItemsHasNoFigures(t *testing.T) {
	s := newSeries()
	s.add(part(2, 1, ms))
	list := s.intervals(3 * time.Second)
	if len(list) != 3 || list[0].P99.Known() || list[0].Done != 0 || list[0].Queued.Known() || list[2].P99 != Some(float64(ms)) {
		t.Errorf("intervals are %+v", list)
	}
}

func TestALateCollectorLosesNothing(t *testing.T) {
	r := newRecorder(false)
	r.open(0)
	for i := range 10 { // intervals 0 to 9, of which two fit
		x := doneSample(time.Duration(i)*time.Second, 0, ms)
		r.shard(0).record(&x, nil)
	}
	s := newSeries()
	for next := range int64(4) {
		r.collect(next, s.add)
	}
	x := doneSample(0, 0, ms) // long collected
	r.shard(0).record(&x, nil)
	if got := r.totals(s, 4); got.sojourn.count != 11 {
		t.Errorf("%d of 11 items are in the totals", got.sojourn.count)
	}
}

func TestBatchSizesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b batchTally
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 3*maxBatchSize)), 1, 60).Draw(t, "sizes")
		counts, over, items := map[int]uint64{}, uint64(0), 0
		for i, size := range sizes {
			if i%3 == 0 {
				a.add(size, uint8(i%lefts), ms)
			} else {
				b.add(size, uint8(i%lefts), ms)
			}
			items += size
			if counts[size]++; size > maxBatchSize {
				delete(counts, size)
				over++
			}
		}
		a.merge(&b)
		got := a.batches()
		left := got.Left
		if got.Count != uint64(len(sizes)) || got.Size.Overflow != over || len(got.Size.Counts) != len(counts) || a.items != uint64(items) ||
			left.Size+left.Weight+left.Delay+left.Freed+left.Direct+left.Close != got.Count {
			t.Fatalf("%+v is not of %v", got, sizes)
		}
		for _, c := range got.Size.Counts {
			if counts[c.Size] != c.Count {
				t.Fatalf("size %d counted %d times, want %d", c.Size, c.Count, counts[c.Size])
			}
		}
		if p50, p99 := got.Size.P50.Or(0), got.Size.P99.Or(0); p50 > p99 || p99 > got.Size.Max.Or(0) || p50 < 1 {
			t.Fatalf("p50 %v, p99 %v, max %v", p50, p99, got.Size.Max)
		}
	})
}
