package tui

import (
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// A cell is one column of one line. A rune of 0 is the second column of a wide
// character before it.
type cell struct {
	r   rune
	ink ink
}

// A grid is a screen's worth of cells.
type grid struct {
	w, h  int
	cells []cell
	look  *look
}

func newGrid(w, h int, l *look) *grid {
	g := &grid{w: max(w, 0), h: max(h, 0), look: l}
	g.cells = make([]cell, g.w*g.h)
	for i := range g.cells {
		g.cells[i].r = ' '
	}
	return g
}

// String returns the lines, each with its escapes closed and without the blanks
// at its end.
func (g *grid) String() string {
	var b strings.Builder
	for y := range g.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := g.cells[y*g.w : (y+1)*g.w]
		for len(line) > 0 && line[len(line)-1].r == ' ' {
			line = line[:len(line)-1]
		}
		at := plain
		for _, c := range line {
			if c.ink != at && c.r != 0 {
				b.WriteString(g.look.close[at])
				b.WriteString(g.look.open[c.ink])
				at = c.ink
			}
			if c.r != 0 {
				b.WriteRune(c.r)
			}
		}
		b.WriteString(g.look.close[at])
	}
	return b.String()
}

// all returns the whole grid as an area.
func (g *grid) all() area { return area{g, 0, 0, g.w, g.h} }

// An area is a part of a grid; what is drawn beyond it is cut off.
type area struct {
	g          *grid
	x, y, w, h int
}

// part returns a part of the area, cut to it.
func (a area) part(x, y, w, h int) area {
	x, y = min(max(x, 0), a.w), min(max(y, 0), a.h)
	return area{a.g, a.x + x, a.y + y, min(max(w, 0), a.w-x), min(max(h, 0), a.h-y)}
}

// set draws one narrow rune.
func (a area) set(x, y int, i ink, r rune) {
	if x < 0 || x >= a.w || y < 0 || y >= a.h {
		return
	}
	line := a.g.cells[(a.y+y)*a.g.w : (a.y+y+1)*a.g.w]
	x += a.x
	if line[x].r == 0 && r != 0 && x > 0 {
		line[x-1].r = ' ' // the other half of a wide character goes too
	}
	if x+1 < len(line) && line[x+1].r == 0 {
		line[x+1].r = ' '
	}
	line[x] = cell{r, i}
}

// get returns what is drawn at a place, a blank outside.
func (a area) get(x, y int) cell {
	if x >= 0 && x < a.w && y >= 0 && y < a.h {
		return a.g.cells[(a.y+y)*a.g.w+a.x+x]
	}
	return cell{r: ' '}
}

// put draws text and returns the column after it.
func (a area) put(x, y int, i ink, text string) int {
	if y < 0 || y >= a.h || x < 0 {
		return x
	}
	for _, r := range text {
		r, wide := a.g.look.shown(r)
		if wide == 0 {
			continue
		}
		if x+wide > a.w {
			break // half a character is none
		}
		a.set(x, y, i, r)
		if wide == 2 {
			a.set(x+1, y, i, ' ')
			a.g.cells[(a.y+y)*a.g.w+a.x+x+1].r = 0
		}
		x += wide
	}
	return x
}

// putRight draws text so that it ends before column x, and returns where it began.
func (a area) putRight(x, y int, i ink, text string) int {
	x -= a.g.look.width(text)
	a.put(x, y, i, text)
	return x
}

// run draws the same rune n times.
func (a area) run(x, y, n int, i ink, r rune) {
	for k := range max(n, 0) {
		a.set(x+k, y, i, r)
	}
}

// shown returns what stands for a rune, and its width: what would act on a
// terminal instead of showing on it is shown as something else.
func (l *look) shown(r rune) (rune, int) {
	if r < ' ' || (r >= 0x7f && r < 0xa0) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar {
		r = '�'
	}
	if l.ascii && r >= 0x80 {
		wide := cellWidth(r)
		if stand, ok := typedFor[r]; ok {
			return stand, 1
		}
		return '?', min(wide, 1)
	}
	return r, cellWidth(r)
}

// narrow says how wide characters are whose width depends on the reader's
// locale: what a chart is made of takes one column.
var narrow = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

func cellWidth(r rune) int { return narrow.RuneWidth(r) }

// width returns how many columns text takes.
func (l *look) width(text string) int {
	n := 0
	for _, r := range text {
		_, wide := l.shown(r)
		n += wide
	}
	return n
}

// cut returns text cut to a width, with a mark where something is missing.
func (l *look) cut(text string, width int) string {
	if l.width(text) <= width {
		return text
	}
	var b strings.Builder
	n := 0
	for _, r := range text {
		_, wide := l.shown(r)
		if n+wide > width-1 {
			break
		}
		b.WriteRune(r)
		n += wide
	}
	if width > 0 {
		b.WriteRune('…')
	}
	return b.String()
}

// box draws a frame with a title and returns what is inside it. Too small an
// area gets no frame.
func (a area) box(title, note string, focused bool) area {
	if a.w < 4 || a.h < 3 {
		return a
	}
	l, i := a.g.look, frame
	if focused {
		i = focus
	}
	a.run(1, 0, a.w-2, i, l.across)
	a.run(1, a.h-1, a.w-2, i, l.across)
	for y := 1; y < a.h-1; y++ {
		a.set(0, y, i, l.down)
		a.set(a.w-1, y, i, l.down)
	}
	a.set(0, 0, i, l.topLeft)
	a.set(a.w-1, 0, i, l.topRight)
	a.set(0, a.h-1, i, l.bottomLeft)
	a.set(a.w-1, a.h-1, i, l.bottomRight)
	if focused {
		title = l.here + " " + title
	}
	x := a.put(2, 0, strong, l.cut(" "+title+" ", a.w-4))
	if room := a.w - 2 - x; note != "" && l.width(note)+2 <= room {
		a.putRight(a.w-2, 0, dim, " "+note+" ")
	}
	return a.part(1, 1, a.w-2, a.h-2)
}

// A span is text of one ink.
type span struct {
	ink  ink
	text string
}

// line draws spans one after the other and returns the column after them.
func (a area) line(x, y int, spans ...span) int {
	for _, s := range spans {
		x = a.put(x, y, s.ink, s.text)
	}
	return x
}

// widthOf returns how many columns spans take.
func (l *look) widthOf(spans []span) int {
	n := 0
	for _, s := range spans {
		n += l.width(s.text)
	}
	return n
}
