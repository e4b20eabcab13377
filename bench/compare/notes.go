// What else differs between two sides than their figures.

package compare

import (
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench/settings"
)

// maxNotes bounds them: those of one cell are usually those of all.
const maxNotes = 12

// notes adds what differs between two cells: settings, the load, the clock, the
// machine.
func (c *Comparison) notes(sa, sb *Side, a, b *cell, axes []string) {
	add := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if len(c.Notes) < maxNotes && !slices.Contains(c.Notes, text) {
			c.Notes = append(c.Notes, text)
		}
	}
	x, y := a.runs[0], b.runs[0]
	load := false
	knobs := slices.Clone(sa.knobs)
	for _, k := range sb.knobs {
		if !slices.Contains(knobs, k) {
			knobs = append(knobs, k)
		}
	}
	for _, name := range knobs {
		before, after := sa.knob(x, name), sb.knob(y, name)
		if before == after || name == "seed" || name == "slo" || slices.Contains(axes, name) {
			continue
		}
		k, _ := settings.Lookup(name)
		switch {
		case k.Section == "workload" || name == "trace" || name == "speed":
			load = true
			add("the load differs: %s %s, then %s", name, said(before), said(after))
		case k.Section == "backend":
			add("the backend differs: %s, then %s", said(before), said(after))
		case k.Section == "run":
			add("the run differs: %s %s, then %s", name, said(before), said(after))
		default:
			add("%s %s, then %s", name, said(before), said(after))
		}
	}
	if x.clock != y.clock {
		add("the clock differs: %s, then %s: one of them knows no machine", x.clock, y.clock)
	}
	if x.machine != y.machine {
		add("the machine differs: %s, then %s", x.machine, y.machine)
	}
	if first, second, ok := apart(sa, sb, a, b); ok {
		c.Apart = true
		add("all of %s was measured before %s: what changed on the machine in between counts as a difference; runs of both sides in turn share it", first, second)
	}
	if x.version != y.version {
		add("the program differs: %s, then %s", x.version, y.version)
	}
	c.noteSeeds(a, b, load, add)
}

// noteDoubted says of how many runs of a side it had to be told to trust them: what is
// claimed rests on them too.
func (c *Comparison) noteDoubted(s *Side) {
	doubted, first := 0, ""
	for _, x := range s.runs {
		if why := untrusted(x, "valid"); why != "" {
			if doubted++; doubted == 1 {
				first, _, _ = strings.Cut(why, ": --trust")
			}
		}
	}
	if doubted > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d runs of %s take part by --trust alone, such as the first of them: %s", doubted, len(s.runs), s.Name, first))
	}
}

// apart says which side was measured before the other, if none of its runs by the real
// clock ended after one of the other began.
func apart(sa, sb *Side, a, b *cell) (first, second string, ok bool) {
	before := func(x, y *cell) bool {
		last := int64(0)
		for _, r := range x.runs {
			last = max(last, r.end)
		}
		for _, r := range y.runs {
			if r.began == 0 || r.began < last {
				return false
			}
		}
		return last > 0
	}
	switch {
	case before(a, b):
		return sa.Name, sb.Name, true
	case before(b, a):
		return sb.Name, sa.Name, true
	}
	return "", "", false
}

// noteSeeds says whether both saw the same arrivals: the same seeds and the same
// hashes of all items.
func (c *Comparison) noteSeeds(a, b *cell, load bool, add func(string, ...any)) {
	of := func(runs []run) (seeds, hashes []string) {
		for _, x := range runs {
			seeds, hashes = append(seeds, fmt.Sprint(x.seed)), append(hashes, x.hash)
		}
		slices.Sort(seeds)
		slices.Sort(hashes)
		return seeds, slices.Compact(hashes)
	}
	seeds, hashes := of(a.runs)
	others, otherHashes := of(b.runs)
	switch {
	case !slices.Equal(seeds, others):
		add("the seeds differ: %s, then %s: a part of the difference may be that of the arrivals", list(seeds), list(others))
	case !load && a.runs[0].clock == "virtual" && !slices.Equal(hashes, otherHashes):
		add("the same seeds gave other items: the workloads differ in something that is no knob")
	}
	if a.again+b.again > 0 {
		add("runs in virtual time with the same seed are the same run, not repeats of it, and count once")
	}
	if a.runs[0].clock == "virtual" && len(a.runs) == 1 && len(b.runs) == 1 && slices.Equal(hashes, otherHashes) {
		add("in virtual time a difference is exact for these arrivals; what other arrivals would give takes runs with other seeds")
	}
}

func said(text string) string {
	if text == "" || text == "null" {
		return "not set"
	}
	return text
}

// list writes some texts, and how many more there are.
func list(texts []string) string {
	const most = 5
	if len(texts) > most {
		return strings.Join(texts[:most], ", ") + fmt.Sprintf(" and %d more", len(texts)-most)
	}
	return strings.Join(texts, ", ")
}
