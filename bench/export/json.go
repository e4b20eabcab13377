// The JSON form: the result itself.

package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
)

// maxJSON bounds what Read takes in, in bytes. A result with all its intervals
// and lanes stays far below it.
const maxJSON = 64 << 20

func writeResult(w io.Writer, r *bench.Result) error { return writeJSON(w, r) }

// writeJSON writes a document, indented.
func writeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Read reads one result that was written as JSON. It refuses another schema, a
// document that is cut off, one that is followed by anything, and one whose counts
// do not add up.
func Read(r io.Reader) (*bench.Result, error) {
	raw, err := readRaw(r, bench.Schema)
	if err != nil {
		return nil, err
	}
	return decode(raw, consistent)
}

// A Document is what a file holds that was written as JSON: a run, or the answer of a
// search.
type Document struct {
	Formats []string // in which it can be written, the first being the default
	Stem    string   // of the names of its files
	Write   func(w io.Writer, format string) error
}

// ReadDocument reads a run or an answer, and refuses what [Read] does.
func ReadDocument(r io.Reader) (*Document, error) {
	raw, err := readRaw(r, bench.Schema, tune.Schema, capacity.Schema, capacity.GridSchema)
	if err != nil {
		return nil, err
	}
	switch schemaOf(raw) {
	case tune.Schema:
		a, err := decode(raw, consistentTune)
		return &Document{SearchFormats, "tune", func(w io.Writer, format string) error { return WriteTune(w, format, a) }}, err
	case capacity.Schema:
		a, err := decode(raw, consistentCapacity)
		return &Document{SearchFormats, "capacity", func(w io.Writer, format string) error { return WriteCapacity(w, format, a) }}, err
	case capacity.GridSchema:
		g, err := decode(raw, consistentGrid)
		return &Document{SearchFormats, "capacity", func(w io.Writer, format string) error { return WriteCapacityGrid(w, format, g) }}, err
	}
	x, err := decode(raw, consistent)
	return &Document{Formats, "result", func(w io.Writer, format string) error { return Write(w, format, x) }}, err
}

// readRaw reads one document of one of the schemas.
func readRaw(r io.Reader, schemas ...string) (json.RawMessage, error) {
	limited := &io.LimitedReader{R: r, N: maxJSON + 1}
	d := json.NewDecoder(limited)
	var raw json.RawMessage
	switch err := d.Decode(&raw); {
	case limited.N <= 0:
		return nil, fmt.Errorf("read result: longer than %d MiB", maxJSON>>20)
	case errors.Is(err, io.EOF):
		return nil, errors.New("read result: the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("read result: the file is cut off")
	case err != nil:
		return nil, fmt.Errorf("read result: not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read result: something follows the result: want one result to a file")
	}
	if got := schemaOf(raw); !slices.Contains(schemas, got) {
		return nil, fmt.Errorf("read result: schema is %q: want \"%s\"", got, strings.Join(schemas, `" or "`))
	}
	return raw, nil
}

// schemaOf returns the schema of a document, "" if it has none.
func schemaOf(raw json.RawMessage) string {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(raw, &head) != nil {
		return ""
	}
	return head.Schema
}

// decode reads a document, and refuses one that is not consistent.
func decode[T any](raw json.RawMessage, consistent func(*T) error) (*T, error) {
	document := new(T)
	err := json.Unmarshal(raw, document)
	if err == nil {
		err = consistent(document)
	}
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return document, nil
}

// consistent refuses what no run writes: it was changed, or is of something else.
func consistent(r *bench.Result) error {
	switch r.Measurement.Verdict {
	case bench.Valid, bench.Suspect, bench.Invalid:
	default:
		return fmt.Errorf("the verdict is %q: want %s, %s or %s", r.Measurement.Verdict, bench.Valid, bench.Suspect, bench.Invalid)
	}
	c := r.Counts
	if sum := c.Done + c.Rejected + c.Failed + c.Cancelled + c.Unsent + c.InFlightAtEnd; sum != c.Offered && r.Measurement.Verdict != bench.Invalid {
		return fmt.Errorf("the counts do not add up: %d offered, %d accounted for", c.Offered, sum)
	}
	return nil
}

// consistentTune refuses what no search for settings writes.
func consistentTune(a *tune.Answer) error {
	if _, ok := lab.FigureOf(a.Objective.Figure); !ok {
		return fmt.Errorf("the objective is %q, which is no figure", a.Objective.Figure)
	}
	if a.Found && a.Recommended == nil {
		return errors.New("it was found, and nothing is recommended")
	}
	for _, c := range a.Points {
		if c.SLOMet < 0 || c.SLOMet > c.Seeds {
			return fmt.Errorf("the SLO is met with %d of %d seeds", c.SLOMet, c.Seeds)
		}
	}
	return nil
}

// consistentCapacity refuses what no search for a rate writes.
func consistentCapacity(a *capacity.Answer) error {
	low, known := a.Low.Get()
	high, bounded := a.High.Get()
	if a.Found && !(known && bounded && low <= high) {
		return fmt.Errorf("it was found from %s to %s", rate(a.Low), rate(a.High))
	}
	for _, p := range a.Curve {
		if p.Kept < 0 || p.Kept > p.Of {
			return fmt.Errorf("the SLO is kept with %d of %d seeds", p.Kept, p.Of)
		}
	}
	return nil
}
