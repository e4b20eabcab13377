// From the tree to knobs.

package profiles

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/internal/plainyaml"
	"ferryctl/workload/units"
)

// A section is one of the top-level keys of a profile.
type section struct {
	name  string
	knobs []settings.Knob
	bare  bool // the section is its only knob: backend: synthetic(…)
}

// sections lists the sections in the order in which a profile has them.
var sections = func() []section {
	list := []section{{name: "workload"}, {name: "kernel"}, {name: "backend", bare: true}, {name: "run"}, {name: "slo", bare: true}}
	for _, k := range settings.Knobs() {
		for i := range list {
			if list[i].name == k.Section {
				list[i].knobs = append(list[i].knobs, k)
			}
		}
	}
	return list
}()

func sectionNames() string {
	all := make([]string, len(sections))
	for i, s := range sections {
		all[i] = s.name
	}
	return strings.Join(all, ", ")
}

// root reads the document.
func (r *reader) root(node ast.Node) {
	if _, ok := node.(*ast.MappingNode); !ok {
		r.Fail(node.GetToken(), "found %s: want the sections %s", plainyaml.Kind(node), sectionNames())
		return
	}
	var known []string
	for _, s := range sections {
		known = append(known, s.name)
	}
	r.Entries(node, func(name string, key *token.Token, value ast.Node) {
		for _, s := range sections {
			if s.name == name {
				r.section(s, value)
				return
			}
		}
		if k, ok := settings.Lookup(name); ok {
			r.Fail(key, "%s is in no section: want it under %s:", name, k.Section)
			return
		}
		r.Fail(key, "unknown section %.40q%s: want %s", name, didYouMean(name, known), sectionNames())
	})
}

// section reads the value of a section.
func (r *reader) section(s section, node ast.Node) {
	if s.bare {
		if _, ok := node.(*ast.MappingNode); ok {
			k := s.knobs[0]
			r.Fail(node.GetToken(), "%s: found a mapping: want a value, as in %s: %s", s.name, s.name, k.Example)
			return
		}
		r.knob(s.knobs[0], node)
		return
	}
	var known []string
	for _, k := range s.knobs {
		known = append(known, k.Name)
	}
	if _, ok := node.(*ast.MappingNode); !ok {
		r.Fail(node.GetToken(), "%s: found %s: want a mapping of %s", s.name, plainyaml.Kind(node), strings.Join(known, ", "))
		return
	}
	r.Entries(node, func(name string, key *token.Token, value ast.Node) {
		k, ok := settings.Lookup(name)
		switch {
		case ok && k.Section == s.name:
			r.knob(k, value)
		case ok && k.Section == k.Name:
			r.Fail(key, "%s is no part of %s: want it at the left margin, as in %s: %s", name, s.name, name, k.Example)
		case ok:
			r.Fail(key, "%s is no part of %s: want it under %s:", name, s.name, k.Section)
		default:
			r.Fail(key, "unknown key %.40q in %s%s: want %s", name, s.name, didYouMean(name, known), strings.Join(known, ", "))
		}
	})
}

// knob sets a knob to the value at node.
func (r *reader) knob(k settings.Knob, node ast.Node) {
	line, column := plainyaml.PlaceOf(node.GetToken())
	if list, ok := node.(*ast.SequenceNode); ok && k.Name == "slo" {
		r.terms(k, list)
		return
	}
	text, ok := plainyaml.Scalar(node)
	if !ok {
		r.Fail(node.GetToken(), "%s: found %s: want %s, such as %s", k.Name, plainyaml.Kind(node), k.Form, k.Example)
		return
	}
	r.set(k, text, line, column)
}

func (r *reader) set(k settings.Knob, text string, line, column int) {
	for _, e := range parts(r.settings.Set(k.Name, text, r.At(line, column))) {
		r.Note(line, column, e)
	}
}

// terms reads an objective that is written as a list, so that each term's faults
// have their own place.
func (r *reader) terms(k settings.Knob, list *ast.SequenceNode) {
	if len(list.Values) == 0 {
		r.Fail(list.GetToken(), "%s: found an empty list: want %s, such as %s", k.Name, k.Form, k.Example)
		return
	}
	var texts []string
	sound := true
	for _, node := range list.Values {
		text, ok := plainyaml.Scalar(node)
		if !ok {
			r.Fail(node.GetToken(), "%s: found %s: want a term, such as p99<=20ms", k.Name, plainyaml.Kind(node))
			sound = false
			continue
		}
		_, err := slo.Parse(text)
		for _, e := range parts(err) {
			r.Fail(node.GetToken(), "%s: %w", k.Name, e)
			sound = false
		}
		texts = append(texts, text)
	}
	if sound {
		line, column := plainyaml.PlaceOf(list.GetToken())
		r.set(k, strings.Join(texts, ","), line, column)
	}
}

func didYouMean(word string, words []string) string {
	if near := units.Nearest(word, words); near != "" {
		return ", did you mean " + near
	}
	return ""
}
