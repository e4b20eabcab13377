package sweep

import (
	"strings"
	"testing"

	"ferryctl/bench/settings"
)

func texts(values []Value) string {
	var all []string
	for _, v := range values {
		all = append(all, v.Text)
	}
	return strings.Join(all, " ")
}

func TestListsAndRangesGiveTheirValues(t *testing.T) {
	for _, tt := range []struct{ knob, text, want string }{
		{"batch_size", "64", "64"},
		{"batch_size", "1,8,64", "1 8 64"},
		{"batch_size", " 1 , 8 ", "1 8"},
		{"batch_size", "1..256:x2", "1 2 4 8 16 32 64 128 256"},
		{"batch_size", "1..200:x2", "1 2 4 8 16 32 64 128"},
		{"batch_size", "1..10:x1.5", "1 2 3 5 8"},
		{"batch_size", "1..16:+5", "1 6 11 16"},
		{"batch_size", "1,8..32:x2,unlimited", "1 8 16 32 unlimited"},
		{"batch_size", "1..1k:log:4", "1 10 100 1000"},
		{"batch_size", "1..4:log:100", "1 2 3 4"},
		{"batch_weight", "64KiB..1MiB:x4", "64KiB 256KiB 1MiB"},
		{"batch_weight", "1..4KiB:lin:2", "1 4KiB"},
		{"batch_delay", "0s,1ms,never", "0s 1ms never"},
		{"batch_delay", "0.5ms..20ms:log:4", "500us 1.71ms 5.85ms 20ms"},
		{"batch_delay", "0s..4ms:+2ms", "0s 2ms 4ms"},
		{"batch_delay", "0s..3ms:lin:4", "0s 1ms 2ms 3ms"},
		{"key_skew", "0..1:+0.25", "0 0.25 0.5 0.75 1"},
		{"key_skew", "0..0.3:+0.1", "0 0.1 0.2 0.3"},
		{"rate", "10k/s..40k/s:x2", "10k/s 20k/s 40k/s"},
		{"rate", "ramp:1k/s..80k/s/60s,50k/s", "ramp:1k/s..80k/s/60s 50k/s"},
		{"warmup", "0%..10%:+5%", "0% 5% 10%"},
		{"seed", "9000..11000:+1000", "9000 10000 11000"},
		{"kernel", "make,perkey", "make perkey"},
		{"weights", "1,lognormal(median=4KiB,sigma=1)", "1 lognormal(median=4KiB,sigma=1)"},
		{"weights", "1..100:x10", "1 10 100"},
		{"backend", "synthetic(base=1ms,per_item=1us),synthetic(base=2ms)", "synthetic(base=1ms,per_item=1us) synthetic(base=2ms)"},
		{"lane_rate", "gold=1k/s,free=2k/s;gold=2k/s,free=1k/s", "gold=1k/s,free=2k/s gold=2k/s,free=1k/s"},
		{"trace", "../a,b.csv;c..d.csv", "../a,b.csv c..d.csv"},
		{"slo", "p99<=20ms,rejected<=0.1%", "p99<=20ms,rejected<=0.1%"},
	} {
		if got := texts(axis(t, tt.knob, tt.text).Values); got != tt.want {
			t.Errorf("%s %s gives %q, want %q", tt.knob, tt.text, got, tt.want)
		}
	}
}

func TestRangesWithoutAStepAreIntervals(t *testing.T) {
	a := axis(t, "batch_delay", "0.5ms..20ms:log")
	if b := a.Between; b == nil || b.From != 5e5 || b.To != 2e7 || !b.Log || !a.Varies() || a.Unit() != "ns" {
		t.Errorf("0.5ms..20ms:log is %+v", a)
	}
	a = axis(t, "queue", "1..10k")
	if b := a.Between; b == nil || b.From != 1 || b.To != 10_000 || b.Log {
		t.Errorf("1..10k is %+v", a)
	}
}

