// What each knob brings, what it may be without harm, and what binds.

package tune

import (
	"fmt"
	"math"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// Harmless is the part of the objective, or the difference of a ratio, that counts
// as no harm.
const (
	Harmless      = 0.02
	harmlessRatio = 0.001
)

func figuresOf(p *point) map[string]bench.Num {
	out := map[string]bench.Num{}
	for _, f := range lab.Figures {
		out[f.Name] = bench.Num{}
		for _, s := range p.shots {
			if s.Of(f).Known() {
				out[f.Name] = bench.Some(p.median(f))
			}
		}
	}
	return out
}

// change returns how far a figure moves from one value to another: as a part of the
// first, or for ratios as a difference.
func change(f sweep.Figure, from, to float64) bench.Num {
	if f.Unit == "ratio" {
		return bench.Some(to - from)
	}
	return bench.Ratio(to-from, from)
}

// buys measures the point with each changed knob where it was before.
func (s *session) buys(best *point) ([]Buys, error) {
	out := []Buys{}
	var without []*point
	for i := range s.order {
		without = append(without, s.with(best, i, s.startText(i)))
	}
	if err := s.measure(without, s.q.Seeds); err != nil {
		return out, err
	}
	f := s.scoring.first.Figure
	for i, p := range without {
		if p == best {
			continue
		}
		b := Buys{Knob: s.q.space.Axes[i].Knob, From: s.startText(i), To: best.texts[i]}
		if p == nil {
			b.Text = fmt.Sprintf("%s %s can't be run with the rest", b.Knob, b.From)
			out = append(out, b)
			continue
		}
		x := s.scoring.of(p)
		b.Value, b.Change, b.Without = bench.Some(p.median(f)), change(f, p.median(f), best.median(f)), x.class < classMissed
		parts := []string{fmt.Sprintf("%s %s instead of %s: %s", b.Knob, b.To, b.From, moved2(f, p.median(f), best.median(f)))}
		if g := s.scoring.second.Figure; within(x.first, s.scoring.of(best).first, sameFirst) {
			parts = append(parts, moved2(g, p.median(g), best.median(g)))
		}
		if missed := missedAt(p); len(missed) > 0 && s.scoring.of(best).class < classMissed {
			parts = append(parts, "without it the SLO is missed ("+strings.Join(missed, ", ")+")")
		}
		b.Text = strings.Join(parts, "; ")
		out = append(out, b)
	}
	return out, nil
}

// moved2 says a figure at two points: "p99 from 9.12 ms to 4.01 ms, -56.0 %".
func moved2(f sweep.Figure, from, to float64) string {
	if rounded(from) == rounded(to) {
		return fmt.Sprintf("%s stays at %s", f.Short, f.Say(to))
	}
	text := fmt.Sprintf("%s from %s to %s", f.Short, f.Say(from), f.Say(to))
	if f.Unit == "ratio" || from == 0 {
		return text
	}
	return text + ", " + signed(to/from-1)
}

// signed writes a change as people read it: "+12.5 %", "-3.00 %", "x8.50".
func signed(part float64) string {
	switch {
	case part >= 9:
		return "x" + human.Short(1+part)
	case part < 0:
		return "-" + human.Percent(-part)
	}
	return "+" + human.Percent(part)
}

// missedAt returns the terms that a point misses with some seed.
func missedAt(p *point) []string {
	out := []string{}
	for i, t := range p.terms {
		if v := worstOf(p, i, t); !v.OK {
			out = append(out, t.String())
		}
	}
	return out
}

// free looks along each knob through the point.
func (s *session) free(best *point) ([]Free, error) {
	out := []Free{}
	var all []*point
	for axis := range s.order {
		for _, v := range s.order[axis] {
			all = append(all, s.with(best, axis, v.Text))
		}
	}
	if err := s.measure(all, 1); err != nil {
		return out, err
	}
	for axis, values := range s.order {
		f := Free{Knob: s.q.space.Axes[axis].Knob, Value: best.texts[axis], Values: []string{}}
		at := best.spot[axis]
		first, last := at, at
		for first > 0 && s.unharmed(best, axis, first-1) {
			first--
		}
		for last+1 < len(values) && s.unharmed(best, axis, last+1) {
			last++
		}
		for _, v := range values[first : last+1] {
			f.Values = append(f.Values, v.Text)
		}
		f.DontCare = len(f.Values) == len(values)
		f.AtEnd = s.q.space.Axes[axis].Numeric() && !f.DontCare && first == last && (at == 0 || at == len(values)-1) && !math.IsInf(values[at].Amount, 0) && values[at].Amount > 0
		f.Text = s.freeText(f, axis)
		out = append(out, f)
	}
	return out, nil
}

// unharmed says whether a value of a knob does no harm, by the first seed.
func (s *session) unharmed(best *point, axis, level int) bool {
	p := s.with(best, axis, s.order[axis][level].Text)
	if p == nil || len(p.shots) == 0 {
		return false
	}
	a, b := &point{shots: best.shots[:1], terms: best.terms}, &point{shots: p.shots[:1], terms: p.terms}
	x, y := s.scoring.of(a), s.scoring.of(b)
	if y.class > max(x.class, classDoubted) {
		return false
	}
	if y.class >= classMissed && y.missed > x.missed*(1+Harmless) {
		return false
	}
	if !harmless(s.scoring.first, a, b) {
		return false
	}
	// What is no worse by the objective must not be by what decides among equals,
	// unless it is better.
	return harmless(s.scoring.second, a, b) || !within(x.first, y.first, Harmless)
}

// harmless says whether a figure is no worse at b than at a.
func harmless(o sweep.Objective, a, b *point) bool {
	from, to := a.median(o.Figure), b.median(o.Figure)
	if o.Figure.Unit == "ratio" {
		return math.Abs(to-from) <= harmlessRatio
	}
	return within(from, to, Harmless) || o.Better(to, from)
}

func (s *session) freeText(f Free, axis int) string {
	first, last := f.Values[0], f.Values[len(f.Values)-1]
	switch {
	case f.DontCare:
		return fmt.Sprintf("%s: don't care, anything from %s to %s does as well", f.Knob, first, last)
	case len(f.Values) == 1 && f.AtEnd:
		return fmt.Sprintf("%s: %s, the end of what was tried; beyond it may be better", f.Knob, first)
	case len(f.Values) == 1:
		return fmt.Sprintf("%s: %s, no other value does as well", f.Knob, first)
	case !s.q.space.Axes[axis].Numeric():
		return fmt.Sprintf("%s: %s do as well", f.Knob, strings.Join(f.Values, ", "))
	}
	return fmt.Sprintf("%s: %s to %s do as well", f.Knob, first, last)
}

// binding says what holds the point back.
func (s *session) binding(p *point) Binding {
	b := Binding{Limits: p.shots[0].Limits.String()}
	spare := math.Inf(1)
	for i, t := range p.terms {
		v := worstOf(p, i, t)
		x, ok := v.Value.Get()
		if !ok || t.Bound == 0 {
			continue
		}
		part := (t.Bound - x) / t.Bound
		if strings.HasPrefix(string(t.Op), ">") {
			part = -part
		}
		if part < spare {
			spare, b.Term, b.Lane, b.Spare = part, t.String(), v.Lane, bench.Some(part)
			b.Text = fmt.Sprintf("%s has the least to spare: %s, %s of the bound left", t, termValue(t, x)+ofLane(v.Lane), human.Percent(math.Max(0, part)))
			if part < 0 {
				b.Text = fmt.Sprintf("%s is missed: %s", t, termValue(t, x)+ofLane(v.Lane))
			}
		}
	}
	return b
}

// ofLane names the share lane that a value is of, if it is of one.
func ofLane(lane string) string {
	if lane == "" {
		return ""
	}
	return " of share lane " + lane
}

// obstacles says which terms are missed at the nearest point, and whether each could
// be met at all.
func (s *session) obstacles(nearest *point) []Obstacle {
	out := []Obstacle{}
	for i, t := range nearest.terms {
		v := worstOf(nearest, i, t)
		if v.OK {
			continue
		}
		o := Obstacle{Term: t.String(), Value: v.Value}
		var at *point
		for _, p := range s.asked {
			if s.scoring.of(p).class == classInvalid {
				continue
			}
			w := worstOf(p, i, t)
			o.Possible = o.Possible || w.OK
			if at == nil || lab.Distance(t, w.Value) < lab.Distance(t, o.Best) {
				at, o.Best = p, w.Value
			}
		}
		value := "no data"
		if x, ok := v.Value.Get(); ok {
			value = termValue(t, x) + ofLane(v.Lane)
		}
		o.Text = fmt.Sprintf("SLO missed: %s: %s at the nearest point (%s)", t, value, s.say(nearest))
		switch {
		case at == nil:
		case o.Possible:
			o.At = s.knobs(at)
			o.Text += fmt.Sprintf("; %s at %s, where another term is missed", termValue(t, o.Best.Or(0)), s.say(at))
		default:
			o.At = s.knobs(at)
			o.Text += fmt.Sprintf("; no point that was measured meets it, the best has %s (%s)", termValue(t, o.Best.Or(0)), s.say(at))
		}
		out = append(out, o)
	}
	return out
}

// termValue writes a value of a term for people.
func termValue(t slo.Term, v float64) string {
	switch t.Metric.Unit() {
	case slo.PerSecond:
		return human.Rate(v)
	case slo.Ratio:
		return human.Percent(v)
	}
	return human.Duration(v)
}
