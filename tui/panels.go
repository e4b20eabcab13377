package tui

import (
	"fmt"
	"math"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/ferry"
)

// titleOf returns a panel's title, and what stands at the right of it.
func (m *model) titleOf(p panel) (title, note string) {
	s := m.snap
	_, _, span := m.interval()
	part := ""
	if s.Segment > 1 && !s.Over { // what follows is of the time since a knob was turned
		part = fmt.Sprintf(", segment %d", s.Segment)
	}
	switch p {
	case panelSojourn:
		return "Sojourn, " + timeUnit(m.slowest()).name, span + ", log"
	case panelThroughput:
		return "Throughput, " + countUnit(m.busiest()).name + "/s", span
	case panelCauses:
		return "Where the time goes" + part, "mean " + orDash(m.meanSojourn(), human.Duration)
	case panelBatches:
		if part != "" {
			return "Why batches left" + part, human.Count(float64(s.Batches.Count)) + " batches"
		}
		return "Why batches left, and their sizes", human.Count(float64(s.Batches.Count)) + " batches"
	case panelRoom:
		return "Room", ""
	case panelLanes:
		if len(s.Lanes) < 2 {
			return "Lanes", ""
		}
		return "Lanes (sort: " + sortColumns[m.sortBy].name + ")", m.fairness()
	}
	return "", ""
}

// meanSojourn is the sum of the causes.
func (m *model) meanSojourn() bench.Num {
	p := m.snap.Split
	if p.Count == 0 {
		return bench.Num{}
	}
	return bench.Some(p.Lag.Or(0) + p.Forming.Or(0) + p.Turn.Or(0) + p.Slot.Or(0) + p.Service.Or(0))
}

// slowest returns the largest figure that the sojourn chart shows, busiest that of
// the throughput.
func (m *model) slowest() float64 {
	top := 0.0
	for _, p := range m.visible() {
		for _, n := range []bench.Num{p.P50, p.P95, p.P99, p.P999} {
			top = max(top, n.Or(0))
		}
	}
	if top == 0 {
		return 1e6
	}
	return top
}

func (m *model) busiest() float64 {
	top := 0.0
	for _, p := range m.visible() {
		per := p.Length.Seconds()
		top = max(top, float64(p.Done)/per, float64(p.Offered)/per, float64(p.Rejected)/per)
	}
	return top
}

// visible returns the points that lie on the time axis, and one before them.
func (m *model) visible() []bench.Point {
	from, _, _ := m.interval()
	points := m.snap.Points
	for i := range points {
		if points[i].Start+points[i].Length >= from {
			return points[max(i-1, 0):]
		}
	}
	return nil
}

// curveOf makes a line of a figure of each point.
func curveOf(points []bench.Point, name string, i ink, figure func(bench.Point) float64) curve {
	k := curve{name: name, ink: i}
	for _, p := range points {
		k.at = append(k.at, p.Start+p.Length/2)
		k.v = append(k.v, figure(p))
	}
	return k
}

