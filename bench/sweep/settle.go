// Locking the file, and putting it in order once all is there.

package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked is returned for a folder whose sweep is running.
var ErrLocked = errors.New("another process is at work on the sweep in it: want another folder, or to wait")

// lock opens the folder's file for this process alone, until it is closed or the
// process ends in whatever way.
func lock(dir string, create int) (*os.File, error) {
	path := filepath.Join(dir, File)
	for range 10 {
		f, err := os.OpenFile(path, os.O_RDWR|create, 0o666)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if same(f, path) {
			return f, nil
		}
		_ = f.Close() // it was replaced between the two steps: another try
	}
	return nil, ErrLocked
}

func flock(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrLocked
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// same says whether f is what path leads to.
func same(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// unsettled is the pattern of files that are yet to take the place of the sweep's.
const unsettled = ".points-*.jsonl"

// Settle puts the records in order, so that the file of a finished sweep in virtual
// time is the same bytes whatever happened on the way. The old file stays until the
// new one is whole; the lock goes over with it.
func (s *Store) Settle() error {
	if !s.moved {
		return nil
	}
	f, err := os.CreateTemp(s.dir, unsettled)
	if err != nil {
		return err
	}
	places, err := s.copyTo(f)
	if err == nil {
		err = flock(f)
	}
	if err == nil {
		err = f.Chmod(modeOf(s.file))
	}
	if err == nil {
		err = fsync(f)
	}
	if err == nil {
		err = os.Rename(f.Name(), s.Path())
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	old := s.file
	s.file, s.places, s.moved = f, places, false
	return errors.Join(old.Close(), syncDir(s.dir))
}

// copyTo writes head and records to f, and returns where these are then.
func (s *Store) copyTo(f *os.File) ([]place, error) {
	w := bufio.NewWriterSize(f, 1<<20)
	head, err := readLine(bufio.NewReader(io.NewSectionReader(s.file, 0, s.size)))
	if err != nil {
		return nil, err
	}
	_, _ = w.Write(append(head, '\n')) // Flush says whether it went well
	places := make([]place, len(s.places))
	at := int64(len(head)) + 1
	for slot, p := range s.places {
		if p.length == 0 {
			continue
		}
		if _, err := io.Copy(w, io.NewSectionReader(s.file, p.offset, int64(p.length))); err != nil {
			return nil, err
		}
		places[slot] = place{at, p.length}
		at += int64(p.length)
	}
	return places, w.Flush()
}

func modeOf(f *os.File) os.FileMode {
	if info, err := f.Stat(); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// sweepUp removes what a kill has left of Settle.
func (s *Store) sweepUp() error {
	left, err := filepath.Glob(filepath.Join(globbed(s.dir), unsettled))
	for _, file := range left {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// globbed quotes what a pattern would read in a folder's name.
func globbed(dir string) string {
	var out []rune
	for _, r := range dir {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// fsync puts a file on the disk. Tests replace it that cut a file thousands of times.
var fsync = (*os.File).Sync

// syncDir puts a folder's entries on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(fsync(d), d.Close())
}
