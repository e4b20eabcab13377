// Opening a trace: what kind of file it is, and whether it begins as it should.

package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
	if errors.Is(err, io.EOF) {
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
	if errors.Is(err, io.EOF) {
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
