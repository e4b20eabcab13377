package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// fits says what is wrong with a frame of a size.
func fits(frame string, w, h int) error {
	lines := strings.Split(frame, "\n")
	if len(lines) > max(h, 1) {
		return fmt.Errorf("%d lines", len(lines))
	}
	for y, line := range lines {
		if n := ansi.StringWidth(line); n > w {
			return fmt.Errorf("line %d takes %d columns: %q", y+1, n, line)
		}
	}
	return nil
}

func TestEverySizeFits(t *testing.T) {
	hostile := sample()
	hostile.Lanes[1].Lane = strings.Repeat("é\x1b[31m\u202e", 40)
	hostile.SLO = append(hostile.SLO, hostile.SLO...)
	hostile.Reasons = []string{strings.Repeat("because ", 60)}
	empty := &bench.Snapshot{Progress: bench.Progress{Phase: bench.PhaseMeasure}}
	for _, s := range []*bench.Snapshot{nil, empty, sample(), hostile} {
		for _, theme := range []Theme{{}, {Colors: TrueColors, ASCII: true}} {
			w, h := 0, 0
			o := sampled(s)
			o.Theme = theme
			o.Size = func() (int, int) { return w, h }
			m := newModel(o)
			for h = 0; h <= 60; h++ {
				for w = 0; w <= 200; w += 1 + (h+w)%7 {
					m.poll()
					m.focus = panel((w + h) % int(panels))
					m.expanded, m.helping = w%5 == 0, w%11 == 0
					if err := fits(m.View(), w, h); err != nil {
						t.Fatalf("%dx%d: %v", w, h, err)
					}
				}
			}
		}
	}
}

func TestTheTopLineIsTheTitle(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 30}, {80, 24}, {60, 15}, {58, 14}, {20, 3}, {40, 1}} {
		m := sized(sampled(sample()), size[0], size[1])
		first, _, _ := strings.Cut(ansi.Strip(m.View()), "\n")
		if !strings.Contains(first, "hotkeys") {
			t.Errorf("%v: the first line is %q", size, first)
		}
	}
}

func TestAStormOfSizesAndKeysLeavesAWholePicture(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	names := []string{"tab", "shift+tab", "e", "f", "+", "-", "a", "o", "[", "]", "left", "right", "up", "down", "enter", "esc", "s", "?", "x", "y", "é"}
	m := sized(sampled(sample()), 80, 24)
	for range 3000 {
		if rng.IntN(3) == 0 {
			m.Update(tea.WindowSizeMsg{Width: rng.IntN(201), Height: rng.IntN(61)})
		}
		press(m, names[rng.IntN(len(names))])
		if err := fits(m.View(), m.w, m.h); err != nil {
			t.Fatalf("%dx%d: %v", m.w, m.h, err)
		}
	}
}

func TestAKnobIsAppliedOnlyOnEnter(t *testing.T) {
	s := sample()
	var set []string
	o := sampled(s)
	refuse := error(nil)
	o.Set = func(knob, value string) error {
		set = append(set, knob+"="+value)
		return refuse
	}
	m := sized(o, 120, 30)
	knobs := func() string {
		lines := strings.Split(ansi.Strip(m.View()), "\n")
		return lines[len(lines)-2]
	}
	press(m, "]", "]", "right", "right")
	if !strings.Contains(knobs(), "[batch_delay ▸20ms◂]") || len(set) > 0 {
		t.Errorf("after a change: %q, set %v", knobs(), set)
	}
	press(m, "esc")
	if strings.Contains(knobs(), "▸") {
		t.Errorf("after esc: %q", knobs())
	}
	press(m, "left", "enter")
	if len(set) != 1 || set[0] != "batch_delay=2ms" || !strings.Contains(knobs(), "batch_delay is 2ms from now on") {
		t.Errorf("after enter: %q, set %v", knobs(), set)
	}
	refuse = errors.New("the kernel\nsays no")
	press(m, "right", "right", "enter")
	if !strings.Contains(knobs(), "batch_delay 20ms: the kernel says no") {
		t.Errorf("after a refusal: %q", knobs())
	}
	press(m, "right")
	if !strings.Contains(knobs(), "▸50ms◂") {
		t.Errorf("what was refused is gone: %q", knobs())
	}
	s.Knobs[2].Fixed = "fixed for a reason"
	press(m, "right")
	if !strings.Contains(knobs(), "fixed for a reason") {
		t.Errorf("a fixed knob: %q", knobs())
	}
}

func TestStepsLeadUpAndDownAndStayValid(t *testing.T) {
	for _, c := range []struct{ knob, from, up, down string }{
		{"batch_size", "64", "96", "48"},
		{"batch_size", "1", "2", "1"},
		{"batch_size", "2", "3", "1"},
		{"batch_size", "50", "64", "48"},
		{"in_flight", "unlimited", "unlimited", "1073741824"},
		{"queue", "10k", "12288", "8192"},
		{"batch_weight", "1MiB", "1536KiB", "768KiB"},
		{"batch_delay", "0s", "100us", "0s"},
		{"batch_delay", "5ms", "10ms", "2ms"},
		{"batch_delay", "never", "never", "10s"},
		{"rate", "50k/s", "60k/s", "40k/s"},
		{"rate", "55k/s", "60k/s", "50k/s"},
		{"rate", "1/s", "1.2/s", "1/s"},
	} {
		if up, down := step(c.knob, c.from, 1), step(c.knob, c.from, -1); !same(c.knob, up, c.up) || !same(c.knob, down, c.down) {
			t.Errorf("%s %s goes to %s and %s, want %s and %s", c.knob, c.from, up, down, c.up, c.down)
		}
	}
	for _, knob := range []string{"batch_size", "batch_weight", "batch_delay", "in_flight", "queue", "queue_weight", "rate"} {
		s := settings.Default()
		v := s.Get(knob)
		for _, by := range append(slices.Repeat([]int{1}, 60), slices.Repeat([]int{-1}, 150)...) {
			v = step(knob, v, by)
			if err := s.Set(knob, v, "flag x"); err != nil && by < 0 {
				t.Fatalf("%s: %v", knob, err)
			}
		}
	}
}

