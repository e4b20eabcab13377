package tui

import (
	"errors"
	"time"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"ferryctl/bench"
)

// ErrExists is wrapped by the error of Options.Save when the file is there
// already and it was not told to replace it.
var ErrExists = errors.New("the file exists")

// Options say what the screen of a bench shows, and what its keys do.
type Options struct {
	Common
	Limits []Limit // dashed lines among the sojourns

	// Snapshot gives the newest picture, nil before there is one. It is called a
	// few times a second and must not wait.
	Snapshot func() *bench.Snapshot

	// Set gives a knob a value. Nil if knobs cannot be turned. It may take its time.
	Set func(knob, value string) error

	// Save writes the knobs as a profile; SaveAs is the name that is offered. Nil
	// if there is nothing to save to.
	Save   func(file string, replace bool) error
	SaveAs string
}

// A panel is one part of the screen.
type panel int

// The panels, in the order of the tab key.
const (
	panelSojourn panel = iota
	panelThroughput
	panelCauses
	panelBatches
	panelRoom
	panelLanes
	panels // how many there are
)

// model is the screen of one run.
type model struct {
	base
	o Options

	snap     *bench.Snapshot
	focus    panel
	expanded bool
	axis     int // index in spans; 0 is automatic
	sortBy   int // index in sortColumns

	knob     int               // the chosen one
	edits    map[string]string // values that are not applied yet
	applying bool

	saving  bool // a file name is being typed
	confirm bool // … and the file is there already
	file    textinput.Model
}

type (
	appliedMsg struct {
		knob, value string
		err         error
	}
	savedMsg struct {
		file string
		err  error
	}
)

func newModel(o Options) *model {
	file := textinput.New()
	file.Prompt = ""
	file.CharLimit = 200
	file.Cursor.SetMode(cursor.CursorStatic)
	m := &model{o: o, edits: map[string]string{}, file: file}
	m.base = newBase(o.Common, m)
	m.poll()
	return m
}

func (o Options) screen() tea.Model { return newModel(o) }

func (m *model) take() {
	if s := m.o.Snapshot(); s != nil && (!m.frozen || s.Over) {
		m.snap = s
	}
}

func (m *model) done() bool   { return m.snap != nil && m.snap.Over }
func (m *model) typing() bool { return m.saving }

func (m *model) hear(msg tea.Msg) {
	switch msg := msg.(type) {
	case appliedMsg:
		m.applied(msg)
	case savedMsg:
		m.saved(msg)
	}
}

// press does what a key asks for that is this screen's own.
func (m *model) press(k tea.KeyMsg) tea.Cmd {
	if m.saving {
		return m.typeKey(k)
	}
	is := func(c command) bool { return key.Matches(k, c.Binding) }
	switch {
	case is(keys.panel):
		m.focus = (m.focus + 1) % panels
	case is(keys.back):
		m.focus = (m.focus + panels - 1) % panels
	case is(keys.expand):
		m.expanded = !m.expanded
	case is(keys.closer):
		m.axis = max(m.axisNow()-1, 1)
	case is(keys.wider):
		m.axis = min(m.axisNow()+1, len(spans)-1)
	case is(keys.auto):
		m.axis = 0
	case is(keys.sort):
		m.sortBy = (m.sortBy + 1) % len(sortColumns)
	case is(keys.save):
		return m.beginSave()
	default:
		return m.turn(k)
	}
	return nil
}

// spans are the lengths of the time axis that can be chosen; the first stands for
// what suits the run, the last for all of it.
var spans = []time.Duration{0, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 0}

// axisNow returns the span to go on from: the automatic one is a minute long.
func (m *model) axisNow() int {
	if m.axis == 0 {
		return 3
	}
	return m.axis
}

// interval returns what part of the window the time axis shows, and its name.
func (m *model) interval() (from, to time.Duration, name string) {
	s := m.snap
	now := s.Measured
	if n := len(s.Points); n > 0 {
		now = max(now, s.Points[n-1].Start+s.Points[n-1].Length)
	}
	span := spans[m.axis]
	if m.axis == 0 {
		span = time.Minute
		if whole := m.window(); whole > 0 && whole <= 2*time.Minute {
			return 0, max(whole, now), "all"
		}
	}
	if span == 0 || span >= now && m.axis > 0 && m.window() == 0 {
		return 0, max(now, time.Second), "all"
	}
	return max(0, now-span), max(now, span), "last " + spanName(span)
}

// window returns the planned length of the window, 0 if it is not known.
func (m *model) window() time.Duration {
	s := m.snap
	if s.Over {
		return s.Measured
	}
	if s.Total == 0 || s.Phase == bench.PhaseDrain {
		return 0
	}
	if s.Phase == bench.PhaseMeasure {
		return s.Total - max(0, s.Elapsed-s.Measured)
	}
	return 0
}

func spanName(d time.Duration) string {
	if d < time.Minute {
		return d.String()
	}
	if d < time.Hour {
		return trimmed(d.String(), "0s")
	}
	return trimmed(d.String(), "0m0s")
}

func trimmed(s, suffix string) string {
	if len(s) > len(suffix) && s[len(s)-len(suffix):] == suffix {
		return s[:len(s)-len(suffix)]
	}
	return s
}
