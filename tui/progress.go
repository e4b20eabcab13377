package tui

import (
	"fmt"
	"time"
)

// Progress is how far something of many steps is: points of a sweep, tries of a
// search. The zero Progress has nothing done. It is a component for screens of
// many runs; draw it with [Progress.View].
type Progress struct {
	Done, Failed, Total int           // steps; Total is 0 if it is not known
	Elapsed             time.Duration // time spent on the steps that are done
	Now                 string        // what is under way, "" if nothing
	Resume              string        // the command that goes on from here, "" if there is none
}

// ETA returns how long the rest will take, if it goes on as it has, and whether
// that can be told.
func (p Progress) ETA() (time.Duration, bool) {
	if p.Done <= 0 || p.Total <= p.Done || p.Elapsed <= 0 {
		return 0, false
	}
	return time.Duration(float64(p.Elapsed) / float64(p.Done) * float64(p.Total-p.Done)), true
}

// View draws the progress in so many columns and at most three lines: how far it
// is, what is under way, and how to resume.
func (p Progress) View(t Theme, columns int) string {
	lines := 1
	for _, text := range []string{p.Now, p.Resume} {
		if text != "" {
			lines++
		}
	}
	g := newGrid(columns, lines, newLook(t))
	p.draw(g.all())
	return g.String()
}

func (p Progress) draw(a area) {
	l := a.g.look
	text := fmt.Sprintf("%d", p.Done)
	if p.Total > 0 {
		text = fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	x := a.put(0, 0, strong, text)
	if p.Failed > 0 {
		x = a.put(x, 0, bad, fmt.Sprintf("  %d failed", p.Failed))
	}
	x = a.put(x, 0, dim, "  "+longClock(p.Elapsed))
	if eta, ok := p.ETA(); ok {
		x = a.put(x, 0, dim, "  "+longClock(eta)+" to go")
	}
	if room := a.w - x - 2; p.Total > 0 && room >= 6 {
		a.bar(x+2, 0, min(room, 30), lineDone, float64(p.Done)/float64(p.Total))
	}
	y := 1
	if p.Now != "" {
		a.put(0, y, plain, l.cut(p.Now, a.w))
		y++
	}
	if p.Resume != "" {
		a.line(0, y, span{dim, "resume: "}, span{plain, l.cut(p.Resume, max(a.w-8, 0))})
	}
}
