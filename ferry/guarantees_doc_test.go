package ferry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatGuaranteesNameExists: docs/guarantees.md links names to the files that
// they are in. A test must be a test there, a name of a model be defined there, and
// any other be spoken of.
func TestWhatGuaranteesNameExists(t *testing.T) {
	const doc = "../docs/guarantees.md"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile("\\[`([^`]+)`\\]\\(([^)]+)\\)").FindAllStringSubmatch(string(text), -1)
	if len(links) < 50 {
		t.Fatalf("%s has %d links: the test does not read it", doc, len(links))
	}
	for _, link := range links {
		name, file := link[1], filepath.Join("../docs", link[2])
		if why := named(name, file); why != "" {
			t.Errorf("%s speaks of %s in %s: %s", doc, name, link[2], why)
		}
	}
}

// named says what is wrong with speaking of a name in a file.
func named(name, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	has := func(what string) bool { return strings.Contains("\n"+string(text), what) }
	switch {
	case strings.HasPrefix(name, "Test"):
		if !has("\nfunc " + name + "(") {
			return "there is no such test"
		}
	case filepath.Ext(file) == ".tla" && filepath.Base(file) != name:
		if !has("\n"+name+" ==") && !has("\n"+name+"(") {
			return "it is not defined there"
		}
	case !strings.Contains(file, name) && !has(name):
		return "it is not there"
	}
	return ""
}

func TestGuaranteesOfNothingAreFound(t *testing.T) {
	for name, file := range map[string]string{
		"TestNothing": "guarantees_doc_test.go", "NoInvariant": "../formal/PerKey.tla", "nowhere": "nowhere.go", "noSuchWord": "doc.go",
	} {
		if named(name, file) == "" {
			t.Errorf("%s is said to be in %s", name, file)
		}
	}
}
