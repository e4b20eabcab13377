package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// looked makes a sweep of four points and returns its folder and the file's text.
func looked(t *testing.T) (dir string, text []byte) {
	t.Helper()
	store := create(t, grid(t, base(t), "batch_size", "1,2,4,8"), 1)
	if err := (Runner{Run: fake, Jobs: 1}).Sweep(store); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(store.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return store.Dir(), text
}

func TestReadingASweepChangesNothing(t *testing.T) {
	dir, text := looked(t)
	cut := text[:len(text)-100]
	if err := os.WriteFile(filepath.Join(dir, File), cut, 0o444); err != nil {
		t.Fatal(err)
	}
	store, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if held, all := store.Len(); held != 3 || all != 4 || store.Cut == 0 {
		t.Errorf("%d of %d runs, %d bytes cut off; want 3 of 4, and some", held, all, store.Cut)
	}
	if after, err := os.ReadFile(filepath.Join(dir, File)); err != nil || !bytes.Equal(after, cut) {
		t.Errorf("the file has changed, %v", err)
	}
	runs := 0
	for _, err := range store.Records() {
		if err != nil {
			t.Fatal(err)
		}
		runs++
	}
	if runs != 3 {
		t.Errorf("%d records, want 3", runs)
	}
}

func TestWhatIsNoSweepIsRefused(t *testing.T) {
	_, text := looked(t)
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	forged := func(from, to string) []byte { return append(bytes.Replace(head, []byte(from), []byte(to), 1), '\n') }
	for name, in := range map[string]struct {
		text []byte
		want string
	}{
		"empty":            {nil, "cut off"},
		"a head cut off":   {head[:40], "cut off"},
		"another file":     {[]byte("# notes\n"), `want schema "ferryctl.sweep/v1"`},
		"more points":      {append(forged(`"points":4`, `"points":900000000`), rest...), "was changed"},
		"another knob":     {append(forged(`"1,2,4,8"`, `"1,2,4,9"`), rest...), "was changed"},
		"a line of poetry": {append(append(append([]byte{}, head...), "\nroses\n"...), rest...), "line 2"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), in.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), in.want) {
			t.Errorf("%s: error is %v, want one that says %q", name, err, in.want)
		}
	}
	// A head whose hash fits, but whose points do not.
	h, err := readHeader(head)
	if err != nil {
		t.Fatal(err)
	}
	h.Points = 900_000_000
	h.Hash = h.sum()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), append(mustJSON(t, h), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "its knobs give 4 points") {
		t.Errorf("900 million points: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no points.jsonl") {
		t.Errorf("an empty folder: %v", err)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
