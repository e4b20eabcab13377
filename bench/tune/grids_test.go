package tune

import (
	"flag"
	"math"
	"runtime"
	"strconv"
	"testing"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

var gridItems = flag.Int("grid-items", 2000, "items of each run of the grids that are searched")

// grid is the one that is searched: 9 x 5 x 7 points, with longer runs 9 x 8 x 7.
func grid() []string {
	delays := "0s,250us..16ms:x4"
	if *gridItems >= 10_000 {
		delays = "0s,250us..16ms:x2"
	}
	return []string{"batch_size", "1..256:x2", "batch_delay", delays, "in_flight", "1..64:x2"}
}

// A load is a workload with what is sought in it.
type load struct {
	name   string
	more   bool
	figure string
	slo    string
	knobs  []string
}

var loads = []load{
	{name: "steady", figure: "p99", knobs: []string{"kernel", "make", "rate", "4k/s", "backend", "synthetic(base=1ms,per_item=20us)"}},
	{name: "costly calls", figure: "cost", slo: "p99<=20ms,rejected<=0.1%", knobs: []string{"kernel", "make", "rate", "6k/s", "backend", "synthetic(base=3ms,per_item=10us)"}},
	{name: "one slow backend", figure: "p99", slo: "rejected<=1%", knobs: []string{"kernel", "make", "rate", "3k/s", "backend", "synthetic(base=2ms,per_item=50us,concurrency=2)"}},
	{name: "scattered service", figure: "mean", knobs: []string{"kernel", "make", "rate", "5k/s", "backend", "synthetic(base=1ms,per_item=30us,dist=exponential,concurrency=8)"}},
	{name: "bursts", figure: "p99", slo: "rejected<=5%", knobs: []string{"kernel", "make", "rate", "4k/s", "arrivals", "bursty(factor=3,on=50ms,off=150ms)", "backend", "synthetic(base=2ms,per_item=40us,concurrency=4)"}},
	{name: "hot keys", figure: "p99", knobs: []string{"kernel", "perkey", "rate", "4k/s", "keys", "1k", "key_skew", "1.1", "backend", "synthetic(base=1ms,per_item=20us)"}},
	{name: "hot keys in one room", figure: "cost", slo: "p99<=50ms,rejected<=1%", knobs: []string{"kernel", "keyed", "rate", "4k/s", "keys", "1k", "key_skew", "1.1", "backend", "synthetic(base=2ms,per_item=100us,concurrency=8)"}},
	{name: "heavy items", figure: "p99", slo: "rejected<=1%", knobs: []string{"kernel", "make", "rate", "3k/s", "weights", "lognormal(median=4KiB,sigma=1.5)", "backend", "synthetic(base=1ms,per_item=10us,per_weight=10ns,concurrency=6)"}},
	{name: "overload", more: true, figure: "throughput", slo: "p99<=300ms", knobs: []string{"kernel", "make", "queue", "500", "rate", "30k/s", "backend", "synthetic(base=1ms,per_item=62.5us,concurrency=2)"}},
	{name: "closed loop", more: true, figure: "throughput", knobs: []string{"kernel", "make", "clients", "64", "backend", "synthetic(base=1ms,per_item=100us,concurrency=4)"}},
}

// base returns the settings of a load.
func (l load) base(t testing.TB) settings.Settings {
	t.Helper()
	s := settings.Default()
	all := append([]string{"clock", settings.Virtual, "seed", "5", "items", strconv.Itoa(*gridItems), "warmup", "0s"}, l.knobs...)
	if l.slo != "" {
		all = append(all, "slo", l.slo)
	}
	for i := 0; i < len(all); i += 2 {
		if err := s.Set(all[i], all[i+1], "flag --"+all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// parsed returns the axes of knob, text, knob, text and so on.
func parsed(t testing.TB, pairs ...string) []sweep.Axis {
	t.Helper()
	var axes []sweep.Axis
	for i := 0; i < len(pairs); i += 2 {
		k, ok := settings.Lookup(pairs[i])
		if !ok {
			t.Fatalf("no knob %s", pairs[i])
		}
		a, err := sweep.Parse(k, pairs[i+1], "flag --"+k.Flag)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	return axes
}

// query asks for the best settings of a load.
func (l load) query(t testing.TB, axes ...string) *Query {
	t.Helper()
	o, err := ParseObjective(l.figure, l.more)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Ask(Query{Start: l.base(t), Axes: parsed(t, axes...), Objective: o, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func twoJobs() lab.Lab { return lab.Lab{Jobs: runtime.GOMAXPROCS(0)} }

// TestTheSearchFindsTheOptimumOfWholeGrids within 2 % for less than 15 % of the
// points, whatever the load is like. By -grid-items 100000 -v with runs of full
// length.
func TestTheSearchFindsTheOptimumOfWholeGrids(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("some thousand runs")
	}
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			q := l.query(t, grid()...)
			q.Points = int(gridPart * float64(q.space.Len()))
			whole := *q
			whole.Points = q.space.Len() // all of them
			all := newSession(&whole, twoJobs(), nil)
			if err := all.search(); err != nil {
				t.Fatal(err)
			}
			s := newSession(q, twoJobs(), nil)
			if err := s.search(); err != nil {
				t.Fatal(err)
			}
			want, got := all.scoring.of(all.leader()), s.scoring.of(s.leader())
			part := float64(s.found) / float64(q.space.Len())
			regret := math.Abs(got.first/want.first - 1)
			t.Logf("%-22s %4d of %d points (%.1f %%), %s %s at %s, best %s at %s, regret %.2f %%", l.name, s.found, q.space.Len(), 100*part,
				l.figure, q.Objective.Figure.Say(got.first), s.say(s.leader()), q.Objective.Figure.Say(want.first), all.say(all.leader()), 100*regret)
			if part >= gridPart {
				t.Errorf("it measured %.1f %% of the points", 100*part)
			}
			if got.class != want.class || regret > 0.02 {
				t.Errorf("it found class %d, %v; the best has class %d, %v", got.class, got.first, want.class, want.first)
			}
		})
	}
}
