// What every screen has: its size, its keys, its messages, its end.

package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Common says what all screens show and do, whatever they are of.
type Common struct {
	Title   string // the command
	Profile string // "" for none
	Seed    uint64
	Virtual bool // runs go by a simulated clock
	Theme   Theme

	// Stop is called for each order to stop: the first ends what can be ended well,
	// the second everything.
	Stop func()

	// Size gives the terminal's columns and lines. It must not wait.
	Size func() (columns, lines int)

	// Behind says that the terminal has yet to take what it was given: then the
	// picture is left as it is. It must not wait. Nil is never.
	Behind func() bool

	// Note gives the newest message for whoever looks on, "" if there is none.
	Note func() string

	// Linger is how long the final picture stays when all is over; a key ends it
	// sooner.
	Linger time.Duration
}

// A Limit is a sojourn that an objective bounds.
type Limit struct {
	Name        string // the term
	Nanoseconds float64
}

// pollEvery is how often a screen looks for a new picture.
const pollEvery = 200 * time.Millisecond

// A picture is what a base shows: one run, or many.
type picture interface {
	tea.Model
	take()                      // takes over the newest state
	done() bool                 // that was the last one
	typing() bool               // keys are text now
	press(k tea.KeyMsg) tea.Cmd // a key that the base has no use for
	hear(msg tea.Msg)           // … and another message
}

// base is the part of a screen that does not depend on what it shows.
type base struct {
	c    Common
	pic  picture
	look *look
	w, h int

	frozen  bool
	helping bool
	stops   int // orders to stop that were given

	note    string
	noteBad bool
	noteAge int    // polls since then
	told    string // the note of Common.Note that was shown last
}

type (
	pollMsg    struct{}
	overMsg    struct{} // all is over
	leaveMsg   struct{}
	resumedMsg struct{} // after a suspension
)

func newBase(c Common, pic picture) base { return base{c: c, pic: pic, look: newLook(c.Theme)} }

// Init implements tea.Model.
func (b *base) Init() tea.Cmd { return tea.Batch(later(pollEvery, pollMsg{}), b.sized()) }

// sized tells Bubble Tea of the terminal's size, without which it does not erase
// what a shorter line leaves of a longer one.
func (b *base) sized() tea.Cmd {
	size := tea.WindowSizeMsg{Width: b.w, Height: b.h}
	return func() tea.Msg { return size }
}

func later(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// poll takes over the newest picture, size and message.
func (b *base) poll() {
	if b.c.Behind != nil && b.c.Behind() {
		return
	}
	if b.c.Size != nil {
		b.w, b.h = b.c.Size()
	}
	b.pic.take()
	if b.c.Note != nil {
		if note := b.c.Note(); note != b.told {
			b.told = note
			b.say(note, false)
		}
	}
}

// say shows a message for a while.
func (b *base) say(text string, isBad bool) { b.note, b.noteBad, b.noteAge = text, isBad, 0 }

// notePolls is how long a message stays: eight seconds.
const notePolls = 40

// Update implements tea.Model.
func (b *base) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case pollMsg:
		w, h := b.w, b.h
		if b.noteAge++; b.noteAge > notePolls {
			b.say("", false)
		}
		b.poll()
		if b.w != w || b.h != h {
			return b.pic, b.Init()
		}
		return b.pic, later(pollEvery, pollMsg{})
	case tea.WindowSizeMsg:
		b.w, b.h = msg.Width, msg.Height
		return b.pic, tea.ClearScreen
	case overMsg:
		b.frozen = false
		b.poll()
		if b.c.Linger > 0 && b.stops == 0 {
			b.say("done; any key leaves", false)
			return b.pic, later(b.c.Linger, leaveMsg{})
		}
		return b.pic, tea.Quit
	case resumedMsg:
		b.poll()
	case leaveMsg:
		return b.pic, tea.Quit
	case tea.KeyMsg:
		if msg.Type == tea.KeyRunes && !b.pic.typing() { // fast fingers come as one message
			var cmds []tea.Cmd
			for _, r := range msg.Runes {
				cmds = append(cmds, b.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
			}
			return b.pic, tea.Batch(cmds...)
		}
		return b.pic, b.key(msg)
	default:
		b.pic.hear(msg)
	}
	return b.pic, nil
}

// key does what a key asks for.
func (b *base) key(k tea.KeyMsg) tea.Cmd {
	is := func(c command) bool { return key.Matches(k, c.Binding) }
	switch {
	case b.pic.done():
		return tea.Quit
	case k.String() == "ctrl+c":
		b.stop()
		return nil
	case is(keys.suspend):
		return suspend
	case b.pic.typing():
		return b.pic.press(k)
	}
	b.say("", false)
	switch {
	case is(keys.quit):
		b.stop()
	case is(keys.help):
		b.helping = !b.helping
	case is(keys.revert) && b.helping:
		b.helping = false
	case is(keys.freeze):
		b.frozen = !b.frozen
	default:
		return b.pic.press(k)
	}
	return nil
}

func (b *base) stop() {
	b.stops++
	if b.c.Stop != nil {
		b.c.Stop()
	}
}

// titled draws the title and what goes on, and returns the column after it.
func (b *base) titled(a area, phase string) int {
	spans := []span{{strong, " " + b.c.Title}}
	if b.c.Profile != "" {
		spans = append(spans, span{accent, "  " + b.c.Profile})
	}
	spans = append(spans, span{dim, fmt.Sprintf("  seed %d", b.c.Seed)}, span{plain, "  " + phase})
	if b.frozen {
		spans = append(spans, span{warn, "  FROZEN"})
	}
	return a.line(0, 0, spans...)
}

// drawPart draws at the right edge how far something is: in words, and as a bar
// if there is room behind column end; part is negative if it is not known.
func (b *base) drawPart(a area, end int, how string, part float64) {
	text, percent := how, ""
	if part >= 0 {
		percent = fmt.Sprintf(" %3.0f%% ", part*100)
		text += " " + percent
	}
	if bar := min(a.w-end-b.look.width(how)-12, 24); part >= 0 && bar >= 6 {
		x := a.putRight(a.w, 0, plain, percent)
		a.bar(x-bar, 0, bar, lineDone, part)
		a.putRight(x-bar-2, 0, plain, how)
		return
	}
	if end+2+b.look.width(text) <= a.w {
		a.putRight(a.w, 0, plain, text)
	}
}

// drawKeys draws as many keys as fit, with short names if there is little room.
func (b *base) drawKeys(a area, list []command) {
	l := b.look
	var all []string
	width := -1
	add := func(t string, by int) string {
		if l.ascii {
			t = strings.NewReplacer("←/→", "arrows", "←→", "arrows", "⏎", "enter").Replace(t)
		}
		width += by * (l.width(t) + 2)
		return t
	}
	for _, k := range list {
		all = append(all, add(k.shown, 1))
	}
	for i := len(all) - 1; i >= 0 && width > a.w-1; i-- { // the last names are shortened first
		add(list[i].shown, -1)
		all[i] = add(list[i].short, 1)
	}
	x := 1
	for _, t := range all {
		if x+l.width(t) > a.w {
			break
		}
		key, what, named := strings.Cut(t, " ")
		if key == "[" {
			key, what = "[ ]", strings.TrimPrefix(what, "] ")
		}
		x = a.put(x, 0, focus, key)
		if named {
			x = a.put(x, 0, dim, " "+what)
		}
		x += 2
	}
}
