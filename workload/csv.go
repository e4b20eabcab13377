// The lines of a trace, and their fields.

package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// MaxTraceLine is the longest line of a trace, in bytes, its end included.
const MaxTraceLine = 64 << 10

// traceFields is the number of fields of a line.
const traceFields = 4

// A rowReader cuts a trace into lines and fields. It is not encoding/csv, which
// allocates a string for every record and reads a line of any length, or a quote
// that is never closed, into memory; benchmarks set the two side by side.
type rowReader struct {
	in     *bufio.Reader
	line   int // number of the line last read, from 1
	ended  bool
	fields [traceFields][]byte // of that line; valid until the next one
	count  int                 // how many fields it has, if more than traceFields too
}

func newRowReader(in io.Reader) *rowReader {
	return &rowReader{in: bufio.NewReaderSize(in, MaxTraceLine)}
}

// read reads the next line. It returns io.EOF after the last one, and an error
// that says what is wrong with the line or with the reading. ended says whether
// the line ended with a newline.
func (r *rowReader) read() error {
	line, err := r.in.ReadSlice('\n')
	if len(line) > 0 || err != io.EOF {
		r.line++
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("the line is longer than %d bytes: want one short line for each item", MaxTraceLine)
	case err == io.EOF && len(line) == 0:
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the compressed data is cut off here: want the whole file")
	case err != nil && err != io.EOF:
		return err
	}
	r.ended = err == nil
	if r.ended {
		line = line[:len(line)-1]
	}
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return errors.New("is binary or UTF-16, not CSV text in UTF-8")
	}
	return r.split(line)
}

// split cuts line into fields.
func (r *rowReader) split(line []byte) error {
	quoted := bytes.IndexByte(line, '"') >= 0
	for r.count = 0; ; {
		field, rest, more := line, []byte(nil), false
		if quoted {
			var err error
			if field, rest, more, err = cutQuoted(line); err != nil {
				return err
			}
		} else if comma := bytes.IndexByte(line, ','); comma >= 0 {
			field, rest, more = line[:comma], line[comma+1:], true
		}
		if r.count < traceFields {
			r.fields[r.count] = field
		}
		r.count++
		if !more {
			return nil
		}
		line = rest
	}
}

// cutQuoted cuts the first field from a line that holds a quote somewhere. A
// quoted field is freed of its quotes in place.
func cutQuoted(line []byte) (field, rest []byte, more bool, err error) {
	if len(line) == 0 || line[0] != '"' {
		comma := bytes.IndexByte(line, ',')
		if field, more = line, comma >= 0; more {
			field, rest = line[:comma], line[comma+1:]
		}
		if bytes.IndexByte(field, '"') >= 0 {
			return nil, nil, false, fmt.Errorf("a quote inside the field %.40q: want the whole field in quotes, and the quote twice", field)
		}
		return field, rest, more, nil
	}
	end := 0 // of what is freed so far
	for i := 1; i < len(line); i++ {
		c := line[i]
		switch {
		case c != '"':
		case i+1 < len(line) && line[i+1] == '"':
			i++
		case i+1 == len(line):
			return line[:end], nil, false, nil
		case line[i+1] == ',':
			return line[:end], line[i+2:], true, nil
		default:
			return nil, nil, false, errors.New("text behind a closing quote: want a comma there, or the quote twice")
		}
		line[end] = c
		end++
	}
	return nil, nil, false, errors.New("a quoted field is not closed on its line: want its closing quote")
}

// whole reads a whole number between 0 and limit.
func whole(text []byte, limit int64) (int64, error) {
	if len(text) == 0 {
		return 0, errors.New("is empty: want a whole number >= 0")
	}
	var v uint64
	for _, c := range text {
		d := uint64(c - '0')
		if d > 9 {
			if text[0] == '-' {
				return 0, fmt.Errorf("%.40q is negative: want a whole number >= 0", text)
			}
			return 0, fmt.Errorf("%.40q is not a whole number: want digits only", text)
		}
		if v = v*10 + d; v > uint64(limit) {
			return 0, fmt.Errorf("%.40q is too large: want at most %d", text, limit)
		}
	}
	return int64(v), nil
}

// maxOffset is the largest offset in microseconds that is a Duration.
const maxOffset = math.MaxInt64 / 1000
