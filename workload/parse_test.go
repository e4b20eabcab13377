package workload_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ferryctl/workload"
)

// TestTextsAreReadBack gives texts in their canonical form and, behind a bar,
// other ways to write the same.
func TestTextsAreReadBack(t *testing.T) {
	roundTrip(t, workload.ParseRate, workload.Rate.String,
		"50k/s|50000/s", "max", "0.5/s", "ramp:1k/s..80k/s/1m|ramp:1000/s..80000/s/60s", "ramp:0/s..1/s/100ms", "10M/s")
	roundTrip(t, workload.ParseArrivals, workload.Arrivals.String,
		"poisson|poisson()", "constant", "trace", "bursty(factor=4,on=1s,off=9s)|bursty(4, 1s, 9s)|bursty(off=9s,on=1000ms,factor=4.0)")
	roundTrip(t, workload.ParseWeights, workload.Weights.String,
		"1|constant|constant()|constant(1)|constant(value=1)", "4KiB|4096|constant(4KiB)", "uniform(min=1,max=100)|uniform(1,100)",
		"lognormal(median=4KiB,sigma=1)|lognormal(sigma=1,median=4096)", "pareto(min=1KiB,alpha=1.5)")
	roundTrip(t, workload.ParseLaneRates, workload.FormatLaneRates,
		"gold=5k/s,free=20k/s| gold = 5k/s , free = 20000/s", "a/b=ramp:1/s..2/s/1s")
	roundTrip(t, workload.ParseLaneFractions, workload.FormatLaneFractions, "gold=3,free=1", "gold=0.75,free=0.25|gold=75%,free=25%")
	if got := (workload.Weights{}).String(); got != "1" {
		t.Errorf("the zero weights are %q", got)
	}
}

func roundTrip[T any](t *testing.T, parse func(string) (T, error), format func(T) string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		forms := strings.Split(text, "|")
		for _, form := range forms {
			if v, err := parse(form); err != nil || format(v) != forms[0] {
				t.Errorf("%q is written %q, %v; want %q", form, format(v), err, forms[0])
			}
		}
	}
}

func TestTextsAreRefusedWithWhatWouldBeRight(t *testing.T) {
	refused(t, workload.ParseRate, map[string]string{
		"":                      "or one of 50k/s, max or ramp:1k/s..80k/s/60s",
		"50k":                   "want 50k/s",
		"0/s":                   "want more than 0/s",
		"2G/s":                  "out of range",
		"MAX":                   "or one of",
		"ramp:1k/s":             "is not a ramp: want from, to and duration",
		"ramp:1k/s..80k/s":      "without its /s",
		"ramp:1k..80k/60":       "without its /s",
		"ramp:1/s..0/s/1s":      "ramp to 0/s",
		"ramp:1/s..2/s/0s":      "is no ramp",
		"ramp:1/s..2/s/10":      "without a unit",
		"ramp:-1/s..2/s/10s":    "not a rate",
		"ramp:1/s..9999G/s/10s": "ramp to 9999G/s is out of range",
	})
	refused(t, workload.ParseArrivals, map[string]string{
		"":                                "want a name",
		"poison":                          "did you mean poisson",
		"poisson(1)":                      "one argument too many: want poisson",
		"bursty":                          "factor is missing: want bursty(factor=…, on=…, off=…)",
		"bursty(4,1,9s)":                  "bursty: on: \"1\" is without a unit",
		"bursty(0.5,1s,9s)":               "want 1 to",
		"bursty(11,1s,9s)":                "(on+off)/on = 10",
		"bursty(2,1ns,9s)":                "want at least 1µs",
		"bursty(factor=NaN,on=1s,off=1s)": "not a number",
	})
	refused(t, workload.ParseWeights, map[string]string{
		"":                              "or one of constant(1), uniform",
		"0":                             "want a weight of at least 1",
		"4.5":                           "not whole",
		"-1":                            "want a name",
		"lognorm(1,1)":                  "unknown law of weights",
		"lognormals(1,1)":               "did you mean lognormal",
		"constant(0)":                   "too light",
		"uniform(5,1)":                  "want min <= max",
		"uniform(min=0,max=1)":          "min: 0 is too light",
		"lognormal(median=1)":           "sigma is missing",
		"lognormal(1,-1)":               "not a number >= 0",
		"pareto(1,0)":                   "want a finite number > 0",
		"pareto(min=1,apha=2)":          "did you mean alpha",
		"constant(9000000000000000000)": "out of range: want 1 to 4611686018427387904",
	})
	refused(t, workload.ParseLaneRates, map[string]string{
		"": "want the form gold=5k/s", "gold": "want the form", "gold=": "want the form", "=5/s": "want the form",
		"a=1/s,a=2/s": "given twice", "a=5": "a: \"5\" is without its /s", "a=max": "max is no rate of a lane",
	})
	refused(t, workload.ParseLaneFractions, map[string]string{
		"": "want the form gold=3", "a=0": "want a finite number above 0", "a=-1": "not a number", "a=1,a=1": "given twice",
		"a=200%": "at most 100%", strings.Repeat("x", 300) + "=1": "at most 256", "a=1,b=x,c=y": "c: ",
		strings.Repeat("a=1,", 20_000): "20001 share lanes are too many",
	})
}

func refused[T any](t *testing.T, parse func(string) (T, error), texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		if v, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives %v, %v; want %q", text, fmt.Sprint(v), err, want)
		}
	}
}

func TestRateAtFollowsTheRamp(t *testing.T) {
	r, err := workload.ParseRate("ramp:1k/s..3k/s/10s")
	if err != nil {
		t.Fatal(err)
	}
	for seconds, want := range map[time.Duration]float64{-1: 1000, 0: 1000, 5: 2000, 10: 3000, 99: 3000} {
		if got := r.At(seconds * time.Second); got != want {
			t.Errorf("%v/s after %ds, want %v", got, seconds, want)
		}
	}
}
