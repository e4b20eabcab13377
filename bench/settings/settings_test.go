package settings_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/lanes/fairshare"
	"ferryctl/workload"
)

func TestTheTableIsTheSettledOne(t *testing.T) {
	var names []string
	for _, k := range settings.Knobs() {
		names = append(names, k.Name)
		if k.Flag != strings.ReplaceAll(k.Name, "_", "-") || k.Form == "" || k.Doc == "" || k.Example == "" {
			t.Errorf("%s is described incompletely: %+v", k.Name, k)
		}
		if got, ok := settings.Lookup(k.Name); !ok || got.Name != k.Name {
			t.Errorf("%s is not found", k.Name)
		}
	}
	want := "kernel batch_size batch_weight batch_delay in_flight queue queue_weight direct share room_policy rate lane_rate clients arrivals " +
		"keys key_skew weights lanes backend clock seed duration items warmup drain repeat trace speed slo"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the knobs are\n%s\nwant\n%s", got, want)
	}
}

func TestDefaultsAreThoseOfTheDesign(t *testing.T) {
	s := settings.Default()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	want := map[string]string{
		"kernel": "perkey", "batch_size": "64", "batch_weight": "unlimited", "batch_delay": "0s", "in_flight": "8", "queue": "10k",
		"queue_weight": "unlimited", "direct": "on", "rate": "10k/s", "arrivals": "poisson", "keys": "1", "key_skew": "0", "weights": "1",
		"backend": "synthetic(base=0s,per_item=0s,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)",
		"clock":   "real", "duration": "30s", "warmup": "5%", "drain": "10s",
		"share": "", "room_policy": "", "lane_rate": "", "clients": "", "lanes": "", "seed": "", "items": "", "trace": "", "speed": "", "slo": "",
	}
	for _, v := range s.Values() {
		if v.Text != want[v.Knob] || v.Text != s.Get(v.Knob) {
			t.Errorf("%s is %q by default, want %q", v.Knob, v.Text, want[v.Knob])
		}
		source := s.Source(v.Knob)
		if v.Text != "" && source != "default" {
			t.Errorf("%s comes from %q", v.Knob, source)
		}
	}
	if got := s.Workload(); !reflect.DeepEqual(got, workload.Spec{
		Rate: workload.Rate{PerSecond: 10_000}, Keys: 1, Weights: got.Weights, Speed: 1, Duration: 30 * time.Second,
	}) {
		t.Errorf("the workload is %+v", got)
	}
}

// set sets knob to text from a source and fails the test if that is refused.
func set(t testing.TB, s *settings.Settings, knob, text, source string) {
	t.Helper()
	if err := s.Set(knob, text, source); err != nil {
		t.Fatal(err)
	}
}

func TestSettingAKnobReachesItsFieldAndNoOther(t *testing.T) {
	for _, k := range settings.Knobs() {
		s := settings.Default()
		set(t, &s, k.Name, k.Example, "flag --"+k.Flag)
		want := settings.Default()
		mirror(t, &want, k.Name)
		s, want = without(s), without(want)
		if !reflect.DeepEqual(s, want) {
			t.Errorf("%s=%s gives\n%+v\nwant\n%+v", k.Name, k.Example, s, want)
		}
	}
}

// without forgets the sources, which mirror can't make.
func without(s settings.Settings) settings.Settings {
	var clean settings.Settings
	from, to := reflect.ValueOf(s), reflect.ValueOf(&clean).Elem()
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return clean
}

