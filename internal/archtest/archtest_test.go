package archtest

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestTheModuleKeepsItsArrows is the test that guards the module itself.
func TestTheModuleKeepsItsArrows(t *testing.T) {
	root := os.DirFS("../..")
	if _, err := root.Open("go.mod"); err != nil {
		t.Fatalf("the module's root is not two folders up: %v", err)
	}
	faults, err := CheckTree(root, "ferryctl", Rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// TestCheckFileFindsEachFault shows that every rule can fail: each source is
// sound Go, and has just the one fault that want names.
func TestCheckFileFindsEachFault(t *testing.T) {
	tests := []struct {
		name, pkg, file, src string
		want                 string // part of the only fault; empty: none
	}{
		{"lanes may use a duration", "lanes", "x.go", `import "time"; const tick time.Duration = time.Millisecond`, ""},
		{"lanes may not read the clock", "lanes", "x.go", `import "time"; var t = time.Now`, "never asks"},
		{"a renamed clock is a clock", "lanes", "x.go", `import t "time"; var x = t.Since`, "time.Since"},
		{"lanes may not hold an instant", "lanes", "x.go", `import "time"; var t time.Time`, "time.Time"},
		{"lanes may not lock", "lanes", "x.go", `import "sync"; var m sync.Mutex`, "imports sync"},
		{"lanes may not draw", "lanes", "x.go", `import "math/rand/v2"; var x = rand.Int()`, "imports math/rand/v2"},
		{"lanes may not import ferry", "lanes", "x.go", `import _ "ferryctl/ferry"`, "the arrows allow it none"},
		{"lanes takes no third party", "lanes", "x.go", `import _ "gonum.org/v1/gonum/mat"`, "imports gonum.org"},
		{"lanes may import its own tree", "lanes", "x.go", `import _ "ferryctl/lanes/fairshare"`, ""},
		{"below lanes the same rule holds", "lanes/fairshare", "x.go", `func f() { go f() }`, "starts a goroutine"},
		{"lanes may not select", "lanes", "x.go", `func f() { select {} }`, "selects"},
		{"lanes may not name a channel", "lanes", "x.go", `type c chan int`, "uses a channel"},
		{"lanes may not send", "lanes", "x.go", `func f[T any](c T, g func(T)) { c <- 1 }`, "sends on a channel"},
		{"lanes may not receive", "lanes", "x.go", `var x = <-c`, "receives from a channel"},
		{"a test of lanes may use a clock", "lanes", "x_test.go", `import "time"; var t = time.Now`, ""},
		{"ferry may use a clock and goroutines", "ferry", "x.go", `import "time"; func f() { go f(); time.Sleep(0) }`, ""},
		{"ferry may import lanes", "ferry", "x.go", `import _ "ferryctl/lanes"`, ""},
		{"ferry may not import bench", "ferry", "x.go", `import _ "ferryctl/bench"`, "imports bench"},
		{"ferry takes no third party", "ferry", "x.go", `import _ "github.com/spf13/cobra"`, "of third parties"},
		{"workload may not import ferry", "workload", "x.go", `import _ "ferryctl/ferry"`, "imports ferry"},
		{"workload may import its units", "workload", "x.go", `import _ "ferryctl/workload/units"`, ""},
		{"workload reads compressed traces", "workload", "x.go", `import _ "github.com/klauspost/compress/zstd"`, ""},
		{"workload may not use global chance", "workload", "x.go", `import _ "math/rand/v2"`, "imports math/rand/v2"},
		{"workload may not sleep", "workload", "x.go", `import "time"; var f = time.Sleep`, "time.Sleep"},
		{"bench joins the others", "bench", "x.go", `import (_ "ferryctl/ferry"; _ "ferryctl/workload"; _ "ferryctl/bench/export")`, ""},
		{"bench may not import profiles", "bench", "x.go", `import _ "ferryctl/profiles"`, "imports profiles"},
		{"a backend does not know the batcher", "bench/backend", "x.go", `import _ "ferryctl/ferry"`, "imports ferry"},
		{"nothing imports tui", "bench", "x_test.go", `import _ "ferryctl/tui"`, "only cmd stands above"},
		{"nothing imports cmd", "profiles", "x_test.go", `import _ "ferryctl/cmd/ferryctl"`, "only cmd stands above"},
		{"cmd may import tui", "cmd/ferryctl", "x.go", `import _ "ferryctl/tui"`, ""},
		{"cmd may exit", "cmd/ferryctl", "x.go", `import "os"; func f() { os.Exit(0) }`, ""},
		{"bench may not exit", "bench", "x.go", `import "os"; func f() { os.Exit(0) }`, "os.Exit"},
		{"bench may not write to stdout", "bench", "x.go", `import "os"; var w = os.Stdout`, "os.Stdout"},
		{"bench may not print", "bench", "x.go", `import "fmt"; func f() { fmt.Println() }`, "fmt.Println"},
		{"ferry may not read the environment", "ferry", "x.go", `import "os"; var v = os.Getenv("V")`, "os.Getenv"},
		{"bench may not catch signals", "bench", "x.go", `import _ "os/signal"`, "imports os/signal"},
		{"no import without a name", "bench", "x.go", `import . "errors"`, "under no name"},
		{"a new package is placed first", "gadgets", "x.go", ``, "on no row"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, tt.file, "package p; "+tt.src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			faults := CheckFile(fset, file, "ferryctl", tt.pkg, Rules)
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("faults in a sound file: %q", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tt.want)):
				t.Errorf("faults %q, want one with %q", faults, tt.want)
			}
		})
	}
}

// TestCheckTreeSeesEveryShippedFile guards against a walk that skips too much
// or too little.
func TestCheckTreeSeesEveryShippedFile(t *testing.T) {
	bad := &fstest.MapFile{Data: []byte(`package p; import _ "ferryctl/tui"`)}
	tree := fstest.MapFS{
		"go.mod":                 {Data: []byte("module ferryctl")},
		"lanes/bad.go":           bad,
		"lanes/deep/bad_test.go": bad,
		"lanes/testdata/skip.go": bad,
		".hidden/skip.go":        bad,
		"tools/go.mod":           {Data: []byte("module ferryctl/tools")},
		"tools/skip.go":          bad,
	}
	faults, err := CheckTree(tree, "ferryctl", []Rule{{Path: "lanes", Ours: []string{"*"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) != 2 || !strings.HasPrefix(faults[0], "lanes/bad.go") || !strings.HasPrefix(faults[1], "lanes/deep/bad_test.go") {
		t.Errorf("faults %q, want one in lanes/bad.go and one in lanes/deep/bad_test.go", faults)
	}
}
