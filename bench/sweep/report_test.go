package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

func objectives(t testing.TB, text string) []Objective {
	t.Helper()
	o, err := ParseObjectives(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTheParetoSetIsWhatNoOtherBeats compares with the definition.
func TestTheParetoSetIsWhatNoOtherBeats(t *testing.T) {
	for _, text := range []string{"throughput", "throughput,p99", "throughput,p99,min:rejected", "p99,mean,max:batch"} {
		objectives := objectives(t, text)
		rapid.Check(t, func(rt *rapid.T) {
			var marks []Mark
			for i := range rapid.IntRange(0, 30).Draw(rt, "marks") {
				m := Mark{Point: i + 1}
				for range objectives {
					m.Figures = append(m.Figures, float64(rapid.IntRange(0, 6).Draw(rt, "figure")))
				}
				marks = append(marks, m)
			}
			var want, got []int
			for _, m := range marks {
				if !slices.ContainsFunc(marks, func(o Mark) bool { return dominates(objectives, o.Figures, m.Figures) }) {
					want = append(want, m.Point)
				}
			}
			front := Pareto(objectives, marks)
			for i, m := range front {
				got = append(got, m.Point)
				if i > 0 && objectives[0].better(m.Figures[0], front[i-1].Figures[0]) {
					rt.Errorf("%s: the set is not in order: %v", text, front)
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				rt.Errorf("%s of %v: %v, want %v", text, marks, got, want)
			}
		})
	}
}

func TestWhatDiffersInNoDigitShownIsNoReason(t *testing.T) {
	o := objectives(t, "throughput,p99")
	front := Pareto(o, []Mark{{1, []float64{20_000.4, 2.5e6}}, {2, []float64{20_000.1, 2.0e6}}, {3, []float64{10_000, 1e6}}})
	if len(front) != 2 || front[0].Point != 2 || front[1].Point != 3 {
		t.Errorf("the set is %v", front)
	}
}

// reportOn is the report of a grid whose figures are f of its points' amounts.
func reportOn(t testing.TB, space *Space, f func(amounts []float64) (throughput, p99 float64)) *Report {
	t.Helper()
	h, err := NewHeader(space, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Header: h, Space: space, Objectives: objectives(t, DefaultObjectives), Trust: "valid"}
	for n := range space.Len() {
		var amounts []float64
		for i, v := range space.Point(n + 1).Values {
			if math.IsNaN(v.Amount) {
				amounts = append(amounts, float64(space.Point(n + 1).Levels[i]))
				continue
			}
			amounts = append(amounts, v.Amount)
		}
		throughput, p99 := f(amounts)
		r.Outcomes = append(r.Outcomes, outcome(n+1, throughput, p99))
	}
	return r
}

// says returns what the report says of a knob and a figure.
func says(t testing.TB, r *Report, knob, figure string) Effect {
	t.Helper()
	r.Effects = nil
	r.conclude()
	for _, e := range r.Effects {
		if e.Knob == knob && e.Figure.Short == figure {
			return e
		}
	}
	t.Fatalf("nothing is said of %s and %s", knob, figure)
	return Effect{}
}

func TestEffectsSayWhatEachKnobDoes(t *testing.T) {
	delayBySize := []string{"batch_size", "1,8,64,256,unlimited", "batch_delay", "0s,1ms,5ms"}
	capped := func(a []float64) (float64, float64) {
		return 1000 * math.Min(a[0], 64), 1e6 + 0.9*a[1] + 1e5*a[0]/math.Max(a[0], 1)
	}
	capped1 := func(a []float64) (float64, float64) { return 1000 * math.Min(a[0], 64), 1e6 }
	for _, tt := range []struct {
		axes         []string
		f            func([]float64) (float64, float64)
		knob, figure string
		want         string
	}{
		{delayBySize, capped, "batch_size", "throughput", "batch_size from 1 to 64: throughput rises to 64 times in the median, 64x to 64x; beyond 64 batch_size changes nothing, within 1.00 % (3 comparisons)"},
		{delayBySize, func(a []float64) (float64, float64) { return 1, 1e6 + 0.9*a[1] }, "batch_size", "p99", "batch_size changes nothing in p99, within 1.00 % (3 comparisons)"},
		{delayBySize, func(a []float64) (float64, float64) { return 1, 1e6 + 0.9*a[1] }, "batch_delay", "p99", "p99 moves 0.9 ms per ms of batch_delay, from 0s to 5ms (5 comparisons)"},
		{delayBySize, capped, "batch_delay", "throughput", "batch_delay changes nothing in throughput, within 1.00 % (5 comparisons)"},
		{[]string{"batch_size", "1,8,64", "in_flight", "1,8"}, func(a []float64) (float64, float64) {
			return 1, 1e6 * (1 + math.Abs(math.Log(a[0]/8))) * a[1]
		}, "batch_size", "p99", "p99 is the same at batch_size 1 and 64, and differs in between; lowest at 8 (2 comparisons)"},
		{[]string{"batch_size", "1,8", "in_flight", "1,2,4,8"}, func(a []float64) (float64, float64) {
			if a[1] <= 2 {
				return 1, 1e6 * a[0]
			}
			return 1, 1e6 / a[0]
		}, "batch_size", "p99", "batch_size from 1 to 8: p99 rises at 2 and falls at 2 of 4 settings of the others, by 1/8 to 8x (4 comparisons)"},
		{[]string{"kernel", "make,keyed", "batch_size", "1,8,64"}, func(a []float64) (float64, float64) {
			return 1, 1e6 * (1 + a[0]/10)
		}, "kernel", "p99", "p99 is lowest with kernel make in 3 of 3 comparisons; keyed +10.0 %"},
		{[]string{"kernel", "make,keyed", "batch_size", "1,8,64"}, func(a []float64) (float64, float64) { return 1, 1e6 * a[1] }, "kernel", "p99", "kernel changes nothing in p99, within 1.00 % (3 comparisons)"},
		{[]string{"batch_size", "unlimited,64,1"}, capped1, "batch_size", "throughput", "batch_size from 1 to 64: throughput rises to 64 times; beyond 64 batch_size changes nothing, within 1.00 % (1 comparison)"},
		{[]string{"batch_size", "1,8"}, func(a []float64) (float64, float64) { return a[0], 1e6 / a[0] }, "batch_size", "throughput", "batch_size from 1 to 8: throughput rises to 8 times (1 comparison)"},
	} {
		r := reportOn(t, grid(t, base(t, "direct", "off"), tt.axes...), tt.f)
		if got := says(t, r, tt.knob, tt.figure).Text; got != tt.want {
			t.Errorf("%v:\n%s\nwant\n%s", tt.axes, got, tt.want)
		}
	}
}

func TestAnEffectNobodySawIsNotClaimed(t *testing.T) {
	r := reportOn(t, grid(t, base(t), "batch_size", "1,8"), func(a []float64) (float64, float64) { return a[0], a[0] })
	r.Outcomes[1].Verdict = bench.Suspect
	e := says(t, r, "batch_size", "p99")
	if e.Text != "no two points that can be trusted differ in batch_size alone: its effect on p99 cannot be told" || e.Comparisons != 0 {
		t.Errorf("it says %q", e.Text)
	}
}

// TestNoiseBetweenRepeatsIsNoEffect: what one point differs by from run to run is
// not a difference between points.
func TestNoiseBetweenRepeatsIsNoEffect(t *testing.T) {
	r := reportOn(t, grid(t, base(t), "batch_size", "1,8,64"), func(a []float64) (float64, float64) { return 100, 1e6 * (1 + math.Log2(a[0])/100) })
	if e := says(t, r, "batch_size", "p99"); e.Nothing {
		t.Errorf("without noise it says %q", e.Text)
	}
	for _, o := range r.Outcomes {
		for i := range o.Spread {
			o.Spread[i] = 0.2
		}
	}
	if e := says(t, r, "batch_size", "p99"); !e.Nothing || !strings.Contains(e.Text, "within 20.0 %") {
		t.Errorf("with noise it says %q", e.Text)
	}
}

func TestASampleSaysWhatItCanTell(t *testing.T) {
	axes := []Axis{axis(t, "batch_delay", "0s..20ms"), axis(t, "batch_size", "1..256:log"), axis(t, "kernel", "make,keyed")}
	for _, tt := range []struct {
		n            int
		knob, figure string
		want         string
	}{
		{200, "batch_delay", "p99", "p99 rises with batch_delay: median "},
		{200, "batch_delay", "p99", " ms per ms of batch_delay"},
		{200, "batch_size", "p99", "no trend of p99 with batch_size that a sample of 200 points can tell"},
		{200, "kernel", "throughput", "kernel: median throughput 100/s with make (100 points), 200/s with keyed (100 points)"},
		{200, "kernel", "p99", "no difference in p99 between the values of kernel that a sample of 200 points can tell"},
		{12, "batch_delay", "p99", "a sample of 12 points that can be trusted is too small to tell what batch_delay does to p99: want at least 20"},
	} {
		space, err := NewSpace(base(t, "direct", "off"), axes, Sample{Points: tt.n, Design: Halton}, false)
		if err != nil {
			t.Fatal(err)
		}
		chance := rand.New(rand.NewPCG(1, 2))
		r := reportOn(t, space, func(a []float64) (float64, float64) { // in the order of the table
			return 100 * (a[0] + 1), 1e6 + 0.9*a[2] + 1e6*chance.Float64()
		})
		if e := says(t, r, tt.knob, tt.figure); !strings.Contains(e.Text, tt.want) {
			t.Errorf("%d points: %q, want %q in it", tt.n, e.Text, tt.want)
		}
	}
}

// TestALineFromASampleHoldsTheTruth: the slope's interval is that of two standard
// errors, so the slope that made the points lies in it, near enough, always.
func TestALineFromASampleHoldsTheTruth(t *testing.T) {
	missed := 0
	for seed := range uint64(100) {
		chance := rand.New(rand.NewPCG(seed, 1))
		var xs, ys []float64
		for range 60 {
			x := 20e6 * chance.Float64()
			xs, ys = append(xs, x), append(ys, 1e6+0.9*x+2e6*chance.NormFloat64())
		}
		e := Effect{Knob: "batch_delay", Figure: Figures[6]}
		e.slope(axis(t, "batch_delay", "0s..20ms"), xs, ys)
		var slope, wide float64
		if _, err := fmt.Sscanf(e.Text, "; %g ± %g ms per ms", &slope, &wide); err != nil {
			t.Fatalf("%q: %v", e.Text, err)
		}
		if math.Abs(slope-0.9) > wide {
			missed++
		}
	}
	if missed > 12 || missed == 0 { // 5 of 100 on average
		t.Errorf("the truth is outside of %d of 100 intervals of two standard errors", missed)
	}
}

func TestOutcomesAreMediansAndTheWorstVerdict(t *testing.T) {
	var runs []Record
	for i, p99 := range []float64{3e6, 1e6, 2e6} {
		r, err := fake(settings.Default(), bench.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Latency.Sojourn.P99 = bench.Some(p99)
		r.SLO = []bench.SLO{{OK: i != 1}}
		if i == 2 {
			r.Measurement.Verdict, r.Measurement.Reasons = bench.Suspect, []string{"late"}
		}
		runs = append(runs, Record{Point: 4, Repeat: i + 1, Result: r})
	}
	p99, _ := figureOf("p99")
	o := outcomeOf(runs)
	if o.Point != 4 || o.Runs != 3 || o.Verdict != bench.Suspect || o.Reason != "late" || o.SLO != Missed || o.Of(p99).Or(0) != 2e6 || o.SpreadOf(p99) != 1 {
		t.Errorf("the outcome is %+v", o)
	}
	if got := outcomeOf(runs[:1]); got.SLO != SLOMet || !math.IsNaN(got.SpreadOf(p99)) {
		t.Errorf("of one run it is %+v", got)
	}
	unmeasured, _ := figureOf("unfairness")
	if o.Of(unmeasured).Known() {
		t.Error("a figure that no run has is known")
	}
}

func TestDoubtfulPointsAreKeptOutUnlessAsked(t *testing.T) {
	r := reportOn(t, grid(t, base(t), "batch_size", "1,8,64"), func(a []float64) (float64, float64) { return a[0], 1e6 })
	r.Outcomes[2].Verdict, r.Outcomes[1].Verdict = bench.Invalid, bench.Suspect
	for trust, want := range map[Trust][]int{"valid": {1}, "suspect": {2}, "all": {3}} {
		r.Trust, r.Front = trust, nil
		if r.conclude(); !slices.Equal(r.Front, want) {
			t.Errorf("trusting %s, the set is %v, want %v", trust, r.Front, want)
		}
	}
}
