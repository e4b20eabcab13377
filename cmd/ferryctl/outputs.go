package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"ferryctl/bench/export"
	"ferryctl/workload/units"
)

// An output is one form of the result and where it goes.
type output struct {
	format string
	file   string // "" is stdout
}

// forms are those in which a command writes its result.
type forms struct {
	names []string // the first is the default
	stem  string   // of the files that --out writes
}

var (
	runForms   = forms{export.Formats, "result"}
	sweepForms = forms{export.SweepFormats, "sweep"}
)

// parseOutputs reads the values of -o (FORMAT or FORMAT=FILE) and --out, and
// reports every fault. The table goes to stdout unless another format does.
func parseOutputs(specs []string, dir string, f forms) ([]output, error) {
	var outs []output
	var faults []error
	for _, spec := range specs {
		name, file, hasFile := strings.Cut(spec, "=")
		if !slices.Contains(f.names, name) {
			faults = append(faults, hint(fmt.Errorf("output %q: unknown format %q, want one of %s", spec, name, strings.Join(f.names, ", ")),
				didYouMean(units.Nearest(name, f.names))))
			continue
		}
		if hasFile && file == "" {
			faults = append(faults, fmt.Errorf("output %q: no file after the equals sign; leave both out for stdout", spec))
			continue
		}
		if file == "-" {
			file = ""
		}
		outs = append(outs, output{name, file})
	}
	if dir != "" {
		for _, format := range f.names {
			outs = append(outs, output{format, filepath.Join(dir, f.stem+"."+extension(format))})
		}
	}
	toStdout := 0
	for _, o := range outs {
		if o.file == "" {
			toStdout++
		}
	}
	if toStdout > 1 {
		faults = append(faults, hint(fmt.Errorf("%d outputs go to stdout, which holds one", toStdout), "give the others a file: -o json=FILE"))
	}
	if toStdout == 0 {
		outs = append(outs, output{f.names[0], ""})
	}
	return outs, errors.Join(faults...)
}

// extension is that of the files that --out writes.
func extension(format string) string {
	switch format {
	case "table":
		return "txt"
	case "junit":
		return "junit.xml"
	}
	return format
}

// checkOutputs reports every output file that could not be written, files that
// two outputs would write, and those that the run uses for something else. It
// leaves nothing behind.
func checkOutputs(outs []output, dir string, used []usedFile) error {
	toBeMade := false
	if dir != "" {
		if err := checkDir(dir); err != nil {
			return fmt.Errorf("output folder %s: %w", dir, err)
		}
		_, err := os.Stat(dir)
		toBeMade = errors.Is(err, fs.ErrNotExist)
	}
	var faults []error
	taken := make(map[string]output)
	for _, o := range outs {
		if o.file == "" {
			continue
		}
		where, _, err := resolve(o.file)
		inDir := toBeMade && filepath.Dir(o.file) == filepath.Clean(dir)
		if err != nil && !inDir {
			faults = append(faults, fmt.Errorf("output %s: %w", o, err))
			continue
		}
		if as := usedAs(o.file, used); as != "" {
			faults = append(faults, fmt.Errorf("output %s: is %s", o, as))
		}
		if other, twice := taken[where]; twice {
			faults = append(faults, fmt.Errorf("outputs %s and %s would both write %s", other.format, o.format, o.file))
		}
		taken[where] = o
	}
	return errors.Join(faults...)
}

// writeOutputs writes each output as render gives it, files first: a reader of
// stdout that has gone away costs no file. It tries them all and reports every
// failure. A closed pipe is none to talk about. It calls wrote for each file that
// is whole.
func writeOutputs(outs []output, dir string, stdout io.Writer, wrote func(output), render func(w io.Writer, format string) error) error {
	var faults []error
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			faults = append(faults, fmt.Errorf("output folder %s: %w", dir, plainError(err)))
		}
	}
	slices.SortStableFunc(outs, func(a, b output) int { return boolInt(a.file == "") - boolInt(b.file == "") })
	closed := false
	for _, o := range outs {
		var err error
		if o.file != "" {
			err = writeFile(o.file, func(w io.Writer) error { return render(w, o.format) })
		} else {
			var text bytes.Buffer
			if err = render(&text, o.format); err == nil {
				_, err = stdout.Write(text.Bytes())
			}
		}
		switch {
		case err == nil && o.file != "":
			wrote(o)
		case o.file == "" && errors.Is(err, syscall.EPIPE):
			closed = true
		case err != nil:
			faults = append(faults, fmt.Errorf("output %s: %w", o, err))
		}
	}
	if len(faults) == 0 && !closed {
		return nil
	}
	return &exitError{exitFailed, errors.Join(faults...)} // without words for a closed pipe alone
}

// writeFile replaces path by a file that holds what render writes, or leaves it as
// it was. The new file is on the disk before it takes the name. Only what cannot be
// replaced is written in place.
func writeFile(path string, render func(io.Writer) error) error {
	where, direct, err := resolve(path)
	if err != nil {
		return err
	}
	if direct {
		return overwrite(where, os.O_WRONLY, render)
	}
	t, err := renameio.NewPendingFile(where, renameio.WithTempDir(filepath.Dir(where)), renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	if cannotReplace(err) {
		return overwrite(where, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, render)
	}
	if err != nil {
		return err
	}
	defer func() { _ = t.Cleanup() }() // of what did not take the name
	if err := buffered(t, render); err != nil {
		return err
	}
	err = t.CloseAtomicallyReplace()
	if cannotReplace(err) {
		return overwrite(where, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, func(w io.Writer) error { return copyFrom(t.Name(), w) })
	}
	return err
}

// buffered renders into w by large pieces.
func buffered(w io.Writer, render func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := render(b); err != nil {
		return err
	}
	return b.Flush()
}

func copyFrom(file string, w io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func (o output) String() string {
	if o.file == "" {
		return o.format + " on stdout"
	}
	return o.format + "=" + o.file
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// didYouMean is the hint that offers near, none if near is empty.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return "did you mean " + near
}
