package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// result is one run with a p99 and a throughput.
func result(seed uint64, p99, throughput float64, pairs ...string) *bench.Result {
	r := &bench.Result{Schema: bench.Schema, Complete: true, Clock: "real", Seed: seed, WorkloadHash: "cafe"}
	r.Measurement.Verdict = bench.Valid
	r.Latency.Sojourn = bench.Latency{Count: 1000, P99: bench.Some(p99), Mean: bench.Some(p99 / 2), P50: bench.Some(p99 / 3)}
	r.Rates.Throughput, r.Rates.Rejected = bench.Some(throughput), bench.Some(0)
	for i := 0; i < len(pairs); i += 2 {
		r.Settings = append(r.Settings, bench.Setting{Knob: pairs[i], Value: []byte(`"` + pairs[i+1] + `"`)})
	}
	return r
}

// side holds a run for each p99.
func side(t *testing.T, name string, p99 ...float64) *Side {
	t.Helper()
	s := NewSide(name, nil)
	for i, v := range p99 {
		if err := s.Add(name, result(uint64(i), v, 1000+float64(i), "batch_size", "8")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func objectives(t *testing.T, text string) []sweep.Objective {
	t.Helper()
	o, err := sweep.ParseObjectives(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func mustCompare(t *testing.T, o Options, sides ...*Side) *Comparison {
	t.Helper()
	c, err := Compare(sides, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ranks computes the exact two-sided p-value of the rank-sum test by going through
// every way to choose: the slow twin of rankTest.
func ranks(a, b []float64) float64 {
	all := append(slices.Clone(a), b...)
	u := func(chosen []bool) (u float64) {
		for i, x := range all {
			for j, y := range all {
				if chosen[i] && !chosen[j] {
					switch {
					case x > y:
						u++
					case x == y:
						u += 0.5
					}
				}
			}
		}
		return u
	}
	first := make([]bool, len(all))
	for i := range a {
		first[i] = true
	}
	mid := float64(len(a)*len(b)) / 2
	seen := math.Abs(u(first) - mid)
	extreme, total := 0, 0
	for set := range 1 << len(all) {
		chosen, n := make([]bool, len(all)), 0
		for i := range all {
			if set>>i&1 == 1 {
				chosen[i] = true
				n++
			}
		}
		if n != len(a) {
			continue
		}
		total++
		if math.Abs(u(chosen)-mid) >= seen-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(total)
}

func TestTheRankTestIsExactForFewRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		draw := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) float64 { return float64(rapid.IntRange(0, 1000).Draw(rt, "v")) }), 1, 5)
		a, b := draw.Draw(rt, "a"), draw.Draw(rt, "b")
		all := append(slices.Clone(a), b...)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) < len(all) {
			return // ties: the library is conservative there
		}
		if got, want := rankTest(a, b), ranks(a, b); math.Abs(got-want) > 1e-9 {
			rt.Fatalf("%v and %v have p %v, want %v", a, b, got, want)
		}
	})
}

func TestTheLeastPIsThatOfTheClearestOrder(t *testing.T) {
	for n1 := 1; n1 <= 5; n1++ {
		for n2 := 1; n2 <= 5; n2++ {
			var a, b []float64
			for i := range n1 {
				a = append(a, float64(i))
			}
			for i := range n2 {
				b = append(b, float64(100+i))
			}
			if got, want := leastP(n1, n2), ranks(a, b); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d and %d runs: %v, want %v", n1, n2, got, want)
			}
		}
	}
	if needed(0.05) != 4 || needed(0.01) != 5 || needed(0) != 100 {
		t.Errorf("needed: %d at 0.05, %d at 0.01", needed(0.05), needed(0.01))
	}
}

func TestHolmNeverMakesOneFigureCountLess(t *testing.T) {
	p := []float64{0.04, 0.01, 0.03}
	holm([]*float64{&p[0], &p[1], &p[2]})
	for i, want := range []float64{0.06, 0.03, 0.06} { // 0.01*3, 0.03*2, then 0.04*1 raised to 0.06
		if math.Abs(p[i]-want) > 1e-12 {
			t.Errorf("adjusted to %v, want %v at %d", p[i], want, i)
		}
	}
}

func TestWithTooFewRunsNothingIsClaimed(t *testing.T) {
	o := Options{Figures: objectives(t, "p99")}
	r := mustCompare(t, o, side(t, "a", 1, 2, 3), side(t, "b", 1e6, 2e6, 3e6)).Rows[0]
	if r.Claim != TooFew || r.Need != 4 {
		t.Errorf("three runs a side: %s, need %d; want too few, 4", r.Claim, r.Need)
	}
	if r = mustCompare(t, o, side(t, "a", 5), side(t, "b", 50)).Rows[0]; r.Claim != TooFew || r.Low.Known() {
		t.Errorf("one run a side: %s with an interval from %v", r.Claim, r.Low)
	}
	r = mustCompare(t, o, side(t, "a", 1, 2, 3, 4), side(t, "b", 10, 20, 30, 40)).Rows[0]
	if r.Claim != Worse || r.Change.Or(0) != 9 {
		t.Errorf("four runs a side: %s, change %v", r.Claim, r.Change)
	}
	// The more figures are asked after, the more runs it takes.
	o.Figures = objectives(t, "p99,throughput,mean,p50")
	if r = mustCompare(t, o, side(t, "a", 1, 2, 3, 4), side(t, "b", 10, 20, 30, 40)).Rows[0]; r.Claim != TooFew || r.Need != 5 {
		t.Errorf("four figures of four runs: %s, need %d; want 5", r.Claim, r.Need)
	}
}

