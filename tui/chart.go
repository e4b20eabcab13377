package tui

import (
	"math"
	"time"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/canvas/graph"
)

// A curve is one line of a chart.
type curve struct {
	name string
	ink  ink
	at   []time.Duration // ascending
	v    []float64       // NaN where there is none
	last string          // what the line is at now
}

// A level is a straight line across a chart.
type level struct {
	name string
	v    float64
}

// A chart is lines over time, the first drawn first.
type chart struct {
	from, to time.Duration // of the horizontal axis
	scale    scale
	unit     unit
	curves   []curve
	levels   []level
	axis     bool // label the horizontal axis
}

// braille is the block of characters that are dots, with none of them.
const braille = '\u2800'

// draw draws the chart: labels, plot, and the lines' names beside it.
func (c *chart) draw(a area) {
	l := a.g.look
	rows := a.h
	if c.axis && rows > 3 {
		rows--
	}
	ticks := c.scale.ticks(rows)
	left, right := 0, 0
	for _, t := range ticks {
		left = max(left, l.width(c.unit.label(t.v)))
	}
	for _, k := range c.curves {
		right = max(right, l.width(c.legend(k))+1)
	}
	if right > 0 && l.ascii {
		right += 2 // for the marks
	}
	if a.w-left-right < 24 {
		right = 0
	}
	if a.w-left < 8 || rows < 1 {
		return
	}
	for y := range rows {
		a.set(left, y, frame, l.down)
	}
	for _, t := range ticks {
		a.putRight(left, t.row, dim, c.unit.label(t.v))
		a.set(left, t.row, frame, l.tick)
	}
	plot := a.part(left+1, 0, a.w-left-1-right, rows)
	for _, v := range c.levels {
		c.drawLevel(plot, v)
	}
	for n, k := range c.curves {
		c.drawCurve(plot, k, l.marks[n%len(l.marks)])
	}
	for _, v := range c.levels {
		c.nameLevel(plot, v)
	}
	if right > 0 {
		c.names(a.part(a.w-right+1, 0, right-1, rows))
	}
	if rows < a.h {
		c.times(a.part(left+1, rows, plot.w, 1))
	}
}

// legend is what stands beside a line.
func (c *chart) legend(k curve) string {
	if k.last == "" {
		return k.name
	}
	return k.name + " " + k.last
}

// names writes the lines' names each at the height of its end, the first lowest,
// and as near to it as the others leave room for.
func (c *chart) names(a area) {
	l := a.g.look
	rows := make([]int, len(c.curves))
	for i, k := range c.curves {
		v := math.NaN()
		if n := len(k.v); n > 0 {
			v = k.v[n-1]
		}
		rows[i] = a.h - 1 - i
		if !math.IsNaN(v) {
			rows[i] = int(math.Round((1 - c.scale.part(v)) * float64(a.h-1)))
		}
	}
	for i := range rows { // below the one before nothing may be
		rows[i] = min(rows[i], a.h-1-i)
		if i > 0 {
			rows[i] = min(rows[i], rows[i-1]-1)
		}
	}
	for i := len(rows) - 1; i >= 0; i-- { // nor above the top
		rows[i] = max(rows[i], len(rows)-1-i)
	}
	for i, k := range c.curves {
		name := k.name
		if l.ascii {
			name = string(l.marks[i%len(l.marks)]) + " " + name
		}
		a.put(0, rows[i], k.ink, name)
		a.putRight(a.w, rows[i], plain, k.last)
	}
}

// times labels the horizontal axis.
func (c *chart) times(a area) {
	l := a.g.look
	if c.to <= c.from || a.w < 8 {
		return
	}
	from, to := clock(c.from), clock(c.to)
	a.put(0, 0, dim, from)
	end := a.putRight(a.w, 0, dim, to)
	x := l.width(from) + 6
	for _, step := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 7 * 86400} {
		step *= time.Second
		every := float64(step) / float64(c.to-c.from) * float64(a.w)
		if every < 12 {
			continue
		}
		for t := c.from.Truncate(step) + step; t < c.to; t += step {
			text := clock(t)
			at := int(float64(t-c.from)/float64(c.to-c.from)*float64(a.w-1)) - l.width(text)/2
			if at >= x && at+l.width(text)+3 < end {
				x = a.put(at, 0, dim, text) + 3
			}
		}
		return
	}
}

// rowOf returns the row of a level, and whether it lies on the chart.
func (c *chart) rowOf(v level, rows int) (int, bool) {
	return int(math.Round((1 - c.scale.part(v.v)) * float64(rows-1))), v.v >= c.scale.low*(1-1e-9) && v.v <= c.scale.high*(1+1e-9)
}

// drawLevel draws a dashed line.
func (c *chart) drawLevel(a area, v level) {
	l := a.g.look
	y, ok := c.rowOf(v, a.h)
	for x := 0; ok && x < a.w; x++ {
		if !l.ascii || x%2 == 0 {
			a.set(x, y, lineSLO, l.dash)
		}
	}
}

// nameLevel writes a level's name at its right end, over whatever is there.
func (c *chart) nameLevel(a area, v level) {
	if y, ok := c.rowOf(v, a.h); ok {
		a.putRight(a.w-1, y, lineSLO, " "+a.g.look.cut(v.name, max(a.w/2, 0))+" ")
	}
}

// drawCurve draws one line.
func (c *chart) drawCurve(a area, k curve, mark rune) {
	if a.w < 1 || a.h < 1 || c.to <= c.from {
		return
	}
	x := func(t time.Duration) float64 { return float64(t-c.from) / float64(c.to-c.from) }
	if a.g.look.ascii {
		for i, v := range k.v {
			if at := x(k.at[i]); !math.IsNaN(v) && at >= 0 && at <= 1 {
				a.set(int(at*float64(a.w-1)+0.5), int(math.Round((1-c.scale.part(v))*float64(a.h-1))), k.ink, mark)
			}
		}
		return
	}
	dots := graph.NewBrailleGrid(a.w, a.h, 0, 1, 0, 1)
	last, drawn := canvas.Point{}, false
	for i, v := range k.v {
		at := x(k.at[i])
		if math.IsNaN(v) || at > 1 || at < 0 {
			drawn = false
			continue
		}
		p := dots.GridPoint(canvas.Float64Point{X: at, Y: c.scale.part(v)})
		if !drawn {
			last = p
		}
		for _, q := range graph.GetLinePoints(last, p) {
			dots.Set(q)
		}
		last, drawn = p, true
	}
	for y, line := range dots.BraillePatterns() {
		for x, r := range line {
			if r <= braille {
				continue
			}
			if under := a.get(x, y).r; under > braille && under < braille+256 {
				r = braille | (r - braille) | (under - braille)
			}
			a.set(x, y, k.ink, r)
		}
	}
}