// mirror stores the example of a knob the long way.
func mirror(t *testing.T, s *settings.Settings, knob string) {
	t.Helper()
	var err error
	switch knob {
	case "kernel":
		s.Kernel, s.Direct = "make", false
	case "batch_size":
		s.BatchSize = 16
	case "batch_weight":
		s.BatchWeight = 1 << 20
	case "batch_delay":
		s.BatchDelay = 5 * time.Millisecond
	case "in_flight":
		s.InFlight = 4
	case "queue":
		s.Queue = 500
	case "queue_weight":
		s.QueueWeight = 64 << 20
	case "direct":
		s.Direct = false
	case "share":
		s.Share, err = fairshare.ParseShares("gold=3,free=1")
	case "room_policy":
		s.RoomPolicy = "shared"
	case "rate":
		s.Rate = workload.Rate{Ramp: workload.Ramp{From: 1000, To: 80_000, Over: time.Minute}}
	case "lane_rate":
		s.Rate = workload.Rate{}
		s.LaneRate = []workload.LaneRate{{Lane: "gold", Rate: workload.Rate{PerSecond: 5000}}, {Lane: "free", Rate: workload.Rate{PerSecond: 20_000}}}
	case "clients":
		s.Rate, s.Clients = workload.Rate{}, 64
	case "arrivals":
		s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 4, On: time.Second, Off: 9 * time.Second}
	case "keys":
		s.Keys = 100_000
	case "key_skew":
		s.KeySkew = 1.1
	case "weights":
		s.Weights = workload.Weights{Kind: workload.LognormalWeight, Median: 4096, Sigma: 1}
	case "lanes":
		s.Lanes = []workload.LaneFraction{{Lane: "gold", Fraction: 0.2}, {Lane: "free", Fraction: 0.8}}
	case "backend":
		s.Backend.Base, s.Backend.PerItem = time.Millisecond, 20*time.Microsecond
	case "seed":
		s.Seed, s.SeedGiven = 42, true
	case "duration":
		s.Duration = time.Minute
	case "items":
		s.Items, s.Duration = 1_000_000, 0
	case "warmup":
		s.Warmup = settings.Warmup{Duration: 2 * time.Second}
	case "drain":
		s.Drain = time.Minute
	case "repeat":
		s.Repeat = 5
	case "trace":
		s.Trace, s.Arrivals.Kind = "load.csv", workload.FromTrace
		s.Rate, s.Keys, s.KeySkew, s.Weights = workload.Rate{}, 0, 0, workload.Weights{}
		s.Duration, s.Warmup = 0, settings.Warmup{} // replayed whole
	case "speed":
		s.Speed = 10
	case "slo":
		other := settings.Default()
		err = other.Set("slo", "p99<=20ms,rejected<=0.1%", "x")
		s.SLO = other.SLO
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWordsForNoBoundAreKept(t *testing.T) {
	s := settings.Default()
	for _, k := range []string{"batch_size", "batch_weight", "in_flight", "queue", "queue_weight"} {
		set(t, &s, k, "unlimited", "flag")
		if s.Get(k) != "unlimited" {
			t.Errorf("%s is %s", k, s.Get(k))
		}
	}
	set(t, &s, "batch_delay", "never", "flag")
	if s.BatchSize != settings.Unlimited || s.QueueWeight != math.MaxInt64 || s.BatchDelay != settings.Never || s.Get("batch_delay") != "never" {
		t.Errorf("got %+v", s)
	}
}

func TestValuesBecomeJSONThatSetReadsBack(t *testing.T) {
	s := settings.Default()
	set(t, &s, "batch_weight", "1MiB", "x")
	set(t, &s, "slo", "p99<=20ms", "x")
	set(t, &s, "seed", "18446744073709551615", "x")
	got := map[string]string{}
	for _, v := range s.Values() {
		text, err := json.Marshal(v.JSON)
		if err != nil {
			t.Fatal(err)
		}
		got[v.Knob] = string(text)
	}
	for knob, want := range map[string]string{
		"batch_size": "64", "batch_weight": "1048576", "in_flight": "8", "queue": "10000", "queue_weight": `"unlimited"`, "batch_delay": `"0s"`,
		"direct": `"on"`, "rate": `"10k/s"`, "clients": "null", "keys": "1", "key_skew": "0", "items": "null", "speed": "null",
		"seed": "18446744073709551615", "slo": `"p99\u003c=20ms"`, "trace": "null", "warmup": `"5%"`, "lanes": "null",
	} {
		if got[knob] != want {
			t.Errorf("%s is %s in JSON, want %s", knob, got[knob], want)
		}
	}
	set(t, &s, "trace", "x.csv", "flag --trace")
	for _, v := range s.Values() {
		if (v.Knob == "keys" || v.Knob == "key_skew" || v.Knob == "weights" || v.Knob == "rate") && (v.JSON != nil || v.Text != "") {
			t.Errorf("with a trace %s is %q, %v", v.Knob, v.Text, v.JSON)
		}
	}
	for knob, want := range map[string]any{"arrivals": "trace", "speed": 1.0, "duration": nil, "warmup": "0s"} {
		for _, v := range s.Values() {
			if v.Knob == knob && v.JSON != want {
				t.Errorf("with a trace %s is %v, want %v", knob, v.JSON, want)
			}
		}
	}
}

func TestACopySharesNothing(t *testing.T) {
	a := settings.Default()
	b := a
	set(t, &b, "queue", "7", "flag --queue")
	set(t, &b, "clients", "7", "flag --clients")
	if a.Queue != 10_000 || a.Source("queue") != "default" || a.Clients != 0 || a.Rate.IsZero() || len(a.Replaced()) != 0 {
		t.Errorf("setting the copy changed the original: %+v", a)
	}
	var zero settings.Settings
	set(t, &zero, "queue", "7", "x")
	if zero.Queue != 7 {
		t.Error("the zero value can't be set")
	}
}
