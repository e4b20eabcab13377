// The built-in profiles, and finding a profile by name or path.

package profiles

import (
	"embed"
	"fmt"
	"io"
	"os"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/workload/units"
)

//go:embed builtin/*.yaml
var builtin embed.FS

//go:embed schema.json
var schema []byte

// names of the built-in profiles, in the order in which they are listed.
var names = []string{"hotkeys", "uniform", "tenants", "noisy-neighbour", "org", "heavy", "overload", "blank"}

// MaxSize is the largest profile that is read, in bytes.
const MaxSize = 1 << 20

// Info describes a built-in profile.
type Info struct {
	Name     string
	Title    string // first sentence of its comment
	Question string // the question that it answers
}

// List describes the built-in profiles.
func List() []Info {
	infos := make([]Info, len(names))
	for i, name := range names {
		source, _ := Source(name)
		title, question := describe(source)
		infos[i] = Info{name, title, question}
	}
	return infos
}

// Source returns the text of a built-in profile, and whether there is one of
// that name.
func Source(name string) ([]byte, bool) {
	text, err := builtin.ReadFile("builtin/" + name + ".yaml")
	return text, err == nil
}

// JSONSchema returns the JSON Schema of profiles.
func JSONSchema() []byte { return append([]byte(nil), schema...) }

// Load returns the default settings changed by a profile: a built-in one, or the
// file at a path, which has a slash or a dot in it. The error holds every fault
// of the file. The settings are those of the profile alone and need not make
// sense as a whole; [settings.Settings.Validate] tells.
func Load(nameOrPath string) (settings.Settings, error) {
	text, ok := Source(nameOrPath)
	file := nameOrPath + ".yaml"
	if !ok {
		if !strings.ContainsAny(nameOrPath, `/\.`) {
			return settings.Settings{}, unknownProfile(nameOrPath)
		}
		var err error
		if text, err = readFile(nameOrPath); err != nil {
			return settings.Settings{}, err
		}
		file = nameOrPath
	}
	s, err := Parse(file, text)
	s.Profile = nameOrPath
	return s, err
}

func unknownProfile(name string) error {
	hint := "want one of " + strings.Join(names, ", ")
	if near := units.Nearest(name, names); near != "" {
		hint = "did you mean " + near
	}
	return fmt.Errorf("unknown profile %.40q: %s, or the path of a file such as ./mine.yaml", name, hint)
}

// readFile reads no more of a file than can be a profile.
func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return text, nil
}

// describe finds the title and the question in a profile's opening comment: its
// first sentence, and the paragraph that begins with "Question:".
func describe(source []byte) (title, question string) {
	for i, paragraph := range comment(source) {
		if i == 0 {
			title, _, _ = strings.Cut(paragraph, ". ")
			title = strings.TrimSuffix(title, ".")
		}
		if q, ok := strings.CutPrefix(paragraph, "Question: "); ok {
			question = q
		}
	}
	return title, question
}

// comment returns the paragraphs of the comment that source opens with, each as
// one line.
func comment(source []byte) []string {
	var paragraphs []string
	var words []string
	for line := range strings.Lines(string(source)) {
		text, ok := strings.CutPrefix(line, "#")
		fields := strings.Fields(text)
		if (!ok || len(fields) == 0) && words != nil {
			paragraphs = append(paragraphs, strings.Join(words, " "))
			words = nil
		}
		if !ok {
			break
		}
		words = append(words, fields...)
	}
	return paragraphs
}
