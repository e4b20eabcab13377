package export

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

func TestTheCommandMakesTheSameRun(t *testing.T) {
	s := settings.Default()
	for _, p := range [][2]string{
		{"kernel", "make"},
		{"batch_size", "16"},
		{"batch_delay", "2ms"},
		{"clients", "8"},
		{"keys", "1000"},
		{"seed", "7"},
		{"items", "5000"},
		{"clock", "virtual"},
		{"backend", "synthetic(base=1ms,per_item=20us)"},
		{"slo", "p99<=20ms,rejected<=0.1%"},
		{"weights", "uniform(1,9)"},
	} {
		if err := s.Set(p[0], p[1], "test"); err != nil {
			t.Fatal(err)
		}
	}
	r := full()
	r.Settings, r.Seed = nil, 7
	for _, v := range s.Values() {
		value, err := json.Marshal(v.JSON)
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = append(r.Settings, bench.Setting{Knob: v.Knob, Value: value})
	}
	again := settings.Default()
	// A shell takes the command apart, and so finds out whether it is quoted well.
	out, err := exec.Command("bash", "-c", `printf '%s\n' `+Command(r)).Output()
	if err != nil {
		t.Skip("no bash")
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i := 2; i+1 < len(words); i += 2 {
		if err := again.Set(strings.ReplaceAll(strings.TrimPrefix(words[i], "--"), "-", "_"), words[i+1], "test"); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range again.Values() {
		if want := s.Values()[i]; v.Text != want.Text {
			t.Errorf("%s is %q, want %q by %s", v.Knob, v.Text, want.Text, Command(r))
		}
	}
}

func TestWordsSurviveAShell(t *testing.T) {
	for _, word := range append(evil, "it's", "$(id)", "a b", "tab\there", "new\nline", "\u202ebidi", "日本") {
		out, err := exec.Command("bash", "-c", "printf %s "+shellWord(word)).Output()
		if err != nil {
			t.Skip("no bash")
		}
		if string(out) != word {
			t.Errorf("%q comes back as %q by %s", word, out, shellWord(word))
		}
	}
}
