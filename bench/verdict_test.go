package bench

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// good is a result that nothing is wrong with, and its facts.
func good() (*Result, *facts) {
	r := &Result{Complete: true, Window: Window{Measured: Some(10)}}
	r.Counts = Counts{Offered: 100_000, Done: 100_000, LateMaxNS: Some(5e6)}
	r.Latency.Sojourn = Latency{Count: 100_000, P99: Some(20e6), P999: Some(30e6)}
	r.Measurement = Measurement{
		GeneratorCeiling: Some(1e6), GeneratorLoad: Some(0.01),
		GCMaxPause: Some(0.1e6), GCPaused: Some(0.3e6), GCCount: Some(5), LittlesLawGap: Some(0.001),
	}
	return r, &facts{scheduled: true, inTime: 100_000, expected: 100_000}
}

func TestAGeneratorHopelesslyBehindIsInvalid(t *testing.T) {
	r := &Result{}
	judge(r, &facts{scheduled: true, overran: true})
	if r.Measurement.Verdict != Invalid {
		t.Errorf("%s: %v", r.Measurement.Verdict, r.Measurement.Reasons)
	}
}

func TestVerdictsAndTheirReasons(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(*Result, *facts)
		want   Verdict
		reason string
	}{
		"nothing wrong":           {func(*Result, *facts) {}, Valid, ""},
		"counts do not add up":    {func(_ *Result, f *facts) { f.identity = errors.New("offered 3") }, Invalid, "offered 3"},
		"kernel disagrees":        {func(_ *Result, f *facts) { f.kernel = errors.New("done 3, not 4") }, Invalid, "done 3, not 4"},
		"another setting":         {func(_ *Result, f *facts) { f.settings = []string{"queue 5, not 6"} }, Invalid, "queue 5, not 6"},
		"just held":               {func(_ *Result, f *facts) { f.inTime = 99_000 }, Valid, ""},
		"not held":                {func(_ *Result, f *facts) { f.inTime = 98_900 }, Invalid, "9.89k/s sent of 10.0k/s scheduled; 1.10 % of the arrivals were missing when the window ended, sent only after it"},
		"no schedule to hold":     {func(_ *Result, f *facts) { f.inTime, f.scheduled, f.expected = 0, false, 0 }, Valid, ""},
		"nominal rate, by chance": {func(_ *Result, f *facts) { f.expected = 102_000 }, Valid, ""},
		"nominal rate missed":     {func(_ *Result, f *facts) { f.expected = 103_000 }, Invalid, "100,000 arrivals where the asked rate gives 103,000"},
		"some unsent":             {func(r *Result, _ *facts) { r.Counts.Unsent = 100 }, Valid, ""},
		"many unsent":             {func(r *Result, _ *facts) { r.Counts.Unsent = 200 }, Suspect, "0.200 % of the arrivals were never sent: the generator was more than 1 s behind"},
		"no caller free":          {func(r *Result, f *facts) { r.Counts.Unsent, f.noCaller = 200, 200 }, Suspect, "every caller goroutine was busy"},
		"late":                    {func(r *Result, _ *facts) { r.Counts.Late = 1100 }, Suspect, "1.10 % of the arrivals were sent more than 1 ms late, the latest by 5.00 ms"},
		"near the ceiling":        {func(r *Result, _ *facts) { r.Measurement.GeneratorLoad = Some(0.85) }, Suspect, "near its ceiling: the load is 85.0 % of 1.00M/s"},
		"at the ceiling":          {func(r *Result, _ *facts) { r.Measurement.GeneratorLoad = Some(0.96) }, Invalid, "saturated: the load is 96.0 %"},
		"as fast as it can":       {func(r *Result, f *facts) { r.Measurement.GeneratorLoad, f.saturating = Some(0.99), true }, Valid, ""},
		"more than the ceiling":   {func(r *Result, f *facts) { r.Measurement.GeneratorLoad, f.outran = Some(1), true }, Suspect, "may be near its ceiling: the load of 1.00M/s is more"},
		"more than could be sent": {func(r *Result, f *facts) { r.Measurement.GeneratorLoad, f.outran, f.inTime = Some(1.2), true, 80_000 }, Invalid, "saturated: the load is 120 %"},
		"far off, of few items": {func(r *Result, f *facts) {
			r.Measurement.LittlesLawGap, r.Counts.Offered, f.inTime, f.expected = Some(0.5), 999, 999, 0
		}, Suspect, "Little's law is off"},
		"far off, in a short time": {func(r *Result, _ *facts) { r.Measurement.LittlesLawGap, r.Window.Measured = Some(0.5), Some(0.9) }, Suspect, "Little's law is off"},
		"far off, of hardly any": {func(r *Result, f *facts) {
			r.Measurement.LittlesLawGap, r.Counts.Offered, f.inTime, f.expected = Some(0.5), 99, 99, 0
		}, Valid, ""},
		"pauses at nanoseconds": {func(r *Result, _ *facts) { r.Latency.Sojourn.P99, r.Measurement.GCPaused = Some(9e3), Some(50e6) }, Valid, ""},
		"pauses at microseconds": {func(r *Result, _ *facts) {
			r.Latency.Sojourn.P99, r.Measurement.GCPaused, r.Measurement.GCMaxPause = Some(10e3), Some(50e6), Some(101e3)
		}, Suspect, "up to 101 µs, more than ten times the p99, for up to 0.500 % of the window"},
		"little's law":              {func(r *Result, _ *facts) { r.Measurement.LittlesLawGap = Some(0.05) }, Suspect, "Little's law is off by 5.00 %"},
		"little's law, far off":     {func(r *Result, _ *facts) { r.Measurement.LittlesLawGap = Some(0.5) }, Invalid, "Little's law is off by 50.0 %"},
		"drain cut short":           {func(r *Result, _ *facts) { r.Counts.InFlightAtEnd = 3 }, Suspect, "3 items had not ended"},
		"drain hopeless":            {func(r *Result, _ *facts) { r.Counts.InFlightAtEnd = 2000 }, Invalid, "2.00 % of the items (2,000)"},
		"short window":              {func(r *Result, f *facts) { r.Window.Measured = Some(0.5) }, Suspect, "only 500 ms long"},
		"nothing done":              {func(r *Result, _ *facts) { r.Latency.Sojourn = Latency{} }, Suspect, "no item of the window was done"},
		"few done":                  {func(r *Result, _ *facts) { r.Latency.Sojourn.Count = 999 }, Suspect, "only 999 items were done"},
		"long and frequent pauses":  {func(r *Result, _ *facts) { r.Measurement.GCMaxPause, r.Measurement.GCPaused = Some(12e6), Some(50e6) }, Suspect, "paused the process up to 12.0 ms, 60.0 % of the p99"},
		"one long pause":            {func(r *Result, _ *facts) { r.Measurement.GCMaxPause, r.Measurement.GCPaused = Some(9.9e6), Some(9.9e6) }, Valid, ""},
		"stopped before the window": {func(r *Result, f *facts) { *r, *f = Result{}, facts{scheduled: true} }, Suspect, "window is only 0 s long"},
	} {
		r, f := good()
		c.edit(r, f)
		judge(r, f)
		if n := r.Measurement.InvalidReasons; (n > 0) != (c.want == Invalid) {
			t.Errorf("%s: %d reasons for INVALID", name, n)
		}
		text := strings.Join(r.Measurement.Reasons, "\n")
		if r.Measurement.Verdict != c.want || !strings.Contains(text, c.reason) || (c.want == Valid) != (text == "") {
			t.Errorf("%s: %s because %q; want %s because %q", name, r.Measurement.Verdict, text, c.want, c.reason)
		}
	}
}

