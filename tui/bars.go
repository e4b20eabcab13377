package tui

import (
	"math"
)

// A share is one part of a whole.
type share struct {
	name string
	ink  ink
	part float64 // of 1
	text string  // what it is
}

// stack draws parts of a whole side by side in one line. A part that is there at
// all gets a column if there are columns to spare.
func (a area) stack(y int, parts []share, shades [5]rune) {
	if a.w < 1 || y >= a.h {
		return
	}
	sum := 0.0
	for _, p := range parts {
		sum += max(p.part, 0)
	}
	if sum <= 0 {
		a.run(0, y, a.w, frame, a.g.look.empty)
		return
	}
	x, before := 0, 0.0
	for i, p := range parts {
		before += max(p.part, 0)
		to := int(math.Round(before / sum * float64(a.w)))
		if p.part > 0 && to == x && a.w >= 8*len(parts) {
			to++
		}
		to = min(to, a.w)
		a.run(x, y, to-x, p.ink, shades[i%len(shades)])
		x = max(x, to)
	}
}

// bar draws a part of one as a bar over w columns, with an eighth of a column as
// its finest step where there are such characters.
func (a area) bar(x, y, w int, i ink, part float64) {
	l := a.g.look
	if math.IsNaN(part) || w < 1 {
		part = 0
	}
	whole := min(max(part, 0), 1) * float64(w)
	n := int(whole + 0.5)
	if part > 0 && n == 0 {
		n = 1
	}
	a.run(x, y, n, i, l.full)
	a.run(x+n, y, w-n, frame, l.empty)
}

// columns draws a histogram: counts side by side, the highest as high as the
// area. What is there at all is seen.
func (a area) columns(counts []float64, i ink) {
	top := 0.0
	for _, n := range counts {
		top = max(top, n)
	}
	if top <= 0 {
		return
	}
	shapes := a.g.look.columns
	steps := len(shapes) - 1
	for x, n := range counts {
		height := int(math.Round(n / top * float64(a.h*steps)))
		if n > 0 {
			height = max(height, 1)
		}
		for y := a.h - 1; y >= 0 && height > 0; y-- {
			a.set(x, y, i, shapes[min(height, steps)])
			height -= steps
		}
	}
}

// bins puts counts by size into so many bins of equal width or fewer, from size
// 1 on, and returns them with the largest size that there is.
func bins(sizes []int, counts []uint64, most int) (out []float64, last int) {
	if most < 1 || len(sizes) == 0 {
		return nil, 0
	}
	largest := 1
	for _, s := range sizes {
		largest = max(largest, s)
	}
	width := (largest + most - 1) / most
	out = make([]float64, (largest+width-1)/width)
	for i, s := range sizes {
		if s >= 1 {
			out[(s-1)/width] += float64(counts[i])
		}
	}
	return out, largest
}
