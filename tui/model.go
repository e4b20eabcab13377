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
	Title   string // the command
	Profile string // "" for none
	Seed    uint64
	Virtual bool // the run goes by a simulated clock
	Theme   Theme
	Limits  []Limit // dashed lines among the sojourns

	// Snapshot gives the newest picture, nil before there is one. It is called a
	// few times a second and must not wait.
	Snapshot func() *bench.Snapshot

	// Set gives a knob a value. Nil if knobs cannot be turned. It may take its time.
	Set func(knob, value string) error

	// Save writes the knobs as a profile; SaveAs is the name that is offered. Nil
	// if there is nothing to save to.
	Save   func(file string, replace bool) error
	SaveAs string

	// Stop is called for each order to stop: the first ends offering, the second
	// everything.
	Stop func()

	// Size gives the terminal's columns and lines. It must not wait.
	Size func() (columns, lines int)

	// Behind says that the terminal has yet to take what it was given: then the
	// picture is left as it is. It must not wait. Nil is never.
	Behind func() bool

	// Note gives the newest message for whoever looks on, "" if there is none.
	Note func() string

	// Linger is how long the final picture stays when the run is over; a key ends
	// it sooner.
	Linger time.Duration
}

// A Limit is a sojourn that an objective bounds.
type Limit struct {
	Name        string // the term
	Nanoseconds float64
}

// pollEvery is how often the screen looks for a new picture.
const pollEvery = 200 * time.Millisecond

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
	o    Options
	look *look
	w, h int

	snap     *bench.Snapshot
	frozen   bool
	focus    panel
	expanded bool
	helping  bool
	axis     int // index in spans; 0 is automatic
	sortBy   int // index in sortColumns
	stops    int // orders to stop that were given

	knob     int               // the chosen one
	edits    map[string]string // values that are not applied yet
	applying bool
	note     string
	noteBad  bool
	noteAge  int    // polls since then
	told     string // the note of Options.Note that was shown last

	saving  bool // a file name is being typed
	confirm bool // … and the file is there already
	file    textinput.Model
}

type (
	pollMsg    struct{}
	overMsg    struct{} // the run is over
	leaveMsg   struct{}
	resumedMsg struct{} // after a suspension
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
	m := &model{o: o, look: newLook(o.Theme), edits: map[string]string{}, file: file}
	m.poll()
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(later(pollEvery, pollMsg{}), m.sized()) }

// sized tells Bubble Tea of the terminal's size, without which it does not erase
// what a shorter line leaves of a longer one.
func (m *model) sized() tea.Cmd {
	size := tea.WindowSizeMsg{Width: m.w, Height: m.h}
	return func() tea.Msg { return size }
}

func later(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// poll takes over the newest picture, size and message.
func (m *model) poll() {
	if m.o.Behind != nil && m.o.Behind() {
		return
	}
	if m.o.Size != nil {
		m.w, m.h = m.o.Size()
	}
	if s := m.o.Snapshot(); s != nil && (!m.frozen || s.Over) {
		m.snap = s
	}
	if m.o.Note != nil {
		if note := m.o.Note(); note != m.told {
			m.told = note
			m.say(note, false)
		}
	}
}

// say shows a message for a while.
func (m *model) say(text string, isBad bool) { m.note, m.noteBad, m.noteAge = text, isBad, 0 }

// notePolls is how long a message stays: eight seconds.
const notePolls = 40

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case pollMsg:
		w, h := m.w, m.h
		if m.noteAge++; m.noteAge > notePolls {
			m.say("", false)
		}
		m.poll()
		if m.w != w || m.h != h {
			return m, m.Init()
		}
		return m, later(pollEvery, pollMsg{})
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		return m, tea.ClearScreen
	case overMsg:
		m.frozen = false
		m.poll()
		if m.o.Linger > 0 && m.stops == 0 {
			m.say("done; any key leaves", false)
			return m, later(m.o.Linger, leaveMsg{})
		}
		return m, tea.Quit
	case resumedMsg:
		m.poll()
	case leaveMsg:
		return m, tea.Quit
	case appliedMsg:
		m.applied(msg)
	case savedMsg:
		m.saved(msg)
	case tea.KeyMsg:
		if msg.Type == tea.KeyRunes && !m.saving { // fast fingers come as one message
			var cmds []tea.Cmd
			for _, r := range msg.Runes {
				cmds = append(cmds, m.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
			}
			return m, tea.Batch(cmds...)
		}
		return m, m.press(msg)
	}
	return m, nil
}

// press does what a key asks for.
func (m *model) press(k tea.KeyMsg) tea.Cmd {
	is := func(c command) bool { return key.Matches(k, c.Binding) }
	switch {
	case m.snap != nil && m.snap.Over:
		return tea.Quit
	case k.String() == "ctrl+c":
		m.stop()
		return nil
	case is(keys.suspend):
		return suspend
	case m.saving:
		return m.typeKey(k)
	}
	m.say("", false)
	switch {
	case is(keys.quit):
		m.stop()
	case is(keys.help):
		m.helping = !m.helping
	case is(keys.revert) && m.helping:
		m.helping = false
	case is(keys.panel):
		m.focus = (m.focus + 1) % panels
	case is(keys.back):
		m.focus = (m.focus + panels - 1) % panels
	case is(keys.expand):
		m.expanded = !m.expanded
	case is(keys.freeze):
		m.frozen = !m.frozen
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

func (m *model) stop() {
	m.stops++
	if m.o.Stop != nil {
		m.o.Stop()
	}
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
