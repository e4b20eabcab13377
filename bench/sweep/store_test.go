package sweep

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sweepAll makes all runs that the store lacks and returns how many those were.
func sweepAll(t testing.TB, store *Store, jobs int) int {
	t.Helper()
	before, all := store.Len()
	if err := (Runner{Run: fake, Jobs: jobs}).Sweep(store); err != nil {
		t.Fatal(err)
	}
	return all - before
}

// finished returns the bytes of a finished sweep, and its folder.
func finished(t testing.TB) ([]byte, string) {
	t.Helper()
	store := create(t, grid(t, base(t), "batch_size", "1,8,64"), 1)
	sweepAll(t, store, 1)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(store.Path())
	if err != nil {
		t.Fatal(err)
	}
	return text, store.Dir()
}

// TestAFileCutAnywhereIsResumedToTheSameBytes cuts the file at every byte of its
// head and of its last record, and at some in between, as a kill in the middle of a
// write would. What was whole is kept, what was cut is
// measured anew, and nothing else.
func TestAFileCutAnywhereIsResumedToTheSameBytes(t *testing.T) {
	fsync = func(*os.File) error { return nil } // what a kill leaves does not depend on it
	t.Cleanup(func() { fsync = (*os.File).Sync })
	whole, dir := finished(t)
	head := bytes.IndexByte(whole, '\n') + 1
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n')
	for cut := range len(whole) {
		if cut > head+100 && cut < last-100 && cut%256 != 0 {
			continue // bytes like those before and after
		}
		if err := os.WriteFile(filepath.Join(dir, File), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := Open(dir, "test")
		if cut < head {
			if err == nil || !strings.Contains(err.Error(), "its first line is cut off") {
				t.Fatalf("cut at %d, in the head: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		kept := bytes.Count(whole[head:cut], []byte("\n"))
		if held, all := store.Len(); held != kept || all != 3 {
			t.Fatalf("cut at %d: %d of %d runs are there, want %d of 3", cut, held, all, kept)
		}
		if made := sweepAll(t, store, 1); made != 3-kept {
			t.Fatalf("cut at %d: %d runs were made, want %d", cut, made, 3-kept)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, File)); err != nil || !bytes.Equal(got, whole) {
			t.Fatalf("cut at %d: the file is another one, %v", cut, err)
		}
	}
}

func TestAFolderWithHalfAHeadCanBeBegunAnew(t *testing.T) {
	whole, dir := finished(t)
	if err := os.WriteFile(filepath.Join(dir, File), whole[:40], 0o600); err != nil {
		t.Fatal(err)
	}
	space := grid(t, base(t), "batch_size", "1,8")
	h, err := NewHeader(space, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	store, err := Create(dir, space, h)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if sweepAll(t, store, 1) != 2 {
		t.Error("the sweep is not a new one")
	}
}

func TestAFolderThatHoldsASweepIsNotBegunAnew(t *testing.T) {
	whole, dir := finished(t)
	space := grid(t, base(t), "batch_size", "1,8")
	h, err := NewHeader(space, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, space, h); !errors.Is(err, ErrHoldsSweep) {
		t.Errorf("the error is %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, File)); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("the sweep that it held was changed, %v", err)
	}
}

func TestOneSweepIsWrittenByOneProcess(t *testing.T) {
	_, dir := finished(t)
	store, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, "test"); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}

// TestTheLockOutlivesPuttingTheFileInOrder: the file is replaced, the lock is not
// let go.
func TestTheLockOutlivesPuttingTheFileInOrder(t *testing.T) {
	store := create(t, grid(t, base(t), "batch_size", "1,8"), 1)
	for _, point := range []int{2, 1} {
		r, err := Runner{Run: fake}.run(store.Space, task{point, 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Append(Record{point, 1, r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Settle(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(store.Dir(), "test"); !errors.Is(err, ErrLocked) {
		t.Errorf("opened beside the one that has settled: %v", err)
	}
	var points []int
	for r, err := range store.Records() {
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, r.Point)
	}
	text, err := os.ReadFile(store.Path())
	if err != nil || len(points) != 2 || points[0] != 1 || bytes.Index(text, []byte(`{"point":1,`)) > bytes.Index(text, []byte(`{"point":2,`)) {
		t.Errorf("the points are %v, %v", points, err)
	}
	left, err := os.ReadDir(store.Dir())
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestWhatAKillLeftOfSettlingIsRemoved(t *testing.T) {
	_, dir := finished(t)
	if err := os.WriteFile(filepath.Join(dir, ".points-123.jsonl"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestAFileThatIsNotAsItWasWrittenIsRefused(t *testing.T) {
	whole, dir := finished(t)
	for name, tt := range map[string]struct {
		change func(string) string
		want   string
	}{
		"another base":   {func(s string) string { return strings.Replace(s, `"text":"2k"`, `"text":"3k"`, 1) }, "its first line was changed"},
		"another schema": {func(s string) string { return strings.Replace(s, "sweep/v1", "sweep/v9", 1) }, "is not that of a sweep"},
		"no sweep":       {func(string) string { return "{}\n" }, "is not that of a sweep"},
		"damage in the middle": {func(s string) string {
			return strings.Replace(s, `{"point":2,`, `{"point":!,`, 1)
		}, "line 3 of points.jsonl is no record"},
		"a point twice":      {func(s string) string { return strings.Replace(s, `{"point":2,`, `{"point":1,`, 1) }, "which is there already"},
		"a point too many":   {func(s string) string { return strings.Replace(s, `{"point":2,`, `{"point":7,`, 1) }, "the sweep has 3 points"},
		"a line without end": {func(s string) string { return s[:strings.Index(s, "\n")+1] + strings.Repeat("x", maxLine+1<<20) }, "longer than"},
	} {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(tt.change(string(whole))), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := Open(dir, "test")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if err == nil {
			_ = store.Close()
		}
	}
}

func TestAnotherVersionDoesNotGoOn(t *testing.T) {
	_, dir := finished(t)
	if _, err := Open(dir, "next"); err == nil || !strings.Contains(err.Error(), `begun by version "test", this is "next"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestAnotherTraceIsNotGoneOnWith(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "load.csv")
	write := func(text string) {
		if err := os.WriteFile(trace, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("offset_us,key,weight,lane\n0,a,1,\n")
	store := create(t, grid(t, base(t, "trace", trace), "batch_size", "1,8"), 1)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	write("offset_us,key,weight,lane\n0,b,1,\n")
	if _, err := Open(store.Dir(), "test"); err == nil || !strings.Contains(err.Error(), "a trace or a model has changed") {
		t.Errorf("the error is %v", err)
	}
}

func TestOpenWantsASweep(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := Open(dir, "test"); err == nil || !strings.Contains(err.Error(), "want the folder of a sweep") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestARecordKeepsNothingThatGrowsWithTheRun(t *testing.T) {
	store := create(t, grid(t, base(t, "items", "200k"), "batch_size", "8"), 1)
	if err := (Runner{}).Sweep(store); err != nil {
		t.Fatal(err)
	}
	for r, err := range store.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Result.Intervals) != 0 || r.Result.Histograms.Sojourn == "" || r.Result.Histograms.Wait != "" {
			t.Errorf("%d intervals, histograms %v", len(r.Result.Intervals), r.Result.Histograms)
		}
	}
	if store.size > 16<<10 {
		t.Errorf("a sweep of one run takes %d bytes", store.size)
	}
}
