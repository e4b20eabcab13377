package sweep

import (
	"strings"
	"testing"

	"ferryctl/bench"
)

// TestLimitsAreToldFromTheRun makes loads whose bottleneck is known by construction.
func TestLimitsAreToldFromTheRun(t *testing.T) {
	for name, tt := range map[string]struct {
		pairs []string
		want  string
	}{
		"light load":                     {[]string{"rate", "1k/s", "backend", "synthetic(base=1ms)"}, "rate / backend"},
		"company wanted":                 {[]string{"kernel", "make", "rate", "1k/s", "batch_delay", "20ms", "backend", "synthetic(base=100us)"}, "rate / batch_delay"},
		"batches that fill":              {[]string{"kernel", "make", "rate", "10k/s", "batch_size", "32", "batch_delay", "1s", "backend", "synthetic(base=100us)"}, "rate / batch_size"},
		"batches that fill by weight":    {[]string{"kernel", "make", "rate", "10k/s", "weights", "10", "batch_weight", "320", "batch_delay", "1s", "backend", "synthetic(base=100us)"}, "rate / batch_weight"},
		"too few slots":                  {[]string{"kernel", "make", "rate", "10k/s", "batch_size", "4", "in_flight", "1", "queue", "100", "backend", "synthetic(base=1ms)"}, "in_flight+batch_size / in_flight"},
		"a backend that serves one":      {[]string{"kernel", "make", "rate", "10k/s", "batch_size", "4", "in_flight", "8", "queue", "100", "backend", "synthetic(base=1ms,concurrency=1)"}, "backend / in_flight"},
		"one hot key":                    {[]string{"rate", "10k/s", "batch_size", "1", "queue", "100", "in_flight", "8", "backend", "synthetic(base=1ms)"}, "keys / keys"},
		"a room too small for bursts":    {[]string{"kernel", "make", "rate", "4k/s", "batch_size", "64", "batch_delay", "5ms", "queue", "4", "backend", "synthetic(base=10us)"}, "queue / batch_delay"},
		"a room too small by weight":     {[]string{"kernel", "make", "rate", "4k/s", "weights", "10", "batch_delay", "5ms", "queue_weight", "40", "backend", "synthetic(base=10us)"}, "queue_weight / batch_delay"},
		"clients that wait for answers":  {[]string{"clients", "4", "backend", "synthetic(base=1ms)"}, "clients / backend"},
		"nothing at all takes any time":  {[]string{"kernel", "make", "rate", "1k/s"}, "rate / –"},
		"all calls fail, none is turned": {[]string{"rate", "1k/s", "backend", "synthetic(base=1ms,errors=100%)"}, "rate / –"},
	} {
		s := base(t, append([]string{"items", "5000"}, tt.pairs...)...)
		if s.Kernel == "make" {
			if err := s.Set("direct", "off", "flag --direct"); err != nil {
				t.Fatal(err)
			}
		}
		r, err := bench.Run(s, bench.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := LimitsOf(r).String(); got != tt.want {
			t.Errorf("%s: bound by %s, want %s; split %+v left %+v rejected %v", name, got, tt.want, r.Split, r.Batches.Left, r.Rates.Rejected)
		}
	}
}

// The loads of the profiles tenants and noisy-neighbour, and changes to them whose
// bottleneck is known by construction.
func TestLimitsNameTheShareLane(t *testing.T) {
	tenants := []string{
		"kernel", "make", "direct", "off", "rate", "14k/s", "lanes", "gold=0.1,silver=0.2,free=0.7", "share", "gold=3,silver=2,free=1",
		"batch_size", "32", "in_flight", "2", "queue", "2000", "backend", "synthetic(base=500us,per_item=150us)",
	}
	neighbour := []string{
		"kernel", "make", "direct", "off", "lane_rate", "calm=2k/s,steady=2k/s,noisy=40k/s", "share", "calm=1,steady=1,noisy=1",
		"batch_size", "8", "in_flight", "16", "queue", "4000", "backend", "synthetic(base=500us,per_item=500us,jitter=0.3)",
	}
	for name, tt := range map[string]struct {
		base, pairs []string
		want        string
	}{
		"tenants": {tenants, nil, "in_flight / share(free) / room_policy(free)"},
		"tenants, one of whom may be far off its share": {tenants, []string{"slo", "fairness<=0%"}, "in_flight / share(free) / room_policy(free)+fairness("},
		"tenants, none of whom is":                      {tenants, []string{"slo", "fairness<=5%"}, "in_flight / share(free) / room_policy(free)"},
		"tenants in one room":                           {tenants, []string{"room_policy", "shared"}, "in_flight / share(free)"},
		"tenants without shares":                        {tenants, []string{"share", "none"}, "in_flight+batch_size / in_flight"},
		"tenants with half the load":                    {tenants, []string{"rate", "5k/s"}, "rate / backend"},
		"tenants whose room is too small for bursts":    {tenants, []string{"rate", "6k/s", "in_flight", "40", "batch_delay", "10ms", "room_policy", "partitioned", "queue", "60"}, "room_policy(free) / batch_delay / room_policy(free)"},
		"a noisy neighbour":                             {neighbour, nil, "in_flight+batch_size / share(noisy) / room_policy(noisy)"},
		"a noisy neighbour in one room":                 {neighbour, []string{"room_policy", "shared"}, "in_flight+batch_size / share(noisy)"},
		"all neighbours alike":                          {neighbour, []string{"lane_rate", "calm=14k/s,steady=14k/s,noisy=14k/s"}, "in_flight+batch_size / in_flight / room_policy("},
	} {
		r, err := bench.Run(base(t, append(append([]string{"items", "40k"}, tt.base...), tt.pairs...)...), bench.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := LimitsOf(r).String()
		if open := strings.HasSuffix(tt.want, "("); got != tt.want && (!open || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: bound by %s, want %s; split %+v, %v of %v by part, fairness %+v", name, got, tt.want, r.Split, r.Rates.PartBound, r.Counts.Rejected, r.Fairness)
		}
	}
}

func TestAnUnsentLoadIsBoundByTheGenerator(t *testing.T) {
	r := &bench.Result{}
	r.Counts.Offered, r.Counts.Unsent, r.Measurement.Verdict = 1000, 500, bench.Invalid
	if got := LimitsOf(r).String(); got != "generator / –" {
		t.Errorf("bound by %s", got)
	}
	if got := LimitsOf(&bench.Result{}).String(); got != "– / –" {
		t.Errorf("a run without items is bound by %s", got)
	}
}

// TestATurnIsMostOfTheWaitBeyondWhatAllWait: where share lanes wait alike the slots
// bind, where one has most of the wait to itself its share does.
func TestATurnIsMostOfTheWaitBeyondWhatAllWait(t *testing.T) {
	for slot, want := range map[float64]string{7e6: "share(slow)", 9e6: LimitInFlight} { // beyond: 4 ms on average
		r := &bench.Result{Lanes: []bench.Lane{
			{Lane: "fast", Share: bench.Some(0.5), Done: 100, Sojourn: bench.Latency{Mean: bench.Some(2e6)}},
			{Lane: "slow", Share: bench.Some(0.5), Done: 100, Sojourn: bench.Latency{Mean: bench.Some(10e6)}},
			{Lane: "none", Done: 100, Sojourn: bench.Latency{Mean: bench.Some(90e6)}}, // has no share
		}}
		r.Split.Slot = bench.Some(slot)
		if got := LimitsOf(r).Latency; len(got) != 1 || got[0] != want {
			t.Errorf("with %v for a slot, latency is bound by %v, want %s", slot, got, want)
		}
	}
}
