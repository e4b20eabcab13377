package tui

import (
	"fmt"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// Sizes from which a layout is used.
const (
	tinyWidth, tinyHeight = 60, 15  // below: three lines
	fullWidth, fullHeight = 110, 28 // from here on: all panels at once
)

// View implements tea.Model.
func (m *model) View() string {
	g := newGrid(m.w, m.h, m.look)
	switch a := g.all(); {
	case m.w < tinyWidth || m.h < tinyHeight:
		m.drawLines(a)
	default:
		m.drawScreen(a)
	}
	return g.String()
}

// drawScreen draws head, panels and foot.
func (m *model) drawScreen(a area) {
	full := a.w >= fullWidth
	head := 2
	m.drawTitle(a.part(0, 0, a.w, 1))
	if full {
		m.drawRates(a.part(0, 1, a.w, 1), true)
	} else {
		head = 3
		m.drawRates(a.part(0, 1, a.w, 1), false)
		m.drawVerdict(a.part(0, 2, a.w, 1), 1)
	}
	m.drawKnobs(a.part(0, a.h-2, a.w, 1))
	m.drawKeys(a.part(0, a.h-1, a.w, 1), listed())
	if m.drawReason(a.part(0, head, a.w, 1), full && a.h > fullHeight) {
		head++
	}
	middle := a.part(0, head, a.w, a.h-head-2)
	switch {
	case m.helping:
		m.drawHelp(middle, helped(), words)
	case m.snap == nil || m.snap.Phase == bench.PhaseCeiling && !m.snap.Over:
		m.drawWaiting(middle)
	case m.expanded:
		m.draw(m.focus, middle)
	case full && a.h >= fullHeight:
		m.drawAll(middle)
	default:
		m.drawPage(middle)
	}
}

// drawTitle draws what runs, and how far it is.
func (m *model) drawTitle(a area) {
	how, part := m.howFar()
	m.drawPart(a, m.titled(a, m.phase()), how, part)
}

// phase says what goes on.
func (m *model) phase() string {
	s := m.snap
	switch {
	case s == nil:
		return "starting"
	case s.Over:
		return "done"
	case m.stops > 1:
		return "leaving"
	case s.Phase == bench.PhaseDrain:
		return fmt.Sprintf("draining, %s left", human.Count(float64(s.Counts.InFlightAtEnd)))
	case m.stops > 0:
		return "stopping"
	case m.c.Virtual && s.Phase == bench.PhaseMeasure:
		return "virtual time"
	}
	return s.Phase.String()
}

// howFar says how much of the run is over: in words, and as a part, -1 if that is
// not known.
func (m *model) howFar() (text string, part float64) {
	s := m.snap
	switch {
	case s == nil || s.Phase == bench.PhaseCeiling:
		return "", -1
	case s.Over:
		return longClock(s.Elapsed), 1
	case s.Phase == bench.PhaseDrain:
		return longClock(s.Elapsed), -1
	case s.Items > 0:
		return fmt.Sprintf("%s / %s items", human.Count(float64(s.Progress.Offered)), human.Short(float64(s.Items))), float64(s.Progress.Offered) / float64(s.Items)
	case s.Total > 0:
		return longClock(s.Elapsed) + " / " + longClock(s.Total), min(1, float64(s.Elapsed)/float64(s.Total))
	}
	return longClock(s.Elapsed), -1
}

// rates are what comes and goes, most wanted first.
func (m *model) rates() [][]span {
	s := m.snap
	if s == nil {
		return nil
	}
	rate := func(name string, n bench.Num) []span {
		return []span{{dim, name + " "}, {strong, orDash(n, human.Rate)}}
	}
	out := [][]span{rate("offered", s.Offered1), rate("done", s.Done1)}
	now, all := rejectedNow(s), rejectedInAll(s)
	out = append(out, []span{{dim, "rejected "}, {rejectedInk(now), orDash(now, human.Percent)}})
	if n := s.Counts.Failed; n > 0 {
		out = append(out, []span{{dim, "failed "}, {bad, human.Percent(float64(n) / float64(max(s.Counts.Offered, 1)))}})
	}
	if n := s.Counts.Unsent; n > 0 {
		out = append(out, []span{{dim, "unsent "}, {bad, human.Count(float64(n))}})
	}
	late := human.Count(float64(s.Counts.Late))
	if v, ok := s.Counts.LateMaxNS.Get(); ok {
		late += " (max " + human.Duration(v) + ")"
	}
	out = append(out, []span{{dim, "late "}, {plain, late}})
	if v, ok := s.Load.Get(); ok {
		out = append(out, []span{{dim, "gen "}, {plain, human.Percent(v)}, {dim, " of ceiling"}})
	}
	if all != now {
		out = append(out, []span{{dim, "rejected in all "}, {rejectedInk(all), orDash(all, human.Percent)}})
	}
	return out
}

// rejectedInk warns of rejections.
func rejectedInk(ratio bench.Num) ink {
	if ratio.Or(0) > 0 {
		return warn
	}
	return plain
}

// rejectedNow is over the last second or so, like the rates beside it; where
// nothing is offered any more it is over the window.
func rejectedNow(s *bench.Snapshot) bench.Num {
	if now := bench.Ratio(s.Rejected1.Or(0), s.Offered1.Or(0)); now.Known() && !s.Over {
		return now
	}
	return rejectedInAll(s)
}

func rejectedInAll(s *bench.Snapshot) bench.Num {
	return bench.Ratio(float64(s.Counts.Rejected), float64(s.Counts.Offered))
}

// drawRates draws as many rates as fit, and the verdict beside them if it should.
func (m *model) drawRates(a area, verdict bool) {
	room := a.w
	if verdict {
		room = m.drawVerdict(a, -1) - 2
	}
	x := 1
	for _, r := range m.rates() {
		if x+m.look.widthOf(r) > room {
			break
		}
		x = a.line(x, 0, r...) + 3
	}
}

// drawVerdict draws the verdict on the measurement and the terms of the objective
// from column x on, or up to the right edge if x is negative. It returns where it
// began.
func (m *model) drawVerdict(a area, x int) int {
	s := m.snap
	if s == nil || s.Verdict == "" {
		return a.w
	}
	i := map[bench.Verdict]ink{bench.Valid: good, bench.Suspect: warn, bench.Invalid: bad}[s.Verdict]
	spans := []span{{i, string(m.look.bullet) + " " + string(s.Verdict)}}
	long, short := spans, spans
	if len(s.SLO) > 0 {
		long, short = append(long, span{dim, "  SLO"}), append(short, span{dim, "  SLO"})
	}
	for _, t := range s.SLO {
		mark := span{bad, m.look.no}
		if t.OK {
			mark = span{good, m.look.yes}
		} else if !t.Value.Known() {
			mark = span{dim, "–"}
		}
		long = append(long, span{plain, " " + t.Term + " "}, mark)
		short = append(short, span{plain, " "}, mark)
	}
	most := a.w / 2
	if x >= 0 {
		most = a.w - x
	}
	shown := long
	if m.look.widthOf(long) > most {
		shown = short
	}
	if x < 0 {
		x = a.w - m.look.widthOf(shown) - 1
		a.line(x, 0, shown...)
		return x
	}
	end := a.line(x, 0, shown...)
	if len(s.Reasons) > 0 {
		a.put(end+2, 0, dim, m.look.cut(s.Reasons[0], a.w-end-3))
	}
	return x
}

// drawReason draws why the verdict is what it is, if there is a reason and room
// for a line of its own, and says whether it did.
func (m *model) drawReason(a area, room bool) bool {
	if !room || m.snap == nil || len(m.snap.Reasons) == 0 {
		return false
	}
	text := string(m.snap.Verdict) + ": " + strings.Join(m.snap.Reasons, "; ")
	a.put(1, 0, dim, m.look.cut(text, a.w-2))
	return true
}

// drawKnobs draws the knobs, the message if there is one, and the segment.
func (m *model) drawKnobs(a area) {
	l := m.look
	if m.saving {
		if m.confirm {
			a.line(1, 0, span{warn, l.cut(m.file.Value(), a.w/2)}, span{plain, " is there already: replace it? "}, span{strong, "y/n"})
			return
		}
		x := a.put(1, 0, dim, "save as profile: ")
		name := m.file.Value()
		if over := l.width(name) - (a.w - x - 30); over > 0 {
			name = "…" + name[min(over, len(name)):]
		}
		x = a.put(x, 0, strong, name)
		a.put(x, 0, accent, "_")
		a.putRight(a.w-1, 0, dim, "enter saves, esc does not")
		return
	}
	right := a.w
	switch s := m.snap; {
	case m.note != "":
		i := good
		if m.noteBad {
			i = bad
		}
		right = a.putRight(a.w-1, 0, i, l.cut(m.note, a.w*2/3)) - 2
	case m.applying:
		right = a.putRight(a.w-1, 0, dim, "applying…") - 2
	case s != nil && s.Segment > 1:
		right = a.putRight(a.w-1, 0, dim, fmt.Sprintf("segment %d: %s", s.Segment, changedText(s.Changed))) - 2
	case s != nil && s.Segment == 1 && a.w >= fullWidth:
		right = a.putRight(a.w-1, 0, dim, "segment 1 (no changes)") - 2
	}
	a = a.part(0, 0, right, 1)
	if m.snap == nil {
		return
	}
	x := a.put(1, 0, dim, "knobs") + 2
	for _, k := range m.shownKnobs(a.w - x) {
		x = a.line(x, 0, k...) + 2
	}
}

// shownKnobs returns the knobs that fit, the chosen one among them.
func (m *model) shownKnobs(room int) [][]span {
	l := m.look
	var all [][]span
	at := 0
	for i, k := range m.snap.Knobs {
		value, edited := m.edits[k.Name]
		if k.Value == "unlimited" && !edited && i != m.knob || k.Value == "" {
			continue // nothing to see
		}
		name, v := span{dim, k.Name + " "}, span{plain, k.Value}
		if edited {
			v = span{accent, l.changedFrom + value + l.changedTo}
		}
		if i == m.knob {
			at = len(all)
			name.ink = focus
			name.text = "[" + name.text
			all = append(all, []span{name, v, {focus, "]"}})
			continue
		}
		all = append(all, []span{name, v})
	}
	first := 0
	for ; first < at; first++ { // drop from the left until the chosen one fits
		w := 0
		for _, k := range all[first : at+1] {
			w += l.widthOf(k) + 2
		}
		if w-2 <= room {
			break
		}
	}
	out, w := all[first:first], 0
	for _, k := range all[first:] {
		if w += l.widthOf(k); w > room {
			break
		}
		w += 2
		out = append(out, k)
	}
	return out
}

func changedText(changed []bench.Setting) string {
	var parts []string
	for _, c := range changed {
		parts = append(parts, c.Knob+" "+c.Text())
	}
	return strings.Join(parts, ", ")
}

// drawLines draws three plain lines, for a terminal that has no room for more.
func (m *model) drawLines(a area) {
	s := m.snap
	if s == nil || s.Phase == bench.PhaseCeiling {
		a.put(0, 0, plain, m.look.cut(m.c.Title+": measuring what the generator can offer", a.w))
		return
	}
	how, part := m.howFar()
	if part >= 0 {
		how += fmt.Sprintf("  %.0f%%", part*100)
	}
	first := strings.TrimSpace(m.c.Profile + "  " + m.phase() + "  " + how)
	if m.frozen {
		first += "  FROZEN"
	}
	second := "offered " + orDash(s.Offered1, human.Rate) + "  done " + orDash(s.Done1, human.Rate) +
		"  rejected " + orDash(rejectedNow(s), human.Percent)
	third := "waiting " + human.Short(float64(s.Room.Queued)) + "  p50 " + orDash(s.Sojourn.P50, human.Duration) + "  p99 " + orDash(s.Sojourn.P99, human.Duration) +
		"  " + string(s.Verdict)
	if n := len(s.SLO); n > 0 {
		met := 0
		for _, t := range s.SLO {
			if t.OK {
				met++
			}
		}
		third += fmt.Sprintf("  SLO %d/%d", met, n)
	}
	for y, text := range []string{first, second, third} {
		a.put(0, y, plain, m.look.cut(text, a.w))
	}
}

// drawWaiting says why there is nothing to see yet.
func (m *model) drawWaiting(a area) {
	text := "measuring what the generator itself can offer, for half a second or so"
	if m.c.Virtual {
		text = "starting"
	}
	a.put((a.w-m.look.width(text))/2, a.h/2, dim, text)
}

// orDash writes a figure, or a dash if there is none.
func orDash(n bench.Num, format func(float64) string) string {
	v, ok := n.Get()
	if !ok {
		return "–"
	}
	return format(v)
}
