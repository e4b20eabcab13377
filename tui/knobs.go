package tui

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"ferryctl/bench"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// chosen returns the chosen knob.
func (m *model) chosen() (bench.LiveKnob, bool) {
	if m.snap == nil || m.knob >= len(m.snap.Knobs) {
		return bench.LiveKnob{}, false
	}
	return m.snap.Knobs[m.knob], true
}

// turn does what keys do to knobs.
func (m *model) turn(k tea.KeyMsg) tea.Cmd {
	is := func(c command) bool { return key.Matches(k, c.Binding) }
	knob, ok := m.chosen()
	if !ok {
		return nil
	}
	n := len(m.snap.Knobs)
	switch {
	case is(keys.choose):
		m.knob = (m.knob + 1) % n
	case is(keys.chooseBack):
		m.knob = (m.knob + n - 1) % n
	case is(keys.more):
		m.change(knob, 1)
	case is(keys.less):
		m.change(knob, -1)
	case is(keys.revert):
		clear(m.edits)
	case is(keys.apply):
		return m.apply(knob)
	}
	return nil
}

// change moves the chosen knob a step, without applying it.
func (m *model) change(knob bench.LiveKnob, steps int) {
	if m.o.Set == nil || knob.Fixed != "" {
		m.say(fixedBecause(knob), true)
		return
	}
	from, edited := m.edits[knob.Name]
	if !edited {
		from = knob.Value
	}
	m.edits[knob.Name] = step(knob.Name, from, steps)
	if m.edits[knob.Name] == knob.Value {
		delete(m.edits, knob.Name)
	}
}

func fixedBecause(k bench.LiveKnob) string {
	if k.Fixed != "" {
		return k.Fixed
	}
	return "this run's knobs cannot be turned"
}

// apply hands on the chosen knob's new value, or that of the only one changed.
func (m *model) apply(knob bench.LiveKnob) tea.Cmd {
	value, edited := m.edits[knob.Name]
	if !edited && len(m.edits) == 1 {
		for name, v := range m.edits {
			knob.Name, value, edited = name, v, true
		}
	}
	switch {
	case m.o.Set == nil || knob.Fixed != "" && edited:
		m.say(fixedBecause(knob), true)
		return nil
	case !edited:
		m.say("nothing to apply: choose a knob with [ ] and change it with the arrows", true)
		return nil
	case m.applying:
		return nil
	}
	m.applying = true
	set, name := m.o.Set, knob.Name
	return func() tea.Msg { return appliedMsg{name, value, set(name, value)} }
}

func (m *model) applied(a appliedMsg) {
	m.applying = false
	if a.err != nil {
		m.say(a.knob+" "+a.value+": "+oneLine(a.err.Error()), true)
		return
	}
	if m.edits[a.knob] == a.value {
		delete(m.edits, a.knob)
	}
	m.say(a.knob+" is "+a.value+" from now on", false)
	m.poll()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// beginSave asks for the file to save to.
func (m *model) beginSave() tea.Cmd {
	if m.o.Save == nil {
		m.say("there is nowhere to save to", true)
		return nil
	}
	m.saving, m.confirm = true, false
	m.file.SetValue(m.o.SaveAs)
	m.file.CursorEnd()
	return m.file.Focus()
}

// typeKey takes a key while a file name is typed.
func (m *model) typeKey(k tea.KeyMsg) tea.Cmd {
	if m.confirm {
		m.saving, m.confirm = false, false
		if k.String() == "y" || k.String() == "Y" {
			return m.save(true)
		}
		m.say("not saved", false)
		return nil
	}
	switch k.Type { //nolint:exhaustive // the rest is typed
	case tea.KeyEsc:
		m.saving = false
		m.say("not saved", false)
		return nil
	case tea.KeyEnter:
		m.saving = false
		if strings.TrimSpace(m.file.Value()) == "" {
			m.say("not saved: no name was given", true)
			return nil
		}
		return m.save(false)
	}
	var cmd tea.Cmd
	m.file, cmd = m.file.Update(k)
	return cmd
}

func (m *model) save(replace bool) tea.Cmd {
	save, file := m.o.Save, strings.TrimSpace(m.file.Value())
	return func() tea.Msg { return savedMsg{file, save(file, replace)} }
}

func (m *model) saved(s savedMsg) {
	switch {
	case errors.Is(s.err, ErrExists):
		m.saving, m.confirm = true, true
	case s.err != nil:
		m.say("not saved: "+oneLine(s.err.Error()), true)
	default:
		m.say("saved as "+s.file, false)
	}
}

// step returns a knob's value so many sensible steps away. What it can't read, it
// leaves alone.
func step(knob, from string, steps int) string {
	switch knob {
	case "rate":
		v, err := units.ParseRate(from)
		if err != nil {
			return from
		}
		return units.FormatRate(min(stepOf(rateSteps, v, steps, 1), workload.MaxRate))
	case "batch_delay":
		d, err := units.ParseDelay(from)
		if err != nil {
			return from
		}
		return units.FormatDelay(stepDelay(d, steps))
	case "batch_weight", "queue_weight":
		return stepLimit(from, steps, units.ParseSizeLimit, units.FormatSizeLimit)
	}
	return stepLimit(from, steps, units.ParseLimit, units.FormatLimit)
}

// rateSteps are the steps within a decade of rates.
var rateSteps = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}

