// The number of a result: a value, or nothing. Results are read by programs
// that refuse NaN and Infinity, and by people whom a 0 in the place of "not
// measured" misleads.

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A Num is a figure that may be missing. The zero Num is missing; it is null in
// JSON, an empty cell in CSV and a dash in a table, never 0.
type Num struct {
	value float64
	known bool
}

// Some returns the figure v. NaN and infinities are no figures: they give a
// missing Num.
func Some(v float64) Num {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Num{}
	}
	return Num{value: v, known: true}
}

// Ratio returns part/whole, or a missing Num when whole is 0.
func Ratio(part, whole float64) Num {
	if whole == 0 {
		return Num{}
	}
	return Some(part / whole)
}

// Get returns the figure and whether there is one.
func (n Num) Get() (v float64, ok bool) { return n.value, n.known }

// Known reports whether there is a figure.
func (n Num) Known() bool { return n.known }

// Or returns the figure, or missing if there is none.
func (n Num) Or(missing float64) float64 {
	if !n.known {
		return missing
	}
	return n.value
}

// String returns the shortest text that reads back to the same figure, or "" if
// there is none.
func (n Num) String() string {
	if !n.known {
		return ""
	}
	return strconv.FormatFloat(n.value, 'g', -1, 64)
}

// MarshalJSON writes the figure so that it reads back to the same bits, or null.
func (n Num) MarshalJSON() ([]byte, error) {
	if !n.known {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// UnmarshalJSON reads a JSON number or null.
func (n *Num) UnmarshalJSON(b []byte) error {
	*n = Num{}
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	var v float64
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("a figure must be a number or null: %w", err)
	}
	*n = Some(v)
	return nil
}
