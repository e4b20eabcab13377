package workload_test

import (
	"testing"
	"time"

	"ferryctl/workload"
)

// mixed is a spec in which every attribute varies.
func mixed(t testing.TB) workload.Spec {
	t.Helper()
	s := schedule(t, "poisson", "50k/s")
	s.Keys, s.KeySkew = 100_000, 1.1
	s.Weights = workload.Weights{Kind: workload.LognormalWeight, Median: 4096, Sigma: 1}
	s.Lanes = []workload.LaneFraction{{Lane: "gold", Fraction: 1}, {Lane: "free", Fraction: 3}}
	return s
}

// TestOneKnobMovesOnlyWhatItGoverns changes one knob after the other and names
// the attributes that may differ then.
func TestOneKnobMovesOnlyWhatItGoverns(t *testing.T) {
	const n = 2000
	base := take(t, mixed(t), n)
	for name, c := range map[string]struct {
		change                func(*workload.Spec)
		at, key, weight, lane bool
	}{
		"nothing":  {change: func(*workload.Spec) {}},
		"seed":     {func(s *workload.Spec) { s.Seed++ }, true, true, true, true},
		"rate":     {change: func(s *workload.Spec) { s.Rate.PerSecond *= 2 }, at: true},
		"arrivals": {change: func(s *workload.Spec) { s.Arrivals.Kind = workload.Constant }, at: true},
		"bursts": {change: func(s *workload.Spec) {
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 4, On: time.Millisecond, Off: 9 * time.Millisecond}
		}, at: true},
		"closed":    {change: func(s *workload.Spec) { s.Rate, s.Closed = workload.Rate{}, true }, at: true},
		"keys":      {change: func(s *workload.Spec) { s.Keys = 10 }, key: true},
		"skew":      {change: func(s *workload.Spec) { s.KeySkew = 0.5 }, key: true},
		"weights":   {change: func(s *workload.Spec) { s.Weights = workload.Weights{} }, weight: true},
		"sigma":     {change: func(s *workload.Spec) { s.Weights.Sigma = 2 }, weight: true},
		"fractions": {change: func(s *workload.Spec) { s.Lanes[0].Fraction = 9 }, lane: true},
		"items":     {change: func(s *workload.Spec) { s.Items = n }},
	} {
		s := mixed(t)
		c.change(&s)
		var at, key, weight, lane bool
		for i, it := range take(t, s, n) {
			at = at || it.At != base[i].At
			key = key || it.Key != base[i].Key
			weight = weight || it.Weight != base[i].Weight
			lane = lane || it.Lane != base[i].Lane
		}
		if at != c.at || key != c.key || weight != c.weight || lane != c.lane {
			t.Errorf("%s: at %v, key %v, weight %v, lane %v differ", name, at, key, weight, lane)
		}
	}
}

// TestSequencesAreTheSameOnEveryMachine holds the sequences to fingerprints. If
// one changes, results of other versions can no longer be compared: say so in
// the changelog.
func TestSequencesAreTheSameOnEveryMachine(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*workload.Spec)
		want   uint64
	}{
		"mixed":    {func(*workload.Spec) {}, 0x5b8fa8e4887cbc5e},
		"seed":     {func(s *workload.Spec) { s.Seed = 1<<64 - 1 }, 0xc02f52b8017de3cc},
		"uniform":  {func(s *workload.Spec) { s.KeySkew = 0 }, 0x6cf3e6e10b165afc},
		"skew 1":   {func(s *workload.Spec) { s.KeySkew = 1 }, 0xe6431bf38cbe44bc},
		"skew .99": {func(s *workload.Spec) { s.KeySkew, s.Keys = 0.995, workload.MaxKeys }, 0x2189444daa5f1bd0},
		"skew 2":   {func(s *workload.Spec) { s.KeySkew, s.Keys = 2, workload.MaxKeys }, 0x1bc934ac655f40c8},
		"constant": {func(s *workload.Spec) { s.Arrivals.Kind, s.Rate.PerSecond = workload.Constant, 12_345.678 }, 0xd1bd50d87bc7663d},
		"ramp":     {func(s *workload.Spec) { s.Rate = workload.Rate{Ramp: workload.Ramp{To: 1e5, Over: 2 * time.Second}} }, 0x2f2077d8386cc190},
		"bursty": {func(s *workload.Spec) {
			s.Arrivals = workload.Arrivals{Kind: workload.Bursty, Factor: 3.5, On: time.Second, Off: 9 * time.Second}
		}, 0x63388872c6ffccca},
		"lane rates": {func(s *workload.Spec) {
			s.Rate, s.Lanes = workload.Rate{}, nil
			s.LaneRates = []workload.LaneRate{{Lane: "a", Rate: workload.Rate{PerSecond: 3e4}}, {Lane: "b/ü", Rate: workload.Rate{PerSecond: 1e4}}}
		}, 0x2007ce8a3500e74a},
		"pareto":  {func(s *workload.Spec) { s.Weights = workload.Weights{Kind: workload.ParetoWeight, Min: 7, Alpha: 1.3} }, 0x1915037cd812f9b9},
		"integer": {func(s *workload.Spec) { s.Weights = workload.Weights{Kind: workload.UniformWeight, Min: 7, Max: 1e6} }, 0x116d0fe7ff24065f},
		"closed":  {func(s *workload.Spec) { s.Rate, s.Closed = workload.Rate{}, true }, 0x9a66fe91f328f9c7},
	} {
		s := mixed(t)
		c.change(&s)
		s.Items = 100_000
		got, err := hashOf(s)
		if err != nil || got != c.want {
			t.Errorf("%s: hash %#016x, %v; want %#016x", name, got, err, c.want)
		}
	}
	got, err := hashOf(traceSpec(t, header+"10,a,1,x\n12,\"b,c\",0,y\n12,a,3,\n"))
	if want := uint64(0x58232c44f9417cca); err != nil || got != want {
		t.Errorf("trace: hash %#016x, %v; want %#016x", got, err, want)
	}
}

