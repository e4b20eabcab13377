package settings_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ferryctl/bench/settings"
)

// sources by ascending rank.
var sources = []string{"hotkeys.yaml:12:5", "env FERRYCTL_X", "flag --x"}

// given is one value in a test: knob, text and the rank of its source.
type given struct {
	knob, text string
	rank       int
}

// settle sets all values in the order given.
func settle(t testing.TB, values []given) settings.Settings {
	t.Helper()
	s := settings.Default()
	for _, v := range values {
		set(t, &s, v.knob, v.text, sources[v.rank])
	}
	return s
}

func TestTheHigherRankWinsInAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		s := settings.Default()
		for _, rank := range order {
			set(t, &s, "queue", fmt.Sprint(100+rank), sources[rank])
			set(t, &s, "queue", "55", "default")
		}
		if s.Queue != 102 || s.Source("queue") != "flag --x" {
			t.Errorf("order %v gives queue %d from %s", order, s.Queue, s.Source("queue"))
		}
	}
	s := settings.Default()
	set(t, &s, "queue", "1", "a.yaml:1:1")
	set(t, &s, "queue", "2", "a.yaml:2:1")
	if s.Queue != 2 {
		t.Errorf("of equal ranks the last does not win: %d", s.Queue)
	}
}

func TestWhatExcludesEachOtherIsSettledByRank(t *testing.T) {
	for _, c := range []struct {
		given    []given
		want     map[string]string // the texts that come out
		replaced string            // knob<by, in knob order
	}{
		{[]given{{"rate", "20k/s", 0}, {"clients", "64", 2}}, map[string]string{"rate": "", "clients": "64"}, "rate<clients"},
		{[]given{{"clients", "64", 0}, {"rate", "20k/s", 2}}, map[string]string{"rate": "20k/s", "clients": ""}, "clients<rate"},
		{[]given{{"rate", "20k/s", 1}, {"clients", "64", 2}}, map[string]string{"rate": "", "clients": "64"}, "rate<clients"},
		{[]given{{"clients", "64", 0}}, map[string]string{"rate": "", "clients": "64"}, ""}, // the default rate gives way unsaid
		{[]given{{"rate", "1/s", 0}, {"lane_rate", "a=1/s", 1}, {"clients", "2", 2}}, map[string]string{"rate": "", "lane_rate": "", "clients": "2"}, "rate<clients lane_rate<clients"},
		{[]given{{"items", "5", 2}, {"duration", "15s", 0}}, map[string]string{"items": "5", "duration": ""}, "duration<items"},
		{[]given{{"items", "5", 0}, {"duration", "15s", 2}}, map[string]string{"items": "", "duration": "15s"}, "items<duration"},
		{[]given{{"items", "5", 0}}, map[string]string{"items": "5", "duration": "", "warmup": "5%"}, ""},
		{[]given{{"lanes", "a=0.5,b=50%", 0}, {"lane_rate", "a=1/s", 2}}, map[string]string{"lanes": "", "rate": "", "lane_rate": "a=1/s"}, "lanes<lane_rate"},
		{
			[]given{{"rate", "9/s", 0}, {"keys", "9", 0}, {"key_skew", "1", 0}, {"weights", "9", 0}, {"lanes", "a=1", 0}, {"arrivals", "constant", 0}, {"duration", "9s", 0}, {"trace", "f", 2}},
			map[string]string{"rate": "", "keys": "", "key_skew": "", "weights": "", "lanes": "", "arrivals": "trace", "duration": "9s", "trace": "f", "speed": "1", "warmup": "5%"},
			"rate<trace arrivals<trace keys<trace key_skew<trace weights<trace lanes<trace",
		},
		{[]given{{"trace", "f", 0}}, map[string]string{"duration": "", "warmup": "0s", "rate": ""}, ""},
		{[]given{{"trace", "f", 0}, {"items", "9", 2}}, map[string]string{"duration": "", "items": "9", "warmup": "5%"}, ""},
		{[]given{{"trace", "f", 0}, {"rate", "max", 2}}, map[string]string{"rate": "max", "trace": "f", "arrivals": "trace"}, ""},
		{[]given{{"trace", "f", 0}, {"clients", "8", 2}}, map[string]string{"rate": "", "clients": "8", "trace": "f", "arrivals": "trace"}, ""},
		{[]given{{"trace", "f", 0}, {"arrivals", "trace", 0}}, map[string]string{"arrivals": "trace"}, ""},
		{[]given{{"arrivals", "constant", 0}, {"clients", "8", 2}}, map[string]string{"arrivals": "poisson", "clients": "8"}, "arrivals<clients"},
		{[]given{{"arrivals", "constant", 0}, {"rate", "max", 2}}, map[string]string{"arrivals": "poisson", "rate": "max"}, "arrivals<rate"},
		{[]given{{"arrivals", "poisson", 0}, {"rate", "max", 0}}, map[string]string{"arrivals": "poisson", "rate": "max"}, ""},
		{[]given{{"direct", "on", 0}, {"kernel", "make", 2}}, map[string]string{"direct": "off", "kernel": "make"}, "direct<kernel"},
		{[]given{{"kernel", "keyed", 0}}, map[string]string{"direct": "off"}, ""},
		// What was replaced comes back when what replaced it is replaced itself.
		{[]given{{"arrivals", "constant", 0}, {"clients", "8", 1}, {"rate", "5/s", 2}}, map[string]string{"arrivals": "constant", "rate": "5/s", "clients": ""}, "clients<rate"},
	} {
		s := settle(t, c.given)
		for knob, want := range c.want {
			if got := s.Get(knob); got != want {
				t.Errorf("%v: %s is %q, want %q", c.given, knob, got, want)
			}
		}
		var replaced []string
		for _, r := range s.Replaced() {
			replaced = append(replaced, r.Knob+"<"+r.By)
			if r.Text == "" || !strings.ContainsAny(r.Source, "hef") || r.BySource == "" || s.Source(r.Knob) == r.Source {
				t.Errorf("%v: replacement %+v", c.given, r)
			}
		}
		if got := strings.Join(replaced, " "); got != c.replaced {
			t.Errorf("%v: replaced are %q, want %q", c.given, got, c.replaced)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%v: %v", c.given, err)
		}
	}
}

