// Runs and sweeps that were written before: finding and reading them.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/export"
	"ferryctl/bench/sweep"
)

// A stored is what a path leads to: a sweep, or the files of runs.
type stored struct {
	path  string
	sweep string   // the sweep's folder; "" for runs
	files []string // of runs, in the order of their names
}

// maxFiles and maxDepth bound what is looked for below a folder.
const (
	maxFiles = 10_000
	maxDepth = 4
)

// findStored says what a path leads to. A folder with a sweep's file is that sweep;
// another one stands for all results below it.
func findStored(path string) (stored, error) {
	s := stored{path: path}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return s, fmt.Errorf("%s: %w", path, plainError(err))
	case !info.IsDir() && filepath.Base(path) == sweep.File:
		s.sweep = filepath.Dir(path)
		return s, nil
	case !info.IsDir():
		s.files = []string{path}
		return s, nil
	}
	if _, err := os.Stat(filepath.Join(path, sweep.File)); err == nil {
		s.sweep = path
		return s, nil
	}
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		depth := strings.Count(strings.TrimPrefix(at, path), string(filepath.Separator))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", at, plainError(err))
		case d.IsDir() && depth > maxDepth:
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(at) != ".json":
			return nil
		case len(s.files) == maxFiles:
			return fmt.Errorf("%s: holds more than %d results: want fewer", path, maxFiles)
		}
		s.files = append(s.files, at)
		return nil
	})
	if err == nil && len(s.files) == 0 {
		err = fmt.Errorf("%s: holds neither %s nor a .json file: want a run (-o json=FILE), a folder of runs, or a sweep (--out DIR)", path, sweep.File)
	}
	slices.Sort(s.files)
	return s, err
}

// readRun reads the result in a file.
func readRun(path string) (*bench.Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plainError(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; want the JSON form of a run", path)
	}
	r, err := export.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: want the JSON form of a run, as from ferryctl bench -o json", path, err)
	}
	return r, nil
}

// readSweep opens a sweep to look at it.
func readSweep(dir string) (*sweep.Store, error) {
	store, err := sweep.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plainError(err))
	}
	if held, _ := store.Len(); held == 0 {
		return nil, errors.Join(fmt.Errorf("%s: no run of the sweep was measured yet", dir), store.Close())
	}
	return store, nil
}

// inUse are the files that no output may take the place of.
func (s stored) inUse() []usedFile {
	files := s.files
	if s.sweep != "" {
		files = []string{filepath.Join(s.sweep, sweep.File)}
	}
	var used []usedFile
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			used = append(used, usedFile{"what is to be read; want another file", info})
		}
	}
	return used
}
