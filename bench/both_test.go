package bench

import (
	"testing"

	"ferryctl/bench/settings"
)

func TestARunByBothClocksSaysSo(t *testing.T) {
	s := settings.Default()
	for knob, value := range map[string]string{"clock": "both", "items": "50", "rate": "5k/s", "warmup": "0s", "seed": "3"} {
		if err := s.Set(knob, value, "flag --"+knob); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if clock, _ := r.Settings.Get("clock"); r.Clock != "both" || clock != "both" {
		t.Errorf("the clock is %q, the knob %q; want both", r.Clock, clock)
	}
	if r.Model == nil || len(r.Model.Figures) == 0 {
		t.Error("there is no comparison")
	}
}

// twoFigures is a result with a p99 and a mean service time and no more.
func twoFigures(p99, service float64) *Result {
	r := &Result{}
	r.Latency.Sojourn.P99, r.Latency.Service.Mean, r.Measurement.Verdict = Some(p99), Some(service), Valid
	return r
}

func TestAModelThatIsOffSaysWhereTheGapMayComeFrom(t *testing.T) {
	suspect := twoFigures(4e6, 1e6)
	suspect.Measurement.Verdict, suspect.Measurement.Reasons = Suspect, []string{"many were late"}
	invalid := twoFigures(2e6, 1e6)
	invalid.Measurement.Verdict = Invalid
	beyond := twoFigures(2e6, 1e6)
	beyond.CostModel = &CostModel{Calls: 4, Extrapolated: 1}
	for name, c := range map[string]struct {
		virtual, real *Result
		want          string
	}{
		"near":         {twoFigures(2e6, 1e6), twoFigures(2.4e6, 1e6), "the model can be trusted here: every judged figure is within its limit"},
		"far":          {twoFigures(2e6, 1e6), twoFigures(4e6, 1e6), "do not rely on the model here: sojourn_p99_ns is off by 100 %, 25.0 % is the limit"},
		"suspect":      {twoFigures(2e6, 1e6), suspect, "do not rely on the model here: sojourn_p99_ns is off by 100 %, 25.0 % is the limit; the measurement in real time is suspect itself: many were late"},
		"invalid":      {twoFigures(2e6, 1e6), invalid, "do not rely on the model here: the measurement in real time is invalid, so there is nothing to hold the model to"},
		"long calls":   {twoFigures(2e6, 1e6), twoFigures(4e6, 1.5e6), "do not rely on the model here: sojourn_p99_ns is off by 100 %, 25.0 % is the limit; calls take 50.0 % longer than the backend says: ferryctl calibrate fits what they take here"},
		"extrapolated": {beyond, twoFigures(4e6, 1.5e6), "do not rely on the model here: sojourn_p99_ns is off by 100 %, 25.0 % is the limit; 25.0 % of the calls were unlike any that the model was calibrated on"},
	} {
		if got := compareClocks(c.virtual, c.real).String(); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