func TestConflictsOfOneRankAreRefused(t *testing.T) {
	for _, c := range []struct {
		given []given
		want  string
	}{
		{[]given{{"rate", "20k/s", 2}, {"clients", "64", 2}}, "clients 64 (flag --x) conflicts with rate 20k/s (flag --x): want one of them"},
		{[]given{{"rate", "20k/s", 0}, {"clients", "64", 0}}, "clients 64 (hotkeys.yaml:12:5) conflicts with rate 20k/s (hotkeys.yaml:12:5)"},
		{[]given{{"rate", "1/s", 1}, {"lane_rate", "a=1/s", 1}}, "lane_rate a=1/s (env FERRYCTL_X) conflicts with rate 1/s (env FERRYCTL_X)"},
		{[]given{{"clients", "4", 1}, {"lane_rate", "a=1/s", 1}}, "clients 4 (env FERRYCTL_X) conflicts with lane_rate a=1/s"},
		{[]given{{"items", "5", 2}, {"duration", "5s", 2}}, "items 5 (flag --x) conflicts with duration 5s (flag --x)"},
		{[]given{{"trace", "f", 2}, {"rate", "5/s", 2}}, "trace f (flag --x) conflicts with rate 5/s (flag --x): want speed"},
		{[]given{{"trace", "f", 2}, {"lane_rate", "a=5/s", 2}}, "trace f (flag --x) conflicts with lane_rate a=5/s"},
		{[]given{{"trace", "f", 2}, {"keys", "5", 2}}, "conflicts with keys 5"},
		{[]given{{"trace", "f", 2}, {"key_skew", "1", 2}}, "conflicts with key_skew 1"},
		{[]given{{"trace", "f", 2}, {"weights", "5", 2}}, "conflicts with weights 5"},
		{[]given{{"trace", "f", 2}, {"lanes", "a=1", 2}}, "conflicts with lanes a=1"},
		{[]given{{"trace", "f", 2}, {"arrivals", "poisson", 2}}, "conflicts with arrivals poisson"},
		// A trace stays, whoever asks for something else.
		{[]given{{"trace", "f", 0}, {"rate", "5/s", 2}}, "trace f (hotkeys.yaml:12:5) conflicts with rate 5/s (flag --x)"},
		{[]given{{"trace", "f", 0}, {"keys", "5", 2}}, "trace f (hotkeys.yaml:12:5) conflicts with keys 5 (flag --x)"},
		{[]given{{"lane_rate", "a=1/s", 0}, {"lanes", "a=1", 2}}, "lane_rate a=1/s (hotkeys.yaml:12:5) conflicts with lanes a=1 (flag --x)"},
		{[]given{{"clients", "8", 0}, {"arrivals", "constant", 2}}, "clients 8 (hotkeys.yaml:12:5) conflicts with arrivals constant (flag --x): want a rate"},
		{[]given{{"rate", "max", 2}, {"arrivals", "bursty(factor=4,on=1s,off=9s)", 2}}, "rate max (flag --x) conflicts with arrivals bursty"},
		{[]given{{"kernel", "make", 0}, {"direct", "on", 2}}, "kernel make (hotkeys.yaml:12:5) conflicts with direct on (flag --x): want direct off, or the kernel perkey"},
	} {
		err := settle(t, c.given).Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got\n%v\nwant %q", c.given, err, c.want)
		}
	}
}

func TestTheOrderOfSettingChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	knobs := settings.Knobs()
	for range 500 {
		var values []given
		for _, i := range rng.Perm(len(knobs))[:1+rng.IntN(12)] {
			for _, rank := range rng.Perm(3)[:1+rng.IntN(3)] {
				text := knobs[i].Example
				if rng.IntN(2) == 0 && knobs[i].Default != "" {
					text = knobs[i].Default
				}
				values = append(values, given{knobs[i].Name, text, rank})
			}
		}
		want := settle(t, values)
		rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if got := settle(t, values); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\ngives %+v\nin another order %+v", values, got, want)
		}
	}
}

func TestATraceSaysWhyItHasNoWarmup(t *testing.T) {
	s := settings.Default()
	set(t, &s, "trace", "load.csv", "flag --trace")
	if got, why := s.Get("warmup"), s.Source("warmup"); got != "0s" || why != "flag --trace: a trace is replayed whole, without warm-up unless given" {
		t.Errorf("warmup is %q by %q", got, why)
	}
	set(t, &s, "items", "100", "flag --items")
	if got, why := s.Get("warmup"), s.Source("warmup"); got != "5%" || why != "default" {
		t.Errorf("with items, warmup is %q by %q", got, why)
	}
	s = settings.Default()
	set(t, &s, "trace", "load.csv", "flag --trace")
	set(t, &s, "warmup", "2s", "mine.yaml:3:3")
	if got, why := s.Get("warmup"), s.Source("warmup"); got != "2s" || why != "mine.yaml:3:3" {
		t.Errorf("once given, warmup is %q by %q", got, why)
	}
}