func TestChanceAloneIsRarelyClaimed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	o := Options{Figures: objectives(t, "p99,throughput,mean"), resamples: leastResamples}
	false1, trials := 0, 400
	for range trials {
		a, b := NewSide("a", nil), NewSide("b", nil)
		for i := range 8 {
			_ = a.Add("a", result(uint64(i), 100+rng.NormFloat64(), 100+rng.NormFloat64()))
			_ = b.Add("b", result(uint64(i), 100+rng.NormFloat64(), 100+rng.NormFloat64()))
		}
		c := mustCompare(t, o, a, b)
		if c.Count(Better)+c.Count(Worse) > 0 {
			false1++
		}
	}
	if part := float64(false1) / float64(trials); part > Alpha+0.03 { // three standard deviations
		t.Errorf("of comparisons without a difference %.3f claim one, want at most %v", part, Alpha)
	}
}

func TestARegressionNeedsBothSizeAndSignificance(t *testing.T) {
	o := Options{Figures: objectives(t, "p99"), Threshold: bench.Some(0.05)}
	tests := []struct {
		name string
		a, b []float64
		want Claim
	}{
		{"clear and large", []float64{100, 101, 102, 103}, []float64{120, 121, 122, 123}, Regression},
		{"clear and small", []float64{100, 101, 102, 103}, []float64{104, 105, 105.5, 106}, Worse},
		{"large and unclear", []float64{100, 140, 90, 130}, []float64{120, 95, 150, 160}, Unclear},
		{"better", []float64{120, 121, 122, 123}, []float64{100, 101, 102, 103}, Better},
		{"the same", []float64{100, 100, 100, 100}, []float64{100, 100, 100, 100}, Identical},
		{"one side without scatter", []float64{100, 100, 100, 100}, []float64{120, 121, 122, 123}, Regression},
	}
	for _, tt := range tests {
		if got := mustCompare(t, o, side(t, "a", tt.a...), side(t, "b", tt.b...)).Rows[0].Claim; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTheIntervalHoldsTheDifferenceAndIsTheSameEveryTime(t *testing.T) {
	a, b := []float64{10, 11, 12, 13, 14}, []float64{20, 21, 22, 23, 24}
	low, high := interval(a, b, 2000, 7)
	if !(low <= 10 && 10 <= high) || low < 6 || high > 14 {
		t.Errorf("the interval is %v to %v, the difference 10", low, high)
	}
	if l, h := interval(a, b, 2000, 7); l != low || h != high {
		t.Errorf("again it is %v to %v, not %v to %v", l, h, low, high)
	}
}

func TestRunsThatCannotBeTrustedAreRefused(t *testing.T) {
	spoil := map[string]func(*bench.Result){
		"knobs were turned": func(r *bench.Result) { r.Interactive = true },
		"stopped early":     func(r *bench.Result) { r.Complete = false },
		"INVALID":           func(r *bench.Result) { r.Measurement.Verdict = bench.Invalid },
		"SUSPECT":           func(r *bench.Result) { r.Measurement.Verdict = bench.Suspect },
		"is INVALID (why":   func(r *bench.Result) { r.Measurement.Verdict, r.Measurement.Reasons = "GREAT", []string{"why"} },
	}
	for want, f := range spoil {
		b := NewSide("b", nil)
		r := result(1, 5, 5, "batch_size", "8")
		f(r)
		if err := b.Add("b/1.json", r); err != nil {
			t.Fatal(err)
		}
		if _, err := Compare([]*Side{side(t, "a", 1), b}, Options{Figures: objectives(t, "p99"), Trust: "valid"}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "b/1.json") {
			t.Errorf("%s: error is %v", want, err)
		}
		c, err := Compare([]*Side{side(t, "a", 1), b}, Options{Figures: objectives(t, "p99"), Trust: "all"})
		if err != nil {
			t.Errorf("%s: with --trust all: %v", want, err)
			continue
		}
		if got := strings.Join(c.Notes, "\n"); !strings.Contains(got, "1 of 1 runs of b take part by --trust alone") || !strings.Contains(got, want) || strings.Contains(got, "of a take part") {
			t.Errorf("%s: the notes are %q", want, got)
		}
	}
}

func TestASideIsOneSetting(t *testing.T) {
	b := NewSide("b", nil)
	for i, size := range []string{"8", "64"} {
		if err := b.Add("b", result(uint64(i), 5, 5, "batch_size", size)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Compare([]*Side{side(t, "a", 1), b}, Options{Figures: objectives(t, "p99")})
	if err == nil || !strings.Contains(err.Error(), "batch_size 8 and batch_size 64") {
		t.Errorf("error is %v", err)
	}
}

func TestSweepsAreComparedWhereTheirGridsMeet(t *testing.T) {
	grid := func(name string, sizes ...string) *Side {
		s := NewSide(name, []string{"batch_size"})
		for _, size := range sizes {
			for seed := range uint64(3) {
				if err := s.Add(name, result(seed, float64(len(size)), 5, "batch_size", size)); err != nil {
					t.Fatal(err)
				}
			}
		}
		return s
	}
	o := Options{Figures: objectives(t, "p99")}
	c := mustCompare(t, o, grid("a", "1", "8", "64"), grid("b", "8", "64", "512", "1024"))
	if c.Cells != 2 || len(c.Rows) != 2 || c.Rows[0].Cell != "batch_size 8" {
		t.Errorf("%d cells, %+v", c.Cells, c.Rows)
	}
	if got := strings.Join(c.LeftOut, "; "); got != "1 of 3 settings are in a alone; 2 of 4 settings are in b alone" {
		t.Errorf("left out: %s", got)
	}
	if _, err := Compare([]*Side{grid("a", "1"), grid("b", "2")}, o); err == nil || !strings.Contains(err.Error(), "in common") {
		t.Errorf("without a common point: %v", err)
	}
}

func TestWhatElseDiffersIsSaid(t *testing.T) {
	one := func(seed uint64, pairs ...string) *Side {
		s := NewSide("x", nil)
		if err := s.Add("x", result(seed, 1, 1, pairs...)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	o := Options{Figures: objectives(t, "p99")}
	got := strings.Join(mustCompare(t, o, one(1, "batch_size", "8", "rate", "10k/s"), one(2, "batch_size", "64", "rate", "20k/s")).Notes, "\n")
	for _, want := range []string{"batch_size 8, then 64", "the load differs: rate 10k/s, then 20k/s", "the seeds differ: 1, then 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("the notes lack %q:\n%s", want, got)
		}
	}
}

// TestSidesMeasuredOneAfterTheOtherAreSaidToBe: what the machine did in between would
// be taken for a difference of the sides. Runs in turn share it, and runs in virtual
// time know no machine.
func TestSidesMeasuredOneAfterTheOtherAreSaidToBe(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b []int // minutes at which runs of half a minute begin
		want string
	}{
		"one after the other": {[]int{1, 2, 3}, []int{4, 5, 6}, "all of a was measured before b: "},
		"the other way round": {[]int{4, 5, 6}, []int{1, 2, 3}, "all of b was measured before a: "},
		"in turn":             {[]int{1, 3, 5}, []int{2, 4, 6}, ""},
		"one run beside":      {[]int{1, 2, 5}, []int{4, 6, 7}, ""},
		"virtual":             {nil, nil, ""},
	} {
		sides := []*Side{NewSide("a", nil), NewSide("b", nil)}
		for i, minutes := range [][]int{tt.a, tt.b} {
			for n := range 3 {
				r := result(uint64(n), float64(1e6+10*n+i), 1000, "batch_size", "8")
				if minutes != nil {
					r.Environment.Started = time.Date(2026, 12, 1, 0, minutes[n], 0, 0, time.UTC)
					r.Environment.Ended = r.Environment.Started.Add(30 * time.Second)
				}
				if err := sides[i].Add("run", r); err != nil {
					t.Fatal(err)
				}
			}
		}
		c := mustCompare(t, Options{Figures: objectives(t, "p99")}, sides...)
		said := slices.ContainsFunc(c.Notes, func(n string) bool { return tt.want != "" && strings.HasPrefix(n, tt.want) })
		if c.Apart != (tt.want != "") || said != c.Apart {
			t.Errorf("%s: apart %t, notes %q", name, c.Apart, c.Notes)
		}
	}
}

func TestARunWithSettingsWithoutEndIsRefused(t *testing.T) {
	r := result(1, 1, 1)
	for i := range maxKnobs + 1 {
		r.Settings = append(r.Settings, bench.Setting{Knob: fmt.Sprint("k", i), Value: []byte("1")})
	}
	if err := NewSide("a", nil).Add("a.json", r); err == nil || !strings.Contains(err.Error(), "want at most 1000") {
		t.Errorf("error is %v", err)
	}
}

func TestTheSameRunTwiceIsNoRepeat(t *testing.T) {
	twice := func(name string, p99 float64) *Side {
		s := NewSide(name, nil)
		for range 6 {
			r := result(1, p99, 1)
			r.Clock = "virtual"
			if err := s.Add(name, r); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	c := mustCompare(t, Options{Figures: objectives(t, "p99")}, twice("a", 1), twice("b", 2))
	if r := c.Rows[0]; r.CountA != 1 || r.Claim != TooFew {
		t.Errorf("six times the same run count as %d, claim %s", r.CountA, r.Claim)
	}
	if !strings.Contains(strings.Join(c.Notes, "\n"), "count once") {
		t.Errorf("the notes are %q", c.Notes)
	}
}
