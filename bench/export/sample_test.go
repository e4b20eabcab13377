package export

import (
	"encoding/json"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"ferryctl/bench"
)

// histogram returns n values spread evenly over [low, high], as a latency and in
// encoded form.
func histogram(n int, low, high time.Duration, digits int) (bench.Latency, string) {
	h := hdr.New(1, int64(time.Hour), digits)
	sum := 0.0
	for i := range n {
		v := int64(low) + int64(high-low)*int64(i)/int64(max(1, n-1))
		_ = h.RecordValue(v)
		sum += float64(v)
	}
	l := bench.Latency{
		Count: uint64(n), Mean: bench.Some(sum / float64(n)), Min: bench.Some(float64(low)), Max: bench.Some(float64(high)),
		TooFew: []string{},
	}
	for i, at := range []*bench.Num{&l.P50, &l.P90, &l.P95, &l.P99, &l.P999} {
		p := bench.Percentiles[i]
		*at = bench.Some(min(float64(h.ValueAtPercentile(p.Percent)), float64(high)))
		if !bench.Enough(l.Count, p.Percent) {
			l.TooFew = append(l.TooFew, p.Name)
		}
	}
	b, err := h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return l, string(b)
}

func setting(knob, value string) bench.Setting {
	return bench.Setting{Knob: knob, Value: json.RawMessage(value)}
}

// full is a run in which everything happened.
func full() *bench.Result {
	r := empty()
	r.Complete, r.Profile, r.Seed = true, "hotkeys", 42
	r.WorkloadHash, r.Items = "9e3779b97f4a7c15", 302_000
	r.Settings = bench.Settings{
		setting("kernel", `"perkey"`), setting("batch_size", "64"), setting("batch_weight", `"unlimited"`), setting("batch_delay", `"5ms"`),
		setting("in_flight", "8"), setting("queue", "10000"), setting("direct", "true"), setting("rate", `"50k/s"`), setting("clients", "null"),
		setting("keys", "100000"), setting("key_skew", "1.1"), setting("lanes", `"gold=1,free=3"`),
		setting("backend", `"synthetic(base=1ms,per_item=20us,per_weight=0s,dist=lognormal(0.5),jitter=0,concurrency=8,errors=0.1%)"`),
		setting("duration", `"6.3s"`), setting("seed", "42"),
	}
	r.Window = bench.Window{Warmup: bench.Some(0.3), Measured: bench.Some(6), Drain: bench.Some(0.0125)}
	r.Counts = bench.Counts{Offered: 300_000, Done: 299_000, Rejected: 611, Failed: 299, Unsent: 80, InFlightAtEnd: 10, Late: 12, LateMaxNS: bench.Some(1.31e6)}
	r.Rates = bench.Rates{
		Offered: bench.Some(50_000), Throughput: bench.Some(49_833.5), Batches: bench.Some(2012), Rejected: bench.Ratio(611, 300_000),
		CountBound: bench.Some(600), WeightBound: bench.Some(11),
	}
	r.Latency.Sojourn, r.Histograms.Sojourn = histogram(299_000, 12*time.Microsecond, 25_100*time.Microsecond, 3)
	r.Latency.Wait, r.Histograms.Wait = histogram(299_000, 700, 22*time.Millisecond, 3)
	r.Latency.Service, r.Histograms.Service = histogram(299_000, 11*time.Microsecond, 3*time.Millisecond, 3)
	r.Latency.Delivery, _ = histogram(299_000, 90, 400*time.Microsecond, 3)
	r.Split = bench.Split{
		Count: 299_000, Lag: bench.Some(30e3), Forming: bench.Some(1.2e6), Turn: bench.Some(7.826e6), Slot: bench.Some(2e6), Service: bench.Some(1.5e6),
	}
	r.Batches = bench.Batches{
		Count: 12_072, Left: bench.Left{Size: 3000, Delay: 6000, Freed: 2000, Direct: 1070, Close: 2},
		Size: bench.BatchSize{Mean: bench.Some(24.77), P50: bench.Some(20), P99: bench.Some(64), Max: bench.Some(64), Counts: bench.SizeCounts{{Size: 1, Count: 1070}, {Size: 20, Count: 8002}, {Size: 64, Count: 3000}}},
	}
	r.Room = bench.Room{MeanQueued: bench.Some(551.4), MaxQueued: bench.Some(9871), MaxQueuedWeight: bench.Some(12_345_678), MaxInFlight: bench.Some(8)}
	gold, goldHist := histogram(75_000, 12*time.Microsecond, 9*time.Millisecond, 2)
	free, freeHist := histogram(500, 50*time.Microsecond, 25_100*time.Microsecond, 2)
	r.Lanes = []bench.Lane{
		{Lane: "gold", Offered: 75_000, Done: 75_000, Weight: bench.Some(75_000), Sojourn: gold, Histogram: goldHist},
		{Lane: "free", Offered: 225_000, Done: 500, Rejected: 611, Weight: bench.Some(500), Sojourn: free, Histogram: freeHist},
	}
	share(&r.Lanes[0], 0.75, 74_990, 75_000, 300_000)
	share(&r.Lanes[1], 0.25, 225_010, 225_000, 300_000)
	r.Fairness = bench.Fairness{
		WorstLane: "gold", WorstErrorRatio: bench.Ratio(10, 300_000), MaxLagUnits: bench.Some(31.5), BoundUnits: bench.Some(64), Jain: bench.Some(0.99999),
	}
	for i := range 7 {
		l, h := histogram(40_000+1000*i, 12*time.Microsecond, time.Duration(i+1)*3*time.Millisecond, 3)
		in := bench.Interval{
			Start: bench.Some(float64(i)), Length: bench.Some(1), Offered: 50_000, Done: l.Count, Mean: l.Mean, P50: l.P50, P99: l.P99, Max: l.Max,
			Queued: bench.Some(float64(100 * i)), InFlight: bench.Some(8), Histogram: h,
		}
		r.Intervals = append(r.Intervals, in)
	}
	r.Measurement = bench.Measurement{
		Verdict: bench.Suspect, Reasons: []string{"10 items had not ended when the drain did: the slowest are missing from the latencies"},
		GeneratorCeiling: bench.Some(1.2e6), GeneratorLoad: bench.Some(0.0417), GCMaxPause: bench.Some(120e3), GCCount: bench.Some(3),
		LittlesLawGap: bench.Some(0.0012), QueuedByTime: bench.Some(551.4), QueuedByItems: bench.Some(552.1),
		ServiceAsked: bench.Some(1.4e6), ServiceActual: bench.Some(1.47e6), Callers: bench.Some(1024),
	}
	r.SLO = []bench.SLO{
		{Term: "p99<=20ms", Value: bench.Some(24.8e6), Unit: "ns"},
		{Term: "rejected<=0.5%", Value: bench.Ratio(611, 300_000), Unit: "ratio", OK: true},
		{Term: "throughput>=40k/s", Value: bench.Some(49_833.5), Unit: "per_s", OK: true},
	}
	r.Warnings = []string{"the seed's sequence was stretched by a clock that moves in steps of 1 µs, which is a long warning so that it has to be wrapped onto a second line"}
	return r
}

