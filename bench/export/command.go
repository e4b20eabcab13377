// The command that makes a run again.

package export

import (
	"regexp"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// Command returns the command line that makes a run with the same settings and the
// same load. Knobs at their defaults are left out; a profile is too, since its
// values are all there. Text that a shell would take apart is quoted, for bash if
// it holds what is not visible.
func Command(r *bench.Result) string {
	words := []string{"ferryctl", "bench"}
	for _, s := range r.Settings {
		knob, ok := settings.Lookup(s.Knob)
		text := s.Text()
		if !ok || text == "" || text == "null" || knob.Name == "seed" {
			continue
		}
		if atDefault(knob.Name, text) {
			continue
		}
		words = append(words, "--"+knob.Flag, shellWord(text))
	}
	return strings.Join(append(words, "--seed", strconv.FormatUint(r.Seed, 10)), " ")
}

// atDefault says whether a value is the one that a knob has anyhow.
func atDefault(knob, text string) bool {
	s := settings.Default()
	return s.Set(knob, text, "the run") == nil && s.Get(knob) == defaults.Get(knob)
}

var defaults = settings.Default()

// sweepCommand does the same for a sweep.
func sweepCommand(r *sweep.Report) string {
	words := []string{"ferryctl", "sweep"}
	varies := map[string]bool{"seed": true}
	h := r.Header
	for _, a := range h.Axes {
		varies[a.Knob] = true
		words = append(words, "--"+flagOf(a.Knob), shellWord(a.Text))
	}
	for _, s := range h.Base {
		if !varies[s.Knob] && s.Source != "default" {
			words = append(words, "--"+flagOf(s.Knob), shellWord(s.Text))
		}
	}
	if h.Sample != nil {
		words = append(words, "--sample", strconv.Itoa(h.Sample.Points), "--design", h.Sample.Design)
	}
	if h.LeaveOut {
		words = append(words, "--skip-impossible", "yes")
	}
	return strings.Join(append(words, "--seed", strconv.FormatUint(h.Seed, 10)), " ")
}

func flagOf(knob string) string {
	if k, ok := settings.Lookup(knob); ok {
		return k.Flag
	}
	return strings.ReplaceAll(knob, "_", "-")
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_./:+%@,-]+$`)

// shellWord writes a word as a shell reads it, on one line.
func shellWord(s string) string {
	switch {
	case bare.MatchString(s):
		return s
	case plain(s) != s:
		quoted := strconv.QuoteToASCII(s)
		quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
		return "$'" + strings.ReplaceAll(quoted, "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
