package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ferryctl/bench"
)

func TestOutputsAreUnderstood(t *testing.T) {
	tests := []struct {
		specs []string
		dir   string
		want  []output
	}{
		{nil, "", []output{{"table", ""}}},
		{[]string{"json"}, "", []output{{"json", ""}}},
		{[]string{"json=-"}, "", []output{{"json", ""}}},
		{[]string{"json=a.json"}, "", []output{{"json", "a.json"}, {"table", ""}}},
		{[]string{"json=a=b"}, "", []output{{"json", "a=b"}, {"table", ""}}},
		{[]string{"csv", "json=a"}, "", []output{{"csv", ""}, {"json", "a"}}},
		{nil, "d", []output{
			{"table", "d/result.txt"},
			{"json", "d/result.json"},
			{"csv", "d/result.csv"},
			{"hlog", "d/result.hlog"},
			{"hgrm", "d/result.hgrm"},
			{"html", "d/result.html"},
			{"md", "d/result.md"},
			{"prom", "d/result.prom"},
			{"bench", "d/result.bench"},
			{"junit", "d/result.junit.xml"},
			{"table", ""},
		}},
	}
	for _, tt := range tests {
		got, err := parseOutputs(tt.specs, tt.dir, runForms)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q into %q: %v, %v, want %v", tt.specs, tt.dir, got, err, tt.want)
		}
	}
}

func TestOutputFaultsAreReportedTogether(t *testing.T) {
	_, err := parseOutputs([]string{"jsno", "csv=", "table", "json"}, "", runForms)
	if got := len(leaves(err)); got != 3 {
		t.Errorf("%d faults in %v, want 3", got, err)
	}
	for _, want := range []string{`unknown format "jsno"`, "no file after", "2 outputs go to stdout"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults %v, want %q among them", err, want)
		}
	}
}

func TestUnwritableOutputsAreRefusedAndNothingIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	early, lost, loop := filepath.Join(dir, "early"), filepath.Join(dir, "lost"), filepath.Join(dir, "loop")
	if err := errors.Join(
		os.Symlink(file, link), os.Symlink("new", early), os.Symlink("no/where", lost), os.Symlink("loop", loop),
		syscall.Mkfifo(pipe, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		outs []output
		dir  string
		want string // empty: fine
	}{
		{"new file", []output{{"json", filepath.Join(dir, "new")}}, "", ""},
		{"old file", []output{{"json", file}}, "", ""},
		{"pipe", []output{{"json", pipe}}, "", ""},
		{"folder", []output{{"json", dir}}, "", "is a folder"},
		{"no such folder", []output{{"json", filepath.Join(dir, "no", "file")}}, "", "no folder"},
		{"file as folder", []output{{"json", filepath.Join(file, "x")}}, "", "not a directory"},
		{"same file", []output{{"json", file}, {"csv", file}}, "", "both write"},
		{"same file in other words", []output{{"json", file}, {"csv", dir + "/./file"}}, "", "both write"},
		{"same file by a link", []output{{"json", file}, {"csv", link}}, "", "both write"},
		{"same file by a link to what is yet to be made", []output{{"json", filepath.Join(dir, "new")}, {"csv", early}}, "", "both write"},
		{"link to what is yet to be made", []output{{"csv", early}}, "", ""},
		{"link into no folder", []output{{"csv", lost}}, "", "no folder " + filepath.Join(dir, "no")},
		{"link to itself", []output{{"csv", loop}}, "", "too many levels"},
		{"new file with a slash", []output{{"json", filepath.Join(dir, "new") + "/"}}, "", "without a slash"},
		{"folder to be made", []output{{"json", filepath.Join(dir, "a/b/result.json")}}, filepath.Join(dir, "a/b"), ""},
		{"folder is a file", []output{{"json", filepath.Join(file, "result.json")}}, file, "is a file"},
		{"folder below a file", []output{{"json", filepath.Join(file, "d/result.json")}}, filepath.Join(file, "d"), "not a directory"},
	}
	for _, tt := range tests {
		err := checkOutputs(tt.outs, tt.dir, nil)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("checking left %v behind, %v", entries, err)
	}
}

func TestFilesAreWholeOrAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	file, link, other := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "other")
	fresh := filepath.Join(dir, "sub", "result.csv")
	if err := errors.Join(
		os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link), os.WriteFile(other, []byte("kept"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	broken := errors.New("cannot be rendered")
	render := func(w io.Writer, format string) error {
		if _, err := io.WriteString(w, "as "+format); err != nil || format == "hlog" {
			return errors.Join(err, broken)
		}
		return nil
	}
	var wrote []string
	err := writeOutputs([]output{{"table", ""}, {"hlog", other}, {"json", link}, {"csv", fresh}}, filepath.Dir(fresh), &stdout, func(o output) { wrote = append(wrote, o.format) }, render)
	if exitCode(err) != exitFailed || !errors.Is(err, broken) {
		t.Errorf("error %v, want the one of hlog, and exit code %d", err, exitFailed)
	}
	for name, want := range map[string]string{file: "as json", other: "kept", fresh: "as csv"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if strings.Join(wrote, " ") != "json csv" {
		t.Errorf("told of %q, want the files that are whole", wrote)
	}
	if stdout.String() != "as table" {
		t.Errorf("stdout has %q", stdout.String())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode changed: %v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %q, %v", left, err)
	}
}

// holding renders text.
func holding(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestALinkLeadsToItsFileAlsoBeforeThereIsOne: the link stays a link.
func TestALinkLeadsToItsFileAlsoBeforeThereIsOne(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "first")
	if err := errors.Join(os.Symlink("second", link), os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "second"))); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, holding("text")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != "text" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if target, err := os.Readlink(link); err != nil || target != "second" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
}

