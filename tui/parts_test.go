package tui

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

func swept() ([]Point, []string) {
	var points []Point
	for i, size := range []string{"1", "4", "16", "64", "256", "1024"} {
		f := float64(i)
		p := Point{
			Name: "batch_size " + size, State: Measured, Throughput: 10_000 * (f + 1) / (1 + f/8), P99: 1e6 * math.Pow(2.2, f),
			Meets: i < 4, Best: i == 3,
		}
		switch i {
		case 2:
			p.P99 *= 9 // beaten by the next
			p.Meets = false
		case 4:
			p.State = Doubtful
		case 5:
			p = Point{Name: p.Name, State: Running, Throughput: math.NaN(), P99: math.NaN()}
		}
		if p.Throughput > 0 {
			p.Figures = []string{human.Rate(p.Throughput), human.Duration(p.P99)}
			p.Order = []float64{p.Throughput, p.P99}
		}
		points = append(points, p)
	}
	points = append(points, Point{Name: "batch_size 4096", Throughput: math.NaN(), P99: math.NaN()}, Point{Name: "batch_size 0", State: Failed})
	return points, []string{"done", "p99"}
}

func TestPartsOfSweepScreensAreAsTheyWere(t *testing.T) {
	points, columns := swept()
	for name, theme := range map[string]Theme{"dark": {Colors: Colors256}, "light": {Colors: Colors256, Light: true}, "ascii": {ASCII: true}} {
		golden(t, "points-"+name, (&Points{Columns: columns, Rows: points, Sort: 0}).View(theme, 60, 12))
		golden(t, "pareto-"+name, Pareto{Points: points, Limit: Limit{"p99<=20ms", 20e6}}.View(theme, 60, 14))
		golden(t, "progress-"+name, Progress{
			Done: 12, Failed: 1, Total: 40, Elapsed: 6 * time.Minute, Now: "batch_size 64, batch_delay 5ms", Resume: "ferryctl sweep --resume out/sweep.json",
		}.View(theme, 76))
	}
}

func TestTheFrontIsWhatNothingBeats(t *testing.T) {
	points, _ := swept()
	front := Pareto{Points: points}.Front()
	if len(front) != 4 || front[0] != 0 || front[1] != 1 || front[2] != 3 || front[3] != 4 {
		t.Errorf("the front is %v, want 0, 1, 3, 4", front)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var ps []Point
		for range rng.IntN(12) {
			ps = append(ps, Point{Throughput: float64(rng.IntN(5)), P99: float64(rng.IntN(5))})
		}
		front := Pareto{Points: ps}.Front()
		for _, i := range front {
			for _, q := range ps {
				if q.measured() && q.Throughput > ps[i].Throughput && q.P99 < ps[i].P99 {
					t.Fatalf("%+v is beaten by %+v", ps[i], q)
				}
			}
		}
	}
}

func TestPartsFitEverySize(t *testing.T) {
	points, columns := swept()
	for w := 0; w <= 120; w += 3 {
		for h := range 20 {
			for name, view := range map[string]string{
				"points":   (&Points{Columns: columns, Rows: points}).View(Theme{}, w, h),
				"pareto":   Pareto{Points: points}.View(Theme{}, w, h),
				"empty":    Pareto{}.View(Theme{}, w, h),
				"no rows":  (&Points{}).View(Theme{}, w, h),
				"progress": Progress{Now: "x", Resume: strings.Repeat("y", 200), Total: 3, Done: 1}.View(Theme{}, w),
			} {
				if err := fits(view, w, max(h, 3)); err != nil {
					t.Fatalf("%s at %dx%d: %v", name, w, h, err)
				}
			}
		}
	}
}

