// The store: a folder that holds a sweep, and loses nothing but what was running.

package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// File is the name of the sweep's file in its folder: a line with its [Header],
// then one [Record] to a line.
const File = "points.jsonl"

// maxLine bounds a line of the file, in bytes; ours are about 5 KB.
const maxLine = 16 << 20

// A place is where a record's line is in the file; the zero place is nowhere.
type place struct {
	offset int64
	length int
}

// A Store is the file of one sweep, which nobody else may write meanwhile. While
// it grows, records stand in the order in which their runs ended, each on the disk
// before the next is written; [Store.Settle] puts them in order. Its methods are
// not for concurrent use.
type Store struct {
	Header Header
	Space  *Space
	Cut    int64 // bytes of a record that was being written when the sweep was killed

	dir    string
	file   *os.File
	size   int64
	places []place // of all records, by point and repeat
	held   int     // how many there are
	moved  bool    // they stand in another order than in places
	last   int     // the slot that was written last, from 1
}

// Create begins a sweep in a folder, which it makes if there is none. It refuses a
// folder that holds one.
func Create(dir string, space *Space, h Header) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := lock(dir, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	s := &Store{Header: h, Space: space, dir: dir, file: f, places: make([]place, h.Points*h.Repeat)}
	if _, err := readLine(bufio.NewReader(f)); !errors.Is(err, io.EOF) { // a head without an end is what a kill has left
		return nil, errors.Join(cmp.Or(err, ErrHoldsSweep), f.Close())
	}
	head, err := json.Marshal(h)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		err = s.write(append(head, '\n'))
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// ErrHoldsSweep is returned by [Create] for a folder that holds a sweep already.
var ErrHoldsSweep = errors.New("holds a sweep already")

// Open goes on with the sweep in a folder, by the same version of the program. A
// record that was being written when the sweep was killed is cut off.
func Open(dir, version string) (*Store, error) {
	f, err := lock(dir, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s in it: want the folder of a sweep", File)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, file: f}
	if err := s.load(version); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// load reads the whole file once.
func (s *Store) load(version string) error {
	lines := bufio.NewReaderSize(s.file, 64<<10)
	head, err := readLine(lines)
	if err != nil {
		return errors.New("its first line is cut off, so nothing was measured: want a new sweep in that folder")
	}
	if s.Header, err = readHeader(head); err != nil {
		return err
	}
	if s.Space, err = s.Header.Space(); err != nil {
		return err
	}
	if err := s.Header.differs(s.Space, version); err != nil {
		return err
	}
	if err := s.index(lines, len(head)); err != nil {
		return err
	}
	end, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if s.Cut = end - s.size; s.Cut > 0 {
		err = errors.Join(s.file.Truncate(s.size), fsync(s.file))
	}
	return errors.Join(err, s.sweepUp())
}

// index notes the place of every record behind the head. It stops at a last line
// that is cut off or damaged.
func (s *Store) index(lines *bufio.Reader, head int) error {
	s.places = make([]place, s.Header.Points*s.Header.Repeat)
	s.size = int64(head) + 1
	for number := 2; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil // also a line without an end
		}
		if err != nil {
			return err
		}
		r, err := s.Header.readRecord(line)
		if err == nil {
			err = s.note(r, len(line)+1)
		}
		if err != nil {
			if _, more := lines.Peek(1); more != nil {
				return nil // the last line may be damaged like one that is cut off
			}
			return fmt.Errorf("line %d of %s %w", number, File, err)
		}
	}
}

// readLine returns the next line without its end, or io.EOF if it has none.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("a line is longer than %d MiB", maxLine>>20)
		case err != nil:
			return nil, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

// note takes down a record's place, at the end of what is known.
func (s *Store) note(r Record, length int) error {
	slot := s.slot(r.Point, r.Repeat)
	if s.places[slot].length > 0 {
		return fmt.Errorf("is of repeat %d of point %d, which is there already", r.Repeat, r.Point)
	}
	s.places[slot] = place{s.size, length}
	s.size += int64(length)
	s.held++
	s.moved = s.moved || slot+1 < s.last
	s.last = max(s.last, slot+1)
	return nil
}

func (s *Store) slot(point, repeat int) int { return (point-1)*s.Header.Repeat + repeat - 1 }

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Len returns how many records there are, and how many there are to be.
func (s *Store) Len() (held, all int) { return s.held, len(s.places) }

// Has says whether a run is there.
func (s *Store) Has(point, repeat int) bool { return s.places[s.slot(point, repeat)].length > 0 }

// Append adds a record. When it returns, the record is on the disk; when it fails,
// the file is as it was.
func (s *Store) Append(r Record) error {
	if s.Has(r.Point, r.Repeat) {
		return fmt.Errorf("repeat %d of point %d is there already", r.Repeat, r.Point)
	}
	r.Result = slim(r.Result)
	line, err := r.line()
	if err != nil {
		return err
	}
	at := s.size
	if err := s.write(line); err != nil {
		return errors.Join(err, s.file.Truncate(at))
	}
	s.size = at
	return s.note(r, len(line))
}

// write appends bytes to the file.
func (s *Store) write(b []byte) error {
	n, err := s.file.WriteAt(b, s.size)
	if err == nil {
		err = fsync(s.file)
	}
	if err == nil {
		s.size += int64(n)
	}
	return err
}

// Records returns the records by point and repeat, whatever their order in the
// file. It ends with an error if one can't be read.
func (s *Store) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, p := range s.places {
			if p.length == 0 {
				continue
			}
			line := make([]byte, p.length-1)
			_, err := s.file.ReadAt(line, p.offset)
			var r Record
			if err == nil {
				r, err = s.Header.readRecord(line)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Close lets others write the file.
func (s *Store) Close() error { return s.file.Close() }

// Path returns that of the file.
func (s *Store) Path() string { return filepath.Join(s.dir, File) }
