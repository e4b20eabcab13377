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
