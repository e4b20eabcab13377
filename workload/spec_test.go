package workload_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"ferryctl/workload"
)

func TestValidateNamesTheKnobAndWhatWouldBeRight(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	lanes := func(name string, rate float64) []workload.LaneRate {
		return []workload.LaneRate{{Lane: name, Rate: workload.Rate{PerSecond: rate}}}
	}
	for _, c := range []struct {
		want   string
		change func(*workload.Spec)
	}{
		{"rate: none given", func(s *workload.Spec) { s.Rate = workload.Rate{} }},
		{"rate: -1/s is out of range: want 0.000000001/s to 1G/s", func(s *workload.Spec) { s.Rate.PerSecond = -1 }},
		{"rate: NaN/s is out of range", func(s *workload.Spec) { s.Rate.PerSecond = nan }},
		{"rate: +Inf/s is out of range", func(s *workload.Spec) { s.Rate.PerSecond = inf }},
		{"rate: 2G/s is out of range", func(s *workload.Spec) { s.Rate.PerSecond = 2e9 }},
		{"rate: 0.0000000001/s is out of range", func(s *workload.Spec) { s.Rate.PerSecond = 1e-10 }},
		{"rate: more than one of", func(s *workload.Spec) { s.Rate.Max = true }},
		{"rate: ramp from -1/s", func(s *workload.Spec) { s.Rate = workload.Rate{Ramp: workload.Ramp{From: -1, To: 1, Over: 1}} }},
		{"rate: ramp to 0/s", func(s *workload.Spec) { s.Rate = workload.Rate{Ramp: workload.Ramp{From: 1, Over: 1}} }},
		{"rate: ramp over 0s", func(s *workload.Spec) { s.Rate = workload.Rate{Ramp: workload.Ramp{From: 1, To: 1}} }},
		{"lane_rate: conflicts with rate", func(s *workload.Spec) { s.LaneRates = lanes("a", 1) }},
		{"lane_rate: a: no rate", func(s *workload.Spec) { s.Rate, s.LaneRates = workload.Rate{}, lanes("a", 0) }},
		{"lane_rate: a: -5/s", func(s *workload.Spec) { s.Rate, s.LaneRates = workload.Rate{}, lanes("a", -5) }},
		{"lane_rate: a: max is no rate", func(s *workload.Spec) {
			s.Rate, s.LaneRates = workload.Rate{}, []workload.LaneRate{{Lane: "a", Rate: workload.Rate{Max: true}}}
		}},
		{"lane_rate: conflicts with lanes", func(s *workload.Spec) {
			s.Rate, s.LaneRates, s.Lanes = workload.Rate{}, lanes("a", 1), []workload.LaneFraction{{Lane: "a", Fraction: 1}}
		}},
		{`lane_rate: "a" is given twice`, func(s *workload.Spec) {
			s.Rate, s.LaneRates = workload.Rate{}, append(lanes("a", 1), lanes("a", 2)...)
		}},
		{"lane_rate: a lane without a name", func(s *workload.Spec) { s.Rate, s.LaneRates = workload.Rate{}, lanes("", 1) }},
		{"rate: conflicts with clients", func(s *workload.Spec) { s.Closed = true }},
		{"lane_rate: conflicts with clients", func(s *workload.Spec) { s.Rate, s.Closed, s.LaneRates = workload.Rate{}, true, lanes("a", 1) }},
		{"keys: 0 is out of range: want 1 to 100M", func(s *workload.Spec) { s.Keys = 0 }},
		{"keys: 100000001 is out of range", func(s *workload.Spec) { s.Keys = workload.MaxKeys + 1 }},
		{"key_skew: -0.1 is out of range", func(s *workload.Spec) { s.KeySkew = -0.1 }},
		{"key_skew: NaN is out of range", func(s *workload.Spec) { s.KeySkew = nan }},
		{"key_skew: +Inf is out of range", func(s *workload.Spec) { s.KeySkew = inf }},
		{"weights: value -1 is out of range", func(s *workload.Spec) { s.Weights.Value = -1 }},
		{"weights: min 2 is above max 1", func(s *workload.Spec) { s.Weights = workload.Weights{Kind: workload.UniformWeight, Min: 2, Max: 1} }},
		{"weights: median 0 is out of range", func(s *workload.Spec) { s.Weights = workload.Weights{Kind: workload.LognormalWeight} }},
		{"weights: sigma NaN is out of range", func(s *workload.Spec) {
			s.Weights = workload.Weights{Kind: workload.LognormalWeight, Median: 1, Sigma: nan}
		}},
		{"weights: alpha 0 is out of range", func(s *workload.Spec) { s.Weights = workload.Weights{Kind: workload.ParetoWeight, Min: 1} }},
		{"weights: kind 9 is unknown", func(s *workload.Spec) { s.Weights.Kind = 9 }},
		{"lanes: a: fraction 0 is out of range", func(s *workload.Spec) { s.Lanes = []workload.LaneFraction{{Lane: "a"}} }},
		{"lanes: a: fraction NaN is out of range", func(s *workload.Spec) { s.Lanes = []workload.LaneFraction{{Lane: "a", Fraction: nan}} }},
		{"lanes: the fractions are too large", func(s *workload.Spec) {
			s.Lanes = []workload.LaneFraction{{Lane: "a", Fraction: math.MaxFloat64}, {Lane: "b", Fraction: math.MaxFloat64}}
		}},
		{"with control characters", func(s *workload.Spec) { s.Lanes = []workload.LaneFraction{{Lane: "a\x1b", Fraction: 1}} }},
		{"lanes: 10001 share lanes are too many", func(s *workload.Spec) { s.Lanes = make([]workload.LaneFraction, 10_001) }},
		{"arrivals: constant needs a rate", func(s *workload.Spec) { s.Rate, s.Arrivals.Kind = workload.Rate{Max: true}, workload.Constant }},
		{"arrivals: kind 9 is unknown", func(s *workload.Spec) { s.Arrivals.Kind = 9 }},
		{"arrivals: bursty: on 0s is too short", func(s *workload.Spec) { s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 1} }},
		{"arrivals: bursty: factor 11 is out of range: want 1 to (on+off)/on = 10", func(s *workload.Spec) {
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 11, On: time.Second, Off: 9 * time.Second}
		}},
		{"arrivals: bursty: factor NaN", func(s *workload.Spec) {
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: nan, On: time.Second, Off: time.Second}
		}},
		{"on+off is too short for the rate 0.001/s, which leaves up to 16m40s between items: want at least 10s", func(s *workload.Spec) {
			s.Rate.PerSecond = 0.001
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 2, On: time.Second, Off: time.Second}
		}},
		{"on+off is too short for the rate ramp:1k/s..0.001/s/1s", func(s *workload.Spec) {
			s.Rate = workload.Rate{Ramp: workload.Ramp{From: 1000, To: 0.001, Over: time.Second}}
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 2, On: time.Second, Off: time.Second}
		}},
		{"trace: none given", func(s *workload.Spec) { s.Rate, s.Arrivals.Kind, s.Speed = workload.Rate{}, workload.FromTrace, 1 }},
		{"trace: conflicts with the arrivals poisson", func(s *workload.Spec) { s.Trace = "x.csv" }},
		{"trace: conflicts with rate", func(s *workload.Spec) { s.Arrivals.Kind, s.Speed, s.Trace = workload.FromTrace, 1, "x.csv" }},
		{"lanes: conflicts with trace", func(s *workload.Spec) {
			s.Arrivals.Kind, s.Speed, s.Trace, s.Lanes = workload.FromTrace, 1, "x.csv", []workload.LaneFraction{{Lane: "a", Fraction: 1}}
		}},
		{"speed: 0 is out of range", func(s *workload.Spec) {
			s.Rate, s.Arrivals.Kind, s.Trace = workload.Rate{}, workload.FromTrace, "x.csv"
		}},
		{"speed: NaN is out of range", func(s *workload.Spec) { s.Arrivals.Kind, s.Trace, s.Speed = workload.FromTrace, "x.csv", nan }},
		{"speed: 10 needs a trace", func(s *workload.Spec) { s.Speed = 10 }},
		{"duration: -1s is negative", func(s *workload.Spec) { s.Duration = -time.Second }},
		{"items: conflicts with duration", func(s *workload.Spec) { s.Items, s.Duration = 1, 1 }},
	} {
		s := workload.Spec{Rate: workload.Rate{PerSecond: 1000}, Keys: 10}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		err := s.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		if _, again := workload.New(s); again == nil || again.Error() != err.Error() {
			t.Errorf("New gives %v, Validate %v", again, err)
		}
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	err := workload.Spec{
		Arrivals: workload.Arrivals{Kind: workload.Bursty}, KeySkew: -1, Speed: 3, Duration: -1,
		Weights: workload.Weights{Kind: workload.UniformWeight}, Lanes: []workload.LaneFraction{{}},
	}.Validate()
	if err == nil {
		t.Fatal("nothing is refused")
	}
	for _, knob := range []string{"arrivals", "rate", "keys", "key_skew", "weights", "speed", "duration", "lanes"} {
		if n := strings.Count("\n"+err.Error(), "\n"+knob+": "); n == 0 {
			t.Errorf("no fault of %s in\n%v", knob, err)
		}
	}
}

func TestValidSpecsAreAccepted(t *testing.T) {
	for name, s := range map[string]workload.Spec{
		"slow":      {Rate: workload.Rate{PerSecond: workload.MinRate}, Keys: 1},
		"fast":      {Rate: workload.Rate{PerSecond: workload.MaxRate}, Keys: workload.MaxKeys, KeySkew: 1},
		"from zero": {Rate: workload.Rate{Ramp: workload.Ramp{To: 1, Over: time.Hour}}, Keys: 1},
		"bursts from zero": {
			Rate: workload.Rate{Ramp: workload.Ramp{To: 1000, Over: time.Minute}}, Keys: 1,
			Arrivals: workload.Arrivals{Kind: workload.Bursty, Factor: 2, On: time.Second, Off: time.Second},
		},
		"max":    {Rate: workload.Rate{Max: true}, Keys: 1, Speed: 1},
		"closed": {Closed: true, Keys: 1, Lanes: []workload.LaneFraction{{Lane: "acme/interactive", Fraction: 1e-9}}},
	} {
		src, err := workload.New(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
