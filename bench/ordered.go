// The two JSON objects of a result whose order of names means something: the
// settings, in the order the knobs are documented, and the batch sizes,
// ascending. A Go map would lose the one and sort the other as text.

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Settings are the effective knobs in their fixed order. They are one JSON
// object, whose order of names survives a round trip.
type Settings []Setting

// A Setting is one knob and its value as JSON.
type Setting struct {
	Knob  string          `json:"knob"`
	Value json.RawMessage `json:"value"`
}

// Text returns the value as a person writes it: text without quotes, "" for null.
func (s Setting) Text() string {
	var text string
	if json.Unmarshal(s.Value, &text) == nil {
		return text
	}
	return string(s.Value)
}

// Get returns the text of a knob's value and whether the knob is there.
func (s Settings) Get(knob string) (string, bool) {
	i := slices.IndexFunc(s, func(e Setting) bool { return e.Knob == knob })
	if i < 0 {
		return "", false
	}
	return s[i].Text(), true
}

// MarshalJSON writes one object with the knobs in order.
func (s Settings) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(e.Knob)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		if len(e.Value) == 0 {
			b.WriteString("null")
		} else {
			b.Write(e.Value)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads one object and keeps the order of its names.
func (s *Settings) UnmarshalJSON(data []byte) error {
	*s = Settings{}
	return eachField(data, "settings", func(name string, value json.RawMessage) error {
		*s = append(*s, Setting{Knob: name, Value: value})
		return nil
	})
}

// SizeCounts counts batches by their size, ascending. In JSON it is an object
// whose names are the sizes.
type SizeCounts []SizeCount

// A SizeCount is how many batches had one size.
type SizeCount struct {
	Size  int
	Count uint64
}

// MarshalJSON writes one object with the sizes in ascending order.
func (c SizeCounts) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, e := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(e.Size), 10)
		b = append(b, '"', ':')
		b = strconv.AppendUint(b, e.Count, 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads one object whose names are sizes.
func (c *SizeCounts) UnmarshalJSON(data []byte) error {
	*c = SizeCounts{}
	err := eachField(data, "size counts", func(name string, value json.RawMessage) error {
		size, err := strconv.Atoi(name)
		if err != nil {
			return fmt.Errorf("batch size %q is not a whole number", name)
		}
		var n uint64
		if err := json.Unmarshal(value, &n); err != nil {
			return fmt.Errorf("count of batch size %s: %w", name, err)
		}
		*c = append(*c, SizeCount{Size: size, Count: n})
		return nil
	})
	slices.SortFunc(*c, func(a, b SizeCount) int { return a.Size - b.Size })
	return err
}

// eachField calls f for every member of one JSON object, in order. A null is an
// object without members.
func eachField(data []byte, what string, f func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	open, err := d.Token()
	switch {
	case err != nil:
		return err
	case open == nil:
		return nil
	case open != json.Delim('{'):
		return errors.New(what + " must be an object")
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok { // the decoder has refused other names already
			return errors.New(what + " must have text for names")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := f(name, value); err != nil {
			return err
		}
	}
	return nil
}
