package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ferryctl/bench"
)

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
