// The JSON form: the result itself.

package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ferryctl/bench"
)

// maxJSON bounds what Read takes in, in bytes. A result with all its intervals
// and lanes stays far below it.
const maxJSON = 64 << 20

func writeJSON(w io.Writer, r *bench.Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Read reads one result that was written as JSON. It refuses another schema, a
// document that is cut off, one that is followed by anything, and one whose counts
// do not add up.
func Read(r io.Reader) (*bench.Result, error) {
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
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil || head.Schema != bench.Schema {
		return nil, fmt.Errorf("read result: schema is %q: want %q", head.Schema, bench.Schema)
	}
	var result bench.Result
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if err := consistent(&result); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return &result, nil
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
