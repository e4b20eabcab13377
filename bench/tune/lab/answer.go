// What the answers of searches have in common.

package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
)

// Asked is the part of an answer that says what was asked, and how much was done
// for it.
type Asked struct {
	Schema    string           `json:"schema"`
	Complete  bool             `json:"complete"` // false when the search was stopped before its end
	Profile   string           `json:"profile"`
	Seed      uint64           `json:"seed"`
	SeedDrawn bool             `json:"seed_drawn"`
	Seeds     int              `json:"seeds"` // how often what is compared was measured: seed, seed+1 …
	SLO       []string         `json:"slo"`
	Implied   []string         `json:"slo_implied"` // those of the terms that nobody asked for
	Settings  []sweep.AxisText `json:"settings"`    // the knobs in force, and who set them
	Search    string           `json:"search"`      // the command that makes the search again
	Runs      int              `json:"runs"`        // in virtual time, all that were made
	Warnings  []string         `json:"warnings"`
}

// About begins an answer. implied are those of the SLO's terms that nobody asked for.
func About(schema, search string, start settings.Settings, implied []slo.Term, seeds int) Asked {
	a := Asked{
		Schema: schema, Profile: start.Profile, Seed: start.Seed, SeedDrawn: !start.SeedGiven, Seeds: seeds, Search: search,
		SLO: []string{}, Implied: []string{}, Settings: []sweep.AxisText{}, Warnings: []string{},
	}
	for _, t := range start.SLO {
		a.SLO = append(a.SLO, t.String())
	}
	for _, t := range implied {
		a.Implied = append(a.Implied, t.String())
		a.Warnings = append(a.Warnings, fmt.Sprintf("the SLO says nothing of what is rejected, so %s was added to it: figures of what was done alone say nothing of the rest", t))
	}
	for _, v := range sweep.InForce(start) {
		if v.Knob != "slo" && v.Knob != "seed" {
			a.Settings = append(a.Settings, v)
		}
	}
	return a
}

// Setting returns the text of a knob in force, "" if it has none.
func (a *Asked) Setting(knob string) string {
	i := slices.IndexFunc(a.Settings, func(v sweep.AxisText) bool { return v.Knob == knob })
	if i < 0 {
		return ""
	}
	return a.Settings[i].Text
}

// Confirmed is a run by both clocks.
type Confirmed struct {
	Seconds float64             `json:"seconds"`
	Missed  []string            `json:"missed"` // terms, in real time
	Verdict bench.Verdict       `json:"verdict"`
	Reason  string              `json:"reason"`
	Reasons []string            `json:"model_reasons"`
	Figures []bench.ModelFigure `json:"figures"`
}

// ConfirmedBy takes from a run by both clocks, of that length, what an answer says.
func ConfirmedBy(r *bench.Result, length time.Duration) Confirmed {
	c := Confirmed{Seconds: length.Seconds(), Missed: []string{}, Verdict: r.Measurement.Verdict, Reasons: []string{}, Figures: []bench.ModelFigure{}}
	if len(r.Measurement.Reasons) > 0 {
		c.Reason = r.Measurement.Reasons[0]
	}
	for _, t := range r.SLO {
		if !t.OK {
			c.Missed = append(c.Missed, t.Term)
		}
	}
	if r.Model != nil {
		c.Reasons, c.Figures = append(c.Reasons, r.Model.Reasons...), r.Model.Figures
	}
	return c
}

// plainRunes are those that no shell gives a meaning.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./%_+-"

// Quote writes an argument as a shell reads it.
func Quote(arg string) string {
	if arg != "" && strings.Trim(arg, plainRunes) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Flag writes a knob as a flag, with a space before it.
func Flag(knob, text string) string {
	k, _ := settings.Lookup(knob) // settings hold no others
	return " --" + k.Flag + " " + Quote(text)
}

// Flags writes settings as flags, each with a space before it: the profile, the seed,
// and of the other knobs those that written says; given says whether somebody gave it
// beside the profile. The SLO is without the terms that nobody asked for, and the
// clock, which the command decides, is left out.
func Flags(s settings.Settings, implied []slo.Term, written func(knob string, given bool) bool) string {
	var b strings.Builder
	if s.Profile != "" {
		b.WriteString(" --profile " + Quote(s.Profile))
	}
	for _, v := range s.Values() {
		source := s.Source(v.Knob)
		given := strings.HasPrefix(source, "flag ") || strings.HasPrefix(source, "env ")
		switch {
		case v.Knob == "seed":
			b.WriteString(" --seed " + strconv.FormatUint(s.Seed, 10))
		case v.Text == "" || v.Knob == "clock" || v.Knob == "slo" || v.Knob == "repeat" || !written(v.Knob, given):
		default:
			b.WriteString(Flag(v.Knob, v.Text))
		}
	}
	asked := slices.DeleteFunc(slices.Clone(s.SLO), func(t slo.Term) bool { return slices.Contains(implied, t) })
	if len(asked) > 0 {
		b.WriteString(" --slo " + Quote(slo.Format(asked)))
	}
	return b.String()
}