// stepOf moves along steps that repeat in every decade, from least on.
func stepOf(decade []float64, v float64, steps int, least float64) float64 {
	for ; steps > 0; steps-- {
		v = next(decade, v)
	}
	for ; steps < 0; steps++ {
		v = max(previous(decade, v), least)
	}
	return v
}

// next returns the first step above v.
func next(decade []float64, v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, d := range append(slices.Clone(decade), 10) {
		if d*power > v*(1+1e-9) {
			return roundTo(d*power, 3)
		}
	}
	return 20 * power
}

// previous returns the last step below v.
func previous(decade []float64, v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for i := len(decade) - 1; i >= 0; i-- {
		if decade[i]*power < v*(1-1e-9) {
			return roundTo(decade[i]*power, 3)
		}
	}
	return roundTo(decade[len(decade)-1]*power/10, 3)
}

const (
	leastDelay   = 100 * time.Microsecond
	longestDelay = 10 * time.Second
)

// stepDelay moves between 0, a tenth of a millisecond, and so on to ten seconds,
// and then never.
func stepDelay(d time.Duration, steps int) time.Duration {
	switch {
	case steps > 0 && d == 0:
		return leastDelay
	case steps > 0 && d >= longestDelay:
		return units.Never
	case steps < 0 && d <= leastDelay:
		return 0
	case steps < 0 && d == units.Never:
		return longestDelay
	}
	return time.Duration(math.Round(stepOf([]float64{1, 2, 5}, float64(d), steps, float64(leastDelay))))
}

// mostLimit is the largest limit before unlimited.
const mostLimit = 1 << 30

// stepLimit moves between powers of two and what lies in the middle of them, up
// to unlimited.
func stepLimit(from string, steps int, parse func(string) (int64, error), format func(int64) string) string {
	v, err := parse(from)
	if err != nil {
		return from
	}
	switch {
	case steps > 0 && v >= mostLimit:
		return format(units.Unlimited)
	case steps < 0 && v == units.Unlimited:
		return format(mostLimit)
	}
	for ; steps > 0; steps-- {
		power := int64(1) << (63 - bits.LeadingZeros64(uint64(v)))
		if half := power + power/2; power > 1 && v < half {
			v = half
		} else {
			v = 2 * power
		}
	}
	for ; steps < 0 && v > 1; steps++ {
		power := int64(1) << (63 - bits.LeadingZeros64(uint64(v-1)))
		if half := power + power/2; power > 1 && v > half {
			v = half
		} else {
			v = power
		}
	}
	return format(max(v, 1))
}
