package tui

import (
	"fmt"
	"strings"

	"ferryctl/bench/human"
)

// View implements tea.Model.
func (m *boardModel) View() string {
	g := newGrid(m.w, m.h, m.look)
	a := g.all()
	if m.w < tinyWidth || m.h < tinyHeight {
		m.drawLines(a)
		return g.String()
	}
	title := a.part(0, 0, a.w, 1)
	how, part := m.howFar()
	end := m.titled(title, m.phase())
	if end+m.look.width(how)+10 > a.w {
		for _, how = range []string{m.brief(), ""} {
			if end+m.look.width(how)+8 <= a.w {
				break
			}
		}
	}
	m.drawPart(title, end, how, part)
	head := 1
	if m.board != nil {
		for _, text := range m.board.Best[:min(len(m.board.Best), max(1, a.h/12))] {
			a.line(1, head, span{focus, string(m.look.point) + " "}, span{plain, m.look.cut(text, a.w-4)})
			head++
		}
	}
	m.drawFoot(a.part(0, a.h-2, a.w, 1))
	m.drawKeys(a.part(0, a.h-1, a.w, 1), boardListed())
	middle := a.part(0, head, a.w, a.h-head-2)
	switch {
	case m.helping:
		m.drawHelp(middle, boardHelped(), boardWords)
	case m.board == nil || len(m.board.Points) == 0:
		middle.put((middle.w-m.look.width(starting))/2, middle.h/2, dim, starting)
	case m.expanded:
		m.draw(m.focus, middle)
	case a.w >= fullWidth && a.h >= fullHeight:
		upper := middle.part(0, 0, middle.w, middle.h*3/5)
		left := upper.part(0, 0, upper.w/2, upper.h)
		m.draw(onPlot, left)
		m.draw(onMap, upper.part(left.w, 0, upper.w-left.w, upper.h))
		m.draw(onPoints, middle.part(0, upper.h, middle.w, middle.h-upper.h))
	default:
		m.drawPage(middle)
	}
	return g.String()
}

const starting = "starting"

// drawPage draws a line of tabs and what the focus is on, with the points below
// where there is room.
func (m *boardModel) drawPage(a area) {
	x := 1
	for i, name := range []string{"plot", "map", "points"} {
		if i == m.focus {
			x = a.put(x, 0, focus, m.look.here+name) + 2
			continue
		}
		x = a.put(x, 0, dim, " "+name) + 2
	}
	a = a.part(0, 1, a.w, a.h-1)
	if m.focus == onPoints || a.h < 17 {
		m.draw(m.focus, a)
		return
	}
	m.draw(m.focus, a.part(0, 0, a.w, a.h-7))
	m.draw(onPoints, a.part(0, a.h-7, a.w, 7))
}

// draw draws one panel with its frame.
func (m *boardModel) draw(panel int, a area) {
	b := m.board
	switch panel {
	case onPlot:
		title := "Plot"
		if len(b.Figures) > 0 {
			title = b.Figures[b.Up].Name + " against " + b.Figures[b.Across].Name
		}
		b.drawPareto(a.box(title, "", m.focus == panel), m.o.Limits)
	case onMap:
		title, note := m.heat.title(b)
		m.heat.draw(a.box(title, note, m.focus == panel), b)
	case onPoints:
		title := "Points"
		if n := m.points.sort; n > 0 && n <= len(b.Figures) {
			title += " (sort: " + b.Figures[n-1].Name + ")"
		}
		m.points.draw(a.box(title, counted(b), m.focus == panel), b, m.order)
	}
}

// counted says how many points are in which state.
func counted(b *Board) string {
	var n [Failed + 1]int
	for i := range b.Points {
		n[min(b.Points[i].State, Failed)]++
	}
	text := fmt.Sprintf("%s measured", human.Count(float64(n[Measured]+n[Doubtful])))
	for _, s := range []struct {
		state State
		name  string
	}{{Doubtful, "of them doubtful"}, {Running, "running"}, {Waiting, "waiting"}, {Failed, "failed"}} {
		if n[s.state] > 0 {
			text += fmt.Sprintf(", %s %s", human.Count(float64(n[s.state])), s.name)
		}
	}
	return text
}

// phase says what goes on.
func (m *boardModel) phase() string {
	switch b := m.board; {
	case b == nil:
		return starting
	case b.Over:
		return "done"
	case m.stops > 1:
		return "leaving"
	case m.stops > 0:
		return "stopping, finishing what runs"
	case b.Phase != "":
		return b.Phase
	case m.c.Virtual:
		return "virtual time"
	}
	return "measuring"
}

// howFar says how much is done: in words, and as a part, -1 if that is not known.
func (m *boardModel) howFar() (text string, part float64) {
	if m.board == nil {
		return "", -1
	}
	p := m.board.Progress
	text, part = human.Count(float64(p.Done)), -1
	if p.Total > 0 {
		about := ""
		if p.About && !m.board.Over {
			about = "about "
		}
		text += " of " + about + human.Count(float64(p.Total))
		part = min(1, float64(p.Done)/float64(p.Total))
	}
	text += " runs  " + clock(p.Elapsed)
	if p.ETA > 0 && !m.board.Over {
		text += ", " + human.Duration(float64(p.ETA)) + " to go"
	}
	return text, part
}

// brief says how much is done, and how long the rest will take, in the fewest
// words.
func (m *boardModel) brief() string {
	if m.board == nil {
		return ""
	}
	p := m.board.Progress
	text := human.Short(float64(p.Done)) + "/" + human.Short(float64(p.Total))
	if p.ETA > 0 && !m.board.Over {
		text += ", " + human.Duration(float64(p.ETA)) + " to go"
	}
	return text
}

// drawFoot draws the message if there is one, else how to go on from here.
func (m *boardModel) drawFoot(a area) {
	switch {
	case m.note != "":
		i := good
		if m.noteBad {
			i = bad
		}
		a.put(1, 0, i, m.look.cut(m.note, a.w-2))
	case m.board != nil && m.board.Progress.Resume != "":
		a.line(1, 0, span{dim, "resume: "}, span{plain, m.look.cut(m.board.Progress.Resume, a.w-10)})
	}
}

// drawLines draws three plain lines, for a terminal that has no room for more.
func (m *boardModel) drawLines(a area) {
	how, part := m.howFar()
	if part >= 0 {
		how += fmt.Sprintf("  %.0f%%", part*100)
	}
	first := strings.TrimSpace(m.c.Profile + "  " + m.phase() + "  " + how)
	if m.look.width(first) > a.w {
		first = m.phase() + "  " + m.brief()
	}
	if m.frozen {
		first = "FROZEN  " + first
	}
	lines := []string{first}
	if m.board != nil {
		lines = append(lines, m.board.Best[:min(len(m.board.Best), 2)]...)
	}
	for y, text := range lines {
		a.put(0, y, plain, m.look.cut(text, a.w))
	}
}
