package capacity

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/tune/lab"
)

// query asks for the highest rate of a load of 10k/s.
func query(t testing.TB, objective string, change func(*Query), pairs ...string) *Query {
	t.Helper()
	s := settings.Default()
	all := append([]string{"clock", "virtual", "seed", "1", "duration", "1s", "slo", objective}, pairs...)
	for i := 0; i < len(all); i += 2 {
		if err := s.Set(all[i], all[i+1], "flag --"+all[i]); err != nil {
			t.Fatal(err)
		}
	}
	q := Query{Start: s}
	if change != nil {
		change(&q)
	}
	asked, err := Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

// made makes runs of which p99 keeps 1 ms up to a rate of 33k/s, a little more with
// each seed, and then is 100 ms; odd says where it is the other way round.
func made(odd func(rate float64) bool) func(settings.Settings, bench.Options) (*bench.Result, error) {
	return func(s settings.Settings, _ bench.Options) (*bench.Result, error) {
		r := &bench.Result{Schema: bench.Schema, Complete: true, Seed: s.Seed}
		p99, rate := 1e6, s.Rate.PerSecond
		if late := rate > 33_000*(1+0.02*float64(s.Seed-1)); late != odd(rate) {
			p99 = 100e6
		}
		r.Counts.Offered, r.Counts.Done = 1000, 1000
		r.Rates.Throughput, r.Measurement.Verdict = bench.Some(rate), bench.Valid
		r.Latency.Sojourn = bench.Latency{Count: 1000, P99: bench.Some(p99), Mean: bench.Some(p99)}
		for _, term := range s.SLO {
			o := term.Evaluate(slo.Figures{Samples: 1000, Offered: 1000, Throughput: rate, Percentile: func(float64) float64 { return p99 }})
			r.SLO = append(r.SLO, bench.SLO{Term: term.String(), Value: bench.Some(o.Value), OK: o.OK})
		}
		return r, nil
	}
}

func never(float64) bool { return false }

func find(t testing.TB, q *Query, run func(settings.Settings, bench.Options) (*bench.Result, error)) *Answer {
	t.Helper()
	a, err := Find(q, lab.Lab{Run: run, Jobs: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheAnswerGoesFromTheLeastSeedToTheMost(t *testing.T) {
	a := find(t, query(t, "p99<=20ms", func(q *Query) { q.For = 1e6 }), made(never))
	low, high := a.Low.Or(0), a.High.Or(0)
	if !a.Found || !a.Monotone || low > 33_000 || low < 33_000/1.01 || high < 33_000*1.1 || high > 33_000*1.1*1.01 {
		t.Fatalf("found %t, monotone %t, %v to %v", a.Found, a.Monotone, low, high)
	}
	if c := a.Confidence.Or(0); c != 1-2.0/64 {
		t.Errorf("the confidence of 6 seeds is %v", c)
	}
	if m := a.Median.Or(0); m < 33_000*1.03 || m > 33_000*1.07 {
		t.Errorf("the median is %v", m)
	}
	if h := a.Headroom.Or(0); math.Abs(h-(low/10_000-1)) > 1e-12 {
		t.Errorf("the headroom is %v", h)
	}
	if x := a.For; x.N != int(math.Ceil(1e6/low)) || x.Least != int(math.Ceil(1e6/high)) || x.Each*float64(x.N) < 1e6*(1-1e-9) || x.Each > low {
		t.Errorf("instances %+v", x)
	}
	if !slices.Equal(a.Fails, []string{"p99<=20ms"}) {
		t.Errorf("first missed is %v", a.Fails)
	}
	places := map[string]int{}
	for _, p := range a.Curve {
		places[p.Place]++
		if p.Place == "below" && p.Kept != 6 || p.Place == "above" && p.Kept != 0 {
			t.Errorf("%s at %v, with %d of 6 seeds kept", p.Place, p.Rate, p.Kept)
		}
	}
	if places["below"] < 5 || places["at"] < 2 || places["above"] < 2 {
		t.Errorf("the curve has %v", places)
	}
}

func TestWhatIsNotBracketedIsSaid(t *testing.T) {
	a := find(t, query(t, "p99<=200ms", nil), made(never))
	if a.Found || a.Unbracketed != "never_missed" || a.Low.Or(0) != 10_240_000 || !strings.Contains(a.Text, "kept up to 10.2M/s, the highest rate that was tried") {
		t.Errorf("%q, %v: %s", a.Unbracketed, a.Low, a.Text)
	}
	if code, err := a.Status(0); code != 0 || err != nil {
		t.Errorf("status %d, %v", code, err)
	}
	a = find(t, query(t, "p99<=500us", nil), made(never))
	code, err := a.Status(0)
	if a.Found || a.Unbracketed != "never_kept" || code != 3 || !strings.Contains(err.Error(), "at every rate that was tried, 9.77/s to 10.2M/s") {
		t.Errorf("%q, status %d, %v", a.Unbracketed, code, err)
	}
}

// TestARangeFarAboveTheLoadIsFound: nothing up to four times the load keeps the SLO,
// as where a long delay is only cut short by full batches.
func TestARangeFarAboveTheLoadIsFound(t *testing.T) {
	a := find(t, query(t, "p99<=20ms", nil), made(func(rate float64) bool { return rate <= 33_000 || rate > 70_000 && rate <= 200_000 }))
	if low := a.Low.Or(0); !a.Found || low > 200_000 || low < 200_000/1.01 || a.Monotone {
		t.Errorf("found %t, low %v, monotone %t: %s", a.Found, low, a.Monotone, a.Text)
	}
}

// TestMoreLoadIsNotTriedWhereItGetsNoMoreThroughput: nothing would change.
func TestMoreLoadIsNotTriedWhereItGetsNoMoreThroughput(t *testing.T) {
	run := made(never)
	a := find(t, query(t, "p99<=500us", nil), func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		r, err := run(s, o)
		r.Rates.Throughput = bench.Some(math.Min(60_000, s.Rate.PerSecond))
		return r, err
	})
	if !strings.HasSuffix(a.Text, "9.77/s to 160k/s") {
		t.Error(a.Text)
	}
}

// TestABoundIsNotTakenForTheCapacity: the load is above the highest rate to try.
func TestABoundIsNotTakenForTheCapacity(t *testing.T) {
	a := find(t, query(t, "p99<=20ms", func(q *Query) { q.Most, q.For = 5_000, 20_000 }), made(never))
	if a.Found || a.Low.Or(0) != 5_000 || a.Headroom.Known() {
		t.Errorf("found %t, low %v, headroom %v: %s", a.Found, a.Low, a.Headroom, a.Text)
	}
	if x := a.For; x == nil || x.N != 4 || x.Least != 1 || !strings.HasPrefix(x.Text, "at most 4 instances for 20.0k/s") {
		t.Errorf("instances %+v", x)
	}
}

// TestAnSLOThatIsMissedBelowTheAnswerIsSaid: the highest rate that keeps it is found
// all the same, though the load's own rate misses it.
func TestAnSLOThatIsMissedBelowTheAnswerIsSaid(t *testing.T) {
	a := find(t, query(t, "p99<=20ms", nil), made(func(rate float64) bool { return rate < 15_000 }))
	if low := a.Low.Or(0); !a.Found || a.Monotone || low > 33_000 || low < 33_000/1.01 {
		t.Errorf("found %t, monotone %t, low %v", a.Found, a.Monotone, low)
	}
	if len(a.Odd) == 0 || !strings.Contains(a.Odd[0].Text, "below the answer, the SLO is missed with") || !strings.Contains(strings.Join(a.Warnings, " "), "upper edge of a range") {
		t.Errorf("odd are %v, warnings %v", a.Odd, a.Warnings)
	}
}

func TestNeitherJobsNorOrderChangeTheAnswer(t *testing.T) {
	var first string
	for _, jobs := range []int{1, 3} {
		q := query(t, "p99<=5ms", func(q *Query) { q.Seeds, q.Within = 2, 0.05 }, "kernel", "make", "rate", "2k/s", "backend", "synthetic(base=2ms,concurrency=1)", "batch_size", "4", "in_flight", "1")
		a, err := Find(q, lab.Lab{Jobs: jobs}, &Tracker{})
		if err != nil {
			t.Fatal(err)
		}
		// A batch of 4 takes 2 ms: no more than 2,000 a second.
		if high := a.High.Or(0); !a.Found || high > 2_200 || high < 500 {
			t.Errorf("found %t, up to %v", a.Found, high)
		}
		text, err := json.Marshal(a)
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

func TestAStoppedSearchSaysWhatItTried(t *testing.T) {
	stop := make(chan struct{})
	n := 0
	run := made(never)
	a, err := Find(query(t, "p99<=20ms", nil), lab.Lab{Stop: stop, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if n++; n == 9 {
			close(stop)
		}
		return run(s, o)
	}}, &Tracker{})
	if !errors.Is(err, lab.ErrStopped) || a.Complete || a.Found || a.Runs != 9 || len(a.Tried) == 0 {
		t.Errorf("%v, complete %t, found %t, %d runs", err, a.Complete, a.Found, a.Runs)
	}
}

func TestLoadsWithoutARateAreRefused(t *testing.T) {
	for _, tt := range []struct{ pairs, want string }{
		{"slo", "no SLO: any rate keeps none: want one, such as --slo 'p99<=20ms'"},
		{"clients 8", "has no rate to vary: want a load with rate or lane_rate"},
		{"rate ramp:1k/s..2k/s/5s", "want a steady one"},
		{"clock real", "clock real: the capacity is sought in virtual time"},
	} {
		s := settings.Default()
		for _, p := range [][2]string{{"clock", "virtual"}, {"slo", "p99<=1ms"}} {
			if err := s.Set(p[0], p[1], "default"); err != nil {
				t.Fatal(err)
			}
		}
		if knob, value, ok := strings.Cut(tt.pairs, " "); ok {
			if err := s.Set(knob, value, "flag --"+knob); err != nil {
				t.Fatal(err)
			}
		} else {
			s.SLO = nil
		}
		if _, err := Ask(Query{Start: s}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.pairs, err, tt.want)
		}
	}
}
