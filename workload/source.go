// The sequence of items, and the synthetic one.

package workload

import (
	"time"

	"ferryctl/internal/detmath"
)

// An Item is one input of the sequence.
type Item struct {
	Index  uint64        // 0, 1, 2, … in sequence order
	At     time.Duration // scheduled arrival, an offset from the run's start; never decreases; 0 if there is no schedule
	Key    uint64        // synthetic: the popularity rank, 0 the most popular; trace: a 64-bit hash of the key's text
	Weight int64         // >= 0; 1 … MaxWeight if synthetic
	Lane   int           // index into Source.Lanes
}

// A Source gives the items of a sequence one after the other. It is for one
// goroutine at a time.
type Source interface {
	// Next stores the next item in it and returns true, or returns false at the
	// end or after an error. It allocates nothing per item.
	Next(it *Item) bool

	// Err returns the error that ended the sequence, or nil.
	Err() error

	// Lanes returns the names of the share lanes, at least one: "" alone if items
	// are untagged. A trace's names, at most MaxLanes, grow while it is read;
	// a name never moves, and a slice returned earlier stays valid.
	Lanes() []string

	// Hash returns a fingerprint of the items taken so far, equal on every
	// machine: of index, offset, key, weight and lane name of each.
	Hash() uint64

	// Close ends the sequence and frees what it holds. It is idempotent.
	Close() error
}

// New returns the sequence that s describes. It refuses what [Spec.Validate]
// refuses, and opens the trace, whose header and first row must be sound. Two
// sources of equal specs give equal items.
func New(s Spec) (Source, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Arrivals.Kind == FromTrace {
		return openTrace(s)
	}
	return newSynthetic(s), nil
}

// A synthetic source draws its items. Every attribute of item i but its offset
// is a function of the seed, the attribute, and i alone; so is each gap of a
// process, whose sums are the offsets.
type synthetic struct {
	names    []string
	hashes   []uint64 // of names
	keys     zipf
	weights  weigher
	tags     tagger
	single   process // if there is one process
	lanes    *merge  // if each lane has one, else nil
	timeless bool    // no schedule
	items    uint64  // bound; 0 is none
	until    time.Duration
	index    uint64
	digest   digest
	closed   bool
}

func newSynthetic(s Spec) *synthetic {
	src := &synthetic{
		keys:     newZipf(s.Keys, s.KeySkew, detmath.NewStream(s.Seed, "key")),
		weights:  newWeigher(s.Weights, detmath.NewStream(s.Seed, "weight")),
		tags:     newTagger(s.Lanes, detmath.NewStream(s.Seed, "lane")),
		timeless: s.Closed || s.Rate.Max,
		items:    s.Items,
		until:    s.Duration,
	}
	switch {
	case len(s.LaneRates) > 0:
		var processes []process
		for _, l := range s.LaneRates {
			src.names = append(src.names, l.Lane)
			processes = append(processes, newProcess(s.Arrivals, l.Rate, s.Seed, l.Lane))
		}
		src.lanes = newMerge(processes)
	case !src.timeless:
		src.single = newProcess(s.Arrivals, s.Rate, s.Seed, "")
	}
	for _, l := range s.Lanes {
		src.names = append(src.names, l.Lane)
	}
	if src.names == nil {
		src.names = []string{""}
	}
	for _, name := range src.names {
		src.hashes = append(src.hashes, detmath.HashText(name))
	}
	return src
}

func (s *synthetic) Next(it *Item) bool {
	if s.closed || s.items > 0 && s.index >= s.items {
		return false
	}
	i := s.index
	at, lane, ok := s.arrive(i)
	if !ok || s.until > 0 && at >= s.until {
		s.closed = true
		return false
	}
	it.Index, it.At, it.Lane = i, at, lane
	it.Key = s.keys.rank(i)
	it.Weight = s.weights.weight(i)
	s.index++
	s.digest.add(it, s.hashes[lane])
	return true
}

func (s *synthetic) arrive(i uint64) (at time.Duration, lane int, ok bool) {
	if s.lanes != nil {
		return s.lanes.next()
	}
	lane = s.tags.lane(i)
	if s.timeless {
		return 0, lane, true
	}
	at, ok = s.single.next()
	return at, lane, ok
}

func (s *synthetic) Err() error      { return nil }
func (s *synthetic) Lanes() []string { return s.names }
func (s *synthetic) Hash() uint64    { return s.digest.value() }

func (s *synthetic) Close() error {
	s.closed = true
	return nil
}
