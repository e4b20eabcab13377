// Recorded sequences: the rows of a trace as items.

package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// TraceHeader is the first line of every trace.
const TraceHeader = "offset_us,key,weight,lane"

// A TraceError says where and why a trace cannot be read.
type TraceError struct {
	Path string
	Line int // from 1; 0 if no line is to blame
	Err  error
}

func (e *TraceError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

// Unwrap returns what went wrong.
func (e *TraceError) Unwrap() error { return e.Err }

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

// openTrace opens the trace of s and reads its header and its first row.
func openTrace(s Spec) (Source, error) {
	file, err := os.Open(s.Trace)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(&TraceError{Path: s.Trace, Err: errors.New("is a directory: want a CSV file")}, file.Close())
	}
	t, err := newTrace(s, file, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

func newTrace(s Spec, in io.Reader, file io.Closer) (*trace, error) {
	t := &trace{
		path: s.Trace, file: file, speed: s.Speed, timeless: s.Closed || s.Rate.Max,
		items: s.Items, until: s.Duration, lanes: map[string]int{},
	}
	if s.Speed >= 1 && s.Speed < 1<<62 && s.Speed == float64(int64(s.Speed)) {
		t.whole = int64(s.Speed)
	}
	plain, release, err := decompress(in)
	if err != nil {
		return nil, &TraceError{Path: s.Trace, Err: err}
	}
	t.release = release
	t.rows = newRowReader(plain)
	err = t.readHeader()
	if err == nil {
		err = t.readRow()
	}
	if err == io.EOF {
		err = errors.New("has no rows behind its header: want one for each item")
	}
	if err != nil {
		release()
		return nil, &TraceError{Path: s.Trace, Line: t.rows.line, Err: err}
	}
	t.first = t.last
	t.ready = true
	return t, t.place()
}

// decompress recognises gzip and Zstandard by their first bytes.
func decompress(in io.Reader) (plain io.Reader, release func(), err error) {
	b := bufio.NewReaderSize(in, MaxTraceLine)
	magic, err := b.Peek(4)
	switch {
	case err != nil && err != io.EOF:
		return nil, nil, err
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, fmt.Errorf("begins like gzip, but cannot be read as such: %w", err)
		}
		return z, func() {}, nil
	case bytes.Equal(magic, []byte("\x28\xb5\x2f\xfd")):
		// With a concurrency of one it decodes on the caller's goroutine.
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return b, func() {}, nil
}

func (t *trace) readHeader() error {
	err := t.rows.read()
	if err == io.EOF {
		return errors.New("is empty: want the header " + TraceHeader + " and a row for each item")
	}
	if err != nil {
		return err
	}
	if t.rows.isHeader() {
		return nil
	}
	found := string(bytes.Join(t.rows.fields[:min(t.rows.count, traceFields)], []byte(",")))
	switch {
	case strings.HasPrefix(found, "version https://git-lfs"):
		return errors.New("is a Git LFS pointer, not data: fetch the file itself with git lfs pull")
	case t.rows.count == traceFields && found[0] >= '0' && found[0] <= '9':
		return fmt.Errorf("has no header: want the line %s before its rows", TraceHeader)
	case t.rows.count > traceFields:
		found += fmt.Sprintf(",… (%d columns)", t.rows.count)
	}
	return fmt.Errorf("the header is %.120q: want %s, in this order", found, TraceHeader)
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
	t.row = Item{Index: t.index, Key: hashText(r.fields[1]), Weight: weight, Lane: lane}
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
	t.hashes = append(t.hashes, hashText(name))
	t.lanes[t.names[k]] = k
	return k, nil
}

// place gives t.row its offset.
func (t *trace) place() error {
	ns := int64((t.last - t.first) * 1000)
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
		} else if err != io.EOF {
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
	if err != io.EOF {
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
