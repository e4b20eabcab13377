package sweep

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ferryctl/bench/settings"
)

func TestAGridIsEveryCombinationOnceInTheOrderOfTheTable(t *testing.T) {
	space := grid(t, base(t), "in_flight", "4,8", "batch_size", "1,16,64")
	var all []string
	for n := range space.Len() {
		p := space.Point(n + 1)
		all = append(all, space.String(p))
		s, err := space.Settings(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := "batch_size " + s.Get("batch_size") + ", in_flight " + s.Get("in_flight"); got != space.String(p) {
			t.Errorf("point %d has the settings %s, want %s", p.Number, got, space.String(p))
		}
	}
	want := "batch_size 1, in_flight 4; batch_size 1, in_flight 8; batch_size 16, in_flight 4; batch_size 16, in_flight 8; batch_size 64, in_flight 4; batch_size 64, in_flight 8"
	if got := strings.Join(all, "; "); got != want {
		t.Errorf("the points are\n%s\nwant\n%s", got, want)
	}
}

func TestRepeatsDifferInTheSeedAndPointsDoNot(t *testing.T) {
	space := grid(t, base(t, "seed", "41"), "batch_size", "1,16")
	for n := range space.Len() {
		for repeat := 1; repeat <= 3; repeat++ {
			if s, err := space.Settings(space.Point(n+1), repeat); err != nil || s.Seed != 40+uint64(repeat) {
				t.Errorf("point %d, repeat %d: seed %d, %v", n+1, repeat, s.Seed, err)
			}
		}
	}
}

func TestImpossiblePointsAreRefusedOrLeftOutAsAsked(t *testing.T) {
	axes := []Axis{axis(t, "kernel", "make,perkey"), axis(t, "direct", "on,off")}
	_, err := NewSpace(base(t), axes, Sample{}, false)
	impossible, ok := errors.AsType[*ImpossibleError](err)
	if !ok || impossible.Points != 1 || impossible.All || !strings.Contains(err.Error(), "conflicts with direct on") || !strings.Contains(err.Error(), "at 1 of 4 points, such as kernel make, direct on") {
		t.Fatalf("the error is %v", err)
	}
	space, err := NewSpace(base(t), axes, Sample{}, true)
	if err != nil || space.Len() != 3 || space.LeftOut != 1 {
		t.Fatalf("%d points, %v", space.Len(), err)
	}
	if got := space.String(space.Point(1)); got != "kernel make, direct off" {
		t.Errorf("the first point is %s", got)
	}
	_, err = NewSpace(base(t, "batch_delay", "never", "batch_size", "unlimited"), []Axis{axis(t, "queue", "10,20")}, Sample{}, true)
	if impossible, ok := errors.AsType[*ImpossibleError](err); !ok || !impossible.All || !strings.Contains(err.Error(), "no batch is ever full") {
		t.Errorf("a space of impossible points: %v", err)
	}
}

func TestAnAxisThatAnotherKnobReplacesIsRefused(t *testing.T) {
	s := base(t)
	a := axis(t, "rate", "10k/s,20k/s")
	a.Source = "env FERRYCTL_RATE"
	if err := s.Set("clients", "8", "flag --clients"); err != nil {
		t.Fatal(err)
	}
	_, err := NewSpace(s, []Axis{a}, Sample{}, false)
	if err == nil || !strings.Contains(err.Error(), "rate (env FERRYCTL_RATE) varies to no effect: clients (flag --clients) takes its place") {
		t.Errorf("the error is %v", err)
	}
}

func TestSpacesAreBounded(t *testing.T) {
	size, queue := axis(t, "batch_size", "1..1000:+1"), axis(t, "queue", "1001..2000:+1")
	between := axis(t, "batch_delay", "1ms..2ms")
	for _, tt := range []struct {
		axes   []Axis
		sample Sample
		want   string
	}{
		{[]Axis{size, queue}, Sample{}, "the grid has 1e+06 points, more than 100000: want larger steps, or a sample"},
		{[]Axis{between}, Sample{}, "flag --batch-delay: 1ms..2ms has no step: want one"},
		{[]Axis{size}, Sample{Points: MaxPoints + 1, Design: Halton}, "want 1 to 100000"},
		{[]Axis{size}, Sample{Points: 10, Design: "grid"}, `unknown design "grid": want one of halton, lhs`},
		{nil, Sample{Points: 10, Design: Halton}, "want a knob with several values"},
	} {
		if _, err := NewSpace(base(t), tt.axes, tt.sample, false); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.sample, err, tt.want)
		}
	}
	if space, err := NewSpace(base(t), []Axis{size, queue}, Sample{Points: 10, Design: Halton}, false); err != nil || space.Len() != 10 {
		t.Errorf("a sample of a large grid: %v", err)
	}
}

