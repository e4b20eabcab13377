package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHelpExamplesOfStoredRunsWork runs the examples of compare and report where
// what they name is there: runs in pairs of folders and files, and a sweep.
func TestHelpExamplesOfStoredRunsWork(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args ...string) int {
		t.Helper()
		var stderr bytes.Buffer
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Stderr = dir, &stderr
		if err := cmd.Run(); err != nil {
			t.Logf("ferryctl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
		}
		return cmd.ProcessState.ExitCode()
	}
	for _, side := range []string{"before", "after", "main", "branch"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o700); err != nil {
			t.Fatal(err)
		}
		for seed := range 5 {
			run("bench", "--clock", "virtual", "--items", "20k", "--seed", fmt.Sprint(seed), "-o", fmt.Sprintf("json=%s/%d.json", side, seed))
		}
	}
	for _, file := range []string{"before.json", "after.json", "run.json"} {
		run("bench", "--clock", "virtual", "--items", "20k", "--seed", "1", "-o", "json="+file)
	}
	run("sweep", "--items", "20k", "--batch-size", "1,8", "--seed", "1", "--out", "sweep")
	run("tune", "--items", "5k", "--batch-size", "1,8", "--seed", "1", "--confirm", "0", "--out", "tuned")
	tried := 0
	for _, name := range []string{"compare", "report"} {
		help := ferryctl(t, nil, name, "--help")
		_, examples, ok := strings.Cut(help, "Examples:\n")
		if !ok {
			t.Fatalf("ferryctl %s --help has no examples", name)
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.Lines(examples) {
			words := command(line)
			tried++
			if code := run(words[1:]...); code != exitDone {
				t.Errorf("%s: exit code %d", strings.TrimSpace(line), code)
			}
		}
	}
	if tried != 7 {
		t.Errorf("%d examples, want 7", tried)
	}
}

// comparisonPattern finds the part of the guide that compares: commands in one
// folder, of which the last prints.
var comparisonPattern = regexp.MustCompile("(?s)(<!-- comparison -->\n```console\n((?:\\$ ferryctl [^\n]*\n)+))(.*?)(```\n<!-- end of comparison -->\n)")

func TestGuideShowsWhatAComparisonPrints(t *testing.T) {
	const guide = "../../docs/guide-reading-results.md"
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	m := comparisonPattern.FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("the guide compares nothing between its marks")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, out := t.TempDir(), ""
	for line := range strings.Lines(m[2]) {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "$ ferryctl "), " >/dev/null")
		cmd := exec.Command(path, command(line)...)
		cmd.Dir = dir
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = string(text)
	}
	if *update {
		fresh := comparisonPattern.ReplaceAllLiteralString(string(text), m[1]+out+m[4])
		if err := os.WriteFile(guide, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out != m[3] {
		t.Errorf("it prints\n%s\nthe guide shows\n%s\n-update makes it anew", out, m[3])
	}
}
