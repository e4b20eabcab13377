package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"ferryctl/bench/human"
)

// swept is a board two thirds into a sweep of 42 points, with every state in it.
func swept() *Board {
	b := &Board{
		Progress: Progress{Done: 28, Total: 42, Elapsed: 62 * time.Second, ETA: 31 * time.Second, Resume: "ferryctl sweep --resume out --jobs 2"},
		Figures: []Figure{
			{"throughput", human.Rate, true}, {"rejected", human.Percent, false}, {"mean", human.Duration, false}, {"p99", human.Duration, false},
		},
		Up: 3, Judged: true,
		Axes: []Axis{
			{"batch_size", []string{"1", "4", "16", "64", "256", "1024", "4096"}}, {"batch_delay", []string{"0s", "1ms", "20ms"}}, {"in_flight", []string{"4", "16"}},
		},
		Best: []string{"best throughput 41.2k/s: point 23, batch_size 64, batch_delay 1ms, in_flight 4", "best p99 1.00 ms: point 2, batch_size 1, batch_delay 0s, in_flight 16"},
	}
	for n := range 42 {
		size, delay, flight := n/6, n/2%3, n%2
		p := Point{
			Number: n + 1, Levels: []int{size, delay, flight},
			Values: []string{b.Axes[0].Values[size], b.Axes[1].Values[delay], b.Axes[2].Values[flight]},
		}
		f := float64(size)
		switch {
		case n < 27 || n == 28:
			p.State = Measured
			p.Figures = []float64{
				10_000 * (f + 1) / (1 + f/8) * float64(4-delay) / 4 * float64(1+flight) / 2, 0.01 * float64(6-size), 4e5 * (f + 1),
				1e6 * math.Pow(2.2, f) * float64(1+2*delay) / float64(1+flight),
			}
			p.Meets = p.Figures[3] < 20e6
		case n < 30:
			p.State = Running
		}
		if n == 11 {
			p.State = Doubtful
		}
		p.Best = n == 22
		b.Points = append(b.Points, p)
	}
	b.Points[3].State, b.Points[3].Figures = Failed, nil
	return b
}

func boarded(b *Board) BoardOptions {
	return BoardOptions{
		Common:   Common{Title: "ferryctl sweep", Profile: "hotkeys", Seed: 42, Virtual: true, Theme: Theme{Colors: Colors256}},
		Limits:   []Limit{{"p99<=20ms", 20e6}},
		Snapshot: func() *Board { return b },
	}
}

func sizedBoard(o BoardOptions, w, h int) *boardModel {
	o.Size = func() (int, int) { return w, h }
	return newBoard(o)
}

func TestBoardsAreAsTheyWere(t *testing.T) {
	dark, light := Theme{Colors: Colors256}, Theme{Colors: Colors256, Light: true}
	for _, c := range []struct {
		name  string
		theme Theme
		w, h  int
		keys  []string
		board func(*Board)
	}{
		{name: "120x30-dark", theme: dark, w: 120, h: 30},
		{name: "120x30-light", theme: light, w: 120, h: 30},
		{name: "80x24-dark", theme: dark, w: 80, h: 24},
		{name: "80x24-light", theme: light, w: 80, h: 24},
		{name: "58x14-dark", theme: dark, w: 58, h: 14},
		{name: "58x14-light", theme: light, w: 58, h: 14},
		{name: "80x24-map", w: 80, h: 24, keys: []string{"tab", "a", "c"}},
		{name: "80x24-points", w: 80, h: 24, keys: []string{"shift+tab", "o"}},
		{name: "120x30-ascii", theme: Theme{ASCII: true}, w: 120, h: 30},
		{name: "120x30-16-colours", theme: Theme{Colors: Colors16}, w: 120, h: 30},
		{name: "120x30-help", w: 120, h: 30, keys: []string{"?"}},
		{name: "80x24-help", w: 80, h: 24, keys: []string{"?"}},
		{name: "120x30-expanded-map", w: 120, h: 30, keys: []string{"tab", "e"}},
		{name: "120x30-scrolled", w: 120, h: 30, keys: []string{"end"}},
		{name: "120x30-search", w: 120, h: 30, board: func(b *Board) {
			b.Phase, b.Progress.About, b.Progress.Resume = "descent", true, ""
			b.Best = b.Best[:1]
			b.Points = b.Points[:12]
		}},
		{name: "120x30-one-axis", w: 120, h: 30, board: func(b *Board) {
			b.Axes = b.Axes[:1]
			b.Points = slices.DeleteFunc(b.Points, func(p Point) bool { return p.Levels[1] > 0 || p.Levels[2] > 0 })
			for i := range b.Points {
				b.Points[i].Levels, b.Points[i].Values = b.Points[i].Levels[:1], b.Points[i].Values[:1]
			}
		}},
		{name: "120x30-nothing", w: 120, h: 30, board: func(b *Board) { *b = Board{} }},
		{name: "120x30-done", w: 120, h: 30, board: func(b *Board) { b.Over = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := swept()
			if c.board != nil {
				c.board(b)
			}
			o := boarded(b)
			o.Theme = c.theme
			m := sizedBoard(o, c.w, c.h)
			press(m, c.keys...)
			golden(t, "board-"+c.name, m.View())
		})
	}
}

