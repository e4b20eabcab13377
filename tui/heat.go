// The map of a figure over two axes: what the best of the points there came to.

package tui

import (
	"math"
)

// A heat says which figure is mapped, over which axes.
type heat struct {
	pair   int // of the pairs of axes
	figure int
}

// axes returns the axes across and down; down is -1 if there is but one, and both
// are if nothing varies.
func (h heat) axes(b *Board) (across, down int) {
	n := len(b.Axes)
	if n < 2 {
		return n - 1, -1
	}
	at := h.pair % (n * (n - 1) / 2)
	for across = range n {
		for down = across + 1; down < n; down++ {
			if at == 0 {
				return across, down
			}
			at--
		}
	}
	return 0, 1
}

func (h heat) of(b *Board) int {
	if len(b.Figures) == 0 {
		return -1
	}
	return h.figure % len(b.Figures)
}

// title says what is mapped.
func (h heat) title(b *Board) (title, note string) {
	f := h.of(b)
	across, down := h.axes(b)
	if f < 0 || across < 0 {
		return "Map", ""
	}
	title = b.Figures[f].Name + " by " + b.Axes[across].Name
	if down >= 0 {
		title += " and " + b.Axes[down].Name
	}
	if len(b.Axes) > 2 || down < 0 && len(b.Axes) > 1 {
		note = "best of the rest"
	}
	return title, note
}

// A square is one place of the map.
type square struct {
	v      float64 // the best there, NaN if nothing was measured
	best   bool    // the best point of all is there
	exists bool    // there is a point
}

// squares returns the map, as coarse as it has to be for so many columns and rows:
// so many values of an axis are put together.
func (h heat) squares(b *Board, columns, rows int) (m [][]square, wide, tall int) {
	across, down := h.axes(b)
	nx, ny := len(b.Axes[across].Values), 1
	if down >= 0 {
		ny = len(b.Axes[down].Values)
	}
	wide, tall = binWidth(nx, columns), binWidth(ny, rows)
	m = make([][]square, (ny+tall-1)/tall)
	for y := range m {
		m[y] = make([]square, (nx+wide-1)/wide)
		for x := range m[y] {
			m[y][x].v = math.NaN()
		}
	}
	f := h.of(b)
	for i := range b.Points {
		p := &b.Points[i]
		if len(p.Levels) <= max(across, down) || p.Levels[across] < 0 || down >= 0 && p.Levels[down] < 0 {
			continue
		}
		x, y := p.Levels[across]/wide, 0
		if down >= 0 {
			y = p.Levels[down] / tall
		}
		if y >= len(m) || x >= len(m[y]) {
			continue
		}
		s := &m[y][x]
		s.exists, s.best = true, s.best || p.Best
		if v := p.figure(f); b.Figures[f].better(v, s.v) {
			s.v = v
		}
	}
	return m, wide, tall
}

// binWidth is how many of n values are put together for there to be at most so
// many.
func binWidth(n, most int) int { return max(1, (n+max(most, 1)-1)/max(most, 1)) }

// heats are the inks of a map, from the worst to the best.
var heats = [5]ink{bad, accent, warn, lineP50, good}

// draw draws the map.
func (h heat) draw(a area, b *Board) {
	l := a.g.look
	across, down := h.axes(b)
	if across < 0 || h.of(b) < 0 || len(b.Points) == 0 {
		a.put(1, a.h/2, dim, l.cut("nothing varies", a.w-1))
		return
	}
	if a.h < 2 || a.w < 12 {
		return
	}
	left := 0
	if down >= 0 {
		for _, v := range b.Axes[down].Values {
			left = max(left, l.width(v))
		}
		left = min(left, a.w/3) + 1
	}
	const least = 3 // columns of a square
	m, wide, tall := h.squares(b, (a.w-left)/least, a.h-1)
	f := b.Figures[h.of(b)]
	worst, best, text := math.NaN(), math.NaN(), 0
	for _, line := range m {
		for _, s := range line {
			if math.IsNaN(s.v) {
				continue
			}
			if math.IsNaN(worst) || f.better(worst, s.v) {
				worst = s.v
			}
			if f.better(s.v, best) {
				best = s.v
			}
			text = max(text, l.width(f.Format(s.v)))
		}
	}
	if len(m)+2 < a.h {
		h.legend(a.part(left, a.h-1, a.w-left, 1), f, worst, best)
	}
	width := min(max((a.w-left)/len(m[0]), least), max(text+3, 8))
	for x := range m[0] {
		a.put(left+x*width, 0, dim, l.cut(b.Axes[across].Values[x*wide], width-1))
	}
	for y, line := range m {
		if down >= 0 {
			a.put(0, y+1, dim, l.cut(b.Axes[down].Values[y*tall], left-1))
		}
		for x, s := range line {
			at := a.part(left+x*width, y+1, width-1, 1)
			switch {
			case math.IsNaN(s.v) && s.exists:
				at.put(0, 0, dim, "–")
			case math.IsNaN(s.v):
			default:
				n := heatOf(s.v, worst, best)
				i, mark := heats[n], l.shades[n]
				if s.best {
					i, mark = focus, l.point
				}
				at.set(0, 0, i, mark)
				if say := f.Format(s.v); l.width(say)+2 <= at.w {
					at.put(2, 0, i, say)
				} else {
					at.run(1, 0, at.w-1, i, mark)
				}
			}
		}
	}
}

// legend says which marks stand for what, below the map.
func (h heat) legend(a area, f Figure, worst, best float64) {
	if math.IsNaN(best) || best == worst {
		return
	}
	x := a.put(0, 0, dim, f.Format(worst)+" ")
	for n, i := range heats {
		x = a.put(x, 0, i, string(a.g.look.shades[n]))
	}
	a.put(x, 0, dim, " "+f.Format(best))
}

// heatOf says how good a figure is, from 0, the worst, to 4, by ratios where these
// are large.
func heatOf(v, worst, best float64) int {
	if worst > 0 && best > 0 && max(worst/best, best/worst) > 10 {
		v, worst, best = math.Log(v), math.Log(worst), math.Log(best)
	}
	if worst == best {
		return len(heats) - 1
	}
	return min(max(int((v-worst)/(best-worst)*float64(len(heats))), 0), len(heats)-1)
}
