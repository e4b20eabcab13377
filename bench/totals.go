// The end of a run: the recorder's parts put together, and the sections of the
// result made from them.

package bench

import (
	"fmt"
	"math/big"
	"time"
)

// totals are a whole run's records. They are made once, after the recorder is
// frozen.
type totals struct {
	window, whole           tally
	completed               uint64
	lateMax                 time.Duration
	sojourn                 *hist
	wait, service, delivery hist
	forming, turn, slot     sum128
	roomTime                sum128
	lanes                   [maxLanes + 1]*laneTally
	batches                 batchTally
}

// totals collects what is left in the recorder into the series and adds the
// shards up. next is the first interval that was not collected yet.
func (r *recorder) totals(s *series, next int64) *totals {
	r.freeze()
	for i := next; i < next+keptSlots; i++ {
		r.collect(i, s.add)
	}
	t := &totals{sojourn: &s.total, wait: newHist(3), service: newHist(3), delivery: newHist(3)}
	for i := range r.shards {
		m := &r.shards[i].mu.shardState // frozen: nobody writes it any more
		t.window.merge(&m.window)
		t.whole.merge(&m.whole)
		t.completed += m.completed
		t.lateMax = max(t.lateMax, m.lateMax)
		t.wait.merge(&m.wait)
		t.service.merge(&m.service)
		t.delivery.merge(&m.delivery)
		t.forming.merge(m.forming)
		t.turn.merge(m.turn)
		t.slot.merge(m.slot)
		t.roomTime.merge(m.roomTime)
		t.batches.merge(&m.batches)
		t.mergeLanes(&m.lanes)
	}
	return t
}

func (t *totals) mergeLanes(lanes *[maxLanes + 1]*laneTally) {
	for i, l := range lanes {
		if l == nil {
			continue
		}
		if t.lanes[i] == nil {
			t.lanes[i] = &laneTally{sojourn: newHist(2)}
		}
		t.lanes[i].counts.merge(&l.counts)
		t.lanes[i].sojourn.merge(&l.sojourn)
	}
}

// latencies returns the four times of the items done.
func (t *totals) latencies() Latencies {
	return Latencies{
		Sojourn: t.sojourn.latency(), Wait: t.wait.latency(),
		Service: t.service.latency(), Delivery: t.delivery.latency(),
	}
}

// split returns the mean time by cause. What neither the room nor the call
// accounts for is lag; it is the exact rest, so the five add up.
func (t *totals) split() Split {
	return splitOf(t.wait.count, t.wait.sum, t.service.sum, t.forming, t.turn, t.slot)
}

// splitOf is the split of n items, from sums over them.
func splitOf(n uint64, wait, service, forming, turn, slot sum128) Split {
	mean := func(s sum128) Num { return Ratio(s.float(), float64(n)) }
	parts := Split{Count: n, Forming: mean(forming), Turn: mean(turn), Slot: mean(slot), Service: mean(service)}
	rest := wait.big() // the sojourn but for the service
	for _, part := range []sum128{forming, turn, slot} {
		rest.Sub(rest, part.big())
	}
	lag, _ := new(big.Float).SetInt(rest).Float64()
	parts.Lag = Ratio(lag, float64(n))
	return parts
}

// laneSections returns one section per lane that was offered anything. names
// are the lanes' in order; offered counts the arrivals, those of the lanes
// beyond maxLanes together in the last place.
func (t *totals) laneSections(names []string, offered *[maxLanes + 1]uint64) []Lane {
	out := []Lane{}
	for i, l := range t.lanes {
		if l == nil && offered[i] == 0 {
			continue
		}
		if l == nil {
			l = &laneTally{sojourn: newHist(2)}
		}
		name := fmt.Sprintf("other (%d lanes)", len(names)-maxLanes)
		if i < min(maxLanes, len(names)) {
			name = names[i]
		}
		out = append(out, Lane{
			Lane: name, Offered: offered[i], Done: l.counts.by[outcomeDone], Rejected: l.counts.rejected(),
			Weight:  Some(float64(l.counts.units)),
			Sojourn: l.sojourn.latency(), Histogram: l.sojourn.encode(),
		})
	}
	return out
}

// histograms returns the stored histograms.
func (t *totals) histograms() Histograms {
	return Histograms{Sojourn: t.sojourn.encode(), Wait: t.wait.encode(), Service: t.service.encode()}
}