func TestEveryFaultOfATextIsReportedWithWhatWouldBeRight(t *testing.T) {
	for _, tt := range []struct {
		knob, text string
		wants      []string // one for each fault
	}{
		{"batch_size", "0,8,x", []string{"0 is out of range: want at least 1", `"x"`}},
		{"batch_size", "", []string{"empty: want N|unlimited"}},
		{"batch_size", "1,,8", []string{"empty: want"}},
		{"batch_size", "8,1,8", []string{"8 is the same value as 8: want each once"}},
		{"batch_delay", "1ms,1000us", []string{"1000us is the same value as 1ms"}},
		{"batch_size", "64..1:x2", []string{"64 is not below 1: want the smaller one first"}},
		{"batch_size", "1..unlimited:x2", []string{"unlimited is no number to count to: want it in a list"}},
		{"batch_size", "1..64:2", []string{`"2" is no step`}},
		{"batch_size", "1..64:x1", []string{`"x1" is no factor: want more than 1`}},
		{"batch_size", "1..64:+0", []string{`"+0" is no step`}},
		{"batch_size", "1..64:log:1", []string{`"1" is no number of values: want 2 to 100000`}},
		{"batch_size", "1..64:log:1e9", []string{"is no number of values"}},
		{"batch_size", "1..1G:+1", []string{"more than 100000 values: want a larger step"}},
		{"batch_size", "..64:x2", []string{"is no range: want FROM..TO"}},
		{"batch_size", "1..8..64", []string{"is no range"}},
		{"batch_size", "1..64,128", []string{"1..64 has no step: want one in a list"}},
		{"batch_delay", "0s..5ms:x2", []string{"want to begin above it, or a step"}},
		{"batch_delay", "0s..5ms:log:3", []string{"want to begin above it, or lin"}},
		{"batch_delay", "0s..5ms:log", []string{"want to begin above it, or lin"}},
		{"batch_delay", "1..5ms:+1ms", []string{"1..5ms:+1ms: ", "not a duration"}[:1]},
		{"batch_delay", "1ms..5ms:+1", []string{`"+1" is no step: want more than nothing, in the unit of the values, such as +1ms`}},
		{"batch_size", "1..2k/s:+1", []string{"2k/s"}},
		{"warmup", "1%..5s:+1%", []string{"of two kinds: want both in the same unit"}},
		{"kernel", "make..perkey:+1", []string{"the values of kernel lie on no line: want a list of them"}},
		{"clock", "real,virtual", []string{"want real, virtual, or both to compare the two"}},
		{"slo", "p99<=1ms;p99<=2ms", []string{"an SLO changes nothing in a run"}},
		{"repeat", "1,2", []string{"repeats are no points"}},
	} {
		k, _ := settings.Lookup(tt.knob)
		_, err := Parse(k, tt.text, "flag --"+k.Flag)
		if err == nil {
			t.Errorf("%s %q is accepted", tt.knob, tt.text)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(tt.wants) {
			t.Errorf("%s %q: %d faults, want %d:\n%v", tt.knob, tt.text, len(lines), len(tt.wants), err)
		}
		for i, want := range tt.wants {
			if i < len(lines) && (!strings.Contains(lines[i], want) || !strings.HasPrefix(lines[i], "flag --"+k.Flag+": ")) {
				t.Errorf("%s %q: %q, want %q in it", tt.knob, tt.text, lines[i], want)
			}
		}
	}
}

func TestSeveralTellsListsFromValuesThatLookLikeThem(t *testing.T) {
	for _, tt := range []struct {
		knob, text string
		want       bool
	}{
		{"batch_size", "8", false},
		{"batch_size", "1,8", true},
		{"batch_size", "1..8", true},
		{"rate", "ramp:1k/s..80k/s/60s", false},
		{"slo", "p99<=20ms,rejected<=0.1%", false},
		{"backend", "synthetic(base=1ms,per_item=20us)", false},
		{"trace", "../load.csv", false},
	} {
		k, _ := settings.Lookup(tt.knob)
		if got := Several(k, tt.text); got != tt.want {
			t.Errorf("%s %s: several is %v", tt.knob, tt.text, got)
		}
	}
}

func FuzzParseGivesOnlyValuesThatTheKnobTakes(f *testing.F) {
	for _, text := range []string{"1,8..64:x2", "0s..5ms:log:3", "1..2:+1e-300", "..", "1..2:", ":log", "ramp:1/s..", "a;b", "((", "1..9:x1.0000001"} {
		for i := range settings.Knobs() {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, knob int, text string) {
		all := settings.Knobs()
		k := all[uint(knob)%uint(len(all))]
		a, err := Parse(k, text, "flag --"+k.Flag)
		if err != nil {
			return
		}
		if len(a.Values) == 0 == (a.Between == nil) || len(a.Values) > MaxPoints {
			t.Errorf("%s %q gives %d values and the interval %v", k.Name, text, len(a.Values), a.Between)
		}
		for _, v := range a.Values {
			if _, err := k.Canonical(v.Text); err != nil {
				t.Errorf("%s %q gives %q: %v", k.Name, text, v.Text, err)
			}
		}
	})
}
