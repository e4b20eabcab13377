package workload_test

import (
	"testing"

	"ferryctl/workload"
)

// BenchmarkNext says what one item costs, by kind of sequence.
func BenchmarkNext(b *testing.B) {
	rate := workload.Rate{PerSecond: 200_000}
	lognormal, _ := workload.ParseWeights("lognormal(median=4KiB,sigma=1)")
	pareto, _ := workload.ParseWeights("pareto(min=1KiB,alpha=1.5)")
	uniform, _ := workload.ParseWeights("uniform(1,100)")
	bursty, _ := workload.ParseArrivals("bursty(factor=4,on=1s,off=9s)")
	for _, bench := range []struct {
		name string
		spec workload.Spec
	}{
		{"poisson/uniform", workload.Spec{Rate: rate, Keys: 1000}},
		{"poisson/zipf=0.5", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 0.5}},
		{"poisson/zipf=1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1}},
		{"poisson/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1}},
		{"poisson/zipf=1.1/keys=1e8", workload.Spec{Rate: rate, Keys: 1e8, KeySkew: 1.1}},
		{"poisson/zipf=2", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 2}},
		{"constant/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1, Arrivals: workload.Arrivals{Kind: workload.Constant}}},
		{"bursty/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1, Arrivals: bursty}},
		{"ramp/zipf=1.1", workload.Spec{Rate: workload.Rate{Ramp: workload.Ramp{From: 1000, To: 80_000, Over: 1e12}}, Keys: 100_000, KeySkew: 1.1}},
		{"max/zipf=1.1", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 100_000, KeySkew: 1.1}},
		{"max/weights=uniform", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: uniform}},
		{"max/weights=lognormal", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: lognormal}},
		{"max/weights=pareto", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: pareto}},
		{"max/lanes=3", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Lanes: []workload.LaneFraction{{"a", 1}, {"b", 2}, {"c", 3}}}},
		{"poisson/lane_rates=3", workload.Spec{Keys: 1, LaneRates: []workload.LaneRate{{"a", rate}, {"b", rate}, {"c", rate}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			src, err := workload.New(bench.spec)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var it workload.Item
			for b.Loop() {
				if !src.Next(&it) {
					b.Fatal("the sequence ended")
				}
			}
		})
	}
}
