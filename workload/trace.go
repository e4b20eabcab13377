// Recorded sequences: the rows of a trace as items.

package workload

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"ferryctl/internal/detmath"
)

// A trace is a recorded sequence, read as it is taken.
type trace struct {
	path     string
	file     io.Closer
	release  func() // of the decompressor
	rows     *rowReader
	speed    float64
	whole    int64 // speed if it is a whole number, else 0
	timeless bool
	items    uint64
	until    time.Duration

	first, last int64 // offsets of the first row and of the last one read, us
	lanes       map[string]int
	names       []string
	hashes      []uint64 // of names
	row         Item     // the row last read
	ready       bool     // row is not yet given
	index       uint64
	digest      digest
	err         error
	done        bool
}

// isHeader says whether the line last read is the header.
func (r *rowReader) isHeader() bool {
	return r.count == traceFields && string(r.fields[0]) == "offset_us" && string(r.fields[1]) == "key" &&
		string(r.fields[2]) == "weight" && string(r.fields[3]) == "lane"
}

// readRow reads the next row into t.row, all but its offset, which goes to
// t.last.
func (t *trace) readRow() error {
	r := t.rows
	if err := r.read(); err != nil {
		return err
	}
	if r.count != traceFields {
		return t.wrongCount()
	}
	offset, err := whole(r.fields[0], maxOffset)
	if err != nil {
		if r.isHeader() {
			return errors.New("the header stands here again, as if two files were joined: want it on line 1 alone")
		}
		return fmt.Errorf("offset_us %w", err)
	}
	if offset < t.last {
		return fmt.Errorf("offset_us %d is less than %d before it: want rows sorted by offset, of one trace", offset, t.last)
	}
	if len(r.fields[1]) == 0 {
		return errors.New("the key is empty: want a key for each item, its own if it has none")
	}
	weight, err := whole(r.fields[2], MaxWeight)
	if err != nil {
		return fmt.Errorf("weight %w", err)
	}
	lane, err := t.lane(r.fields[3])
	if err != nil {
		return err
	}
	t.last = offset
	t.row = Item{Index: t.index, Key: detmath.HashText(r.fields[1]), Weight: weight, Lane: lane}
	return nil
}

func (t *trace) wrongCount() error {
	what := fmt.Sprintf("has %d fields: want %d, %s", t.rows.count, traceFields, TraceHeader)
	switch {
	case t.rows.count == 1 && len(t.rows.fields[0]) == 0:
		what = "is an empty line: want " + TraceHeader
	case !t.rows.ended && t.rows.count < traceFields:
		what += "; the file ends in this line, as if it were cut off"
	}
	return errors.New(what)
}

// lane returns the index of a lane's name, which it remembers.
func (t *trace) lane(name []byte) (int, error) {
	if k := t.row.Lane; k < len(t.names) && t.names[k] == string(name) {
		return k, nil
	}
	if k, known := t.lanes[string(name)]; known {
		return k, nil
	}
	if err := validateLabel(string(name)); err != nil {
		return 0, err
	}
	if len(t.names) == MaxLanes {
		return 0, fmt.Errorf("lane %q is one too many: want at most %d share lanes; is the column a key?", name, MaxLanes)
	}
	if !t.rows.ended {
		for _, other := range t.names {
			if strings.HasPrefix(other, string(name)) {
				return 0, fmt.Errorf("the file ends in this line, and its lane %q is new and begins like %q, as if it were cut off: "+
					"want the whole file, or a newline at its end", name, other)
			}
		}
	}
	k := len(t.names)
	t.names = append(t.names, string(name))
	t.hashes = append(t.hashes, detmath.HashText(name))
	t.lanes[t.names[k]] = k
	return k, nil
}

// place gives t.row its offset.
func (t *trace) place() error {
	ns := (t.last - t.first) * 1000
	switch {
	case t.timeless:
		ns = 0
	case t.whole > 0:
		ns /= t.whole
	default:
		f := float64(ns) / t.speed
		if !(f < math.MaxInt64) {
			return &TraceError{t.path, t.rows.line, fmt.Errorf("offset_us %d is too large at the speed %v: want a larger speed", t.last, t.speed)}
		}
		ns = int64(f)
	}
	t.row.At = time.Duration(ns)
	return nil
}

func (t *trace) Next(it *Item) bool {
	if t.done || t.items > 0 && t.index >= t.items {
		return false
	}
	if !t.ready {
		err := t.readRow()
		if err == nil {
			err = t.place()
		} else if !errors.Is(err, io.EOF) {
			err = &TraceError{t.path, t.rows.line, err}
		}
		if err != nil {
			return t.end(err)
		}
	}
	t.ready = false
	if t.until > 0 && t.row.At >= t.until {
		return t.end(nil)
	}
	*it = t.row
	t.index++
	t.digest.add(it, t.hashes[it.Lane])
	return true
}

// end ends the sequence, with an error unless it is io.EOF.
func (t *trace) end(err error) bool {
	t.done = true
	if !errors.Is(err, io.EOF) {
		t.err = err
	}
	return false
}

func (t *trace) Err() error      { return t.err }
func (t *trace) Lanes() []string { return t.names }
func (t *trace) Hash() uint64    { return t.digest.value() }

func (t *trace) Close() error {
	t.done = true
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file = nil
	t.release()
	return file.Close()
}
