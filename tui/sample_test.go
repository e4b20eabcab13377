package tui

import (
	"math"
	"time"

	"ferryctl/bench"
	"ferryctl/ferry"
)

// sample is a picture 41 seconds into a run of a minute, with every kind of
// figure in it.
func sample() *bench.Snapshot {
	ms := func(v float64) bench.Num { return bench.Some(v * 1e6) }
	s := &bench.Snapshot{
		Progress: bench.Progress{
			Phase: bench.PhaseMeasure, Elapsed: 41 * time.Second, Total: time.Minute,
			Offered: 2_050_000, Done: 2_047_000,
		},
		Offered1: bench.Some(50_020), Done1: bench.Some(49_910), Rejected1: bench.Some(12),
		Measured: 38 * time.Second,
		Counts:   bench.Counts{Offered: 1_900_000, Done: 1_899_200, Rejected: 400, Late: 31, LateMaxNS: ms(1.31), InFlightAtEnd: 400},
		Ceiling:  bench.Some(160_000), Load: bench.Some(0.3126),
		Sojourn: bench.Latency{Count: 1_899_200, Mean: ms(4.1), P50: ms(3.2), P90: ms(6.1), P95: ms(7.9), P99: ms(12.4), P999: ms(31), Max: ms(72)},
		Split:   bench.Split{Count: 1_899_200, Lag: ms(0.06), Forming: ms(1.2), Turn: ms(0.9), Slot: ms(0.44), Service: ms(1.5)},
		Room: bench.LiveRoom{
			Queued: 212, InFlight: 6, Direct: 3, PeakQueued: 1480, PeakInFlight: 8, MaxQueued: 10_000, MaxInFlight: 8,
			MaxQueuedWeight: ferry.Unlimited, MaxBatchSize: 64,
		},
		Verdict: bench.Valid,
		SLO: []bench.SLO{
			{Term: "p99<=20ms", Unit: "ns", Value: ms(12.4), OK: true},
			{Term: "rejected<=0.1%", Unit: "ratio", Value: bench.Some(0.0002), OK: true},
			{Term: "throughput>=60k/s", Unit: "per_s", Value: bench.Some(49_910)},
		},
		Knobs: []bench.LiveKnob{
			{Name: "batch_size", Value: "64"},
			{Name: "batch_weight", Value: "unlimited"},
			{Name: "batch_delay", Value: "5ms"},
			{Name: "in_flight", Value: "8"},
			{Name: "queue", Value: "10k"},
			{Name: "queue_weight", Value: "unlimited"},
			{Name: "rate", Value: "50k/s"},
		},
		Segment: 1,
	}
	for i := range 38 {
		x := float64(i)
		wave := 1 + 0.25*math.Sin(x/4)
		spike := 1.0
		if i > 20 && i < 25 {
			spike = 3
		}
		p := bench.Point{
			Start: time.Duration(i) * time.Second, Length: time.Second,
			Offered: uint64(50_000 + 900*math.Sin(x)), Done: uint64(49_900 + 900*math.Sin(x+0.3)),
			P50: ms(3.2 * wave), P95: ms(7.9 * wave * spike), P99: ms(12.4 * wave * spike), P999: ms(31 * wave * spike),
		}
		if spike > 1 {
			p.Rejected = 4000
			p.Done -= 4000
		}
		s.Points = append(s.Points, p)
	}
	s.Batches = bench.Batches{
		Count: 74_000, Left: bench.Left{Size: 22_200, Delay: 40_000, Freed: 9_000, Direct: 2_800},
		Size: bench.BatchSize{Mean: bench.Some(25.7), P50: bench.Some(23), P99: bench.Some(64), Max: bench.Some(64)},
	}
	for i := 1; i <= 64; i++ {
		n := uint64(3000 * math.Exp(-math.Pow(float64(i-22)/12, 2)))
		if i == 64 {
			n = 2200
		}
		s.Batches.Size.Counts = append(s.Batches.Size.Counts, bench.SizeCount{Size: i, Count: n})
	}
	for i, name := range []string{"acme/interactive", "acme/batch", "泡沫", "free"} {
		f := float64(i)
		s.Lanes = append(s.Lanes, bench.Lane{
			Lane: name, Share: bench.Some(4 - f), Offered: uint64(100_000 * (i + 1)), Done: uint64(99_000 * (i + 1)), Rejected: uint64(100 * i * i),
			ServiceUnits: bench.Some(99_000 * (f + 1)), OwedUnits: bench.Some(98_000 * (f + 1)), ErrorRatio: bench.Some(0.01 - 0.008*f),
			MaxLagUnits: bench.Some(800 * f), BoundUnits: bench.Some(2000),
			Sojourn: bench.Latency{P50: ms(3 + f), P99: ms(9 + 4*f)},
		})
	}
	s.Fairness = bench.Fairness{WorstLane: "free", WorstErrorRatio: bench.Some(-0.014)}
	return s
}

// sampled are the options of a screen that shows the picture.
func sampled(s *bench.Snapshot) Options {
	return Options{
		Common:   Common{Title: "ferryctl bench", Profile: "hotkeys", Seed: 42, Theme: Theme{Colors: Colors256}},
		Limits:   []Limit{{"p99<=20ms", 20e6}},
		Snapshot: func() *bench.Snapshot { return s },
		Set:      func(string, string) error { return nil },
		Save:     func(string, bool) error { return nil },
		SaveAs:   "hotkeys-live.yaml",
	}
}

// sized returns a screen of a size.
func sized(o Options, w, h int) *model {
	o.Size = func() (int, int) { return w, h }
	return newModel(o)
}
