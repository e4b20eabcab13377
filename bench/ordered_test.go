package bench

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestBatchSizesAreNumbersInOrder(t *testing.T) {
	var c SizeCounts
	if err := json.Unmarshal([]byte(`{"10": 1, "2": 3, "100": 5}`), &c); err != nil {
		t.Fatal(err)
	}
	if want := (SizeCounts{{2, 3}, {10, 1}, {100, 5}}); !slices.Equal(c, want) {
		t.Errorf("read %v, want %v", c, want)
	}
	if b, err := json.Marshal(c); err != nil || string(b) != `{"2":3,"10":1,"100":5}` {
		t.Errorf("wrote %s, %v", b, err)
	}
	for _, bad := range []string{`{"two": 1}`, `{"2": -1}`, `[1]`, `{"2": 1`} {
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s was read as %v", bad, c)
		}
	}
}

func TestSettingsKeepTheirOrder(t *testing.T) {
	const text = `{"zeta":1,"alpha":"5ms","mid":null}`
	var s Settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(s); err != nil || string(b) != text {
		t.Errorf("%s came back as %s, %v", text, b, err)
	}
	if v, ok := s.Get("alpha"); v != "5ms" || !ok {
		t.Errorf("alpha is %q, %v", v, ok)
	}
	if v, ok := s.Get("mid"); v != "" || !ok {
		t.Errorf("mid is %q, %v", v, ok)
	}
	if _, ok := s.Get("beta"); ok {
		t.Error("beta is there")
	}
}
