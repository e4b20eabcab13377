package human_test

import (
	"testing"

	"ferryctl/bench/human"
)

func TestDurationsKeepThreeDigitsInAUnitThatFits(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 s", 1: "1 ns", 0.25: "0.250 ns", 999: "999 ns", 999.6: "1.00 µs", 1500: "1.50 µs", 12345: "12.3 µs", 999_700: "1.00 ms",
		1_234_567: "1.23 ms", 25e6: "25.0 ms", 4e6: "4.00 ms", 25.5e6: "25.5 ms", 1.5e9: "1.50 s", 99.9e9: "99.9 s", 125e9: "2m05s", 120e9: "2m00s",
		3600e9: "1h00m", 3599.8e9: "1h00m", 12000e9: "3h20m", 100 * 3600e9: "4d04h", -1500: "-1.50 µs",
	} {
		if got := human.Duration(ns); got != want {
			t.Errorf("Duration(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestSmallRatesAndPartsAreNotZero(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0/s", 0.25: "0.250/s", 0.0001: "0.000100/s", 950: "950/s", 49_950: "50.0k/s", 50_000: "50.0k/s", 1.2e6: "1.20M/s", 1e-9: "1.00e-09/s",
	} {
		if got := human.Rate(v); got != want {
			t.Errorf("Rate(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestAlmostAllIsNotAll(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0 %", 0.00021: "0.0210 %", 0.00001: "0.00100 %", 1e-9: "<0.001 %", 0.125: "12.5 %", 1: "100 %", 0.02: "2.00 %", 0.99999: "99.999 %", 0.9997: "99.97 %", 0.999999: "99.9999 %", 1.5: "150 %",
	} {
		if got := human.Percent(v); got != want {
			t.Errorf("Percent(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestCountsHaveTheirThousandsApart(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 2_850_112: "2,850,112", -1234: "-1,234"} {
		if got := human.Count(v); got != want {
			t.Errorf("Count(%v) = %q, want %q", v, got, want)
		}
	}
}
