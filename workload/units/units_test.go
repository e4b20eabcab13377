package units_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ferryctl/workload/units"
)

// check runs a table of texts against one parser; a want that is an error text
// must be part of the refusal.
func check[T comparable](t *testing.T, parse func(string) (T, error), good map[string]T, bad map[string]string) {
	t.Helper()
	for text, want := range good {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%q gives %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range bad {
		got, err := parse(text)
		if err == nil {
			t.Errorf("%q gives %v; want a refusal with %q", text, got, want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %q; want %q in it", text, err, want)
		}
	}
}

func TestDurationsNeedAUnitAndAreExact(t *testing.T) {
	check(t, units.ParseDuration, map[string]time.Duration{
		"0s": 0, "1ns": 1, "20us": 20 * time.Microsecond, "20µs": 20 * time.Microsecond, "20μs": 20 * time.Microsecond,
		"1.5ms": 1500 * time.Microsecond, "1m30s": 90 * time.Second, "2h": 2 * time.Hour,
		"2562047h47m16.854775807s": math.MaxInt64,
	}, map[string]string{
		"":         "want a duration with its unit",
		"10":       `"10" is without a unit: want 10ms, 10s`,
		"0":        "without a unit",
		"1.5":      "want 1.5ms, 1.5s",
		"-1s":      "not a duration",
		"+1s":      "not a duration",
		"1 s":      "unknown unit",
		"5d":       "want one of ns, us, ms, s, m, h",
		"0.5ns":    "whole nanoseconds",
		".5s":      "not a duration",
		"1.s":      "not a duration",
		"1e3s":     "unknown unit",
		"NaNs":     "not a duration",
		"never":    "not a duration",
		"9999999h": "at most 2562047h47m16.854775807s",
	})
}

func TestCountsAndSizesAreWholeAndUnambiguous(t *testing.T) {
	check(t, units.ParseCount, map[string]int64{
		"0": 0, "4096": 4096, "10k": 10_000, "1.5M": 1_500_000, "100M": 100_000_000, "2G": 2_000_000_000,
		"9223372036854775807": math.MaxInt64,
	}, map[string]string{
		"":                    "want a whole number",
		"-1":                  "not a number >= 0",
		"1.5":                 "not whole",
		"1.2345k":             "not whole",
		"10K":                 "ambiguous",
		"1KiB":                "unknown unit",
		"1e6":                 "unknown unit",
		"9223372036854775808": "at most 9223372036854775807",
		"99999999T":           "too large",
		"unlimited":           "not a number",
		"0x10":                "unknown unit",
		"1_000":               "unknown unit",
		"Inf":                 "not a number",
	})
	check(t, units.ParseSize, map[string]int64{
		"512B": 512, "4KiB": 4096, "1MiB": 1 << 20, "1.5KiB": 1536, "10k": 10_000, "8GiB": 8 << 30, "1TiB": 1 << 40,
	}, map[string]string{
		"10K": "4KiB (4 times 1024)", "10KB": "ambiguous", "10MB": "ambiguous", "0.3KiB": "not whole",
		"9000000TiB": "too large", "4kib": "unknown unit", "-4KiB": "not a number",
	})
}

func TestWordsAreUnderstoodOnlyWhereAskedFor(t *testing.T) {
	check(t, units.ParseLimit, map[string]int64{"unlimited": units.Unlimited, "64": 64},
		map[string]string{"never": "or unlimited", "Unlimited": "or unlimited", "1KiB": "or unlimited"})
	check(t, units.ParseSizeLimit, map[string]int64{"unlimited": units.Unlimited, "1KiB": 1024},
		map[string]string{"": "or unlimited"})
	check(t, units.ParseDelay, map[string]time.Duration{"never": units.Never, "5ms": 5 * time.Millisecond},
		map[string]string{"5": "or never", "unlimited": "or never"})
}

func TestRatesNeedTheirSlash(t *testing.T) {
	check(t, units.ParseRate, map[string]float64{
		"50k/s": 50_000, "0.5/s": 0.5, "1.2M/s": 1.2e6, "0/s": 0, "0.001k/s": 1, "10M/s": 1e7, "1.1k/s": 1100,
	}, map[string]string{
		"50k":                                   "want 50k/s",
		"50":                                    "want 50/s",
		"50k/m":                                 "not per second",
		"50K/s":                                 "unknown unit",
		"-1/s":                                  "not a rate",
		"NaN/s":                                 "not a rate",
		"Inf/s":                                 "not a rate",
		"max":                                   "not a rate",
		"1e3/s":                                 "want a rate per second",
		"1" + strings.Repeat("0", 320) + "/s":   "too large",
		"0." + strings.Repeat("0", 400) + "1/s": "too close to zero",
	})
}

func TestPercentagesNeedTheirSign(t *testing.T) {
	check(t, units.ParsePercent, map[string]float64{"0%": 0, "0.1%": 0.001, "5%": 0.05, "100%": 1, "99.9%": 0.999},
		map[string]string{"0.99": "want 0.99%", "101%": "at most 100%", "-1%": "not a percentage", "5 %": "such as 0.1%"})
	check(t, units.ParseNumber, map[string]float64{"0": 0, "1.1": 1.1, "2": 2},
		map[string]string{"": "not a number", "-1": "not a number", "1e3": "not a number", "NaN": "not a number", "1k": "plain decimal"})
}

func TestFormatsAreShort(t *testing.T) {
	for got, want := range map[string]string{
		units.FormatDuration(time.Minute):             "1m",
		units.FormatDuration(0):                       "0s",
		units.FormatDuration(2 * time.Hour):           "2h",
		units.FormatDuration(10 * time.Minute):        "10m",
		units.FormatDuration(90 * time.Second):        "1m30s",
		units.FormatDuration(20 * time.Microsecond):   "20us",
		units.FormatDuration(time.Hour + time.Second): "1h0m1s",
		units.FormatDelay(units.Never):                "never",
		units.FormatCount(64):                         "64",
		units.FormatCount(100_000):                    "100k",
		units.FormatCount(1_500_000):                  "1.5M",
		units.FormatCount(12_345):                     "12345",
		units.FormatSize(1 << 20):                     "1MiB",
		units.FormatSize(4096):                        "4KiB",
		units.FormatSize(1):                           "1",
		units.FormatLimit(units.Unlimited):            "unlimited",
		units.FormatSizeLimit(units.Unlimited):        "unlimited",
		units.FormatRate(50_000):                      "50k/s",
		units.FormatRate(0.5):                         "0.5/s",
		units.FormatRate(1e7):                         "10M/s",
		units.FormatRate(0):                           "0/s",
		units.FormatPercent(0.001):                    "0.1%",
		units.FormatPercent(0):                        "0%",
		units.FormatPercent(1):                        "100%",
		units.FormatNumber(1.1):                       "1.1",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEveryFormatIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		v := rng.Int64() >> rng.IntN(63)
		if rng.IntN(2) == 0 {
			v = v / 1000 * 1000
		}
		back(t, v, units.FormatCount, units.ParseCount)
		back(t, v, units.FormatSize, units.ParseSize)
		back(t, v, units.FormatLimit, units.ParseLimit)
		back(t, time.Duration(v), units.FormatDuration, units.ParseDuration)
		f := math.Float64frombits(rng.Uint64() >> 1)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		back(t, f, units.FormatNumber, units.ParseNumber)
		back(t, f, units.FormatRate, units.ParseRate)
		back(t, rng.Float64(), units.FormatPercent, units.ParsePercent)
		back(t, rng.Float64()*1e6, units.FormatRate, units.ParseRate)
	}
	for _, v := range []int64{0, 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 62} {
		back(t, v, units.FormatSizeLimit, units.ParseSizeLimit)
		back(t, time.Duration(v), units.FormatDelay, units.ParseDelay)
	}
	for _, f := range []float64{0, 5e-324, math.MaxFloat64, 1} {
		back(t, f, units.FormatRate, units.ParseRate)
	}
}

func back[T comparable](t *testing.T, v T, format func(T) string, parse func(string) (T, error)) {
	t.Helper()
	if got, err := parse(format(v)); err != nil || got != v {
		t.Fatalf("%v is written %q and read back as %v, %v", v, format(v), got, err)
	}
}
