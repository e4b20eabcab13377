// Models, explorer and library call the same things by the same names.

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestActionsAreNamedAsInGo holds README.md's table of actions to the models' next
// steps, to those of the explorer, and to the functions that it links to.
func TestActionsAreNamedAsInGo(t *testing.T) {
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z]\\w+)` \\| (.*) \\|$").FindAllStringSubmatch(section(t, "## Actions"), -1) {
		rows[row[1]] = row[2]
	}
	kernel, tree := kindNames[:], []string{"SetBacklog", "Reserve", "Complete", "Cancel"}
	kernel = slices.DeleteFunc(slices.Clone(kernel), func(name string) bool { return name == kindNames[check] }) // of a fault
	for module, actions := range map[string][]string{"Ferry": kernel, "PerKey": kernel, "FairShare": tree} {
		next := nextOf(t, module)
		for _, name := range actions {
			if rows[name] == "" || !slices.Contains(next, name) {
				t.Errorf("the explorer's %s: README.md has %q, and %s.tla the steps %v", name, rows[name], module, next)
			}
		}
		for _, name := range next {
			if !slices.Contains(actions, name) && name != "Check" && name != "AdmitUnchecked" { // those of a fault
				t.Errorf("the explorer has no action %s of %s.tla", name, module)
			}
		}
	}
	for _, name := range treeSteps() {
		if !slices.Contains(tree, name) {
			t.Errorf("README.md does not know the explorer's %s", name)
		}
	}
	for name, row := range rows {
		links := regexp.MustCompile("\\[`(\\w+)`\\]\\((\\S+)\\)").FindAllStringSubmatch(row, -1)
		namesake := name == kindNames[end] // the user's code does that
		for _, link := range links {
			source, err := os.ReadFile(filepath.Join("..", link[2]))
			if err != nil || !strings.Contains(string(source), ") "+link[1]+"(") {
				t.Errorf("%s: there is no %s in %s (%v)", name, link[1], link[2], err)
			}
			namesake = namesake || strings.HasPrefix(strings.ToLower(name), strings.ToLower(link[1]))
		}
		if !namesake {
			t.Errorf("%s is called otherwise in Go: %s", name, row)
		}
	}
}

// section returns a part of README.md.
func section(t *testing.T, heading string) string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(readme), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("README.md has no part %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// nextOf lists the actions of which a model's next step is made.
func nextOf(t *testing.T, module string) []string {
	t.Helper()
	model, err := os.ReadFile(filepath.Join("..", module+".tla"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(model), "\nNext ==")
	text, _, _ = strings.Cut(text, "\n\n")
	var names []string
	for _, name := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(text, -1) {
		if strings.Contains(string(model), "\n"+name+"(") || strings.Contains(string(model), "\n"+name+" ==\n") {
			names = append(names, name)
		}
	}
	return names
}

// treeSteps names what can happen to a tree with a call in flight.
func treeSteps() (names []string) {
	in, _ := findTree("fairshare-2to1-cancels")
	s := &shares{in: &in, node: in.node()}
	s.setBacklog(0, 1)
	for range 2 {
		for _, step := range s.steps() {
			name, _, _ := strings.Cut(step.name, "(")
			names = append(names, name)
		}
		s.reserve()
	}
	return names
}

// TestRulesAreNamedAsInTheModels: what the model checker is asked to check is what
// the explorer speaks of.
func TestRulesAreNamedAsInTheModels(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "config.go" || file == "faults.go" {
			continue
		}
		text, err := os.ReadFile(file) //nolint:gosec // a source of ours
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	claims := regexp.MustCompile(`(?m)^(?:INVARIANTS?|PROPERT(?:Y|IES)) (.*)$`)
	var rules []string
	for _, in := range instances() {
		if in.modelled() {
			for _, line := range claims.FindAllStringSubmatch(in.tlc(nil), -1) {
				rules = append(rules, strings.Fields(line[1])...)
			}
		}
	}
	for _, in := range trees() {
		for _, line := range claims.FindAllStringSubmatch(in.tlc(nil), -1) {
			rules = append(rules, strings.Fields(line[1])...)
		}
	}
	slices.Sort(rules)
	rules = slices.Compact(rules)
	for _, rule := range rules {
		// A rule is a text that begins so, or the name of one.
		if !strings.Contains(sources.String(), `"`+rule+":") {
			t.Errorf("nothing in the explorer breaks %s", rule)
		}
	}
	if len(rules) < 10 {
		t.Errorf("the test does not read the configurations: %v", rules)
	}
}
