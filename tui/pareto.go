package tui

import (
	"math"
	"slices"

	"ferryctl/bench/human"
)

// Pareto is a plot of throughput against p99: what is not measured is left out,
// what no other point beats in both is marked. It is a component for screens of
// many runs.
type Pareto struct {
	Points []Point
	Limit  Limit // a bound on the sojourn, drawn as a dashed line; none if it is 0
}

// Front returns the indices of the points that no other beats: none is at least as
// fast and as quick, and better in one of them. They are ordered by throughput.
func (p Pareto) Front() (front []int) {
	for i, a := range p.Points {
		if !a.measured() {
			continue
		}
		beaten := slices.ContainsFunc(p.Points, func(b Point) bool {
			return b.measured() && b.Throughput >= a.Throughput && b.P99 <= a.P99 && (b.Throughput > a.Throughput || b.P99 < a.P99)
		})
		if !beaten {
			front = append(front, i)
		}
	}
	slices.SortStableFunc(front, func(i, j int) int {
		if p.Points[i].Throughput < p.Points[j].Throughput {
			return -1
		}
		return 1
	})
	return front
}

func (p Point) measured() bool {
	return p.Throughput > 0 && p.P99 > 0 && !math.IsInf(p.Throughput, 0) && !math.IsInf(p.P99, 0)
}

// View draws the plot.
func (p Pareto) View(t Theme, columns, lines int) string {
	g := newGrid(columns, lines, newLook(t))
	p.draw(g.all())
	return g.String()
}

func (p Pareto) draw(a area) {
	l := a.g.look
	low, high, fastest := math.Inf(1), 0.0, 0.0
	for _, k := range p.Points {
		if k.measured() {
			low, high, fastest = min(low, k.P99), max(high, k.P99), max(fastest, k.Throughput)
		}
	}
	if fastest == 0 || a.h < 4 || a.w < 20 {
		a.put(1, a.h/2, dim, "no point measured yet")
		return
	}
	if v := p.Limit.Nanoseconds; v > low/20 && v < high*20 && v > 0 {
		low, high = min(low, v), max(high, v)
	}
	c := chart{scale: logScale(low, high), unit: timeUnit(high)}
	if p.Limit.Nanoseconds > 0 {
		c.levels = []level{{p.Limit.Name, p.Limit.Nanoseconds}}
	}
	across := fromZero(fastest)
	a.put(0, 0, dim, "p99, "+c.unit.name)
	body := a.part(0, 1, a.w, a.h-2)
	c.draw(body)
	left := 0
	for _, t := range c.scale.ticks(body.h) {
		left = max(left, l.width(c.unit.label(t.v)))
	}
	plot := body.part(left+1, 0, body.w-left-1, body.h)
	front := p.Front()
	for pass := range 2 { // what is beaten lies below
		for i, k := range p.Points {
			unbeaten := slices.Contains(front, i)
			if !k.measured() || unbeaten != (pass == 1) {
				continue
			}
			x := int(math.Round(across.part(k.Throughput) * float64(plot.w-1)))
			y := int(math.Round((1 - c.scale.part(k.P99)) * float64(plot.h-1)))
			mark, i := rune('·'), dim
			switch {
			case k.Best:
				mark, i = l.point, focus
			case unbeaten && k.Meets:
				mark, i = l.bullet, good
			case unbeaten:
				mark, i = l.bullet, plain
			}
			if l.ascii && mark == '·' {
				mark = '.'
			}
			plot.set(x, y, i, mark)
		}
	}
	a.put(left+1, a.h-1, dim, "0")
	a.putRight(a.w, a.h-1, dim, "done "+human.Rate(across.high))
}
