package settings_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/workload"
)

func TestBadValuesAreRefusedWithWhatWouldBeRight(t *testing.T) {
	for _, c := range []struct{ knob, text, want string }{
		{"kernel", "perKey", `unknown value "perKey", did you mean perkey: want make, keyed, perkey`},
		{"kernel", "", "empty: want make|keyed|perkey"},
		{"batch_size", "0", "0 is out of range: want at least 1, or unlimited"},
		{"batch_size", "-1", `"-1" is not a number >= 0`},
		{"batch_size", "1KiB", "unknown unit"},
		{"batch_size", "never", "or unlimited"},
		{"batch_size", "99999999999999999999", "at most"},
		{"batch_weight", "0", "at least 1"},
		{"batch_delay", "5", `"5" is without a unit: want 5ms, 5s`},
		{"batch_delay", "61m", "1h1m0s is out of range: want 0s to 1h, or never"},
		{"batch_delay", "unlimited", "or never"},
		{"in_flight", "0", "at least 1"},
		{"queue", "0", "at least 1"},
		{"queue_weight", "0B", "at least 1"},
		{"direct", "true", `unknown value "true": want on or off`},
		{"rate", "50k", "want 50k/s"},
		{"rate", "0/s", "more than 0/s"},
		{"rate", "NaN/s", "not a rate"},
		{"lane_rate", "gold", "want the form gold=5k/s"},
		{"lane_rate", "gold=max", "max is no rate of a lane"},
		{"clients", "0", "0 is out of range: want 1 to 1M"},
		{"clients", "2M", "2M is out of range: want 1 to 1M"},
		{"arrivals", "poison", "poisson"},
		{"keys", "0", "0 is out of range: want 1 to 100M"},
		{"keys", "101M", "want 1 to 100M"},
		{"key_skew", "-1", "not a number >= 0"},
		{"key_skew", "1e999", "not a number"},
		{"key_skew", "2000000", "2e+06 is out of range: want 0 to 1000000"},
		{"weights", "0", "too light"},
		{"lanes", "gold=0", "above 0"},
		{"lanes", "gold=1,gold=2", "given twice"},
		{"lanes", "gold=0.1,free=0.5", "the fractions add up to 0.6: want parts of the whole that add up to 1 or 100%, such as gold=0.1666667,free=0.8333333"},
		{"lanes", "gold=10%,free=50%", "the fractions add up to 0.6"},
		{"lanes", "gold=3,free=1", "the fractions add up to 4: want parts of the whole that add up to 1 or 100%, such as gold=0.75,free=0.25"},
		{"lanes", "gold=0.1,free=0.900002", "add up to 1.000002"},
		{"backend", "sqlite:x", "not available yet"},
		{"backend", "synthetic(jitter=2)", "jitter 2 is out of bounds"},
		{"clock", "reel", "did you mean real"},
		{"seed", "-1", `"-1" is no seed: want a whole number from 0 to 18446744073709551615`},
		{"seed", "+1", "is no seed"},
		{"seed", "10k", "is no seed"},
		{"seed", "18446744073709551616", "is no seed"},
		{"duration", "0s", "0s is out of range: want 1ms to 720h"},
		{"duration", "15", "without a unit"},
		{"duration", "721h", "out of range"},
		{"items", "0", "want 1 to 1T"},
		{"items", "1.5", "not whole"},
		{"warmup", "95%", "95% is out of range: want 0% to 90%"},
		{"warmup", "5", "or a part of the run such as 5%"},
		{"drain", "-1s", "not a duration"},
		{"drain", "721h", "out of range"},
		{"trace", "a\x00b", "no path"},
		{"speed", "0", "0 is out of range: want 0.000001 to 1000000000"},
		{"slo", "p99<=20", "needs a unit, such as 20ms"},
		{"slo", "fairness<=2", "want 2%"},
	} {
		s := settings.Default()
		err := s.Set(c.knob, c.text, "flag --"+c.knob)
		if err == nil {
			t.Errorf("%s takes %q", c.knob, c.text)
			continue
		}
		if !strings.HasPrefix(err.Error(), "flag --"+c.knob+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s refuses %q with\n%v\nwant %q in it", c.knob, c.text, err, c.want)
		}
		if !reflect.DeepEqual(s, settings.Default()) {
			t.Errorf("%s refuses %q but changes something", c.knob, c.text)
		}
	}
}

