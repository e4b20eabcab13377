// Ratios measures ferry's kernels against the floors and the peers, and prints
// each target with the median, least and greatest ratio over interleaved
// rounds. Only ratios within one run mean anything: absolute figures drift
// with the machine.
//
//	go run ./ratios [-rounds 9] [-calls 200000] [-only make]
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"ferryctl/bench/floors"
)

// target is a ratio that should be at most, or at least, some figure.
type target struct {
	what          string
	over, under   string // subjects: the ratio is cost(over) / cost(under)
	callers       int
	keys          string
	limit         float64
	atLeast       bool
	free          bool // over must not allocate
	measure       func() float64
	every         bool // measured in every round; the others take long, and vary little
	rounds        []float64
	allocsPerCall float64
}

func targets() []*target {
	var ts []*target
	for _, callers := range []int{1, 64, 1024} {
		ts = append(ts, &target{over: "make", under: "floor-1", callers: callers, keys: "one", limit: 1.3, free: true})
	}
	for _, keys := range []string{"zipf", "uniform"} {
		for _, callers := range []int{1, 64, 1024} {
			ts = append(ts, &target{over: "keyed-perkey", under: "keyed-floor", callers: callers, keys: keys, limit: 1.3, free: true})
		}
		for _, callers := range []int{1, 64, 1024} {
			ts = append(ts, &target{over: "keyed-perkey-direct", under: "keyed-floor-direct", callers: callers, keys: keys, limit: 1.5})
		}
	}
	for _, peer := range []string{"bundler", "gocloud"} {
		ts = append(ts, &target{over: peer, under: "make", callers: 64, keys: "zipf", limit: 2, atLeast: true})
	}
	ts = append(ts, &target{over: "dataloader", under: "make", callers: 64, keys: "zipf"})
	for _, kernel := range []string{"make", "keyed-perkey", "keyed-perkey-direct"} {
		ts = append(ts, &target{over: kernel + "-share", under: kernel, callers: 64, keys: "zipf", limit: 1.05})
	}
	for _, kernel := range []string{"make", "keyed-perkey"} {
		ts = append(ts, &target{over: kernel + "-shares", under: kernel, callers: 64, keys: "zipf"})
	}
	ts = append(ts,
		&target{over: "keyed-publishscheduler", under: "keyed-perkey-direct", callers: 64, keys: "zipf", limit: 3, atLeast: true},
		&target{over: "keyed-publishscheduler", under: "keyed-perkey", callers: 64, keys: "zipf"},
	)
	for _, t := range ts {
		t.what = fmt.Sprintf("%s / %s, %d callers, keys %s", t.over, t.under, t.callers, t.keys)
	}
	return append(ts,
		&target{what: "perkey: with a look at what waits every 1 ms / without", limit: 1.25, measure: looks, every: true},
		&target{what: "take with 1M keys waiting / 1k", limit: 1.5, measure: func() float64 { return takes(false) }},
		&target{what: "perkey: heap after 10M keys / before", limit: 1.5, measure: passing},
		// Without a target: what a reader may want to know, flattering or not.
		&target{what: "lone caller after 1 ms idle, p50: perkey / direct floor", measure: func() float64 { return lone(0.5) }, every: true},
		&target{what: "lone caller after 1 ms idle, p99: perkey / direct floor", measure: func() float64 { return lone(0.99) }, every: true},
		&target{what: "10k keys, each taken 1000 times a second: snapshot every 1 ms / none", measure: snapshots},
		&target{what: "take and release with 1M keys waiting / 1k", measure: func() float64 { return takes(true) }},
	)
}

// cost runs calls calls and returns ns and allocations per call.
func cost(name string, callers int, drawn []int, calls int) (ns, allocs float64) {
	s, err := floors.New(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
	defer s.Close()
	floors.Closed(s, callers, calls/10, drawn)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	floors.Closed(s, callers, calls, drawn)
	d := time.Since(start)
	runtime.ReadMemStats(&after)
	// The callers' own goroutines are the loop's, not the subject's.
	mallocs := float64(after.Mallocs-before.Mallocs) - 2*float64(callers)
	return float64(d.Nanoseconds()) / float64(calls), max(0, mallocs) / float64(calls)
}

func (t *target) round(calls int) {
	if t.measure != nil {
		t.rounds = append(t.rounds, t.measure())
		return
	}
	drawn := floors.Keys(t.keys)
	// Which of the two goes first alternates, so that neither always meets the
	// other's leavings.
	var over, under, allocs float64
	if len(t.rounds)%2 == 0 {
		over, allocs = cost(t.over, t.callers, drawn, calls)
		under, _ = cost(t.under, t.callers, drawn, calls)
	} else {
		under, _ = cost(t.under, t.callers, drawn, calls)
		over, allocs = cost(t.over, t.callers, drawn, calls)
	}
	t.rounds = append(t.rounds, over/under)
	t.allocsPerCall = max(t.allocsPerCall, allocs)
}

func (t *target) report() (line string, pass bool) {
	r := slices.Sorted(slices.Values(t.rounds))
	median := r[len(r)/2]
	if t.limit == 0 {
		return fmt.Sprintf("%-67s %6.2f  [%5.2f, %6.2f]", t.what, median, r[0], r[len(r)-1]), true
	}
	sign := "<="
	pass = median <= t.limit
	if t.atLeast {
		sign, pass = ">=", median >= t.limit
	}
	allocs := ""
	if t.measure == nil {
		allocs = fmt.Sprintf("%.2f allocs/call", t.allocsPerCall)
	}
	if t.free && t.allocsPerCall >= 0.05 { // less is the loop's own
		pass = false
		allocs += ", which should be 0"
	}
	verdict := "pass"
	if !pass {
		verdict = "FAIL"
	}
	return fmt.Sprintf("%-67s %6.2f  [%5.2f, %6.2f]  %s %-5.4g %-4s  %s", t.what, median, r[0], r[len(r)-1], sign, t.limit, verdict, allocs), pass
}

func main() {
	rounds := flag.Int("rounds", 9, "interleaved rounds")
	calls := flag.Int("calls", 200_000, "calls per subject and round")
	only := flag.String("only", "", "only targets whose name contains this")
	flag.Parse()
	ts := slices.DeleteFunc(targets(), func(t *target) bool { return !strings.Contains(t.what, *only) })
	if *rounds < 1 || *calls < 1 || len(ts) == 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "ratios: want -rounds and -calls of at least 1, -only a part of some target's name, and no arguments")
		os.Exit(2)
	}
	for round := range *rounds {
		for _, t := range ts {
			if t.measure == nil || t.every || round < 3 {
				t.round(*calls)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	fmt.Printf("%-67s %6s  %15s  %s\n", "ratio", "median", "[min, max]", "target")
	missed := 0
	for _, t := range ts {
		line, pass := t.report()
		fmt.Println(strings.TrimRight(line, " "))
		if !pass {
			missed++
		}
	}
	if missed > 0 {
		fmt.Printf("%d of %d targets missed\n", missed, len(ts))
		os.Exit(1)
	}
}
