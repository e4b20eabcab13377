// The head of a sweep's file: all that its runs depend on, so that resuming needs
// nothing else, and mixes nothing.

package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"ferryctl/bench/settings"
)

// Schema names the file that a [Store] keeps, by its first line.
const Schema = "ferryctl.sweep/v1"

// A Header is the first line of a sweep's file.
type Header struct {
	Schema    string            `json:"schema"`
	Version   string            `json:"version"` // of the program
	Profile   string            `json:"profile"`
	Clock     string            `json:"clock"`
	Seed      uint64            `json:"seed"`
	SeedDrawn bool              `json:"seed_drawn"` // true when the seed was not asked for
	Axes      []AxisText        `json:"axes"`
	Sample    *Sample           `json:"sample"` // null for a grid
	LeaveOut  bool              `json:"leave_out_impossible"`
	Points    int               `json:"points"`
	Repeat    int               `json:"repeat"`      // runs of each point
	Base      []AxisText        `json:"base"`        // the knobs in force, and who set them
	Files     map[string]string `json:"file_sha256"` // traces and models that runs read
	Hash      string            `json:"hash"`        // SHA-256 over all of the above
}

// An AxisText is a knob's text as it was given, and by whom.
type AxisText struct {
	Knob   string `json:"knob"`
	Text   string `json:"text"`
	Source string `json:"source"`
}

// NewHeader describes a sweep. It reads the files that runs read.
func NewHeader(s *Space, repeat int, version string) (Header, error) {
	h := Header{
		Schema: Schema, Version: version, Profile: s.Base.Profile, Clock: s.Base.Clock,
		Seed: s.Base.Seed, SeedDrawn: !s.Base.SeedGiven, LeaveOut: s.LeftOut > 0,
		Points: s.Len(), Repeat: repeat, Axes: []AxisText{}, Files: map[string]string{},
	}
	if runs := float64(s.Len()) * float64(repeat); runs > MaxRuns {
		return h, fmt.Errorf("%d points measured %d times are %.6g runs, more than %d: want fewer", s.Len(), repeat, runs, MaxRuns)
	}
	if s.Sample.Points > 0 {
		h.Sample = &s.Sample
	}
	for _, a := range s.Axes {
		h.Axes = append(h.Axes, AxisText{a.Knob, a.Text, a.Source})
	}
	h.Base = InForce(s.Base)
	if err := h.readFiles(s); err != nil {
		return h, err
	}
	h.Hash = h.sum()
	return h, nil
}

// InForce returns the knobs that have a value, and who gave it.
func InForce(s settings.Settings) (all []AxisText) {
	for _, v := range s.Values() {
		if source := s.Source(v.Knob); v.Text != "" && source != "" {
			all = append(all, AxisText{v.Knob, v.Text, source})
		}
	}
	return all
}

// readFiles notes what is in the files that runs read: traces and models.
func (h *Header) readFiles(s *Space) error {
	note := func(as, file string) error {
		if file == "" || h.Files[file] != "" {
			return nil
		}
		sum, err := sumOf(file)
		if err != nil {
			return fmt.Errorf("%s %s: %w", as, file, err)
		}
		h.Files[file] = sum
		return nil
	}
	at := s.Base
	faults := []error{note("trace", at.Trace), note("model", at.Backend.File)}
	for _, a := range s.Axes {
		if a.Knob != "trace" && a.Knob != "backend" {
			continue
		}
		for _, v := range a.Values {
			faults = append(faults, at.Set(a.Knob, v.Text, a.Source), note("trace", at.Trace), note("model", at.Backend.File))
		}
	}
	return errors.Join(faults...)
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// sum is the hash of the header without its hash.
func (h Header) sum() string {
	h.Hash = ""
	text, err := json.Marshal(h)
	if err != nil { // strings and numbers only
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Space makes the sweep's space anew.
func (h Header) Space() (*Space, error) {
	base := settings.Default()
	base.Profile = h.Profile
	for _, v := range h.Base {
		if err := base.Set(v.Knob, v.Text, v.Source); err != nil {
			return nil, err
		}
	}
	if h.SeedDrawn {
		base.Seed = h.Seed
	}
	var axes []Axis
	for _, a := range h.Axes {
		k, ok := settings.Lookup(a.Knob)
		if !ok {
			return nil, fmt.Errorf("unknown knob %q", a.Knob)
		}
		axis, err := Parse(k, a.Text, a.Source)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis)
	}
	var sample Sample
	if h.Sample != nil {
		sample = *h.Sample
	}
	return NewSpace(base, axes, sample, h.LeaveOut)
}

// readHeader reads the first line of a sweep's file.
func readHeader(line []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(line, &h); err != nil || h.Schema != Schema {
		return h, fmt.Errorf("its first line is not that of a sweep: want schema %q", Schema)
	}
	if h.Hash != h.sum() {
		return h, errors.New("its first line was changed: the runs below it are those of another sweep")
	}
	return h, nil
}

// differs says why a space that was made anew from h is not the one of h, nil if
// it is.
func (h Header) differs(s *Space, version string) error {
	if version != h.Version {
		return fmt.Errorf("it was begun by version %q, this is %q: want that version, or a new sweep in another folder", h.Version, version)
	}
	now, err := NewHeader(s, h.Repeat, version)
	switch {
	case err != nil:
		return err
	case !slices.Equal(sorted(now.Files), sorted(h.Files)):
		return errors.New("a trace or a model has changed since it was begun: want the same files, or a new sweep in another folder")
	case now.Hash != h.Hash:
		return errors.New("its settings no longer mean what they meant when it was begun: want a new sweep in another folder")
	}
	return nil
}

// sorted returns the entries of m in order.
func sorted(m map[string]string) []string {
	all := make([]string, 0, len(m))
	for k, v := range m {
		all = append(all, k+"\x00"+v)
	}
	slices.Sort(all)
	return all
}
