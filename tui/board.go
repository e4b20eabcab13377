// The screen of many runs: a sweep, or a search.

package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// A Board is many runs as they stand.
type Board struct {
	Phase    string // what goes on, "" if there is but one thing
	Progress Progress
	Axes     []Axis   // what varies
	Figures  []Figure // what is measured; two at least, if there are points
	Across   int      // the figure that goes to the right in the plot
	Up       int      // … and the one that goes up, in nanoseconds
	Points   []Point
	Judged   bool     // there is an SLO, which points meet or miss
	Best     []string // what is best so far, a line each
	Over     bool
}

// BoardOptions say what the screen of many runs shows, and what its keys do.
type BoardOptions struct {
	Common
	Limits []Limit // dashed lines in the plot

	// Snapshot gives the newest state, nil before there is one. It is called a few
	// times a second and must not wait. What it has given stays as it is until it is
	// called again, so that it may use the same memory each time.
	Snapshot func() *Board
}

func (o BoardOptions) screen() tea.Model { return newBoard(o) }

// A part of the screen that the tab key goes to.
const (
	onPlot = iota
	onMap
	onPoints
	boardPanels // how many there are
)

// boardModel is the screen of many runs.
type boardModel struct {
	base
	o BoardOptions

	board    *Board
	focus    int
	expanded bool
	points   byFigure
	order    []int // of the points, as they are sorted
	heat     heat
}

func newBoard(o BoardOptions) *boardModel {
	m := &boardModel{o: o}
	m.base = newBase(o.Common, m)
	m.poll()
	return m
}

// boardKeys are those of the board alone.
var boardKeys = struct{ stop, sort, axes, figure, up, down, pageUp, pageDown, first, last command }{
	stop:     bind("q stop+report", "q stop", "begin no further run, report; once more leaves within a second", "q", "ctrl+c"),
	sort:     bind("o sort", "o sort", "order the points by the next figure, the best first", "o"),
	axes:     bind("a axes", "a axes", "map over the next pair of knobs", "a"),
	figure:   bind("c figure", "c figure", "map the next figure", "c"),
	up:       bind("↑/↓ scroll", "↑↓", "scroll the points", "up", "k"),
	down:     bind("", "", "scroll the points", "down", "j"),
	pageUp:   bind("", "", "… a page", "pgup"),
	pageDown: bind("", "", "… a page", "pgdown", " "),
	first:    bind("", "", "go to the first point", "home", "g"),
	last:     bind("", "", "go to the last point", "end", "G"),
}

// boardListed are the bindings that the key line shows.
func boardListed() []command {
	return []command{
		boardKeys.stop, keys.help, keys.panel, keys.expand, keys.freeze, boardKeys.sort, boardKeys.up, boardKeys.axes, boardKeys.figure,
	}
}

// boardHelped are those that the help page explains.
func boardHelped() []command {
	return []command{
		boardKeys.stop, keys.panel, keys.back, keys.expand, keys.freeze, boardKeys.sort, boardKeys.up, boardKeys.down,
		boardKeys.pageUp, boardKeys.pageDown, boardKeys.first, boardKeys.last, boardKeys.axes, boardKeys.figure, keys.suspend, keys.help,
	}
}

// boardWords explains what is on the board.
var boardWords = []word{
	{"plot", "each point by its throughput and p99; the large ones are beaten by none in both, the diamond is the best so far"},
	{"map", "a figure over two knobs: of the points that share these values the best; the more ink, the better"},
	{"meets", "the point keeps the SLO; misses: it does not"},
	{"doubtful", "measured, but the measurement is SUSPECT or INVALID: the report says why"},
	{"best", "so far; a search measures the best ones again with other seeds before it says so"},
	{"to go", "from how long the runs so far took"},
}

func (m *boardModel) take() {
	if m.frozen {
		return // its memory may not be written to meanwhile
	}
	if b := m.o.Snapshot(); b != nil {
		if m.board == nil {
			m.heat.figure = b.Up // throughput is often the same everywhere
		}
		m.board = b
		m.order = m.points.order(b)
	}
}

func (m *boardModel) done() bool   { return m.board != nil && m.board.Over }
func (m *boardModel) typing() bool { return false }
func (m *boardModel) hear(tea.Msg) {}

// press does what a key asks for that is this screen's own.
func (m *boardModel) press(k tea.KeyMsg) tea.Cmd {
	is := func(c command) bool { return key.Matches(k, c.Binding) }
	rows := 0
	if m.board != nil {
		rows = len(m.board.Points)
	}
	page := max(m.h/2, 1)
	switch {
	case is(keys.panel):
		m.focus = (m.focus + 1) % boardPanels
	case is(keys.back):
		m.focus = (m.focus + boardPanels - 1) % boardPanels
	case is(keys.expand):
		m.expanded = !m.expanded
	case is(boardKeys.sort) && m.board != nil:
		m.points.next(len(m.board.Figures))
		m.order = m.points.order(m.board)
	case is(boardKeys.axes):
		m.heat.pair++
	case is(boardKeys.figure):
		m.heat.figure++
	case is(boardKeys.up):
		m.points.scroll(-1, rows)
	case is(boardKeys.down):
		m.points.scroll(1, rows)
	case is(boardKeys.pageUp):
		m.points.scroll(-page, rows)
	case is(boardKeys.pageDown):
		m.points.scroll(page, rows)
	case is(boardKeys.first):
		m.points.scroll(-rows, rows)
	case is(boardKeys.last):
		m.points.scroll(rows, rows)
	}
	return nil
}
