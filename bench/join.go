// Putting intervals of a series together, when there are too many of them.

package bench

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// halve puts intervals together two by two. The last pair stays open.
func (s *series) halve() {
	if len(s.list)%2 == 1 {
		s.list = append(s.list, interval{}) // an empty partner
	}
	for i := 0; i+1 < len(s.list); i += 2 {
		open := i+2 == len(s.list)
		s.list[i/2] = s.join(&s.list[i], &s.list[i+1], open)
	}
	s.list = s.list[:len(s.list)/2]
	s.scale *= 2
}

// join returns two intervals as one. If it stays open its values go to current,
// which holds those of the one that was open already.
func (s *series) join(a, b *interval, open bool) interval {
	both := interval{
		offered: a.offered + b.offered, unsent: a.unsent + b.unsent,
		counts: a.counts, queued: b.queued, inFlight: b.inFlight,
	}
	both.counts.merge(&b.counts)
	if !both.queued.Known() {
		both.queued, both.inFlight = a.queued, a.inFlight
	}
	if open {
		unpackInto(&s.current, a)
		return both
	}
	switch {
	case b.sojourn.Count == 0:
		both.sojourn, both.encoded = a.sojourn, a.encoded
	case a.sojourn.Count == 0:
		both.sojourn, both.encoded = b.sojourn, b.encoded
	default:
		h := newHist(3)
		unpackInto(&h, a)
		unpackInto(&h, b)
		both.sojourn, both.encoded = h.latency(), h.encode()
	}
	return both
}

// unpackInto adds a closed interval's values to h.
func unpackInto(h *hist, from *interval) {
	if from.sojourn.Count == 0 {
		return
	}
	buckets, err := hdr.Decode([]byte(from.encoded))
	if err != nil { // it was encoded by seal
		return
	}
	l := from.sojourn
	packed := hist{digits: h.digits, buckets: buckets, count: l.Count, overflow: l.Overflow}
	packed.min, packed.max = int64(l.Min.Or(0)), int64(l.Max.Or(0))
	packed.sum.add(uint64(l.Mean.Or(0)*float64(l.Count) + 0.5))
	h.merge(&packed)
}