// TestANarrowLineSaysHowLongItWillTake, whatever has to be left out for that.
func TestANarrowLineSaysHowLongItWillTake(t *testing.T) {
	b := swept()
	b.Phase, b.Progress.About = "descent", true
	for _, w := range []int{58, 50, 40, 34} {
		if first, _, _ := strings.Cut(sizedBoard(boarded(b), w, 10).View(), "\n"); !strings.Contains(first, "31.0 s to go") {
			t.Errorf("%d columns: %q", w, first)
		}
	}
}

func TestEverySizeOfABoardFits(t *testing.T) {
	hostile := swept()
	hostile.Axes[0].Name, hostile.Best[0] = strings.Repeat("é\x1b[31m\u202e", 40), strings.Repeat("best ", 80)
	for i := range hostile.Points {
		hostile.Points[i].Values[1] = strings.Repeat("泡", i)
		hostile.Points[i].Levels[2] = i - 2 // none of them, and more than there are
	}
	for _, b := range []*Board{nil, {}, swept(), hostile} {
		for _, theme := range []Theme{{}, {Colors: TrueColors, ASCII: true}} {
			w, h := 0, 0
			o := boarded(b)
			o.Theme = theme
			o.Size = func() (int, int) { return w, h }
			m := newBoard(o)
			for h = 0; h <= 60; h++ {
				for w = 0; w <= 200; w += 1 + (h+w)%7 {
					m.poll()
					m.focus = (w + h) % boardPanels
					m.expanded, m.helping, m.heat.pair = w%5 == 0, w%11 == 0, w
					if err := fits(m.View(), w, h); err != nil {
						t.Fatalf("%dx%d: %v", w, h, err)
					}
				}
			}
		}
	}
}

func TestAStormOfSizesAndKeysLeavesAWholeBoard(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	names := []string{"tab", "shift+tab", "e", "f", "a", "c", "o", "up", "down", "pgup", "pgdown", "home", "end", "?", "esc", "x", "é"}
	b := swept()
	m := sizedBoard(boarded(b), 80, 24)
	for range 3000 {
		if rng.IntN(3) == 0 {
			m.Update(tea.WindowSizeMsg{Width: rng.IntN(201), Height: rng.IntN(61)})
		}
		if rng.IntN(5) == 0 { // a search begins another point
			b.Points = append(b.Points, b.Points[rng.IntN(len(b.Points))])
			m.take()
		}
		press(m, names[rng.IntN(len(names))])
		if err := fits(m.View(), m.w, m.h); err != nil {
			t.Fatalf("%dx%d: %v", m.w, m.h, err)
		}
	}
}

// TestTheFrontIsWhatNothingBeats, against its definition.
func TestTheFrontIsWhatNothingBeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		b := &Board{Up: 1}
		for range rng.IntN(14) {
			b.Points = append(b.Points, Point{Figures: []float64{float64(rng.IntN(5)), float64(rng.IntN(5))}})
		}
		for i, on := range b.front() {
			p := b.Points[i].Figures
			want := b.plotted(i) && !slices.ContainsFunc(b.Points, func(o Point) bool {
				q := o.Figures
				return q[0] > 0 && q[1] > 0 && q[0] >= p[0] && q[1] <= p[1] && (q[0] > p[0] || q[1] < p[1])
			})
			if on != want {
				t.Fatalf("%v is on the front: %v, want %v, of %+v", p, on, want, b.Points)
			}
		}
	}
}

// TestPointsAreOrderedAndScrolled: the best first, those without a figure last.
func TestPointsAreOrderedAndScrolled(t *testing.T) {
	b := swept()
	m := sizedBoard(boarded(b), 80, 24)
	press(m, "o")
	if first := m.order[0]; b.Points[first].figure(0) < 20_000 || !math.IsNaN(b.Points[m.order[41]].figure(0)) {
		t.Errorf("ordered by throughput the first is %+v, the last %+v", b.Points[first], b.Points[m.order[41]])
	}
	press(m, "o", "o", "o")
	if p := b.Points[m.order[0]]; p.Number != 2 {
		t.Errorf("ordered by p99 the first is %+v", p)
	}
	press(m, "o")
	if m.points.sort != 0 || m.order[0] != 0 {
		t.Errorf("after the last figure the points have order %d", m.points.sort)
	}
	press(m, "shift+tab", "end")
	if v := ansi.Strip(m.View()); !strings.Contains(v, "│ 42  ") {
		t.Errorf("the last point is not there:\n%s", v)
	}
	press(m, "home")
	if v := ansi.Strip(m.View()); !strings.Contains(v, "│ 1    ") || strings.Contains(v, "│ 42  ") || !strings.Contains(v, "more") {
		t.Errorf("the first point is not there:\n%s", v)
	}
}

