// The screen of many runs: what sweeps and searches tell of themselves, as a board.

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
	"ferryctl/tui"
)

// watching is something that takes many runs, and how it is shown.
type watching struct {
	common tui.Common
	limits []tui.Limit
	board  func(over bool) *tui.Board // the state now, for the screen
	line   func() string              // … and in one line
}

// watch does the work and shows it meanwhile, on a screen if there is to be one,
// else by a line now and then, which also takes the place of a screen that is gone.
func (w *watching) watch(env *environ, scr *screen, line *progress, d display, work func() error) error {
	var over, lined atomic.Bool
	if lined.Store(!d.drawn); d.drawn {
		shown := d.show(env, scr, w.common, func(c tui.Common) tui.Screen {
			return tui.BoardOptions{Common: c, Limits: w.limits, Snapshot: func() *tui.Board { return w.board(over.Load()) }}
		}, func() { lined.Store(true) })
		defer shown.end()
		defer over.Store(true) // before the end
	}
	every := plainEvery
	if line.live {
		every = liveEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	done := make(chan error, 1)
	go func() { done <- work() }()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			if lined.Load() {
				line.show(w.line())
			}
		}
	}
}

// boardFigures are figures as a board has them.
func boardFigures(figures []sweep.Figure) (out []tui.Figure) {
	for _, f := range figures {
		out = append(out, tui.Figure{Name: f.Short, Format: f.Say, More: f.More})
	}
	return out
}

// figureAt returns where a figure is among others; it is there.
func figureAt(figures []sweep.Figure, short string) int {
	return max(slices.IndexFunc(figures, func(f sweep.Figure) bool { return f.Short == short }), 0)
}

// values writes figures for a board, NaN for what is not known.
func boardValues(into []float64, figures []bench.Num) []float64 {
	for _, v := range figures {
		into = append(into, v.Or(math.NaN()))
	}
	return into
}

// boardAxis returns an axis with values in order: by amount if they have one, else
// as they came. The map says where each is.
func boardAxis(knob string, texts []string) (tui.Axis, map[string]int) {
	at := map[string]int{}
	var values []string
	numeric := true
	for _, text := range texts {
		if _, ok := at[text]; ok {
			continue
		}
		at[text] = len(values)
		values = append(values, text)
		numeric = numeric && !math.IsNaN(sweep.Amount(text))
	}
	if numeric {
		slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(sweep.Amount(a), sweep.Amount(b)) })
		for i, text := range values {
			at[text] = i
		}
	}
	return tui.Axis{Name: knob, Values: values}, at
}

// board returns what shows a sweep. It keeps its points from one call to the next
// and changes what has changed.
func (p *sweepPlan) board(t *sweep.Tracker) func(over bool) *tui.Board {
	figures := t.Figures()
	b := &tui.Board{
		Figures: boardFigures(figures), Across: figureAt(figures, "throughput"), Up: figureAt(figures, "p99"),
		Judged: len(p.space.Base.SLO) > 0,
	}
	b.Points = make([]tui.Point, p.space.Len())
	for i := range b.Points {
		point := p.space.Point(i + 1)
		b.Points[i] = tui.Point{Number: i + 1, Levels: make([]int, len(point.Values))}
		for _, v := range point.Values {
			b.Points[i].Values = append(b.Points[i].Values, clean(v.Text))
		}
	}
	for x, a := range p.space.Axes {
		texts := make([]string, len(b.Points))
		for i := range b.Points {
			texts[i] = b.Points[i].Values[x]
		}
		axis, at := boardAxis(a.Knob, texts)
		b.Axes = append(b.Axes, axis)
		for i := range b.Points {
			b.Points[i].Levels[x] = at[texts[i]]
		}
	}
	var spots []sweep.Spot
	return func(over bool) *tui.Board {
		s := t.Progress()
		spots = t.Spots(spots[:0])
		b.Over = over
		b.Progress = tui.Progress{Done: s.RunsDone, Total: s.Runs, Elapsed: s.Elapsed, ETA: s.ETA, Resume: p.onward()}
		for i := range spots {
			showSpot(&b.Points[i], &spots[i])
		}
		b.Best = b.Best[:0]
		if s.RunsDone > 0 && len(s.Best) == 0 {
			b.Best = append(b.Best, fmt.Sprintf("none leads: no measurement so far takes part (--trust %s)", p.trust))
		}
		for i, best := range s.Best {
			b.Points[best.Mark.Point-1].Best = true
			f, missed := best.Objective.Figure, ""
			if spots[best.Mark.Point-1].SLO == sweep.Missed {
				missed = ", which misses the SLO"
			}
			b.Best = append(b.Best, fmt.Sprintf("best %s %s: point %d, %s%s", f.Short, f.Say(best.Mark.Figures[i]), best.Mark.Point,
				clean(p.space.String(p.space.Point(best.Mark.Point))), missed))
		}
		return b
	}
}