// TestWhatCannotBeReplacedIsWrittenInPlace: a name as long as names may be leaves
// none for a temporary file beside it.
func TestWhatCannotBeReplacedIsWrittenInPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	for _, text := range []string{"a longer text", "text"} {
		if err := writeFile(file, holding(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("the file holds %q, %v; want %q", got, err, text)
		}
	}
}

func TestAFileThatMayNotBeWrittenIsNotReplaced(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write any file")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kept"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := checkOutputs([]output{{"json", file}}, "", nil); !errors.Is(err, syscall.EACCES) {
		t.Errorf("checked: %v, want %v", err, syscall.EACCES)
	}
	if err := writeFile(file, holding("new")); !errors.Is(err, syscall.EACCES) {
		t.Errorf("written: %v, want %v", err, syscall.EACCES)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "kept" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

// TestNoOutputTakesTheFileOfSomethingElse: what the run reads, and what its
// streams go to, is refused by any of its names.
func TestNoOutputTakesTheFileOfSomethingElse(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(
		os.WriteFile("t.csv", []byte("offset_us,key,weight,lane\n0,k,1,\n"), 0o600),
		os.WriteFile("p.yaml", []byte("run: {duration: 1s}\n"), 0o600),
		os.WriteFile("hotkeys", nil, 0o600), os.Mkdir("d", 0o700),
		os.Symlink("../t.csv", "d/result.csv"), os.Link("p.yaml", "hard"),
	); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	out, err := os.Create("out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	piped := fmt.Sprintf("json=/dev/fd/%d", w.Fd())
	tests := []struct {
		args           []string
		stdout, stderr io.Writer
		want           string // empty: fine
	}{
		{[]string{"--trace", "t.csv", "-o", "json=./t.csv"}, nil, nil, "is the trace"},
		{[]string{"--trace", "t.csv", "--out", "d"}, nil, nil, "is the trace"},
		{[]string{"--profile", "./p.yaml", "-o", "csv=p.yaml"}, nil, nil, "is the profile"},
		{[]string{"--profile", "./p.yaml", "-o", "csv=hard"}, nil, nil, "is the profile"},
		{[]string{"--profile", "hotkeys", "-o", "csv=hotkeys"}, nil, nil, ""}, // the built-in one is no file
		{[]string{"-o", "json=out"}, out, nil, "is what stdout goes to"},
		{[]string{"-o", "json=out"}, nil, out, "is what the messages go to"},
		{[]string{"-o", piped}, w, nil, "is what stdout goes to"},
		{[]string{"-o", piped}, nil, w, ""}, // beside the messages, as /dev/stderr is meant
		{[]string{"-o", "json=" + os.DevNull}, null, null, ""},
	}
	for _, tt := range tests {
		got := try(gives(result(bench.Valid), nil), func(e *environ) {
			if tt.stdout != nil {
				e.stdout = tt.stdout
			}
			if tt.stderr != nil {
				e.stderr = tt.stderr
			}
		}, append([]string{"bench"}, tt.args...)...)
		if got.started != (tt.want == "") {
			t.Errorf("%q: started is %v; %s", tt.args, got.started, got.stderr)
		}
		if tt.stderr == nil && tt.want != "" && (got.code != exitUsage || !strings.Contains(got.stderr, tt.want)) {
			t.Errorf("%q: exit code %d and %q, want %d and %q", tt.args, got.code, got.stderr, exitUsage, tt.want)
		}
	}
	if text, err := os.ReadFile("out"); err != nil || !strings.Contains(string(text), "is what the messages go to") {
		t.Errorf("the messages are %q, %v", text, err)
	}
}

// TestWhatIsNoFileIsWrittenAsItIs: a pipe or a device must not be replaced.
func TestWhatIsNoFileIsWrittenAsItIs(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // both ends, so that opening waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := writeFile(pipe, holding("text")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(pipe)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe was replaced: %v, %v", info, err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "text" {
		t.Errorf("the pipe carried %q, %v", got, err)
	}
}

// A failing writer fails as a pipe or a file would.
type failing struct{ errno syscall.Errno }

func (f failing) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: f.errno}
}

func TestClosedPipeCostsNoFileAndNoWords(t *testing.T) {
	for errno, words := range map[syscall.Errno]int{syscall.EPIPE: 0, syscall.ENOSPC: 1} {
		file := filepath.Join(t.TempDir(), "file")
		outs := []output{{"table", ""}, {"json", file}}
		inPlace := ""
		err := writeOutputs(outs, "", failing{errno}, func(output) {}, func(w io.Writer, format string) error {
			if format == "table" { // the last one: the file is whole by now
				text, _ := os.ReadFile(file)
				inPlace = string(text)
			}
			_, err := io.WriteString(w, format)
			return err
		})
		if exitCode(err) != exitFailed || len(leaves(err)) != words {
			t.Errorf("%v: error %v, want exit code %d and %d messages", errno, err, exitFailed, words)
		}
		if inPlace != "json" {
			t.Errorf("%v: when stdout was written, the file held %q", errno, inPlace)
		}
	}
}