func TestASampleCoversEachAxisEvenly(t *testing.T) {
	axes := []Axis{axis(t, "batch_size", "1,8,64,unlimited"), axis(t, "batch_delay", "0s..20ms"), axis(t, "queue", "100..100k:log")}
	for _, design := range Designs {
		space, err := NewSpace(base(t), axes, Sample{Points: 400, Design: design}, false)
		if err != nil {
			t.Fatal(err)
		}
		levels := map[string]int{}
		thirds := map[string][3]int{}
		for n := range space.Len() {
			p := space.Point(n + 1)
			levels[p.Values[0].Text]++
			for i, part := range []float64{p.Values[1].Amount / 20e6, math.Log(p.Values[2].Amount/100) / math.Log(1000)} {
				count := thirds[axes[i+1].Knob]
				count[min(2, int(part*3))]++
				thirds[axes[i+1].Knob] = count
			}
		}
		for text, n := range levels {
			if n < 95 || n > 105 {
				t.Errorf("%s: batch_size %s is drawn %d times of %d", design, text, n, space.Len())
			}
		}
		for knob, count := range thirds {
			for _, n := range count {
				if n < 128 || n > 139 {
					t.Errorf("%s: the thirds of %s are drawn %v times", design, knob, count)
				}
			}
		}
	}
}

func TestASampleIsTheSameForTheSameSeedAlone(t *testing.T) {
	points := func(seed, design string, n int) string {
		space, err := NewSpace(base(t, "seed", seed), []Axis{axis(t, "batch_delay", "0s..20ms"), axis(t, "batch_size", "1..64")}, Sample{Points: n, Design: design}, false)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for n := range space.Len() {
			all = append(all, space.String(space.Point(n+1)))
		}
		return strings.Join(all, "\n")
	}
	for _, design := range Designs {
		first := points("1", design, 50)
		if again := points("1", design, 50); again != first || points("1", design, 50) == points("2", design, 50) {
			t.Errorf("%s: the points don't follow from the seed", design)
		}
	}
	if !strings.HasPrefix(points("1", Halton, 60), points("1", Halton, 50)) {
		t.Error("a longer Halton sample does not begin with the shorter one")
	}
	if n := strings.Count(points("1", Halton, 50), "\n"); n < 45 {
		t.Errorf("of 50 points %d are left", n+1)
	}
}

func TestPointsThatCoincideAreMeasuredOnce(t *testing.T) {
	space, err := NewSpace(base(t), []Axis{axis(t, "batch_size", "1,8,64")}, Sample{Points: 100, Design: Halton}, false)
	if err != nil || space.Len() != 3 {
		t.Errorf("%d points, %v; want 3", space.Len(), err)
	}
}

func TestAHeaderMakesItsSpaceAnew(t *testing.T) {
	s := base(t, "kernel", "keyed", "direct", "off", "weights", "lognormal(median=4KiB,sigma=1)", "slo", "p99<=20ms")
	drawn := settings.Default()
	drawn.Seed = 77 // drawn, not given
	clients := base(t, "clients", "64", "backend", "synthetic(base=1ms)")
	clients.Profile = "mine"
	for _, b := range []settings.Settings{s, drawn, clients} {
		space, err := NewSpace(b, []Axis{axis(t, "batch_size", "1..64:x2"), axis(t, "batch_delay", "0s,1ms")}, Sample{Points: 9, Design: LatinHypercube}, false)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHeader(space, 2, "v1")
		if err != nil {
			t.Fatal(err)
		}
		again, err := h.Space()
		if err != nil {
			t.Fatal(err)
		}
		if err := h.differs(again, "v1"); err != nil {
			t.Error(err)
		}
		for n := range space.Len() {
			a, errA := space.Settings(space.Point(n+1), 2)
			b, errB := again.Settings(again.Point(n+1), 2)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if a.Seed != b.Seed || a.SeedGiven != b.SeedGiven || a.Profile != b.Profile {
				t.Errorf("seed %d %v, want %d %v", b.Seed, b.SeedGiven, a.Seed, a.SeedGiven)
			}
			for i, v := range a.Values() {
				if w := b.Values()[i]; v != w {
					t.Errorf("%s is %v anew, was %v", v.Knob, w, v)
				}
			}
		}
	}
}