func TestHashSeesEveryAttributeAndTheOrder(t *testing.T) {
	rows := []string{"10,a,1,x\n", "12,b,2,y\n", "12,c,2,y\n"}
	seen := map[uint64]string{}
	for _, text := range []string{
		rows[0] + rows[1] + rows[2],
		rows[0] + rows[2] + rows[1],
		rows[0] + rows[1],
		rows[0],
		"10,a,1,x\n12,b,3,y\n12,c,2,y\n",
		"10,a,1,x\n13,b,2,y\n13,c,2,y\n",
		"10,a,1,x\n12,b,2,z\n12,c,2,y\n",
		"10,a,1,y\n12,b,2,x\n12,c,2,x\n",
	} {
		h, err := hashOf(traceSpec(t, header+text))
		if other, found := seen[h]; found || err != nil {
			t.Errorf("%q and %q have the same hash, %v", text, other, err)
		}
		seen[h] = text
	}
	if got, err := hashOf(traceSpec(t, header+"0,a,1,x\n2,b,2,y\n2,c,2,y\n")); seen[got] == "" || err != nil {
		t.Errorf("the hash depends on where the file's clock starts, %v", err)
	}
}

func TestSequenceStopsAtItsBounds(t *testing.T) {
	s := mixed(t)
	s.Items = 10
	if items, _, err := readAll(s); err != nil || len(items) != 10 {
		t.Errorf("%d items, %v; want 10", len(items), err)
	}
	s.Items, s.Duration = 0, time.Second
	items, _, err := readAll(s)
	if n := len(items); err != nil || n < 49_000 || n > 51_000 || items[n-1].At >= time.Second {
		t.Errorf("%d items within a second at 50k/s, %v", n, err)
	}
	s.Arrivals.Kind, s.Rate.PerSecond = workload.Constant, 10
	if items, _, err = readAll(s); err != nil || len(items) != 10 {
		t.Errorf("constant: %d items within a second at 10/s, %v; the one at 1s is outside", len(items), err)
	}
}

func TestClosedSourceGivesNothing(t *testing.T) {
	for name, s := range map[string]workload.Spec{"synthetic": mixed(t), "trace": traceSpec(t, header+"0,a,1,x\n1,a,1,x\n")} {
		src, err := workload.New(s)
		if err != nil {
			t.Fatal(err)
		}
		var it workload.Item
		if !src.Next(&it) {
			t.Fatalf("%s: no item", name)
		}
		hash := src.Hash()
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: the second Close gives %v", name, err)
		}
		if src.Next(&it) || src.Err() != nil || src.Hash() != hash {
			t.Errorf("%s: after Close it gives %v, %v", name, it, src.Err())
		}
	}
}

func TestLanesOfSyntheticSources(t *testing.T) {
	for want, s := range map[string]workload.Spec{
		"":   {Rate: workload.Rate{Max: true}, Keys: 1},
		"ab": {Rate: workload.Rate{Max: true}, Keys: 1, Lanes: []workload.LaneFraction{{Lane: "ab", Fraction: 1}}},
		"xy": {Keys: 1, LaneRates: []workload.LaneRate{{Lane: "xy", Rate: workload.Rate{PerSecond: 1}}}},
	} {
		src, err := workload.New(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Lanes(); len(got) != 1 || got[0] != want {
			t.Errorf("lanes %q, want %q alone", got, want)
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	long := header
	for range 2000 {
		long += "1,\"some,key\",5,gold\n1,plain,6,free\n"
	}
	specs := map[string]workload.Spec{"mixed": mixed(t), "trace": traceSpec(t, long)}
	bursty := schedule(t, "bursty(factor=4,on=1ms,off=9ms)", "10k/s")
	specs["bursty"] = bursty
	lanes := schedule(t, "poisson", "max")
	lanes.Rate = workload.Rate{}
	lanes.LaneRates = []workload.LaneRate{{Lane: "a", Rate: workload.Rate{PerSecond: 1}}, {Lane: "b", Rate: workload.Rate{PerSecond: 2}}}
	specs["lanes"] = lanes
	for name, s := range specs {
		src, err := workload.New(s)
		if err != nil {
			t.Fatal(err)
		}
		var it workload.Item
		src.Next(&it)
		src.Next(&it)
		if n := testing.AllocsPerRun(3000, func() {
			if !src.Next(&it) {
				t.Fatal("the sequence ends")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations for each item", name, n)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