func (m *model) drawSojourn(a area) {
	points := m.visible()
	if len(points) == 0 {
		m.drawNothing(a)
		return
	}
	low, high := math.Inf(1), 0.0
	var curves []curve
	for _, c := range []struct {
		name string
		ink  ink
		of   func(bench.Point) bench.Num
		now  bench.Num
	}{
		{"p50", lineP50, func(p bench.Point) bench.Num { return p.P50 }, m.snap.Sojourn.P50},
		{"p95", lineP95, func(p bench.Point) bench.Num { return p.P95 }, m.snap.Sojourn.P95},
		{"p99", lineP99, func(p bench.Point) bench.Num { return p.P99 }, m.snap.Sojourn.P99},
		{"p99.9", lineP999, func(p bench.Point) bench.Num { return p.P999 }, m.snap.Sojourn.P999},
	} {
		k := curveOf(points, c.name, c.ink, func(p bench.Point) float64 { return c.of(p).Or(math.NaN()) })
		for _, v := range k.v {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
		k.last = orDash(c.of(points[len(points)-1]), human.Duration)
		curves = append(curves, k)
	}
	c := chart{curves: curves, axis: true, unit: timeUnit(m.slowest())}
	for _, v := range m.o.Limits {
		if v.Nanoseconds > low/20 && v.Nanoseconds < high*20 {
			low, high = min(low, v.Nanoseconds), max(high, v.Nanoseconds)
		}
		c.levels = append(c.levels, level{v.Name, v.Nanoseconds})
	}
	c.scale = logScale(low, high)
	c.from, c.to, _ = m.interval()
	c.draw(a)
}

func (m *model) drawThroughput(a area) {
	points := m.visible()
	if len(points) == 0 {
		m.drawNothing(a)
		return
	}
	per := func(n func(bench.Point) uint64) func(bench.Point) float64 {
		return func(p bench.Point) float64 { return float64(n(p)) / p.Length.Seconds() }
	}
	curves := []curve{
		curveOf(points, "rejected", bad, per(func(p bench.Point) uint64 { return p.Rejected })),
		curveOf(points, "offered", lineOffered, per(func(p bench.Point) uint64 { return p.Offered })),
		curveOf(points, "done", lineDone, per(func(p bench.Point) uint64 { return p.Done })),
	}
	for i := range curves {
		curves[i].last = human.Short(curves[i].v[len(points)-1])
	}
	top := m.busiest()
	c := chart{curves: curves, scale: fromZero(top * 1.02), unit: countUnit(top), axis: a.h >= 6}
	c.from, c.to, _ = m.interval()
	c.draw(a)
}

// drawNothing says why a chart has no points yet.
func (m *model) drawNothing(a area) {
	text := "the first second is under way"
	if m.snap.Phase == bench.PhaseWarmup {
		text = "warming up: in no figure"
	}
	if m.snap.Over {
		text = "the window was empty"
	}
	a.put(max((a.w-m.look.width(text))/2, 0), a.h/2, dim, text)
}

// causes are the parts of the mean sojourn.
func (m *model) causes() []share {
	p := m.snap.Split
	whole := m.meanSojourn().Or(0)
	of := func(name string, i ink, n bench.Num) share {
		return share{name, i, bench.Ratio(n.Or(0), whole).Or(0), orDash(n, human.Duration)}
	}
	return []share{
		of("lag", causeLag, p.Lag), of("forming", causeForming, p.Forming), of("turn", causeTurn, p.Turn),
		of("slot", causeSlot, p.Slot), of("service", causeService, p.Service),
	}
}

func (m *model) drawCauses(a area) {
	parts := m.causes()
	a.stack(0, parts, m.look.shades)
	if a.h >= 6 {
		for y, p := range parts {
			m.drawCause(a.part(0, y+1, a.w, 1), p, m.look.shades[y], true)
		}
		return
	}
	half := a.w / 2
	for i, p := range parts {
		m.drawCause(a.part(i%2*half, 1+i/2, half-1, 1), p, m.look.shades[i], false)
	}
}

// drawCause draws one cause in a line.
func (m *model) drawCause(a area, p share, shade rune, wide bool) {
	a.set(0, 0, p.ink, shade)
	a.put(2, 0, plain, p.name)
	a.putRight(min(20, a.w-1-6), 0, strong, p.text)
	percent := percent(p.part)
	if !wide {
		a.putRight(a.w, 0, dim, percent)
		return
	}
	a.putRight(27, 0, dim, percent)
	why := map[string]string{
		"lag": "schedule, hand-over", "forming": "for company", "turn": "for its key", "slot": "for a free slot", "service": "in the call",
	}[p.name]
	a.put(29, 0, dim, m.look.cut(why, a.w-29))
}

// percent writes a part in at most five columns.
func percent(part float64) string {
	switch {
	case part <= 0:
		return "0 %"
	case part < 0.0095:
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", part*100)
}

func (m *model) drawBatches(a area) {
	b := m.snap.Batches
	if b.Count == 0 {
		m.drawNothing(a)
		return
	}
	left := max(a.w*45/100, 20)
	m.drawLeft(a.part(0, 0, left, a.h))
	m.drawSizes(a.part(left+2, 0, a.w-left-2, a.h))
}

// drawLeft draws why batches left, the reasons that there were first.
func (m *model) drawLeft(a area) {
	l := m.snap.Batches.Left
	y := 0
	for _, reason := range []struct {
		name string
		n    uint64
		ink  ink
	}{
		{"size", l.Size, causeService},
		{"weight", l.Weight, causeService},
		{"delay", l.Delay, causeForming},
		{"freed", l.Freed, causeTurn},
		{"direct", l.Direct, causeLag},
		{"close", l.Close, bad},
	} {
		if reason.n == 0 {
			continue
		}
		part := float64(reason.n) / float64(m.snap.Batches.Count)
		a.put(0, y, plain, reason.name)
		a.putRight(12, y, strong, percent(part))
		a.bar(13, y, a.w-13, reason.ink, part)
		y++
	}
}

// drawSizes draws the histogram of the batches' sizes.
func (m *model) drawSizes(a area) {
	sizes := m.snap.Batches.Size
	counted := make([]int, len(sizes.Counts))
	counts := make([]uint64, len(sizes.Counts))
	for i, c := range sizes.Counts {
		counted[i], counts[i] = c.Size, c.Count
	}
	columns, last := bins(counted, counts, a.w)
	if len(columns) == 0 || a.h < 3 {
		return
	}
	if wide := a.w / len(columns); wide > 1 { // few sizes: each gets more than one column
		wide = min(wide, 4)
		spread := make([]float64, 0, wide*len(columns))
		for _, n := range columns {
			for range wide - 1 {
				spread = append(spread, n)
			}
			spread = append(spread, 0)
			if wide == 2 {
				spread[len(spread)-1] = n
			}
		}
		columns = spread
	}
	a.line(0, 0, span{dim, "mean "}, span{strong, orDash(sizes.Mean, human.Short)}, span{dim, "  p99 "}, span{strong, orDash(sizes.P99, human.Short)})
	a.part(0, 1, a.w, a.h-2).columns(columns, accent)
	a.put(0, a.h-1, dim, "1")
	end := min(len(columns), a.w)
	if text := human.Short(float64(last)); end > 2+m.look.width(text) {
		a.putRight(end, a.h-1, dim, text)
	} else if last > 1 {
		a.put(2, a.h-1, dim, "– "+text)
	}
}

// gauges is how many lines the room takes.
func (m *model) gauges() int {
	if m.snap != nil && m.snap.Room.MaxQueuedWeight < ferry.Unlimited {
		return 3
	}
	return 2
}

func (m *model) drawRoom(a area) {
	r := m.snap.Room
	m.drawGauge(a.part(0, 0, a.w, 1), "in flight", float64(r.InFlight), float64(r.MaxInFlight), float64(r.PeakInFlight), r.MaxInFlight == ferry.Unlimited, directText(r.Direct))
	m.drawGauge(a.part(0, 1, a.w, 1), "queue", float64(r.Queued), float64(r.MaxQueued), float64(r.PeakQueued), r.MaxQueued == ferry.Unlimited, "")
	if m.gauges() > 2 {
		m.drawGauge(a.part(0, 2, a.w, 1), "weight", float64(r.QueuedWeight), float64(r.MaxQueuedWeight), float64(r.PeakQueuedWeight), false, "")
	}
}

func directText(n int) string {
	if n == 0 {
		return ""
	}
	return "+" + human.Short(float64(n)) + " direct"
}

// drawGauge draws how much of a bound is used.
func (m *model) drawGauge(a area, name string, v, most, peak float64, unbounded bool, more string) {
	a.put(0, 0, plain, name)
	text := human.Short(v) + "/" + human.Short(most)
	part := v / most
	if unbounded {
		text, part = human.Short(v), 0
	}
	i := good
	switch {
	case part >= 0.9:
		i = bad
	case part >= 0.7:
		i = warn
	}
	if name == "in flight" { // all slots in use is as it should be
		i = causeService
	}
	note := more
	if note == "" && peak > 0 {
		note = "peak " + human.Short(peak)
	}
	right := a.w
	if a.w >= 40 {
		a.putRight(a.w, 0, dim, note)
		right = a.w - 13
	}
	x := a.putRight(right, 0, strong, text)
	a.bar(10, 0, min(x-11, right-10-13), i, part)
}
