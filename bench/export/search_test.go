package export

import (
	"bytes"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/tune/lab"
)

// TestAPageSaysAtItsTopHowTheAnswerFaredInRealTime: an answer that holds in virtual
// time alone is no answer.
func TestAPageSaysAtItsTopHowTheAnswerFaredInRealTime(t *testing.T) {
	for want, c := range map[string]lab.Confirmed{
		`<span class="mark bad">INVALID in real time</span>`:           {Verdict: bench.Invalid},
		`<span class="mark bad">SLO missed in real time</span>`:        {Verdict: bench.Suspect, Missed: []string{"p99<=20ms"}},
		`<span class="mark fair">SLO met in real time, SUSPECT</span>`: {Verdict: bench.Suspect},
		`<span class="mark good">SLO met in real time</span>`:          {Verdict: bench.Valid},
	} {
		a := &capacity.Answer{Confirmed: []capacity.Confirmation{{Place: "above", Confirmed: lab.Confirmed{Verdict: bench.Invalid}}, {Place: "at", Confirmed: c}}}
		a.Schema = capacity.Schema
		var b bytes.Buffer
		if err := WriteCapacity(&b, "html", a); err != nil {
			t.Fatal(err)
		}
		marks, _, _ := strings.Cut(b.String(), `<p class="facts">`)
		if !strings.Contains(marks, want) || strings.Count(marks, "in real time") != 1 {
			t.Errorf("the page has no mark %s", want)
		}
	}
}
