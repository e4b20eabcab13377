// The JSON Schema of profiles: made here from the table of knobs, kept in
// schema.json, and held to be current.

package profiles_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/invopop/jsonschema"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

var update = flag.Bool("update", false, "write schema.json anew")

// makeSchema describes the format from the table of knobs.
func makeSchema() *jsonschema.Schema {
	root := object("A run description for ferryctl. What is left out keeps its default.")
	root.Version = jsonschema.Version
	root.Title = "ferryctl profile"
	for _, name := range []string{"workload", "kernel", "backend", "run", "slo"} {
		section := object("")
		for _, k := range settings.Knobs() {
			switch {
			case k.Section != name:
			case k.Name == name && name != "kernel": // the section is its only knob
				section = value(k)
			default:
				section.Properties.Set(k.Name, value(k))
			}
		}
		root.Properties.Set(name, section)
	}
	return root
}

func object(description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: description,
		Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
	}
}

// value describes one knob.
func value(k settings.Knob) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: k.Doc, Examples: []any{k.Example}}
	if k.Default != "" {
		s.Default = k.Default
	}
	text := &jsonschema.Schema{Type: "string"}
	switch {
	case k.Words != nil:
		for _, w := range k.Words {
			s.Enum = append(s.Enum, w)
		}
	case k.Numeric:
		s.AnyOf = []*jsonschema.Schema{{Type: "number", Minimum: "0"}, text}
	case k.Name == "slo":
		s.AnyOf = []*jsonschema.Schema{text, {Type: "array", Items: text}}
	default:
		s.Type = "string"
	}
	return s
}

func TestTheSchemaIsCurrent(t *testing.T) {
	want, err := json.MarshalIndent(makeSchema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
		return
	}
	if got := profiles.JSONSchema(); !bytes.Equal(got, want) {
		t.Errorf("schema.json is not what the knobs make: run go generate in this folder\ngot\n%s\nwant\n%s", got, want)
	}
}

// TestTheSchemaKnowsWhatTheReaderKnows holds the two readers of the format
// together: each knob's example is accepted where the schema has it.
func TestTheSchemaKnowsWhatTheReaderKnows(t *testing.T) {
	var root struct {
		Properties map[string]struct {
			Properties map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(profiles.JSONSchema(), &root); err != nil {
		t.Fatal(err)
	}
	count := 0
	for name, section := range root.Properties {
		if section.Properties == nil {
			section.Properties = map[string]json.RawMessage{"": nil}
		}
		for knob := range section.Properties {
			count++
			text := name + ": {" + knob + ": '%s'}"
			if knob == "" {
				knob, text = name, name+": '%s'"
			}
			k, ok := settings.Lookup(knob)
			if !ok {
				t.Errorf("the schema has %s.%s", name, knob)
				continue
			}
			text = string(bytes.ReplaceAll([]byte(text), []byte("%s"), []byte(k.Example)))
			if _, err := profiles.Parse("x.yaml", []byte(text)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	if count != len(settings.Knobs()) {
		t.Errorf("the schema has %d knobs of %d", count, len(settings.Knobs()))
	}
}