// TestTheTableFollowsWhatRuns until somebody scrolls.
func TestTheTableFollowsWhatRuns(t *testing.T) {
	b := swept()
	for range 9 {
		b.Points = append(slices.Clone(b.Points), b.Points...)
	}
	for i := range b.Points {
		b.Points[i].Number, b.Points[i].State = i+1, Measured
	}
	b.Points[7000].State = Running
	m := sizedBoard(boarded(b), 120, 30)
	if v := m.View(); !strings.Contains(v, "7001") {
		t.Errorf("the running point is not there:\n%s", v)
	}
	press(m, "home")
	if v := m.View(); strings.Contains(v, "7001") {
		t.Errorf("it runs away from who scrolls:\n%s", v)
	}
}

// TestTheMapShowsTheBestOfTheRest of the figure that was asked for.
func TestTheMapShowsTheBestOfTheRest(t *testing.T) {
	b := swept()
	m, wide, tall := (heat{figure: 3}).squares(b, 80, 20)
	if wide != 1 || tall != 1 || len(m) != 3 || len(m[0]) != 7 || m[0][0].v != 0.5e6 || !m[2][6].exists || !math.IsNaN(m[2][6].v) {
		t.Errorf("%d and %d together: %+v", wide, tall, m)
	}
	m, wide, tall = (heat{figure: 0}).squares(b, 4, 2)
	want := math.Inf(-1)
	for _, p := range b.Points {
		if v := p.figure(0); p.Levels[0]/2 == 1 && p.Levels[1]/2 == 0 && v > want {
			want = v
		}
	}
	if wide != 2 || tall != 2 || len(m) != 2 || len(m[0]) != 4 || m[0][1].v != want {
		t.Errorf("%d and %d together: %+v, want %v", wide, tall, m, want)
	}
	seen := map[string]bool{}
	for pair := range 3 {
		title, _ := heat{pair: pair}.title(b)
		seen[title] = true
	}
	if len(seen) != 3 {
		t.Errorf("the pairs are %v", seen)
	}
}

// TestAFrozenBoardIsNotPolled: its memory would change below what is shown.
func TestAFrozenBoardIsNotPolled(t *testing.T) {
	polled := 0
	o := boarded(nil)
	b := swept()
	o.Snapshot = func() *Board {
		polled++
		return b
	}
	m := sizedBoard(o, 120, 30)
	press(m, "f")
	m.Update(pollMsg{})
	if polled != 1 || !strings.Contains(m.View(), "FROZEN") {
		t.Errorf("polled %d times", polled)
	}
	b.Over = true
	if _, cmd := m.Update(overMsg{}); cmd == nil || polled != 2 || !strings.Contains(m.View(), "done") {
		t.Errorf("at the end polled %d times:\n%s", polled, m.View())
	}
}

// TestKeysStopABoard once, twice, and leave it when it is over.
func TestKeysStopABoard(t *testing.T) {
	stops := 0
	b := swept()
	o := boarded(b)
	o.Stop = func() { stops++ }
	m := sizedBoard(o, 120, 30)
	press(m, "q")
	if first := m.View(); stops != 1 || !strings.Contains(first, "stopping, finishing what runs") {
		t.Errorf("%d stops:\n%s", stops, first)
	}
	press(m, "ctrl+c")
	if second := m.View(); stops != 2 || !strings.Contains(second, "leaving") {
		t.Errorf("%d stops:\n%s", stops, second)
	}
	b.Over = true
	if _, cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}); cmd == nil || fmt.Sprintf("%T", cmd()) != "tea.QuitMsg" && !isQuit(cmd()) {
		t.Error("a key does not leave what is over")
	}
	if stops != 2 {
		t.Errorf("%d stops after the end", stops)
	}
}

// isQuit looks into a batch, which is what keys come in.
func isQuit(msg tea.Msg) bool {
	batch, ok := msg.(tea.BatchMsg)
	return ok && len(batch) == 1 && fmt.Sprintf("%T", batch[0]()) == "tea.QuitMsg"
}

func TestFiguresThatLieTogetherAreSpread(t *testing.T) {
	if s := spread(10, 50); s.low != 0 || s.high != 50 {
		t.Errorf("from 10 to 50: %+v", s)
	}
	if s := spread(19_900, 20_000); s.low < 19_000 || s.low >= 19_900 || s.high <= 20_000 || s.high > 21_000 {
		t.Errorf("from 19.9k to 20k: %+v", s)
	}
	if s := spread(5, 5); !(s.low < 5 && s.high > 5) {
		t.Errorf("all the same: %+v", s)
	}
}