// same says whether two texts are one value of a knob.
func same(knob, a, b string) bool {
	x, y := settings.Default(), settings.Default()
	return x.Set(knob, a, "flag x") == nil && y.Set(knob, b, "flag x") == nil && x.Get(knob) == y.Get(knob)
}

func TestSavingNeverReplacesUnasked(t *testing.T) {
	var saved []string
	o := sampled(sample())
	o.Save = func(file string, replace bool) error {
		if !replace && file == "there.yaml" {
			return fmt.Errorf("save: %w", ErrExists)
		}
		saved = append(saved, fmt.Sprint(file, " ", replace))
		return nil
	}
	m := sized(o, 100, 30)
	press(m, "s", "enter")
	press(m, "s", "ctrl+u")
	for _, r := range "there.yaml" {
		press(m, string(r))
	}
	press(m, "enter")
	if !strings.Contains(ansi.Strip(m.View()), "there.yaml is there already: replace it? y/n") {
		t.Errorf("no question:\n%s", ansi.Strip(m.View()))
	}
	press(m, "n")
	if len(saved) != 1 || saved[0] != "hotkeys-live.yaml false" {
		t.Errorf("saved %v", saved)
	}
	press(m, "s", "ctrl+u", "t", "h", "e", "r", "e", ".yaml", "enter", "y")
	if len(saved) != 2 || saved[1] != "there.yaml true" {
		t.Errorf("saved %v", saved)
	}
	press(m, "s", "esc", "tab")
	if m.focus != panelThroughput {
		t.Error("keys are still typed into a file's name")
	}
}

func TestKeysDoWhatTheLineSays(t *testing.T) {
	s := sample()
	stops := 0
	o := sampled(s)
	o.Snapshot = func() *bench.Snapshot { return s }
	o.Stop = func() { stops++ }
	m := sized(o, 120, 30)
	press(m, "f")
	later := sample()
	later.Done1 = bench.Some(1)
	s = later
	m.poll()
	if v := ansi.Strip(m.View()); !strings.Contains(v, "FROZEN") || !strings.Contains(v, "done 49.9k/s") {
		t.Error("a frozen picture moved")
	}
	press(m, "f")
	m.poll()
	if v := ansi.Strip(m.View()); !strings.Contains(v, "done 1/s") {
		t.Error("a picture that thawed does not move")
	}
	for key, want := range map[string]string{"+": "last 30s", "-": "last 2m", "a": "all"} {
		press(m, "a", key)
		if v := ansi.Strip(m.View()); !strings.Contains(v, want+", log") {
			t.Errorf("after %q the time axis is not %q", key, want)
		}
	}
	press(m, "o")
	if v := ansi.Strip(m.View()); !strings.Contains(v, "sort: p99") {
		t.Error("o does not change the order")
	}
	press(m, "q", "ctrl+c")
	if stops != 2 {
		t.Errorf("%d orders to stop, want 2", stops)
	}
}

func TestAPictureWaitsForATerminalThatIsBehind(t *testing.T) {
	behind := true
	s := sample()
	o := sampled(s)
	o.Snapshot = func() *bench.Snapshot { return s }
	o.Behind = func() bool { return behind }
	o.Size = func() (int, int) { return 80, 24 }
	m := newModel(o)
	if m.snap != nil {
		t.Error("the picture moved while the terminal was behind")
	}
	behind = false
	if m.poll(); m.snap != s {
		t.Error("the picture did not catch up")
	}
}

func TestAFaultOfTheScreenEndsTheScreenAlone(t *testing.T) {
	o := sampled(sample())
	asked := 0
	o.Snapshot = func() *bench.Snapshot {
		if asked++; asked > 1 {
			panic("a broken picture")
		}
		return sample()
	}
	o.Size = func() (int, int) { return 120, 30 }
	err := Show(context.Background(), o, Terminal{Out: io.Discard}, make(chan struct{}))
	if err == nil || !strings.Contains(err.Error(), "a broken picture") {
		t.Errorf("the screen ended with %v", err)
	}
}

func TestTheScreenEndsWithTheRun(t *testing.T) {
	over := make(chan struct{})
	close(over)
	var out strings.Builder
	o := sampled(sample())
	o.Size = func() (int, int) { return 120, 30 }
	if err := Show(context.Background(), o, Terminal{Out: &out}, over); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "\x1b[?1049h") || !strings.HasSuffix(strings.TrimRight(text, "\r"), "\x1b[?1049l\x1b[?25h") && !strings.Contains(text, "\x1b[?1049l") {
		t.Errorf("the alternate screen was not left: %q", text[max(0, len(text)-80):])
	}
}
