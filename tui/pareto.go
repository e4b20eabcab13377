// The plot of throughput against p99.

package tui

import (
	"cmp"
	"math"
	"slices"
)

// front marks the points that no other beats: none is at least as far across and
// at most as far up, and better in one of them. That is found in one pass over the
// points from right to left.
func (b *Board) front() []bool {
	on := make([]bool, len(b.Points))
	var order []int
	for i := range b.Points {
		if b.plotted(i) {
			order = append(order, i)
		}
	}
	across := func(i int) float64 { return b.Points[i].figure(b.Across) }
	up := func(i int) float64 { return b.Points[i].figure(b.Up) }
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(across(j), across(i)), cmp.Compare(up(i), up(j)))
	})
	lowest := math.Inf(1) // of those further to the right
	for n := 0; n < len(order); {
		x, low := across(order[n]), up(order[n])
		for ; n < len(order) && across(order[n]) == x; n++ {
			on[order[n]] = up(order[n]) == low && low < lowest
		}
		lowest = min(lowest, low)
	}
	return on
}

// plotted says whether a point has a place in the plot.
func (b *Board) plotted(i int) bool {
	x, y := b.Points[i].figure(b.Across), b.Points[i].figure(b.Up)
	return x > 0 && y > 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}

// drawPareto draws the plot, with the limit as a dashed line; what is not measured
// is left out, what nothing beats is marked.
func (b *Board) drawPareto(a area, limits []Limit) {
	l := a.g.look
	low, high, nearest, furthest := math.Inf(1), 0.0, math.Inf(1), 0.0
	for i := range b.Points {
		if b.plotted(i) {
			x, y := b.Points[i].figure(b.Across), b.Points[i].figure(b.Up)
			low, high, nearest, furthest = min(low, y), max(high, y), min(nearest, x), max(furthest, x)
		}
	}
	if furthest == 0 || a.h < 4 || a.w < 20 {
		a.put(1, a.h/2, dim, l.cut("no point measured yet", a.w-1))
		return
	}
	var levels []level
	for _, limit := range limits {
		if v := limit.Nanoseconds; v > low/20 && v < high*20 && v > 0 {
			low, high = min(low, v), max(high, v)
			levels = append(levels, level{limit.Name, v})
		}
	}
	c := chart{scale: logScale(low, high), unit: timeUnit(high), levels: levels}
	across := spread(nearest, furthest)
	a.put(0, 0, dim, b.Figures[b.Up].Name+", "+c.unit.name)
	body := a.part(0, 1, a.w, a.h-2)
	c.draw(body)
	left := 0
	for _, t := range c.scale.ticks(body.h) {
		left = max(left, l.width(c.unit.label(t.v)))
	}
	plot := body.part(left+1, 0, body.w-left-1, body.h)
	front := b.front()
	for pass := range 3 { // what is beaten lies below, the best on top
		for i := range b.Points {
			p := &b.Points[i]
			at := 0
			if front[i] {
				at = 1
			}
			if p.Best {
				at = 2
			}
			if at != pass || !b.plotted(i) {
				continue
			}
			x := int(math.Round(across.part(p.figure(b.Across)) * float64(plot.w-1)))
			y := int(math.Round((1 - c.scale.part(p.figure(b.Up))) * float64(plot.h-1)))
			mark, in := l.shades[0], dim
			switch {
			case p.Best:
				mark, in = l.point, focus
			case front[i] && (p.Meets || !b.Judged):
				mark, in = l.bullet, good
			case front[i]:
				mark, in = l.bullet, plain
			}
			plot.set(x, y, in, mark)
		}
	}
	for _, v := range levels {
		c.nameLevel(plot, v) // over whatever lies there
	}
	f := b.Figures[b.Across]
	a.put(left+1, a.h-1, dim, f.Format(across.low))
	a.putRight(a.w, a.h-1, dim, f.Name+" "+f.Format(across.high))
}
