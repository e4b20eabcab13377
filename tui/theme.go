package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// A Theme says what a terminal can show. The zero Theme has no colours, for a
// dark background.
type Theme struct {
	Colors Colors
	Light  bool // the background is light
	ASCII  bool // no characters beyond ASCII
}

// Colors is how many colours a terminal has.
type Colors uint8

// The numbers of colours, ascending.
const (
	NoColors Colors = iota
	Colors16
	Colors256
	TrueColors
)

// An ink is what a cell is drawn with.
type ink uint8

const (
	plain ink = iota
	dim
	strong
	frame
	focus
	good
	warn
	bad
	accent
	lineP50
	lineP95
	lineP99
	lineP999
	lineSLO
	lineDone
	lineOffered
	causeLag
	causeForming
	causeTurn
	causeSlot
	causeService
	inks // how many there are
)

// A paint is an ink's colours: on a dark and on a light background, of 256 and of
// 16 colours.
type paint struct {
	dark, light     string // of 256; "" is the terminal's own
	dark16, light16 string
	bold, faint     bool
}

var paints = [inks]paint{
	plain:        {},
	dim:          {dark: "245", light: "243", dark16: "7", light16: "8"},
	strong:       {bold: true},
	frame:        {dark: "240", light: "250", dark16: "8", light16: "7"},
	focus:        {dark: "45", light: "25", dark16: "14", light16: "4", bold: true},
	good:         {dark: "78", light: "28", dark16: "10", light16: "2"},
	warn:         {dark: "221", light: "130", dark16: "11", light16: "3"},
	bad:          {dark: "203", light: "160", dark16: "9", light16: "1", bold: true},
	accent:       {dark: "215", light: "166", dark16: "11", light16: "5", bold: true},
	lineP50:      {dark: "80", light: "30", dark16: "14", light16: "6"},
	lineP95:      {dark: "75", light: "26", dark16: "12", light16: "4"},
	lineP99:      {dark: "177", light: "91", dark16: "13", light16: "5"},
	lineP999:     {dark: "210", light: "161", dark16: "9", light16: "1"},
	lineSLO:      {dark: "221", light: "130", dark16: "11", light16: "3"},
	lineDone:     {dark: "78", light: "28", dark16: "10", light16: "2"},
	lineOffered:  {dark: "245", light: "243", dark16: "7", light16: "8"},
	causeLag:     {dark: "245", light: "243", dark16: "7", light16: "8"},
	causeForming: {dark: "75", light: "26", dark16: "12", light16: "4"},
	causeTurn:    {dark: "177", light: "91", dark16: "13", light16: "5"},
	causeSlot:    {dark: "221", light: "130", dark16: "11", light16: "3"},
	causeService: {dark: "78", light: "28", dark16: "10", light16: "2"},
}

// A look is a theme made ready: what goes before and after text of each ink, and
// the characters to draw with.
type look struct {
	open, close [inks]string
	glyphs
	ascii bool
}

func newLook(t Theme) *look {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile([]termenv.Profile{termenv.Ascii, termenv.ANSI, termenv.ANSI256, termenv.TrueColor}[min(t.Colors, TrueColors)])
	r.SetHasDarkBackground(!t.Light)
	l := &look{glyphs: drawn, ascii: t.ASCII}
	if t.ASCII {
		l.glyphs = typed
	}
	for i, p := range paints {
		color, color16 := p.dark, p.dark16
		if t.Light {
			color, color16 = p.light, p.light16
		}
		s := r.NewStyle().Bold(p.bold).Faint(p.faint)
		if color != "" {
			s = s.Foreground(lipgloss.CompleteColor{TrueColor: color, ANSI256: color, ANSI: color16})
		}
		l.open[i], l.close[i], _ = strings.Cut(s.Render("x"), "x")
	}
	return l
}

// glyphs are the characters that pictures are made of.
type glyphs struct {
	across, down, topLeft, topRight, bottomLeft, bottomRight, tick rune
	full, empty, dash, bullet, point                               rune
	yes, no, here, changedFrom, changedTo                          string
	columns                                                        []rune // a column's top, by eighths, from none to full
	shades                                                         [5]rune
	marks                                                          [4]rune // of lines where there are no dots to draw them with
}

var drawn = glyphs{
	across: '─', down: '│', topLeft: '┌', topRight: '┐', bottomLeft: '└', bottomRight: '┘', tick: '┤',
	full: '█', empty: '░', dash: '╌', bullet: '●', point: '◆',
	yes: "✓", no: "✗", here: "▸", changedFrom: "▸", changedTo: "◂",
	columns: []rune(" ▁▂▃▄▅▆▇█"), shades: [5]rune{'·', '░', '▒', '▓', '█'}, marks: [4]rune{'o', '+', 'x', '*'},
}

var typed = glyphs{
	across: '-', down: '|', topLeft: '+', topRight: '+', bottomLeft: '+', bottomRight: '+', tick: '+',
	full: '#', empty: '.', dash: '-', bullet: '*', point: '@',
	yes: "ok", no: "X", here: ">", changedFrom: ">", changedTo: "<",
	columns: []rune(" __..::##"), shades: [5]rune{'.', ':', '+', '=', '#'}, marks: [4]rune{'o', '+', 'x', '*'},
}

// typedFor are stand-ins, one column wide, for characters that texts contain.
var typedFor = map[rune]rune{
	'µ': 'u', '–': '-', '—': '-', '…': '~', '’': '\'', '·': '.', '←': '<', '→': '>', '⏎': '~', '↑': '^', '↓': 'v', '≤': '<', '≥': '>',
}
