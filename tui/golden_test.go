package tui

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ferryctl/bench"
)

var update = flag.Bool("update", false, "rewrite the golden frames in testdata")

// golden compares a frame with the one in testdata. Escapes are written as ␛, so
// that a terminal shows the file and not what it does.
func golden(t *testing.T, name, frame string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	got := []byte(strings.ReplaceAll(frame, "\x1b", "␛") + "\n")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test ./tui -update writes it", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed; go test ./tui -update rewrites it. Now:\n%s", name, frame)
	}
}

// press sends keys as they are typed, and runs what they ask for.
func press(m tea.Model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		for _, named := range []tea.KeyType{
			tea.KeyPgUp, tea.KeyPgDown, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlZ, tea.KeyTab, tea.KeyShiftTab, tea.KeyEnter, tea.KeyEsc, tea.KeyLeft, tea.KeyRight, tea.KeyUp, tea.KeyDown, tea.KeyCtrlC, tea.KeyCtrlU,
		} {
			if (tea.KeyMsg{Type: named}).String() == k {
				msg = tea.KeyMsg{Type: named}
			}
		}
		_, cmd := m.Update(msg)
		follow(m, cmd)
	}
}

// follow runs a command whose message is the model's own.
func follow(m tea.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case appliedMsg, savedMsg:
		m.Update(msg)
	}
}

func TestFramesAreAsTheyWere(t *testing.T) {
	dark, light := Theme{Colors: Colors256}, Theme{Colors: Colors256, Light: true}
	for _, c := range []struct {
		name  string
		theme Theme
		w, h  int
		keys  []string
		snap  func(*bench.Snapshot)
	}{
		{name: "120x30-dark", theme: dark, w: 120, h: 30},
		{name: "120x30-light", theme: light, w: 120, h: 30},
		{name: "80x24-dark", theme: dark, w: 80, h: 24},
		{name: "80x24-light", theme: light, w: 80, h: 24},
		{name: "58x14-dark", theme: dark, w: 58, h: 14},
		{name: "58x14-light", theme: light, w: 58, h: 14},
		{name: "80x24-batches", theme: dark, w: 80, h: 24, keys: []string{"tab", "tab"}},
		{name: "80x24-lanes", theme: dark, w: 80, h: 24, keys: []string{"shift+tab", "o"}},
		{name: "120x30-ascii", theme: Theme{ASCII: true}, w: 120, h: 30},
		{name: "120x30-16-colours", theme: Theme{Colors: Colors16}, w: 120, h: 30},
		{name: "120x30-no-colours", theme: Theme{}, w: 120, h: 30, keys: []string{"]", "]", "left"}},
		{name: "120x30-help", theme: Theme{}, w: 120, h: 30, keys: []string{"?"}},
		{name: "80x24-help", theme: Theme{}, w: 80, h: 24, keys: []string{"?"}},
		{name: "120x30-expanded", theme: Theme{}, w: 120, h: 30, keys: []string{"tab", "tab", "tab", "e"}},
		{name: "120x30-one-lane", theme: Theme{}, w: 120, h: 30, snap: func(s *bench.Snapshot) { s.Lanes = nil }},
		{name: "120x30-warmup", theme: Theme{}, w: 120, h: 30, snap: func(s *bench.Snapshot) {
			*s = bench.Snapshot{Progress: bench.Progress{Phase: bench.PhaseWarmup, Elapsed: time.Second, Total: time.Minute}, Verdict: bench.Valid, Segment: 1}
		}},
		{name: "120x30-ceiling", theme: Theme{}, w: 120, h: 30, snap: func(s *bench.Snapshot) {
			*s = bench.Snapshot{Progress: bench.Progress{Phase: bench.PhaseCeiling}}
		}},
		{name: "120x30-invalid", theme: Theme{}, w: 120, h: 30, snap: func(s *bench.Snapshot) {
			s.Verdict, s.Reasons = bench.Invalid, []string{"rate not held so far: 12.0 % of the arrivals are missing"}
			s.Counts.Unsent, s.Counts.Failed = 12_345, 6000
			s.Room.MaxQueuedWeight, s.Room.QueuedWeight = 64<<20, 61<<20
		}},
		{name: "120x30-done", theme: Theme{}, w: 120, h: 30, snap: func(s *bench.Snapshot) { s.Over = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample()
			if c.snap != nil {
				c.snap(s)
			}
			o := sampled(s)
			o.Theme = c.theme
			m := sized(o, c.w, c.h)
			press(m, c.keys...)
			golden(t, c.name, m.View())
		})
	}
}
