package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// made makes a run without a machine: p99 has its least, 1 ms, at batch_size 8 and
// batch_delay 2ms, and in_flight changes nothing. With seed 2 and above batch_size 8
// fares far worse.
func made(s settings.Settings, _ bench.Options) (*bench.Result, error) {
	r := &bench.Result{Schema: bench.Schema, Complete: true, Clock: s.Clock, Seed: s.Seed}
	r.Counts.Offered, r.Counts.Done = 1000, 1000
	p99 := 1e6 * (1 + square(float64(s.BatchSize)/8-1) + square(float64(s.BatchDelay)/2e6-1))
	r.Rates.Throughput, r.Rates.Rejected = bench.Some(s.Rate.PerSecond), bench.Some(0)
	r.Latency.Sojourn = bench.Latency{Count: 1000, P99: bench.Some(p99 * s.Rate.PerSecond / 10e3), Mean: bench.Some(p99 / 2)}
	r.Measurement.Verdict = bench.Valid
	for _, t := range s.SLO {
		o := t.Evaluate(slo.Figures{Samples: 1000, Offered: 1000, Percentile: func(float64) float64 { return r.Latency.Sojourn.P99.Or(0) }})
		r.SLO = append(r.SLO, bench.SLO{Term: t.String(), Value: bench.Some(o.Value), OK: o.OK})
	}
	return r, nil
}

func square(v float64) float64 { return v * v }

// asked is a question about made runs.
func asked(t testing.TB, slo string, axes ...string) *Query {
	t.Helper()
	l := load{figure: "p99", slo: slo}
	q := l.query(t, axes...)
	q.Seeds = 3
	return q
}

func find(t testing.TB, q *Query, l lab.Lab) *Answer {
	t.Helper()
	a, err := Find(q, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var wide = []string{"batch_size", "1..1024:x2", "batch_delay", "0s,250us..16ms:x2", "in_flight", "1..64:x2"}

func TestAnAnswerSaysWhatEachKnobDoes(t *testing.T) {
	a := find(t, asked(t, "p99<=2ms", wide...), lab.Lab{Run: made})
	if k := a.Recommended.Knobs; !a.Found || !a.Complete || k["batch_size"] != "8" || k["batch_delay"] != "2ms" {
		t.Fatalf("found %t, recommended %v", a.Found, k)
	}
	if k := a.Recommended.Knobs["in_flight"]; k != "8" {
		t.Errorf("in_flight changes nothing and was put from 8 to %s", k)
	}
	var bought []string
	for _, b := range a.Buys {
		bought = append(bought, b.Text)
	}
	want := "batch_size 8 instead of 64: p99 from 50.0 ms to 1.00 ms, -98.0 %; without it the SLO is missed (p99<=2ms)" +
		"|batch_delay 2ms instead of 0s: p99 from 2.00 ms to 1.00 ms, -50.0 %"
	if got := strings.Join(bought, "|"); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	if f := a.Free[2]; f.Knob != "in_flight" || !f.DontCare || f.Text != "in_flight: don't care, anything from 1 to 64 does as well" {
		t.Errorf("of in_flight it says %+v", f)
	}
	if f := a.Free[0]; f.DontCare || !slices.Equal(f.Values, []string{"8"}) {
		t.Errorf("of batch_size it says %+v", f)
	}
	if len(a.Robust) != 2 || a.Robust[1].Value != "12k/s" || !a.Robust[1].SLOMet || a.Robust[1].Change.Or(0) < 0.199 {
		t.Errorf("off by 20 %%: %+v", a.Robust)
	}
	if !strings.Contains(a.Command, "--batch-size 8 --batch-delay 2ms") || !strings.HasSuffix(a.Command, "--slo 'p99<=2ms,rejected<=0.1%'") {
		t.Errorf("the command is %s", a.Command)
	}
	if a.Binding.Term != "p99<=2ms" || a.Binding.Spare.Or(0) != 0.5 {
		t.Errorf("binding is %+v", a.Binding)
	}
}

func TestAStartThatIsBetterThanAllChoicesIsNamed(t *testing.T) {
	const said = "the settings that the search began with are better than any that it was given to choose from"
	for size, want := range map[string]bool{"128,256": true, "16,128": false} { // the start has 64
		a := find(t, asked(t, "p99<=100ms", "batch_size", size), lab.Lab{Run: made})
		if got := slices.Contains(a.Warnings, said); got != want || a.Found == want {
			t.Errorf("of %s: found %t, warnings %v", size, a.Found, a.Warnings)
		}
	}
}

func TestAnImpossibleSLONamesItsTermAndTheNearestPoint(t *testing.T) {
	a := find(t, asked(t, "p99<=500us,rejected<=1%", wide...), lab.Lab{Run: made})
	code, err := a.Status(0)
	if a.Found || code != 3 || len(a.Obstacles) != 1 {
		t.Fatalf("found %t, status %d, obstacles %v", a.Found, code, a.Obstacles)
	}
	want := "SLO missed: p99<=500us: 1.00 ms at the nearest point (batch_size 8, batch_delay 2ms, in_flight "
	if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "no point that was measured meets it, the best has 1.00 ms") {
		t.Errorf("it says %v", err)
	}
}

func TestNeitherJobsNorRepetitionChangeTheAnswer(t *testing.T) {
	q := loads[6].query(t, "batch_size", "1..256:x4", "batch_delay", "0s,1ms,4ms", "in_flight", "1..16:x2")
	q.Seeds, q.Points = 2, 20
	var first string
	for _, jobs := range []int{1, 4, 2} {
		text, err := json.Marshal(find(t, q, lab.Lab{Jobs: jobs}))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Errorf("with %d jobs the answer is another one", jobs)
		}
	}
}

