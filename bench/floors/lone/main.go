// Lone measures what a single caller waits who comes after a millisecond of
// idling, for every subject, round by round: medians over the rounds of p50 and
// p99, with the least and the greatest.
//
//	go run ./lone [-rounds 5] [-calls 1000]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"ferryctl/bench/floors"
)

func main() {
	rounds := flag.Int("rounds", 5, "interleaved rounds")
	calls := flag.Int("calls", 1000, "calls per subject and round")
	flag.Parse()
	if *rounds < 1 || *calls < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "lone: want -rounds and -calls of at least 1, and no arguments")
		os.Exit(2)
	}
	p50, p99 := map[string][]time.Duration{}, map[string][]time.Duration{}
	for round := range *rounds {
		for _, name := range floors.Names {
			s, err := floors.New(name)
			if err != nil {
				fmt.Fprintln(os.Stderr, "lone:", err)
				os.Exit(1)
			}
			took := floors.Lone(s, *calls)
			s.Close()
			p50[name] = append(p50[name], took[len(took)/2])
			p99[name] = append(p99[name], took[len(took)*99/100])
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	fmt.Printf("%-24s %-30s %s\n", "subject", "p50 [min, max]", "p99 [min, max]")
	for _, name := range floors.Names {
		fmt.Printf("%-24s %-30s %s\n", name, cell(p50[name]), cell(p99[name]))
	}
}

func cell(v []time.Duration) string {
	slices.Sort(v)
	us := func(d time.Duration) float64 { return float64(d) / 1e3 }
	return fmt.Sprintf("%.1f [%.1f, %.1f] us", us(v[len(v)/2]), us(v[0]), us(v[len(v)-1]))
}
