// Records: one line of a sweep's file for each run.

package sweep

import (
	"encoding/json"
	"errors"
	"fmt"

	"ferryctl/bench"
)

// A Record is the result of one run of one point.
type Record struct {
	Point  int           `json:"point"`  // its number, from 1
	Repeat int           `json:"repeat"` // from 1
	Result *bench.Result `json:"result"` // without what is too large to keep of every run
}

// slim returns r without its intervals and without all histograms but that of the
// sojourn: what remains is about 5 KB, where the whole is up to some hundreds.
func slim(r *bench.Result) *bench.Result {
	s := *r
	s.Intervals = []bench.Interval{}
	s.Histograms = bench.Histograms{Sojourn: r.Histograms.Sojourn}
	s.Batches.Size.Counts = nil
	s.Lanes = append([]bench.Lane{}, r.Lanes...)
	for i := range s.Lanes {
		s.Lanes[i].Histogram = ""
	}
	return &s
}

// line writes the record as a line.
func (r Record) line() ([]byte, error) {
	text, err := json.Marshal(r)
	return append(text, '\n'), err
}

// readRecord reads a line of the file, without its end.
func (h Header) readRecord(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("is no record: %w", err)
	}
	switch {
	case r.Result == nil || r.Result.Schema != bench.Schema:
		return r, errors.New("holds no result")
	case r.Point < 1 || r.Point > h.Points || r.Repeat < 1 || r.Repeat > h.Repeat:
		return r, fmt.Errorf("is of repeat %d of point %d: the sweep has %d points, each measured %d times", r.Repeat, r.Point, h.Points, h.Repeat)
	}
	return r, nil
}
