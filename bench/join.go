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
	switch {
	case open:
		unpackInto(&s.current, a)
	case b.sojourn.Count == 0:
		both.sojourn, both.packed = a.sojourn, a.packed
	case a.sojourn.Count == 0:
		both.sojourn, both.packed = b.sojourn, b.packed
	default:
		h := newHist(3)
		unpackInto(&h, a)
		unpackInto(&h, b)
		both.sojourn, both.packed = h.latency(), pack(&h)
	}
	return both
}

// A packed holds the values of a hist that gets no more: themselves while they
// are few, else their encoded form. The zero packed is empty.
type packed struct {
	few     hist // not poured
	encoded string
}

// pack packs h, which keeps its values.
func pack(h *hist) packed {
	if h.poured {
		return packed{encoded: h.encode()}
	}
	return packed{few: h.clone()}
}

// encode returns the encoded form; spare is emptied.
func (p *packed) encode(spare *hist) string {
	if p.few.count == 0 {
		return p.encoded
	}
	spare.reset()
	spare.merge(&p.few)
	return spare.encode()
}

// unpackInto adds a closed interval's values to h.
func unpackInto(h *hist, from *interval) {
	h.merge(&from.packed.few)
	if from.packed.encoded == "" {
		return
	}
	buckets, err := hdr.Decode([]byte(from.packed.encoded))
	if err != nil { // it was encoded by pack
		return
	}
	l := from.sojourn
	o := hist{digits: h.digits, poured: true, buckets: buckets, count: l.Count, overflow: l.Overflow}
	o.min, o.max = int64(l.Min.Or(0)), int64(l.Max.Or(0))
	o.sum.add(uint64(l.Mean.Or(0)*float64(l.Count) + 0.5))
	h.merge(&o)
}