func TestEveryFaultOfAValueHasItsSource(t *testing.T) {
	s := settings.Default()
	err := s.Set("slo", "p99<=20,meen<=1s", "hot.yaml:3:7")
	want := "hot.yaml:3:7: slo: p99<=20: the bound 20 needs a unit, such as 20ms\nhot.yaml:3:7: slo: unknown metric \"meen\", did you mean mean"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	err = s.Set("batchsize", "1", "flag --set batchsize")
	if want := `flag --set batchsize: unknown knob "batchsize": did you mean batch_size`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := s.Set("zzzzzz", "1", "x"); err == nil || !strings.Contains(err.Error(), "want one of kernel, batch_size") {
		t.Errorf("got %v", err)
	}
	if s.Get("zzzzzz") != "" || s.Source("zzzzzz") != "" {
		t.Error("an unknown knob has a value")
	}
}

func TestCombinationsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, c := range []struct {
		given []given
		want  string
	}{
		{[]given{{"arrivals", "trace", 2}}, "arrivals trace (flag --x): want a trace"},
		{[]given{{"speed", "2", 2}}, "flag --x: speed: 2 needs a trace"},
		{[]given{{"trace", "f", 2}, {"warmup", "5%", 2}}, "warmup 5% (flag --x) is a part of a trace of unknown length: want a duration"},
		{[]given{{"warmup", "30s", 2}}, "warmup 30s (flag --x) leaves nothing of duration 30s (default) to measure"},
		{[]given{{"warmup", "50%", 2}, {"duration", "1ms", 2}}, "warmup 50% (flag --x) leaves less than 1ms of duration 1ms"},
		{[]given{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"batch_size", "unlimited", 2}}, "batch_delay never (flag --x) with batch_size unlimited (flag --x): no batch is ever full"},
		{[]given{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"queue", "63", 2}}, "no batch is ever full while queue 63 (flag --x) may wait"},
		{[]given{{"direct", "off", 2}, {"batch_delay", "never", 2}, {"clients", "63", 2}}, "and clients 63 (flag --x): all clients may come to wait for batches that never fill"},
		{[]given{{"batch_delay", "never", 2}, {"clients", "1", 2}}, "batches that never fill"}, // direct calls need a delay of 0s
		{[]given{{"direct", "off", 2}, {"batch_delay", "never", 2}, {"clients", "64", 2}, {"keys", "1000", 2}}, "batches that never fill"},
		{[]given{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"clients", "1", 2}, {"batch_weight", "1000", 2}}, "batches that never fill"},
		{[]given{{"clock", "virtual", 2}, {"clients", "4", 2}}, "clock virtual (flag --x) with clients 4 (flag --x) and a backend that takes no time: no run would get to the end of duration 30s (default)"},
		{[]given{{"clock", "virtual", 2}, {"clients", "64", 2}, {"kernel", "make", 2}, {"batch_delay", "5ms", 2}}, "a backend that takes no time"},
		{[]given{{"clock", "virtual", 2}, {"clients", "4", 2}, {"kernel", "make", 2}, {"batch_delay", "5ms", 2}, {"batch_weight", "3", 2}}, "a backend that takes no time"},
		{[]given{{"clock", "virtual", 2}, {"clients", "64", 2}, {"kernel", "make", 2}, {"batch_delay", "never", 2}}, "a backend that takes no time"},
		{[]given{{"arrivals", "bursty(factor=2,on=1us,off=1us)", 2}, {"rate", "0.001/s", 2}}, "flag --x: arrivals: bursty(factor=2,on=1us,off=1us): on+off is too short"},
	} {
		err := settle(t, c.given).Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got\n%v\nwant %q", c.given, err, c.want)
		}
	}
	for _, fine := range [][]given{
		{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"queue", "64", 2}},
		{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"clients", "64", 2}},
		{{"batch_delay", "never", 2}, {"batch_size", "2", 2}, {"keys", "10", 2}, {"clients", "11", 2}},
		{{"kernel", "make", 2}, {"batch_delay", "never", 2}, {"queue", "5", 2}, {"batch_weight", "3", 2}},
		{{"trace", "f", 2}, {"warmup", "5s", 2}, {"speed", "10", 2}},
		{{"clock", "virtual", 2}},
		{{"clients", "4", 2}},
		{{"clock", "virtual", 2}, {"clients", "4", 2}, {"items", "10", 2}},
		{{"clock", "virtual", 2}, {"clients", "4", 2}, {"backend", "synthetic(base=1us)", 2}},
		{{"clock", "virtual", 2}, {"clients", "63", 2}, {"kernel", "make", 2}, {"batch_delay", "5ms", 2}},
		{{"clock", "virtual", 2}, {"clients", "4", 2}, {"trace", "f", 2}, {"duration", "1s", 2}}, // a trace has an end
	} {
		if err := settle(t, fine).Validate(); err != nil {
			t.Errorf("%v: %v", fine, err)
		}
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	s := settle(t, []given{{"rate", "1/s", 2}, {"clients", "4", 2}, {"items", "5", 1}, {"duration", "5s", 1}, {"speed", "2", 0}})
	s.BatchSize, s.BatchDelay, s.KeySkew, s.Backend.Jitter, s.Clock = 0, -1, math.NaN(), 3, "sundial"
	s.Warmup = settings.Warmup{Fraction: 0.1, Duration: 1}
	s.Keys, s.Drain, s.Queue, s.Speed = workload.MaxKeys+1, -time.Second, -4, 0
	err := s.Validate()
	for _, want := range []string{
		"batch_size: 0 is out of range", "batch_delay: -1ns is out of range", "key_skew: NaN is out of range", "backend: synthetic: jitter 3",
		"clock: unknown value \"sundial\"", "clients 4 (flag --x) conflicts with rate 1/s", "items 5 (env FERRYCTL_X) conflicts with duration 5s",
		"warmup: both a part and a duration", "keys: 100000001 is out of range", "drain: -1s is out of range", "queue: -4 is out of range", "speed: 0 is out of range",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got\n%v\nwant %q in it", err, want)
		}
	}
	if s = settings.Default(); s.Validate() != nil {
		t.Fatal("the defaults are refused")
	}
	s.Duration = 0
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "neither duration nor items is given") {
		t.Errorf("a run without end gives %v", err)
	}
	s = settings.Default()
	s.Keys = 0
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "default: keys: 0 is out of range") {
		t.Errorf("no keys gives %v", err)
	}
}

