package tui

// draw draws one panel with its frame.
func (m *model) draw(p panel, a area) {
	title, note := m.titleOf(p)
	in := a.box(title, note, p == m.focus)
	switch p {
	case panelSojourn:
		m.drawSojourn(in)
	case panelThroughput:
		m.drawThroughput(in)
	case panelCauses:
		m.drawCauses(in)
	case panelBatches:
		m.drawBatches(in)
	case panelRoom:
		m.drawRoom(in)
	case panelLanes:
		m.drawLanes(in)
	}
}

// drawAll draws every panel: charts on the left, causes on the right, the share
// lanes below.
func (m *model) drawAll(a area) {
	lanes := 3 // a frame around a line that says that there is nothing
	if n := len(m.snap.Lanes); n > 1 {
		lanes = min(n+3, max(6, a.h/3))
	}
	upper := a.part(0, 0, a.w, a.h-lanes)
	left := upper.part(0, 0, a.w*55/100, upper.h)
	right := upper.part(left.w, 0, a.w-left.w, upper.h)
	m.stackUp(left, []part{{panelSojourn, 9, 5}, {panelThroughput, 6, 3}})
	m.stackUp(right, []part{{panelCauses, m.causesHeight(upper.h), 0}, {panelBatches, 7, 1}, {panelRoom, m.roomHeight(), 0}})
	m.draw(panelLanes, a.part(0, upper.h, a.w, lanes))
}

// causesHeight is how tall the panel of causes is: where there is room, each has
// a line of its own.
func (m *model) causesHeight(room int) int {
	if room >= 8+7+m.roomHeight() {
		return 8
	}
	return 6
}

func (m *model) roomHeight() int { return 2 + m.gauges() }

// pages are the panels that are shown together where there is no room for all.
var pages = [][]panel{{panelSojourn, panelThroughput}, {panelCauses, panelBatches, panelRoom}, {panelLanes}}

// drawPage draws a line of tabs and the page that the focus is on, or the panel
// alone if the page needs more room.
func (m *model) drawPage(a area) {
	x := 1
	for p := range panels {
		name := tabNames[p]
		if p == m.focus {
			x = a.put(x, 0, focus, m.look.here+name) + 2
			continue
		}
		x = a.put(x, 0, dim, " "+name) + 2
	}
	a = a.part(0, 1, a.w, a.h-1)
	for _, page := range pages {
		for _, p := range page {
			if p != m.focus {
				continue
			}
			var parts []part
			need := 0
			for _, q := range page {
				need += m.leastHeight(q)
				grow := 1
				if q == panelRoom || q == panelCauses {
					grow = 0
				}
				parts = append(parts, part{q, m.leastHeight(q), grow})
			}
			if need > a.h {
				m.draw(m.focus, a)
				return
			}
			m.stackUp(a, parts)
		}
	}
}

var tabNames = [panels]string{"sojourn", "throughput", "causes", "batches", "room", "lanes"}

// leastHeight is the fewest lines that a panel says something in.
func (m *model) leastHeight(p panel) int {
	switch p {
	case panelRoom:
		return m.roomHeight()
	case panelCauses:
		return 6
	case panelSojourn:
		return 8
	}
	return 6
}

// A part is a panel, the fewest lines that it should get, and its part of those
// that are left over.
type part struct {
	panel
	least, grow int
}

// stackUp draws panels one below the other.
func (m *model) stackUp(a area, parts []part) {
	spare, grow := a.h, 0
	for _, p := range parts {
		spare -= p.least
		grow += p.grow
	}
	y := 0
	for i, p := range parts {
		h := p.least
		if spare > 0 && grow > 0 {
			more := spare * p.grow / grow
			if p.grow > 0 && more >= 0 {
				h += more
				spare -= more
				grow -= p.grow
			}
		}
		if i == len(parts)-1 {
			h = a.h - y
		}
		m.draw(p.panel, a.part(0, y, a.w, h))
		y += h
	}
}
