// Openloop sends inputs at a constant rate to ferry's kernels, a floor and the
// peers, round by round, and prints the percentiles of the time from scheduled
// arrival to answer: medians over the rounds, with the least and the greatest.
//
//	go run ./openloop [-rounds 3] [-seconds 2]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ferryctl/bench/floors"
)

func main() {
	rounds := flag.Int("rounds", 3, "interleaved rounds")
	seconds := flag.Float64("seconds", 2, "length of a round, of each subject")
	flag.Parse()
	if *rounds < 1 || !(*seconds > 0) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "openloop: want -rounds of at least 1, -seconds above 0, and no arguments")
		os.Exit(2)
	}
	quantiles := []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}}
	got := map[string][]time.Duration{}
	for round := range *rounds {
		for _, name := range floors.OpenNames {
			rate, keys := 100_000.0, "one"
			if strings.HasPrefix(name, "keyed-") {
				rate, keys = 50_000, "zipf"
			}
			inFlight := 4
			s, err := floors.NewOpen(name, time.Millisecond, inFlight)
			if err != nil {
				fmt.Fprintln(os.Stderr, "openloop:", err)
				os.Exit(1)
			}
			took := floors.Open(s, rate, time.Duration(*seconds*1e9), floors.Keys(keys))
			s.Close()
			for _, q := range quantiles {
				got[name+q.name] = append(got[name+q.name], took[int(q.q*float64(len(took)-1))])
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	fmt.Printf("%-22s %-28s %-28s %s\n", "subject", "p50 [min, max]", "p99 [min, max]", "p99.9 [min, max]")
	for _, name := range floors.OpenNames {
		fmt.Printf("%-22s", name)
		for _, q := range quantiles {
			v := slices.Sorted(slices.Values(got[name+q.name]))
			cell := fmt.Sprintf("%.2f [%.2f, %.2f] ms", ms(v[len(v)/2]), ms(v[0]), ms(v[len(v)-1]))
			fmt.Printf(" %-28s", cell)
		}
		fmt.Println()
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
