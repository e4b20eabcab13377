// From the tree to knobs.

package profiles

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
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
		r.fail(node.GetToken(), "found %s: want the sections %s", kind(node), sectionNames())
		return
	}
	var known []string
	for _, s := range sections {
		known = append(known, s.name)
	}
	r.entries(node, func(name string, key *token.Token, value ast.Node) {
		for _, s := range sections {
			if s.name == name {
				r.section(s, value)
				return
			}
		}
		if k, ok := settings.Lookup(name); ok {
			r.fail(key, "%s is in no section: want it under %s:", name, k.Section)
			return
		}
		r.fail(key, "unknown section %.40q%s: want %s", name, didYouMean(name, known), sectionNames())
	})
}

// section reads the value of a section.
func (r *reader) section(s section, node ast.Node) {
	if s.bare {
		if _, ok := node.(*ast.MappingNode); ok {
			k := s.knobs[0]
			r.fail(node.GetToken(), "%s: found a mapping: want a value, as in %s: %s", s.name, s.name, k.Example)
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
		r.fail(node.GetToken(), "%s: found %s: want a mapping of %s", s.name, kind(node), strings.Join(known, ", "))
		return
	}
	r.entries(node, func(name string, key *token.Token, value ast.Node) {
		k, ok := settings.Lookup(name)
		switch {
		case ok && k.Section == s.name:
			r.knob(k, value)
		case ok && k.Section == k.Name:
			r.fail(key, "%s is no part of %s: want it at the left margin, as in %s: %s", name, s.name, name, k.Example)
		case ok:
			r.fail(key, "%s is no part of %s: want it under %s:", name, s.name, k.Section)
		default:
			r.fail(key, "unknown key %.40q in %s%s: want %s", name, s.name, didYouMean(name, known), strings.Join(known, ", "))
		}
	})
}

// entries calls f for each entry of a mapping, and refuses repeated keys.
func (r *reader) entries(node ast.Node, f func(name string, key *token.Token, value ast.Node)) {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return
	}
	seen := make(map[string]*token.Token)
	for _, entry := range mapping.Values {
		key := entry.Key.GetToken()
		name := key.Value
		if first, twice := seen[name]; twice {
			line, column := placeOf(first)
			r.fail(key, "%.40s is given twice: it is at %s already", name, r.at(line, column))
			continue
		}
		seen[name] = key
		f(name, key, entry.Value)
	}
}

// knob sets a knob to the value at node.
func (r *reader) knob(k settings.Knob, node ast.Node) {
	line, column := placeOf(node.GetToken())
	if list, ok := node.(*ast.SequenceNode); ok && k.Name == "slo" {
		r.terms(k, list)
		return
	}
	text, ok := scalar(node)
	if !ok {
		r.fail(node.GetToken(), "%s: found %s: want %s, such as %s", k.Name, kind(node), k.Form, k.Example)
		return
	}
	r.set(k, text, line, column)
}

func (r *reader) set(k settings.Knob, text string, line, column int) {
	for _, e := range parts(r.settings.Set(k.Name, text, r.at(line, column))) {
		r.faults = append(r.faults, fault{line, column, e})
	}
}

// terms reads an objective that is written as a list, so that each term's faults
// have their own place.
func (r *reader) terms(k settings.Knob, list *ast.SequenceNode) {
	if len(list.Values) == 0 {
		r.fail(list.GetToken(), "%s: found an empty list: want %s, such as %s", k.Name, k.Form, k.Example)
		return
	}
	var texts []string
	sound := true
	for _, node := range list.Values {
		text, ok := scalar(node)
		if !ok {
			r.fail(node.GetToken(), "%s: found %s: want a term, such as p99<=20ms", k.Name, kind(node))
			sound = false
			continue
		}
		_, err := slo.Parse(text)
		for _, e := range parts(err) {
			r.fail(node.GetToken(), "%s: %w", k.Name, e)
			sound = false
		}
		texts = append(texts, text)
	}
	if sound {
		line, column := placeOf(list.GetToken())
		r.set(k, strings.Join(texts, ","), line, column)
	}
}

// scalar returns a single value as it was written, without quotes.
func scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	case *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}

// kind names what stands at a node, for a message.
func kind(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode, nil:
		return "no value"
	default:
		return fmt.Sprintf("the value %.40q", n.GetToken().Value)
	}
}

func didYouMean(word string, words []string) string {
	if near := units.Nearest(word, words); near != "" {
		return ", did you mean " + near
	}
	return ""
}
