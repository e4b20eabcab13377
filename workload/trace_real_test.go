package workload_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferryctl/workload"
)

// tracesDir is where real traces lie, if the environment says so.
const tracesDir = "FERRYCTL_TRACES"

func realTraces(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv(tracesDir)
	if dir == "" {
		t.Skipf("NOT RUN: set %s to a folder of traces (*.csv, and dirty/*.csv that must be refused)", tracesDir)
	}
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	return paths
}

func TestRealTracesAreReadWhole(t *testing.T) {
	for _, path := range realTraces(t, "*.csv") {
		if strings.HasSuffix(path, ".raw.csv") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: path, Speed: 1}
		items, lanes, err := readAll(s)
		if want := bytes.Count(text, []byte("\n")) - 1; err != nil || len(items) != want {
			t.Errorf("%s: %d items, want %d; %v", filepath.Base(path), len(items), want, err)
			continue
		}
		t.Logf("%s: %d items in %v, %d lanes", filepath.Base(path), len(items), items[len(items)-1].At, len(lanes))
		s.Trace = cutOff(t, text)
		if cut, _, err := readAll(s); err == nil || len(cut) > len(items)-1 || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s, cut off: %d items, %v", filepath.Base(path), len(cut), err)
		}
	}
}

// cutOff stores the text without its end, as a broken download leaves it: cut
// just behind the last key.
func cutOff(t *testing.T, text []byte) string {
	t.Helper()
	end := bytes.LastIndexByte(text[:bytes.LastIndexByte(text, ',')], ',')
	path := filepath.Join(t.TempDir(), "cut.csv")
	if err := os.WriteFile(path, text[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDirtyTracesAreRefused(t *testing.T) {
	for _, path := range realTraces(t, "dirty/*.csv") {
		s := workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: path, Speed: 1}
		items, _, err := readAll(s)
		var where *workload.TraceError
		if !errors.As(err, &where) || where.Line == 0 || len(items) > 0 {
			t.Errorf("%s: %d items, %v; want none and a fault with its line", filepath.Base(path), len(items), err)
			continue
		}
		if strings.Contains(path, "lfs") != strings.Contains(err.Error(), "is a Git LFS pointer, not data") {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		t.Log(strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", ""))
	}
}
