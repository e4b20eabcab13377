// Runs, sweeps and answers that were written before: finding, reading and rewriting
// them.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench"
	"ferryctl/bench/export"
	"ferryctl/bench/settings"
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
		err = fmt.Errorf("%s: holds neither %s nor a .json file: want a run (-o json=FILE), a folder of runs, or what sweep, tune or capacity wrote (--out DIR)", path, sweep.File)
	}
	slices.Sort(s.files)
	return s, err
}

// readRun reads the result in a file.
func readRun(path string) (*bench.Result, error) {
	return readJSON(path, export.Read, "the JSON form of a run, as from ferryctl bench -o json")
}

// readDocument reads a run, or the answer of a search, in a file.
func readDocument(path string) (*export.Document, error) {
	return readJSON(path, export.ReadDocument, "the JSON form of a run, or of what ferryctl tune or capacity answered")
}

func readJSON[T any](path string, read func(io.Reader) (T, error), want string) (v T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, plainError(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return v, fmt.Errorf("%s: is a folder; want %s", path, want)
	}
	if v, err = read(f); err != nil {
		return v, fmt.Errorf("%s: %w: want %s", path, err, want)
	}
	return v, nil
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

// A rewriting is what commands that read stored results and write forms of them have
// in common.
type rewriting struct {
	outputs []output
	dir     string
	ascii   bool
	forms   forms
	write   func(w io.Writer, format string) error
}

// rewrites adds the flags of a rewriting to a command, and runs what plan makes of
// them and of the arguments: the writing, and what there is to say after it.
func rewrites(cmd *cobra.Command, env *environ, flags *knobFlags, formats string, plan func(f *faulty, args []string) (*rewriting, func() error, error)) {
	flags.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write it as "+formats+", repeatable")
	flags.add(cmd, "out", "", "DIR", "Output", "write every format into a folder")
	ascii := cmd.Flags().Bool("ascii", false, "write the table without characters beyond ASCII")
	cmd.Flags().Lookup("ascii").Annotations = map[string][]string{sectionKey: {"Output"}}
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, conclude, err := plan(&faulty{knobs: flags}, args)
		if err != nil {
			return usage(err)
		}
		w.ascii = *ascii
		if err := w.run(env, messengerOf(cmd, env)); err != nil {
			return err
		}
		return conclude()
	}
}

// settle reads where the outputs go, and checks that they take the place of nothing
// that is read.
func (w *rewriting) settle(f *faulty, specs []string, read ...stored) {
	var err error
	w.dir = f.one("out")
	w.outputs, err = parseOutputs(specs, w.dir, w.forms)
	f.add(err)
	used := filesInUse(f.knobs.env, settings.Settings{})
	for _, s := range read {
		used = append(used, s.inUse()...)
	}
	f.add(checkOutputs(w.outputs, w.dir, used))
}

// run writes the forms.
func (w *rewriting) run(env *environ, m messenger) error {
	wrote := func(o output) { m.say("wrote %s to %s", o.format, clean(o.file)) }
	return writeOutputs(w.outputs, w.dir, env.stdout, wrote, func(into io.Writer, format string) error {
		if w.ascii && format == w.forms.names[0] {
			into = asciiWriter{into}
		}
		return w.write(into, format)
	})
}

// or returns the value of a flag, otherwise if it was not given.
func (f *faulty) or(flag, otherwise string) string {
	return cmp.Or(f.one(flag), otherwise)
}
