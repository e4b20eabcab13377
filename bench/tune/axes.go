// Which knobs vary if nobody said so.

package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/bench/sweep"
	"ferryctl/workload/units"
)

// bySource is the source of the values that are tried if nobody gave others. It has
// the rank of a flag: what the profile says is where the search starts.
const bySource = "flag of the search"

// Defaults returns the knobs of the kernel that a search varies if it was not told
// which, each over values that start, which the profile gives, is one of:
//
//	batch_size    1 to 1024 by doubling
//	batch_delay   0s, and 0.25 ms to 16 ms by doubling
//	in_flight     1 to 64 by doubling
//	direct        on and off, of perkey
//	batch_weight  a quarter to four times what it is, if it is bounded
//	queue         a sixteenth to four times what it is, if the SLO bounds rejections
func Defaults(start settings.Settings) ([]sweep.Axis, error) {
	var axes []sweep.Axis
	var faults []error
	add := func(knob string, values ...string) {
		k, _ := settings.Lookup(knob) // it is one of the table's
		if now := start.Get(knob); now != "" && !has(k, values, now) {
			values = append(values, now)
		}
		a, err := sweep.Parse(k, strings.Join(values, ","), bySource)
		faults = append(faults, err)
		slices.SortStableFunc(a.Values, byAmount)
		axes = append(axes, a)
	}
	add("batch_size", "1..1024:x2")
	if start.BatchWeight != settings.Unlimited {
		add("batch_weight", around(start.BatchWeight, units.FormatSizeLimit, 0.25, 0.5, 1, 2, 4)...)
	}
	add("batch_delay", "0s", "250us..16ms:x2")
	add("in_flight", "1..64:x2")
	if start.Queue != settings.Unlimited && slices.ContainsFunc(start.SLO, func(t slo.Term) bool { return t.Metric == slo.Rejected }) {
		add("queue", around(start.Queue, units.FormatLimit, 0.0625, 0.25, 1, 4)...)
	}
	if start.Kernel == settings.PerKey {
		add("direct", "on", "off")
	}
	return axes, errors.Join(faults...)
}

// around writes parts and multiples of a bound, those that coincide once.
func around(v int64, write func(int64) string, parts ...float64) []string {
	var out []string
	for _, p := range parts {
		text := write(max(1, int64(float64(v)*p)))
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// has says whether the texts of a knob's values have one of them.
func has(k settings.Knob, texts []string, value string) bool {
	a, err := sweep.Parse(k, strings.Join(texts, ","), bySource)
	return err == nil && slices.ContainsFunc(a.Values, func(v sweep.Value) bool { return same(k, v.Text, value) })
}

// same says whether two texts are one value of a knob.
func same(k settings.Knob, a, b string) bool {
	x, errX := k.Canonical(a)
	y, errY := k.Canonical(b)
	return errX == nil && errY == nil && x == y
}

func byAmount(a, b sweep.Value) int {
	switch {
	case a.Amount < b.Amount:
		return -1
	case a.Amount > b.Amount:
		return 1
	}
	return 0
}

// checkAxes refuses knobs whose values are no settings to choose among.
func checkAxes(axes []sweep.Axis) error {
	var faults []error
	for _, a := range axes {
		k, _ := settings.Lookup(a.Knob) // Parse has seen it
		if a.Varies() && k.Section != "kernel" {
			faults = append(faults, fmt.Errorf("%s: %s varies: a search chooses among settings of the kernel, under one load and one backend: want one value", a.Source, a.Knob))
		}
	}
	return errors.Join(faults...)
}
