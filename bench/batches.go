// Counts of batches: how large they were and why they left the room.

package bench

import "time"

// maxBatchSize is the largest batch size that is counted by itself (half a
// megabyte of counters); larger ones are counted together.
const maxBatchSize = 1 << 16

// lefts is how many reasons there are for a batch to leave.
const lefts = 6

// A batchTally counts the batches whose call started inside the window.
type batchTally struct {
	count, items uint64
	largest      int
	sizes        []uint64 // by size; as long as the largest size met so far asks for
	overflow     uint64
	left         [lefts]uint64
	service      sum128 // of the calls, nanoseconds
}

// add counts one batch of at least one item; left is one of the kernel's
// reasons, below lefts.
func (t *batchTally) add(size int, left uint8, service time.Duration) {
	t.count++
	t.items += uint64(size)
	t.largest = max(t.largest, size)
	t.left[left%lefts]++
	t.service.add(uint64(max(service, 0)))
	if size > maxBatchSize {
		t.overflow++
		return
	}
	t.grow(size)
	t.sizes[size]++
}

// grow makes room for a size, doubling, so that it happens a few times a run.
func (t *batchTally) grow(size int) {
	if size < len(t.sizes) {
		return
	}
	sizes := make([]uint64, min(max(64, 2*size), maxBatchSize)+1)
	copy(sizes, t.sizes)
	t.sizes = sizes
}

func (t *batchTally) merge(o *batchTally) {
	t.count += o.count
	t.items += o.items
	t.largest = max(t.largest, o.largest)
	t.overflow += o.overflow
	t.service.merge(o.service)
	for i, n := range o.left {
		t.left[i] += n
	}
	if len(o.sizes) > 0 {
		t.grow(len(o.sizes) - 1)
	}
	for size, n := range o.sizes {
		t.sizes[size] += n
	}
}

// quantile returns the smallest size that at least the part q of the batches do
// not exceed. One beyond the sizes counted singly reports as the largest met.
func (t *batchTally) quantile(q float64) Num {
	if t.count == 0 {
		return Num{}
	}
	need := max(1, uint64(q*float64(t.count)+0.5))
	var seen uint64
	for size, n := range t.sizes {
		if seen += n; n > 0 && seen >= need {
			return Some(float64(size))
		}
	}
	return Some(float64(t.largest))
}

// batches returns the result's section.
func (t *batchTally) batches() Batches {
	b := Batches{Count: t.count, Left: leftOf(t.left), Size: BatchSize{
		Mean: Ratio(float64(t.items), float64(t.count)), P50: t.quantile(0.5), P99: t.quantile(0.99),
		Counts: SizeCounts{}, Overflow: t.overflow,
	}}
	if t.count > 0 {
		b.Size.Max = Some(float64(t.largest))
	}
	for size, n := range t.sizes {
		if n > 0 {
			b.Size.Counts = append(b.Size.Counts, SizeCount{Size: size, Count: n})
		}
	}
	return b
}

// leftOf names the counts, which are in the order of the kernel's reasons.
func leftOf(n [lefts]uint64) Left {
	return Left{Size: n[0], Weight: n[1], Delay: n[2], Freed: n[3], Direct: n[4], Close: n[5]}
}

// batch counts one call that has ended, if it began inside the window.
func (s *shard) batch(size int, left uint8, started, ended time.Duration) {
	r := s.recorder
	if int64(started) < r.from.Load() || int64(started) >= r.to.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mu.frozen {
		s.mu.batches.add(size, left, ended-started)
		if len(s.mu.segments.parts) > 0 {
			s.mu.segments.at(started).batches.add(size, left, ended-started)
		}
	}
}
