package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A mutant whose text has moved on breaks nothing, and would look like a test's
// success.
func TestEveryMutantStillApplies(t *testing.T) {
	for _, m := range slices.Concat(mutants, fairshareMutants, gateMutants) {
		source, err := os.ReadFile(filepath.Join("..", "..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.old); n != 1 {
			t.Errorf("%s: its text is %d times in %s; it must be there once", m.what, n, m.file)
		}
	}
}