// random draws a value of a knob as text, in no canonical form.
func random(rng *rand.Rand, k settings.Knob) string {
	pick := func(texts ...string) string { return texts[rng.IntN(len(texts))] }
	number := func() string { return fmt.Sprintf("%d.%d", rng.IntN(200), rng.IntN(1000)) }
	whole := func() string { return fmt.Sprint(1 + rng.Int64N(1<<40)>>rng.IntN(40)) }
	span := func() string { return fmt.Sprint(1+rng.IntN(3000)) + pick("ms", "s") }
	rate := func() string {
		return pick(number()+"1/s", number()+"1k/s", "ramp:"+number()+"1/s.."+number()+"1k/s/"+span())
	}
	switch k.Name {
	case "kernel":
		return pick("make", "keyed", "perkey")
	case "batch_size", "in_flight", "queue":
		return pick(whole(), "unlimited", "10k", "1.5M")
	case "batch_weight", "queue_weight":
		return pick(whole(), "unlimited", "10k", "1.5MiB", whole()+"B")
	case "batch_delay":
		return pick(span(), "never", "0s", "1.5us")
	case "direct":
		return pick("on", "off")
	case "share":
		return pick("a=1", "b=2.50, a/=3,a/x=1/3,a/y="+fmt.Sprint(1+rng.IntN(1000)))
	case "room_policy":
		return pick("guaranteed", "partitioned", "shared")
	case "rate":
		return pick(rate(), "max")
	case "lane_rate":
		return "a=" + rate() + ", b/c=" + rate()
	case "clients":
		return fmt.Sprint(1 + rng.IntN(1_000_000))
	case "arrivals":
		return pick("poisson", "constant", "trace", "bursty( factor=1.5 , on="+span()+",off=3000s)")
	case "keys":
		return pick(fmt.Sprint(1+rng.IntN(workload.MaxKeys)), "10k")
	case "key_skew", "speed":
		return number() + "1"
	case "weights":
		return pick(whole(), "uniform(1,"+whole()+")", "lognormal(median="+whole()+"B,sigma="+number()+")", "pareto(min=4KiB,alpha="+number()+"1)")
	case "lanes":
		part := rng.IntN(9999) + 1
		return pick("a=1", "a=25%,b=75%", fmt.Sprintf("ü=0.%04d,b/c=0.%04d", part, 10_000-part))
	case "backend":
		return "synthetic(base=" + span() + ",dist=" + pick("fixed", "exponential", "lognormal(0.5)") + ",errors=" + pick("0.1%", "7%") + ")"
	case "clock":
		return "real"
	case "seed":
		return fmt.Sprint(rng.Uint64())
	case "duration", "drain":
		return span()
	case "items":
		return pick(whole()[:1], "1.5M")
	case "warmup":
		return pick(span(), "0%", "0s", "12.5%", "90%")
	case "repeat":
		return fmt.Sprint(1 + rng.IntN(settings.MaxRepeat))
	case "trace":
		return pick("load.csv", "a b/ü.csv", "100%.csv")
	case "slo":
		return pick("p99<=20ms", "p999 < 1.5s, rejected<=0.1% ,throughput>="+rate1(rng))
	}
	panic("no values for " + k.Name)
}

