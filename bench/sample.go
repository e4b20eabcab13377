// What the measured path says about one item, and the counts made of it.

package bench

import "time"

// An outcome is what became of an item that was handed to the kernel.
type outcome uint8

const (
	outcomeDone outcome = iota
	outcomeRejectedCount
	outcomeRejectedWeight
	outcomeRejectedPart       // its share lane held its part of the room's count
	outcomeRejectedPartWeight // … or of its weight
	outcomeFailed
	outcomeCancelled
	outcomes // how many there are
)

// rejected reports whether the item was turned away.
func (o outcome) rejected() bool { return o >= outcomeRejectedCount && o <= outcomeRejectedPartWeight }

// lateAfter is how far behind its schedule an item may be handed over before it
// counts as late.
const lateAfter = time.Millisecond

// A sample is one item's life. All times are offsets from the start of the run;
// started and ended are 0 if no call ever held the item.
type sample struct {
	scheduled time.Duration // scheduled arrival; the time of issue where there is no schedule
	sent      time.Duration // handed to the kernel
	started   time.Duration // its call began
	ended     time.Duration // its call ended
	returned  time.Duration // the answer was back with the caller

	forming, turn, slot time.Duration // time in the waiting room, by cause

	weight   int64
	lane     int
	outcome  outcome
	measured bool // belongs to the window
}

// room returns the item's whole time in the waiting room.
func (x *sample) room() time.Duration { return x.forming + x.turn + x.slot }

// over returns when the item was over: at the end of its service, or, if it had
// none, when its caller was told.
func (x *sample) over() time.Duration {
	if x.outcome == outcomeDone {
		return x.ended
	}
	return x.returned
}

// A tally counts what became of items.
type tally struct {
	by    [outcomes]uint64
	late  uint64
	units uint64 // weight of the items done; saturates
}

// count adds one item.
func (t *tally) count(x *sample) {
	t.by[x.outcome]++
	if x.sent-x.scheduled > lateAfter {
		t.late++
	}
	if x.outcome == outcomeDone && x.weight > 0 {
		t.units = addSaturating(t.units, uint64(x.weight))
	}
}

func (t *tally) merge(o *tally) {
	for i, n := range o.by {
		t.by[i] += n
	}
	t.late += o.late
	t.units = addSaturating(t.units, o.units)
}

func (t *tally) rejected() uint64 {
	return t.byCount() + t.byWeight()
}

// byCount and byWeight tell which of the room's bounds, or of a part's, it was.
func (t *tally) byCount() uint64 { return t.by[outcomeRejectedCount] + t.by[outcomeRejectedPart] }

func (t *tally) byWeight() uint64 {
	return t.by[outcomeRejectedWeight] + t.by[outcomeRejectedPartWeight]
}

// byPart returns how many were turned away by their share lane's part.
func (t *tally) byPart() uint64 { return t.by[outcomeRejectedPart] + t.by[outcomeRejectedPartWeight] }

// answered returns how many items came back, in whatever way.
func (t *tally) answered() uint64 {
	var n uint64
	for _, by := range t.by {
		n += by
	}
	return n
}

func addSaturating(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}
