package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryInstanceHolds goes through all instances, every interleaving of each.
func TestEveryInstanceHolds(t *testing.T) {
	for _, in := range instances() {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := one(&out, &in, false); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			agree(t, in.name, in.modelled(), out.String())
		})
	}
}

// agree holds what the explorer counted to the table in README.md, and that to
// itself: the model checker counted the same.
func agree(t *testing.T, name string, modelled bool, printed string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, ok := strings.Cut(string(readme), "\n| `"+name+"` |")
	row, _, _ = strings.Cut(row, "\n")
	cells := strings.FieldsFunc(row, func(r rune) bool { return r == ' ' || r == '|' })
	if !ok || len(cells) < 6 {
		t.Fatalf("README.md has no row of %s", name)
	}
	var states, depth int
	if _, err := fmt.Sscanf(strings.TrimPrefix(printed, name), "%d states depth %d", &states, &depth); err != nil {
		t.Fatal(err)
	}
	want := []string{strconv.Itoa(states), strconv.Itoa(depth)}
	if mine := cells[:2]; !slices.Equal(mine, want) {
		t.Errorf("the explorer counts %v states and depth in %s where README.md says %v; count anew, and have the model checker do so", want, name, mine)
	}
	if theirs := cells[len(cells)-4 : len(cells)-2]; modelled && !slices.Equal(theirs, want) {
		t.Errorf("README.md has other counts of the model checker's: %v", theirs)
	}
}

// TestWhatIsStrandedKeepsCloseFromReturning shows that CloseReturns can fail.
func TestWhatIsStrandedKeepsCloseFromReturning(t *testing.T) {
	for _, name := range []string{"make-3callers", "perkey-2keys-3callers-nodirect"} {
		in, _ := find(name)
		in.weak, in.only = strandOnEnd, "CloseReturns"
		if r := explore(&in, false); !strings.HasPrefix(r.fault, "CloseReturns:") || len(r.trace) == 0 {
			t.Errorf("%s: %q after %v", name, r.fault, r.trace)
		}
	}
}

// TestMergedStatesGoOnAlike looks into every merge of the small instances: what
// the state that was found first can do, the other one can, and comes to the
// same.
func TestMergedStatesGoOnAlike(t *testing.T) {
	for _, name := range []string{
		"make-3callers-weights", "make-3callers-flush", "perkey-1key-3callers", "perkey-2keys-3callers", "shares-twins-3callers",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := find(name)
			r := explore(&in, true)
			if r.fault != "" || r.merged == 0 {
				t.Errorf("%d merges: %s after %v", r.merged, r.fault, r.trace)
			}
		})
	}
}

// TestARecheckFindsAKeyThatForgets shows that it could fail: with a delay of
// which the key knows nothing, states of different ages are taken for one.
func TestARecheckFindsAKeyThatForgets(t *testing.T) {
	in, _ := find("perkey-2keys-3callers-delay")
	s := &search{in: &in, names: in.namings(), index: map[string]int32{}, recheck: true, report: report{in: &in}}
	young, old := newWorld(&in), newWorld(&in)
	for _, w := range []*world{young, old} {
		w.do(action{kind: admit, weight: 1})
	}
	old.do(action{kind: pass})
	s.add(newWorld(&in), "nothing", -1, action{})
	id := s.add(young, "merged", 0, action{kind: admit, weight: 1})
	if s.alike(old, id) {
		t.Error("an input that came just now, and one that came a tick ago, were said to go on alike")
	}
}

// TestEveryFaultIsCaught builds the explorer with one rule of the room or of its
// shell broken at a time.
func TestEveryFaultIsCaught(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Skip(err)
	}
	for _, f := range faults() {
		t.Run(f.id(), func(t *testing.T) {
			trace := "\nroom " // a script
			if f.onTree() {
				trace = "SetBacklog("
			}
			if out, err := f.catch(root); err != nil {
				t.Error(err)
			} else if !strings.Contains(out, trace) {
				t.Errorf("there is no %q in the trace:\n%s", trace, out)
			}
		})
	}
}

// TestConfigurationsAreOfTheInstances holds what the model checker reads to what
// the explorer goes through.
func TestConfigurationsAreOfTheInstances(t *testing.T) {
	want := map[string]string{}
	for _, in := range instances() {
		if in.modelled() {
			want[in.name] = in.tlc(nil)
		}
	}
	for _, in := range trees() {
		want[in.name] = in.tlc(nil)
	}
	for _, f := range faults() {
		if f.modelled() {
			want[f.id()] = f.config()
		}
	}
	for name, text := range want {
		file := filepath.Join("..", "cfg", name+".cfg")
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%s is not what the explorer goes through; write it anew: go run ./formal/explore -config %s (%v)", file, name, err)
		}
	}
	files, err := filepath.Glob("../cfg/*.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cfg")
		if _, known := want[name]; !known {
			t.Errorf("%s is the configuration of nothing", file)
		}
	}
}

// TestTracesReplayInTheRoomsOwnTests writes traces as scripts into a copy of
// package lanes and runs its test on them.
func TestTracesReplayInTheRoomsOwnTests(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "lanes"), os.DirFS(filepath.Join(root, "lanes"))); err != nil {
		t.Fatal(err)
	}
	scripts := filepath.Join(dir, "lanes", "testdata")
	if err := os.RemoveAll(scripts); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(scripts, 0o700); err != nil {
		t.Fatal(err)
	}
	list := instances()
	for _, in := range list {
		var out bytes.Buffer
		for _, trace := range someTraces(&in) {
			in.script(&out, "A shortest trace.", trace)
			out.WriteString("\n")
		}
		if err := os.WriteFile(filepath.Join(scripts, in.name+".txt"), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-run", "^TestScripts$", "-v", "./lanes")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if passed := bytes.Count(out, []byte("--- PASS: TestScripts/")); err != nil || passed < len(list) {
		t.Errorf("%d of %d scripts passed, %v:\n%s", passed, len(list), err, out)
	}
}

// someTraces returns the traces to one state in fifty, among them that which was
// found last.
func someTraces(in *instance) (traces [][]action) {
	s := &search{in: in, names: in.namings(), index: map[string]int32{}, report: report{in: in}}
	s.run()
	for id := int32(len(s.nodes) - 1); id > 0; id -= 50 { //nolint:gosec // as many as fit a slice
		traces = append(traces, s.path(id))
	}
	return traces
}