// showSpot brings a point up to date.
func showSpot(p *tui.Point, s *sweep.Spot) {
	p.Best = false
	p.Meets = s.SLO == sweep.SLOMet
	switch {
	case s.Running:
		p.State = tui.Running
	case s.Runs == 0:
		p.State = tui.Waiting
		return
	case s.Verdict != bench.Valid:
		p.State = tui.Doubtful
	default:
		p.State = tui.Measured
	}
	p.Figures = boardValues(p.Figures[:0], s.Figures)
}

// tries brings a board up to the points that a search has tried: those that it
// knows are changed, new ones are added.
func tries(b *tui.Board, list []lab.Try, figures []sweep.Figure) {
	for i, x := range list {
		if i == len(b.Points) {
			p := tui.Point{Number: i + 1}
			for _, text := range x.Texts {
				p.Values = append(p.Values, clean(text))
			}
			b.Points = append(b.Points, p)
		}
		p := &b.Points[i]
		if p.State, p.Meets, p.Best = tui.Running, !x.Missed, false; x.Shot == nil {
			continue
		}
		if p.State = tui.Measured; x.Shot.Verdict != bench.Valid {
			p.State = tui.Doubtful
		}
		p.Figures = p.Figures[:0]
		for _, f := range figures {
			p.Figures = append(p.Figures, x.Shot.Of(f).Or(math.NaN()))
		}
	}
}

// searchFigures are those of a search's board.
func searchFigures(more ...sweep.Figure) (out []sweep.Figure) {
	for _, name := range []string{"throughput", "rejected", "mean", "p99"} {
		f, _ := lab.FigureOf(name) // it is one of them
		out = append(out, f)
	}
	for _, f := range more {
		if !slices.ContainsFunc(out, func(g sweep.Figure) bool { return g.Name == f.Name }) {
			out = append(out, f)
		}
	}
	return out
}

// searchProgress is how far a search is.
func searchProgress(b *tui.Board, s lab.Progress, over bool) {
	b.Over, b.Phase = over, s.Phase
	b.Progress = tui.Progress{Done: s.RunsDone, Total: s.Runs, About: true, Elapsed: s.Elapsed, ETA: s.ETA}
}

// tuneBoard returns what shows a search for the best settings.
func tuneBoard(q *tune.Query, t *tune.Tracker) func(over bool) *tui.Board {
	figures := searchFigures(q.Objective.Figure)
	b := &tui.Board{
		Figures: boardFigures(figures), Across: figureAt(figures, "throughput"), Up: figureAt(figures, "p99"),
		Judged: len(q.Start.SLO) > 0,
	}
	var where []map[string]int
	for _, a := range q.Space().Axes {
		var texts []string
		for _, v := range a.Values {
			texts = append(texts, clean(v.Text))
		}
		axis, at := boardAxis(a.Knob, texts)
		b.Axes, where = append(b.Axes, axis), append(where, at)
	}
	var list []lab.Try
	return func(over bool) *tui.Board {
		list = t.Tries(list[:0])
		known := len(b.Points)
		tries(b, list, figures)
		for i := known; i < len(b.Points); i++ {
			for x, text := range b.Points[i].Values {
				level, ok := where[x][text]
				if !ok {
					level = -1 // off the grid
				}
				b.Points[i].Levels = append(b.Points[i].Levels, level)
			}
		}
		searchProgress(b, t.Progress(), over)
		if best := t.Best(); best != nil {
			b.Best = append(b.Best[:0], bestLine(best, q.Objective))
			for i, x := range list {
				b.Points[i].Best = slices.Equal(x.Texts, best.Texts)
			}
		}
		return b
	}
}

// capacityBoard returns what shows a search for the capacity: rates, of which those
// that were tried so far make an axis, behind those of what else varies.
func capacityBoard(axes []sweep.Axis, t *capacity.Tracker) func(over bool) *tui.Board {
	names := []string{}
	for _, a := range axes {
		names = append(names, a.Knob)
	}
	names = append(names, "rate")
	figures := searchFigures()
	b := &tui.Board{
		Figures: boardFigures(figures), Across: figureAt(figures, "throughput"), Up: figureAt(figures, "p99"), Judged: true,
	}
	var list []lab.Try
	return func(over bool) *tui.Board {
		list = t.Tries(list[:0])
		known := len(b.Points)
		tries(b, list, figures)
		if len(b.Points) > known {
			b.Axes = b.Axes[:0]
			for x, name := range names {
				texts := make([]string, len(b.Points))
				for i := range b.Points {
					texts[i] = b.Points[i].Values[x]
				}
				axis, at := boardAxis(name, texts)
				b.Axes = append(b.Axes, axis)
				for i := range b.Points {
					p := &b.Points[i]
					if x == 0 {
						p.Levels = p.Levels[:0]
					}
					p.Levels = append(p.Levels, at[texts[i]])
				}
			}
		}
		searchProgress(b, t.Progress(), over)
		b.Best = append(b.Best[:0], betweenLines(t.Between())...)
		return b
	}
}
