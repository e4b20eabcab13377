// Reading a sweep that somebody keeps: nothing in its folder is changed.

package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Read opens the sweep in a folder to look at it, also while it runs, whichever
// version of the program has begun it and whatever became of its traces. Of its
// methods only Append and Settle fail. A record that is cut off is left out, and
// counted in Cut.
func Read(dir string) (*Store, error) {
	f, err := os.Open(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s in it: want the folder of a sweep", File)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, file: f}
	if err := s.look(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// look reads the whole file once, and trusts nothing in it.
func (s *Store) look() error {
	info, err := s.file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("its %s is no regular file", File)
	}
	lines := bufio.NewReaderSize(s.file, 64<<10)
	head, err := readLine(lines)
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("its first line is cut off, so nothing was measured")
	case err != nil:
		return err
	}
	if s.Header, err = readHeader(head); err != nil {
		return err
	}
	if s.Space, err = s.Header.Space(); err != nil {
		return err
	}
	h := s.Header
	if h.Points != s.Space.Len() || h.Repeat < 1 || float64(h.Points)*float64(h.Repeat) > MaxRuns {
		return fmt.Errorf("its first line speaks of %d points measured %d times, its knobs give %d points", h.Points, h.Repeat, s.Space.Len())
	}
	if err := s.index(lines, len(head)); err != nil {
		return err
	}
	s.Cut = max(0, info.Size()-s.size) // of what was there when we looked
	return nil
}
