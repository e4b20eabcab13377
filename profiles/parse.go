// From the text of a profile to settings.

package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ferryctl/bench/settings"
	"ferryctl/internal/plainyaml"
)

// A reader collects settings and faults from one file.
type reader struct {
	plainyaml.Reader
	settings settings.Settings
}

// Parse returns the default settings changed by the profile in text. file names
// it in messages and as the source of the settings. The error holds every fault
// of the text, in the order of their places; like [Load], Parse does not judge
// the settings as a whole.
func Parse(file string, text []byte) (settings.Settings, error) {
	r := &reader{settings: settings.Default()}
	r.Reader = plainyaml.Reader{File: plain(file), Is: "profile", MaxSize: MaxSize, Want: "at least one of the sections " + sectionNames()}
	r.settings.Profile = file
	if root, ok := r.Tree(text); ok {
		r.root(root)
	}
	return r.settings, r.Err()
}

// Check returns an error that holds every fault of a profile: those of its text
// or, if there is none, those of the settings that it makes.
func Check(file string, text []byte) error {
	s, err := Parse(file, text)
	if err != nil {
		return err
	}
	return place(plain(file), s.Validate())
}

// plain makes a file's name fit for the start of a message and for a source.
func plain(file string) string {
	if strings.ContainsFunc(file, unicode.IsControl) {
		file = fmt.Sprintf("%q", file)
	}
	if strings.HasPrefix(file, "flag ") || strings.HasPrefix(file, "env ") {
		file = "./" + file // these words open sources of a higher rank
	}
	return file
}

// place puts the place that a fault mentions before it, since a fault between
// two settings mentions both within its sentence.
func place(file string, err error) error {
	faults := slices.Clone(parts(err))
	for i, fault := range faults {
		text := fault.Error()
		if strings.HasPrefix(text, file+":") {
			continue
		}
		at := file
		if _, after, ok := strings.Cut(text, "("+file+":"); ok {
			position, _, _ := strings.Cut(after, ")")
			at += ":" + position
		}
		faults[i] = fmt.Errorf("%s: %w", at, fault)
	}
	return errors.Join(faults...)
}

// parts returns the errors that err joins: none if it is nil, and err itself if
// it is a single one.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