// The same arrivals are not counted twice, once as missing and once as unsent.
func TestOneReasonSaysWhereTheMissingArrivalsWent(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*Result, *facts)
		want string
	}{
		"all unsent": {func(r *Result, _ *facts) { r.Counts.Unsent = 12_000 }, "12.0 % of the arrivals were missing when the window ended, never sent: the generator was more than 1 s behind schedule"},
		"some late":  {func(r *Result, _ *facts) { r.Counts.Unsent = 9_000 }, "12.0 % of the arrivals were missing when the window ended, 3.00 % sent only after it and 9.00 % never: the generator was more"},
		"no callers": {func(r *Result, f *facts) { r.Counts.Unsent, f.noCaller = 12_000, 12_000 }, "never sent: every caller goroutine was busy"},
		"both":       {func(r *Result, f *facts) { r.Counts.Unsent, f.noCaller = 12_000, 500 }, "500 found every caller goroutine busy, for the rest the generator was behind schedule"},
		"stopped":    {func(r *Result, _ *facts) { r.Counts.Unsent, r.Complete = 12_000, false }, "behind schedule when it was stopped"},
	} {
		r, f := good()
		f.inTime = 88_000
		c.edit(r, f)
		judge(r, f)
		if got := r.Measurement.Reasons; len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q, want %q alone", name, got, c.want)
		}
	}
}

