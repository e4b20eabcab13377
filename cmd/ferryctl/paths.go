// Where an output goes, and what speaks against it.

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

// resolve follows the links of path. It returns the file to replace, or direct
// if what is there is no file and must be written as it is: a terminal, a pipe,
// the null device. The error says why path can't be written.
func resolve(path string) (where string, direct bool, err error) {
	where = follow(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return where, false, errors.New("is a folder; want the name of a file in it")
	case err == nil && !info.Mode().IsRegular():
		if where, err = filepath.EvalSymlinks(path); err != nil { // /dev/stdout leads to no name when it is a pipe
			where = path
		}
		return where, true, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return where, false, plainError(err)
	case err == nil:
		if err := canOverwrite(where); err != nil { // it says that it is not to be replaced
			return where, false, err
		}
	case strings.HasSuffix(path, string(filepath.Separator)):
		return where, false, errors.New("is no name of a file; want one without a slash at its end")
	}
	err = canCreateIn(filepath.Dir(where))
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(path)
		if _, noLink := os.Readlink(path); noLink == nil {
			folder = filepath.Dir(where)
		}
		err = fmt.Errorf("no folder %s to put it in", folder)
	}
	return where, false, err
}

// maxLinks is how many links a path may lead through.
const maxLinks = 40

// follow returns the file that path means, past every link, also where a link
// leads to a file that is yet to be made.
func follow(path string) string {
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			break // whoever looks at the folder will say so
		}
		path = filepath.Join(dir, filepath.Base(path))
		target, err := os.Readlink(path)
		if err != nil {
			break // no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		path = target
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// checkDir says whether dir can hold files, or could be made.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return errors.New("is a file; want a folder")
	case err == nil:
		return canCreateIn(dir)
	case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
		return plainError(err)
	}
	return checkDir(filepath.Dir(dir)) // a shorter path each time, down to one that is its own parent
}

// canCreateIn makes and removes a file in dir: no other question is answered
// for sure by permissions, mounts and quotas together.
func canCreateIn(dir string) error {
	f, err := os.CreateTemp(dir, ".ferryctl-*")
	if err != nil {
		return plainError(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// canOverwrite opens a file for writing and leaves it as it is.
func canOverwrite(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return plainError(err)
	}
	return f.Close()
}

// cannotReplace says whether err is that a file could not be replaced by another,
// although it may be written: it is a mount point, somebody else's in a folder
// like /tmp, or its name leaves no room for that of a temporary file.
func cannotReplace(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENAMETOOLONG)
}

// overwrite writes a file in place, or what is no file but may be written like one.
func overwrite(file string, flags int, render func(io.Writer) error) error {
	f, err := os.OpenFile(file, flags, 0o644)
	if err != nil {
		return err
	}
	err = buffered(f, render)
	if flags&os.O_CREATE != 0 {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

// plainError drops the operation and the path that package os puts before the
// cause: the message around it names what the user has given.
func plainError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// A usedFile is one that the run needs, so that no output may take its place.
type usedFile struct {
	as   string // what it is, and what would be right
	info fs.FileInfo
}

// filesInUse returns what the run reads, and where stdout and stderr go if that
// is a file or a pipe: their text would get lost, or mixed with an output's.
func filesInUse(env *environ, s settings.Settings) []usedFile {
	var used []usedFile
	if info, err := os.Stat(s.Trace); err == nil {
		used = append(used, usedFile{"the trace that the run reads; want another file", info})
	}
	if info, err := os.Stat(s.Backend.File); err == nil {
		used = append(used, usedFile{"the model that the run reads; want another file", info})
	}
	if _, builtin := profiles.Source(s.Profile); !builtin {
		if info, err := os.Stat(s.Profile); err == nil {
			used = append(used, usedFile{"the profile that the run reads; want another file", info})
		}
	}
	for _, stream := range []struct {
		as   string
		w    any
		also fs.FileMode // what it may not be besides a file
	}{
		{"what stdout goes to; want another file, or the format alone", env.stdout, fs.ModeNamedPipe},
		{"what the messages go to; want another file", env.stderr, 0},
	} {
		f, ok := stream.w.(interface{ Stat() (fs.FileInfo, error) })
		if !ok {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Mode().Type()&^stream.also == 0 {
			used = append(used, usedFile{stream.as, info})
		}
	}
	return used
}

// usedAs says what file is used as, "" if it is not used.
func usedAs(file string, used []usedFile) string {
	info, err := os.Stat(file)
	if err != nil {
		return "" // it is yet to be made
	}
	for _, u := range used {
		if os.SameFile(info, u.info) {
			return u.as
		}
	}
	return ""
}
