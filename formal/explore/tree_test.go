package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTheTreeGivesTurnsAsTheModel goes through every declaration, turn and
// settlement of two share lanes.
func TestTheTreeGivesTurnsAsTheModel(t *testing.T) {
	for _, in := range trees() {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := in.show(&out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			t.Log(out.String())
		})
	}
}

// TestTreeConfigurationsAreOfTheInstances holds what the model checker reads to
// what the explorer goes through.
func TestTreeConfigurationsAreOfTheInstances(t *testing.T) {
	want := map[string]string{}
	for _, in := range trees() {
		want[in.name] = in.tlc("none")
	}
	want["FairShare-DeadlinesIgnored"] = trees()[0].tlc("DeadlinesIgnored")
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join("..", "cfg", name+".cfg")); err != nil || string(got) != text {
			t.Errorf("cfg/%s.cfg is not what the explorer goes through; write it anew: go run ./formal/explore -config %s (%v)", name, name, err)
		}
	}
}