func TestPointsAreOrderedAndScrolled(t *testing.T) {
	points, columns := swept()
	p := Points{Columns: columns, Rows: points, Sort: -1}
	p.NextSort()
	p.NextSort()
	if rows := p.sorted(); p.Sort != 1 || rows[0].Name != "batch_size 16" || rows[len(rows)-1].Throughput > 0 {
		t.Errorf("ordered by p99 the first is %s", rows[0].Name)
	}
	if p.NextSort(); p.Sort != -1 {
		t.Errorf("after the last column comes %d", p.Sort)
	}
	p.Scroll(3)
	if v := p.View(Theme{}, 60, 5); strings.Contains(v, "batch_size 16 ") || !strings.Contains(v, "batch_size 64") {
		t.Errorf("scrolled by three:\n%s", v)
	}
	if p.Scroll(-100); p.Top != 0 {
		t.Error("scrolled above the first")
	}
}

func TestTheRestIsGuessedFromWhatIsDone(t *testing.T) {
	if eta, ok := (Progress{Done: 2, Total: 6, Elapsed: time.Minute}).ETA(); !ok || eta != 2*time.Minute {
		t.Errorf("ETA %s, %v; want 2m0s", eta, ok)
	}
	for _, p := range []Progress{{}, {Total: 5}, {Done: 5, Total: 5, Elapsed: 1}, {Done: 3, Elapsed: 1}} {
		if eta, ok := p.ETA(); ok {
			t.Errorf("%+v: %s", p, eta)
		}
	}
}

func TestALinearAxisHasRoundFigures(t *testing.T) {
	for _, c := range []struct {
		high float64
		rows int
		want []float64
	}{
		{25e3, 20, []float64{25e3, 20e3, 15e3, 10e3, 5e3, 0}},
		{25e3, 4, []float64{25e3, 0}},
		{12, 8, []float64{10, 0}},
		{1.5, 20, []float64{1.5, 1, 0.5, 0}},
		{60, 10, []float64{60, 40, 20, 0}},
	} {
		var got []float64
		for _, t := range fromZero(c.high).ticks(c.rows) {
			got = append(got, roundTo(t.v, 6))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("up to %v on %d rows: %v, want %v", c.high, c.rows, got, c.want)
		}
	}
}

// TestRejectedIsOfNow: an hour without a rejection must not hide what goes wrong
// now, nor an hour with some that it is over.
func TestRejectedIsOfNow(t *testing.T) {
	s := sample()
	s.Offered1, s.Rejected1 = bench.Some(50_000), bench.Some(25_000)
	for size, want := range map[[2]int]string{
		{200, 60}: "rejected in all 0.0211 %", {120, 30}: "rejected 50.0 %   ", {80, 24}: "rejected 50.0 %   ", {50, 10}: "rejected 50.0 %",
	} {
		if got := ansi.Strip(sized(sampled(s), size[0], size[1]).View()); !strings.Contains(got, want) {
			t.Errorf("%v: no %q in\n%s", size, want, got)
		}
	}
	s.Over = true
	if got := ansi.Strip(sized(sampled(s), 120, 30).View()); !strings.Contains(got, "rejected 0.0211 %   ") {
		t.Errorf("when the run is over: %.400s", got)
	}
}

func TestADoubtfulVerdictSaysWhy(t *testing.T) {
	s := sample()
	s.Verdict, s.Reasons = bench.Suspect, []string{"one reason", "another"}
	for _, w := range []int{80, 120, 200} {
		if got := ansi.Strip(sized(sampled(s), w, 30).View()); !strings.Contains(got, "one reason") {
			t.Errorf("%d columns: no reason in\n%s", w, got)
		}
	}
}

// TestFiguresOfASegmentSayThatTheyAre while the run goes on.
func TestFiguresOfASegmentSayThatTheyAre(t *testing.T) {
	s := sample()
	s.Segment = 3
	got := ansi.Strip(sized(sampled(s), 120, 30).View())
	for _, want := range []string{"Where the time goes, segment 3", "Why batches left, segment 3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	s.Over = true
	if got := ansi.Strip(sized(sampled(s), 120, 30).View()); strings.Contains(got, "left, segment") {
		t.Errorf("the run is over, and its figures are said to be a segment's:\n%s", got)
	}
}
