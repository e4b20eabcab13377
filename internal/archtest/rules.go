package archtest

import "strings"

// A Rule says what one tree of packages may know. The zero value of a list
// allows nothing, so a rule grants and never forbids.
type Rule struct {
	Path   string   // package path below the module's, such as "bench/backend"; it covers the packages below it too
	Std    []string // standard packages it may import; {"*"} is any
	Ours   []string // packages of this module it may import, itself aside; "ferry" covers "ferry/store" too; {"*"} is any
	Others []string // third-party import paths, by prefix
	Traits          // what its code may do
}

// Traits are what code may do beside calling what it imports.
type Traits struct {
	Concurrent bool     // may start goroutines, select, and use channels
	Clock      bool     // may read the clock or make a timer
	Process    bool     // may exit, read arguments and the environment, use the standard streams and signals
	TimeNames  []string // if not empty, the only names of package time it may use
}

// pureTime is what the pure cores may use of package time: the type that says
// how long, and its units. What time it is, the caller tells them.
var pureTime = []string{"Duration", "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}

var anyStd = []string{"*"}

// Rules is the map of the module. The longest matching Path decides; a package
// that matches none is a fault, so a new package has to be placed here first.
var Rules = []Rule{
	{
		Path:   "lanes",
		Std:    []string{"cmp", "errors", "fmt", "hash/maphash", "iter", "maps", "math", "math/bits", "slices", "strings", "time"},
		Traits: Traits{TimeNames: pureTime},
	},
	{
		// As pure as lanes; its ledger is written in rationals, and as JSON.
		Path: "lanes/fairshare",
		Std: []string{
			"bytes", "cmp", "encoding/binary", "encoding/json", "errors", "fmt", "io", "iter", "maps", "math", "math/big", "math/bits",
			"slices", "strconv", "strings", "unicode/utf8",
		},
	},
	{
		Path:   "ferry",
		Std:    anyStd,
		Ours:   []string{"lanes"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		// Chance is in the seed alone, so the generators of math/rand are absent.
		Path: "workload",
		Std: []string{
			"bufio", "bytes", "cmp", "compress/gzip", "encoding", "encoding/binary", "encoding/csv", "errors", "fmt",
			"hash", "hash/fnv", "io", "io/fs", "iter", "maps", "math", "math/big", "math/bits", "os", "path/filepath",
			"slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8", "unsafe",
		},
		Ours:   []string{"internal/detmath"},
		Others: []string{"github.com/klauspost/compress"},
	},
	{
		// The same bits on every machine; chance comes from a seed, never from here.
		Path:   "internal/detmath",
		Std:    []string{"math", "math/bits"},
		Traits: Traits{TimeNames: pureTime},
	},
	{
		Path:   "bench",
		Std:    anyStd,
		Ours:   []string{"ferry", "lanes", "workload"},
		Others: []string{"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		// What a batch call does: it knows neither the batcher nor the runner.
		Path:   "bench/backend",
		Std:    anyStd,
		Ours:   []string{"workload/units", "internal/detmath", "internal/plainyaml"},
		Others: []string{"golang.org/x/sys", "github.com/goccy/go-yaml"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{Path: "internal/mutants", Std: anyStd, Traits: Traits{Process: true, Clock: true}},
	{Path: "formal/explore", Std: anyStd, Ours: []string{"lanes"}, Traits: Traits{Process: true, Clock: true}},
	{
		// Fits a cost model to a backend's calls.
		Path:   "bench/calibrate",
		Std:    anyStd,
		Ours:   []string{"bench/backend"},
		Others: []string{"gonum.org/v1/gonum"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{Path: "bench/human", Std: []string{"fmt", "math", "strconv", "strings", "time"}},
	{Path: "bench/slo", Std: anyStd, Ours: []string{"workload/units"}},
	{Path: "bench/settings", Std: anyStd, Ours: []string{"workload", "bench/backend", "bench/slo", "lanes/fairshare"}},
	{
		Path:   "bench/sweep",
		Std:    anyStd,
		Ours:   []string{"bench", "workload/units"},
		Others: []string{"gonum.org/v1/gonum"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		// Searches settings, and runs them for that, several at once.
		Path:   "bench/tune",
		Std:    anyStd,
		Ours:   []string{"bench", "workload"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		Path:   "bench/capacity",
		Std:    anyStd,
		Ours:   []string{"bench", "workload"},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		Path:   "bench/compare",
		Std:    []string{"cmp", "errors", "fmt", "hash/fnv", "math", "math/rand/v2", "slices", "strings"},
		Ours:   []string{"bench"},
		Others: []string{"golang.org/x/perf"},
	},
	{
		Path:   "bench/export",
		Std:    anyStd,
		Ours:   []string{"bench", "workload/units"},
		Others: []string{"github.com/HdrHistogram/hdrhistogram-go", "github.com/prometheus/client_model", "github.com/prometheus/common", "golang.org/x/perf"},
	},
	{
		// YAML that nobody vouches for, as a plain tree with the faults at their places.
		Path:   "internal/plainyaml",
		Std:    []string{"bytes", "cmp", "errors", "fmt", "slices", "strings", "unicode/utf8"},
		Others: []string{"github.com/goccy/go-yaml"},
	},
	{
		Path:   "profiles",
		Std:    anyStd,
		Ours:   []string{"workload", "bench/settings", "bench/backend", "bench/slo", "internal/plainyaml"},
		Others: []string{"github.com/goccy/go-yaml", "github.com/invopop/jsonschema"},
	},
	{
		// It draws what it is told of: no streams, no process.
		Path: "tui",
		Std:  anyStd,
		Ours: []string{"bench", "bench/human", "ferry", "workload", "workload/units"},
		Others: []string{
			"github.com/charmbracelet/bubbletea", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/lipgloss",
			"github.com/NimbleMarkets/ntcharts", "github.com/mattn/go-runewidth", "github.com/muesli/termenv",
		},
		Traits: Traits{Concurrent: true, Clock: true},
	},
	{
		Path: "cmd/ferryctl",
		Std:  anyStd,
		Ours: []string{"*"},
		Others: []string{
			"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/google/renameio/v2", "github.com/charmbracelet/colorprofile",
			"golang.org/x/sys", "golang.org/x/term",
		},
		Traits: Traits{Concurrent: true, Clock: true, Process: true},
	},
	{Path: "internal/archtest", Std: anyStd},
}

// ruleFor returns the rule with the longest Path that covers pkg.
func ruleFor(rules []Rule, pkg string) (Rule, bool) {
	var best Rule
	found := false
	for _, r := range rules {
		if covers(r.Path, pkg) && (!found || len(r.Path) > len(best.Path)) {
			best, found = r, true
		}
	}
	return best, found
}

// covers says whether pkg is the package at path or lies below it.
func covers(path, pkg string) bool {
	return pkg == path || strings.HasPrefix(pkg, path+"/")
}
