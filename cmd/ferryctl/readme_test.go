package main

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "make the session in README.md anew, from a full run")

const readme = "../../README.md"

// sessionPattern finds the part of the README that shows a run: the command, then what it printed.
var sessionPattern = regexp.MustCompile("(?s)(<!-- session: [^\n]* -->\n```console\n\\$ ferryctl ([^\n]*)\n)(.*?)(```\n<!-- end of session -->\n)")

// command splits a line as a shell would, as far as the README needs it.
func command(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && len(part) > 0 && part[0] != ' ' && len(fields) > 0 {
			words[len(words)-1] += fields[0]
			fields = fields[1:]
		}
		words = append(words, fields...)
		if strings.HasSuffix(part, " ") {
			words = append(words, "")
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// ferryctl runs the real binary in an empty folder and returns its stdout.
func ferryctl(t *testing.T, vars []string, args ...string) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = t.TempDir(), append([]string{"HOME=" + t.TempDir()}, vars...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the state says more
	switch code := cmd.ProcessState.ExitCode(); code {
	case exitDone, exitSLOMissed, exitInvalid: // a short run on a busy machine may miss or spoil anything
	default:
		t.Errorf("ferryctl %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}

// sections returns what opens the table's sections: the words at the left edge,
// up to the first gap or figure, less those that not every run has.
func sections(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		if h := regexp.MustCompile(`^[A-Z][A-Za-z' ]*`).FindString(line); h != "" {
			h, _, _ = strings.Cut(h, "  ")
			h = strings.TrimSpace(h)
			if h != "Warnings" && !strings.HasPrefix(h, "Over the window") { // only where there is something to say
				all = append(all, h)
			}
		}
	}
	return all
}

func TestReadmeShowsWhatARunPrints(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	m := sessionPattern.FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("README.md holds no session between its marks")
	}
	if *update {
		out := ferryctl(t, nil, command(m[2])...)
		fresh := sessionPattern.ReplaceAllLiteralString(string(text), m[1]+out+m[4])
		if err := os.WriteFile(readme, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := sections(ferryctl(t, []string{"FERRYCTL_DURATION=1500ms"}, command(m[2])...))
	if want := sections(m[3]); len(want) < 5 || !slices.Equal(got, want) {
		t.Errorf("a run prints the sections %q, README.md shows %q; -update makes it anew", got, want)
	}
}

// sweepPattern finds the part of the README that shows a sweep.
var sweepPattern = regexp.MustCompile("(?s)(<!-- sweep: [^\n]* -->\n```console\n\\$ ferryctl ([^\n]*)\n)(.*?)(```\n<!-- end of sweep -->\n)")

// TestReadmeShowsWhatASweepPrints to the letter: it is in virtual time.
func TestReadmeShowsWhatASweepPrints(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	m := sweepPattern.FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("README.md holds no sweep between its marks")
	}
	out := ferryctl(t, nil, command(m[2])...)
	if *update {
		fresh := sweepPattern.ReplaceAllLiteralString(string(text), m[1]+out+m[4])
		if err := os.WriteFile(readme, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out != m[3] {
		t.Errorf("a sweep prints\n%s\nREADME.md shows\n%s\n-update makes it anew", out, m[3])
	}
}

// TestReadmeCommandsWork runs every command that the README offers to paste,
// for as short a time as their own flags allow.
func TestReadmeCommandsWork(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^\$ (?:go run \./cmd/)?ferryctl (.+)$`).FindAllStringSubmatch(string(text), -1)
	if len(commands) < 5 {
		t.Fatalf("found %d commands, expected more", len(commands))
	}
	for _, c := range commands {
		ferryctl(t, []string{"FERRYCTL_DURATION=200ms"}, command(c[1])...)
	}
}

// TestHelpExamplesWork does the same for the examples in the help.
func TestHelpExamplesWork(t *testing.T) {
	for _, args := range [][]string{nil, {"bench"}, {"sweep"}, {"tune"}, {"capacity"}, {"profiles"}, {"profiles", "show"}, {"profiles", "check"}, {"profiles", "schema"}, {"calibrate"}} {
		help := ferryctl(t, nil, append(args, "--help")...)
		_, examples, ok := strings.Cut(help, "Examples:\n")
		if !ok {
			t.Errorf("ferryctl %s --help has no examples", strings.Join(args, " "))
			continue
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.Lines(examples) {
			line, _, _ = strings.Cut(line, " > ")
			words := command(line)
			if slices.Contains(words, "--duration") || slices.Contains(words, "check") || strings.Contains(line, "model:") {
				words = append(words, "--help") // takes its time, or wants a file
			}
			ferryctl(t, []string{"FERRYCTL_DURATION=200ms"}, words[1:]...)
		}
	}
}

func TestCommandSplitsLikeAShell(t *testing.T) {
	tests := map[string][]string{
		"bench --queue 5":                {"bench", "--queue", "5"},
		"bench --slo 'p99<=1ms, x' -o j": {"bench", "--slo", "p99<=1ms, x", "-o", "j"},
		"--slo='a b'c d":                 {"--slo=a bc", "d"},
	}
	for line, want := range tests {
		if got := command(line); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
}

// TestReadmeLibraryExampleRuns builds the program in the README as a reader would
// and runs it.
func TestReadmeLibraryExampleRuns(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, program, ok := strings.Cut(string(text), "```go\n")
	program, _, closed := strings.Cut(program, "```\n")
	if !ok || !closed || !strings.Contains(program, `"ferryctl/ferry"`) {
		t.Fatal("README.md shows no program that imports ferryctl/ferry")
	}
	if formatted, err := format.Source([]byte(program)); err != nil || string(formatted) != program {
		t.Errorf("the program is not formatted: %v", err)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	cmd.Dir = "../.." // the module, in which the import path is found
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "100 answered\n" {
		t.Errorf("the program prints %q, %v", out, err)
	}
}

// TestReadmeLinesFitAPage holds the text to 120 columns and its commands to
// fences.
func TestReadmeLinesFitAPage(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("README.md:%d has %d columns", i+1, n)
		}
		if strings.HasPrefix(line, "    ferryctl") {
			t.Errorf("README.md:%d: a command outside a fence", i+1)
		}
	}
}