// TestALeaderOfOneSeedIsCheckedWithOthers: what suits one draw of the arrivals alone
// is not recommended.
func TestALeaderOfOneSeedIsCheckedWithOthers(t *testing.T) {
	lucky := func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		r, err := made(s, o)
		if s.BatchSize == 8 && s.Seed > 5 {
			r.Latency.Sojourn.P99 = bench.Some(9e6)
			r.SLO[0].OK, r.SLO[0].Value = false, bench.Some(9e6)
		}
		return r, err
	}
	a := find(t, asked(t, "p99<=3ms", wide...), lab.Lab{Run: lucky})
	if k := a.Recommended; !a.Found || k.Knobs["batch_size"] == "8" || k.SLOMet != 3 {
		t.Errorf("recommended is %v", a.Recommended)
	}
}

func TestAStoppedSearchSaysWhatItHas(t *testing.T) {
	stop := make(chan struct{})
	n := 0
	a, err := Find(asked(t, "p99<=2ms", wide...), lab.Lab{Stop: stop, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if n++; n == 10 {
			close(stop)
		}
		return made(s, o)
	}}, &Tracker{})
	if !errors.Is(err, lab.ErrStopped) || a.Complete || a.Recommended == nil || len(a.Points) != 10 {
		t.Errorf("%v, complete %t, %d points", err, a.Complete, len(a.Points))
	}
	failing := func(s settings.Settings, o bench.Options) (*bench.Result, error) { return nil, fmt.Errorf("no luck") }
	if a, err := Find(asked(t, "p99<=2ms", wide...), lab.Lab{Run: failing}, nil); err == nil || a.Recommended != nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("a failing run gives %v", err)
	}
}

func TestASilentSLOGetsABoundOnRejections(t *testing.T) {
	q := asked(t, "p99<=2ms", wide...)
	if len(q.Implied) != 1 || slo.Format(q.Start.SLO) != "p99<=2ms,rejected<=0.1%" {
		t.Errorf("the SLO is %s", slo.Format(q.Start.SLO))
	}
	for _, text := range []string{"p99<=2ms,rejected<=5%", "throughput>=1k/s"} {
		if q := asked(t, text, wide...); len(q.Implied) != 0 {
			t.Errorf("%s became %s", text, slo.Format(q.Start.SLO))
		}
	}
}

func TestOnlyKnobsOfTheKernelAreSought(t *testing.T) {
	start := load{}.base(t)
	_, err := Ask(Query{Start: start, Axes: parsed(t, "rate", "1k/s,2k/s", "batch_size", "1,8"), Objective: sweep.Objective{Figure: sweep.Cost}})
	if err == nil || !strings.Contains(err.Error(), "flag --rate: rate varies: a search chooses among settings of the kernel") {
		t.Errorf("a rate that varies gives %v", err)
	}
	_, err = Ask(Query{Start: start, Axes: parsed(t, "batch_size", "8"), Objective: sweep.Objective{Figure: sweep.Cost}})
	if err == nil || !strings.Contains(err.Error(), "no knob takes more than one value") {
		t.Errorf("one point gives %v", err)
	}
}