func TestTheWorstReasonComesFirst(t *testing.T) {
	r, f := good()
	r.Counts.Late, r.Measurement.GeneratorLoad = 5000, Some(0.99)
	judge(r, f)
	if r.Measurement.Verdict != Invalid || len(r.Measurement.Reasons) != 2 || !strings.Contains(r.Measurement.Reasons[0], "saturated") {
		t.Errorf("%s: %q", r.Measurement.Verdict, r.Measurement.Reasons)
	}
}

func TestExitStatuses(t *testing.T) {
	missed, met := []SLO{{Term: "mean<=1s", OK: true}, {Term: "p99<=1ms"}}, []SLO{{Term: "p99<=1s", OK: true}}
	for _, c := range []struct {
		verdict Verdict
		slo     []SLO
		signal  int
		want    int
	}{
		{Valid, nil, 0, 0},
		{Valid, met, 0, 0},
		{Valid, missed, 0, 3},
		{Suspect, met, 0, 0},
		{Suspect, missed, 0, 3},
		{Invalid, nil, 0, 4},
		{Invalid, missed, 0, 4}, // a missed SLO on an invalid measurement
		{Valid, nil, 130, 130},
		{Invalid, missed, 143, 143},
		{Valid, missed, 129, 129},
	} {
		r := &Result{SLO: c.slo, Measurement: Measurement{Verdict: c.verdict}}
		if got := r.ExitStatus(c.signal); got != c.want {
			t.Errorf("%s, SLO %+v, signal %d: exit %d, want %d", c.verdict, c.slo, c.signal, got, c.want)
		}
	}
}

func TestTheIdentityHoldsExactlyWhenEveryItemIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) uint64 { return rapid.Uint64Range(0, 1000).Draw(t, name) }
		c := Counts{Done: n("done"), Rejected: n("rejected"), Failed: n("failed"), Cancelled: n("cancelled"), Unsent: n("unsent"), InFlightAtEnd: n("flight")}
		off := rapid.Uint64Range(0, 2).Draw(t, "off")
		c.Offered = c.Done + c.Rejected + c.Failed + c.Cancelled + c.Unsent + c.InFlightAtEnd + off
		if err := checkIdentity(c); (err == nil) != (off == 0) {
			t.Fatalf("%+v: %v", c, err)
		}
	})
}

func TestLittlesLawIsHeldOnlyAgainstQueuesWorthTheName(t *testing.T) {
	for _, c := range []struct {
		byTime, byItems float64
		window          time.Duration
		gap             Num
	}{
		{100, 100, time.Second, Some(0)},
		{100, 90, time.Second, Some(0.1)},
		{90, 100, time.Second, Some(0.1)},
		{0, 100, time.Second, Some(1)},
		{0.001, 0.009, time.Second, Some(0)}, // below the clock's grain
		{0, 0, time.Second, Some(0)},
		{5, 5, 0, Num{}},
	} {
		if _, _, gap := littlesLaw(c.byTime, c.byItems, c.window); gap != c.gap {
			t.Errorf("%v by time, %v by items over %v: gap %v, want %v", c.byTime, c.byItems, c.window, gap, c.gap)
		}
	}
}