func rate1(rng *rand.Rand) string { return fmt.Sprintf("%d.5k/s", rng.IntN(1000)) }

// shown sets what a knob that is idle without it needs to be shown.
func shown(t *testing.T, s *settings.Settings, knob string) {
	t.Helper()
	switch knob {
	case "speed":
		set(t, s, "trace", "x", "flag --trace")
	case "room_policy":
		set(t, s, "share", "a=1", "flag --share")
	}
}

func TestEveryKnobIsWrittenAsItIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, k := range settings.Knobs() {
		for range 100 {
			text := random(rng, k)
			s := settings.Default()
			shown(t, &s, k.Name)
			set(t, &s, k.Name, text, "flag --"+k.Flag)
			canonical := s.Get(k.Name)
			if canonical == "" || s.Source(k.Name) != "flag --"+k.Flag {
				t.Fatalf("%s %q is written %q, from %q", k.Name, text, canonical, s.Source(k.Name))
			}
			again := settings.Default()
			shown(t, &again, k.Name)
			set(t, &again, k.Name, canonical, "flag --"+k.Flag)
			if again.Get(k.Name) != canonical || !reflect.DeepEqual(without(again), without(s)) {
				t.Fatalf("%s %q is written %q, which is read back as %q", k.Name, text, canonical, again.Get(k.Name))
			}
			for _, v := range s.Values() { // what outputs hold is read back too
				if v.Knob == k.Name {
					set(t, &again, k.Name, fmt.Sprint(v.JSON), "flag --"+k.Flag)
				}
			}
			if !reflect.DeepEqual(without(again), without(s)) {
				t.Fatalf("%s %q: the JSON value is read back as %q", k.Name, text, again.Get(k.Name))
			}
		}
	}
}

func FuzzSetNeverPanics(f *testing.F) {
	for i, k := range settings.Knobs() {
		f.Add(uint8(i), k.Example, uint8(i), "1")
		f.Add(uint8(i), k.Default, uint8(8), "max")
	}
	f.Fuzz(func(t *testing.T, i uint8, text string, j uint8, other string) {
		knobs := settings.Knobs()
		a, b := knobs[int(i)%len(knobs)].Name, knobs[int(j)%len(knobs)].Name
		s := settings.Default()
		errA := s.Set(a, text, "flag --a")
		errB := s.Set(b, other, "a.yaml:1:1")
		_ = s.Validate() // whatever it says
		s.Values()
		s.Replaced()
		if errA == nil && errB == nil && s.Get(a) != "" {
			if err := s.Set(a, s.Get(a), "flag --a"); err != nil {
				t.Errorf("%s %q is written %q: %v", a, text, s.Get(a), err)
			}
		}
	})
}