// share gives a share lane an account.
func share(l *bench.Lane, part, owed, got, all float64) {
	l.Share, l.OwedUnits, l.ServiceUnits, l.ErrorRatio = bench.Some(part), bench.Some(owed), bench.Some(got), bench.Ratio(got-owed, all)
	l.MaxLagUnits, l.MaxLeadUnits, l.BoundUnits = bench.Some(31.5), bench.Some(12), bench.Some(64)
	l.StarvedBatches, l.Starved = bench.Some(3), bench.Some(4.2e6)
}

// empty is a run that was stopped before its window began.
func empty() *bench.Result {
	none := bench.Latency{TooFew: []string{"p50"}}
	started := time.Date(2026, 3, 4, 5, 6, 7, 890_000_000, time.UTC)
	return &bench.Result{
		Schema: bench.Schema, Clock: "real", Settings: bench.Settings{},
		Environment: bench.Environment{
			Go: "go1.26.0", OS: "linux", Arch: "amd64", CPUs: 2, GOMAXPROCS: 2, CPUModel: "Example 9000", Version: "v0.1.0", Commit: "0123abc",
			Started: started, Ended: started.Add(7 * time.Second),
		},
		Latency:     bench.Latencies{Sojourn: none, Wait: none, Service: none, Delivery: none},
		Batches:     bench.Batches{Size: bench.BatchSize{Counts: bench.SizeCounts{}}},
		Lanes:       []bench.Lane{},
		Intervals:   []bench.Interval{},
		Measurement: bench.Measurement{Verdict: bench.Suspect, Reasons: []string{"no item of the window was done: there are no latencies"}},
		SLO:         []bench.SLO{{Term: "p99<=20ms", Unit: "ns", Note: "no data"}},
		Warnings:    []string{},
	}
}

// naninf is a run whose figures came out as no numbers at all.
func naninf() *bench.Result {
	r := full()
	nan, inf := bench.Some(math.NaN()), bench.Some(math.Inf(1))
	r.Window.Drain, r.Rates.Throughput, r.Latency.Sojourn.Mean, r.Latency.Wait.P99 = nan, inf, nan, inf
	r.Split.Lag, r.Batches.Size.Mean, r.Room.MeanQueued, r.Measurement.LittlesLawGap = nan, nan, inf, nan
	r.SLO[2].Value, r.Intervals[2].P99, r.Intervals[2].Done = inf, nan, 0
	return r
}

// hostile has names that try to be something else.
func hostile() *bench.Result {
	r := full()
	r.Profile = "=cmd|' /C calc'!A0"
	r.Settings = bench.Settings{setting("trace", `"-rm \"x\",\r\n@SUM(1)"`), setting("lanes", `"a,\"b\"\u001b[31m"`)}
	l, h := histogram(10, time.Microsecond, time.Millisecond, 2)
	r.Lanes = nil
	for _, name := range []string{
		"", "a,b", `say "x"`, "two\nlines", "=1+1", "@x", "<script>alert(1)</script>", "\x1b[2J\x1b]0;title\a", "bidi\u202egnp.exe", "日本語のテナント名前はとても長いのです",
		"tab\tbed", "zero\u200bwidth", "\xff\xfe bad", "a name that goes on and on and on and on",
	} {
		r.Lanes = append(r.Lanes, bench.Lane{Lane: name, Offered: 10, Done: 10, Weight: bench.Some(10), Sojourn: l, Histogram: h})
	}
	for i := range r.Lanes {
		share(&r.Lanes[i], 0.07, 10, 10, 140)
	}
	r.Fairness.WorstLane, r.Fairness.Note = "\x1b[2J=1+1,\"x\"", "@note"
	r.Warnings = []string{"lane \x1b[31mred\x1b[0m " + string(make([]byte, 3)) + " end"}
	r.Measurement.Reasons = []string{"+1 reason, \"quoted\"\nand broken"}
	return r
}
