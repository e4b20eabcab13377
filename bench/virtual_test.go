package bench

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ferryctl/bench/settings"
)

// virtualSettings returns settings of a virtual run, from knobs and values.
func virtualSettings(t testing.TB, knobs ...string) settings.Settings {
	t.Helper()
	s := settings.Default()
	for i := 0; i+1 < len(knobs); i += 2 {
		if err := s.Set(knobs[i], knobs[i+1], "flag --"+knobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Set("clock", settings.Virtual, "flag --clock"); err != nil {
		t.Fatal(err)
	}
	return s
}

func runVirtual(t testing.TB, knobs ...string) *Result {
	t.Helper()
	r, err := Run(virtualSettings(t, knobs...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Measurement.Verdict == Invalid {
		t.Fatalf("invalid: %v", r.Measurement.Reasons)
	}
	return r
}

func document(t *testing.T, r *Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestVirtualResultIsTheSameByteForByte(t *testing.T) {
	load := []string{
		"rate", "20k/s", "keys", "1000", "key_skew", "1.1", "duration", "3s", "seed", "7", "lanes", "gold=0.3,free=0.7",
		"backend", "synthetic(base=1ms,per_item=20us,dist=exponential,jitter=0.2,errors=1%)", "queue", "300", "in_flight", "4", "direct", "off",
	}
	want := document(t, runVirtual(t, load...))
	for _, procs := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(procs)
		got := document(t, runVirtual(t, load...))
		runtime.GOMAXPROCS(old)
		if got != want {
			t.Errorf("GOMAXPROCS %d gives another result:\n%s\nnot\n%s", procs, got, want)
		}
	}
	if document(t, runVirtual(t, append(load, "seed", "8")...)) == want {
		t.Error("another seed gives the same result")
	}
}

// Settings that are compared must see the same load: what the kernel does with
// an item may not change the next one's draws.
func TestVirtualComparesSettingsUnderTheSameLoad(t *testing.T) {
	load := []string{"rate", "20k/s", "keys", "100", "weights", "lognormal(median=100,sigma=1)", "items", "20000", "seed", "3", "backend", "synthetic(base=1ms,per_item=20us)"}
	a := runVirtual(t, load...)
	b := runVirtual(t, append(load, "batch_size", "4", "in_flight", "2", "queue", "100")...)
	if a.WorkloadHash != b.WorkloadHash {
		t.Errorf("workloads %s and %s", a.WorkloadHash, b.WorkloadHash)
	}
	if a.Counts.Rejected == b.Counts.Rejected {
		t.Errorf("both reject %d: the settings make no difference", a.Counts.Rejected)
	}
}

func TestVirtualClosedLoopKeepsItsClients(t *testing.T) {
	// One server, one item a batch, 10 ms a call: 4 clients wait for each other.
	r := runVirtual(t, "clients", "4", "kernel", "make", "batch_size", "1", "in_flight", "1", "duration", "10s", "warmup", "1s",
		"backend", "synthetic(base=10ms)", "seed", "1")
	if r.Latency.Sojourn.P50.Or(0) != 40e6 || r.Latency.Sojourn.Mean.Or(0) != 40e6 || r.Rates.Throughput.Or(0) != 100 {
		t.Errorf("sojourn %v, throughput %v; want 40 ms and 100/s", r.Latency.Sojourn, r.Rates.Throughput)
	}
}

// A client that is turned away comes again after a pause: time must pass.
func TestVirtualClosedLoopWithMoreClientsThanRoomEnds(t *testing.T) {
	r := runVirtual(t, "clients", "50", "kernel", "make", "batch_size", "1", "in_flight", "1", "queue", "5", "duration", "2s",
		"backend", "synthetic(base=10ms)", "seed", "1")
	if r.Counts.Rejected == 0 || r.Counts.Done == 0 {
		t.Errorf("%+v", r.Counts)
	}
}

// With never, what does not fill a batch leaves when the run drains; nobody may
// wait for it for ever.
func TestVirtualRunWithNeverEnds(t *testing.T) {
	r := runVirtual(t, "rate", "1k/s", "items", "1001", "kernel", "make", "batch_size", "10", "batch_delay", "never", "warmup", "0s", "seed", "1",
		"backend", "synthetic(base=1ms)")
	if r.Counts.Done != 1001 || r.Batches.Left.Size != 100 {
		t.Errorf("%+v %+v", r.Counts, r.Batches.Left)
	}
}

func TestVirtualBackendConcurrencyHoldsCallsUp(t *testing.T) {
	// Ten calls may be out, but the backend serves one at a time.
	r := runVirtual(t, "rate", "50/s", "arrivals", "constant", "kernel", "make", "batch_size", "1", "in_flight", "10", "duration", "20s", "drain", "1m", "seed", "1",
		"backend", "synthetic(base=40ms,concurrency=1)")
	if got := r.Latency.Service.Max.Or(0); got < 300e6 {
		t.Errorf("the longest call took %v ns: it did not wait for the backend", got)
	}
	if got := r.Rates.Throughput.Or(0); got < 24 || got > 26 {
		t.Errorf("throughput %v/s; one call of 40 ms at a time makes 25", got)
	}
}

func TestVirtualStopIsReported(t *testing.T) {
	s := virtualSettings(t, "rate", "100k/s", "duration", "700h", "warmup", "0s", "seed", "1")
	stop := make(chan struct{})
	reports := 0
	r, err := Run(s, Options{Stop: stop, Progress: func(p Progress) {
		if reports++; reports == 1 {
			close(stop)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Complete || r.Counts.Offered == 0 {
		t.Errorf("complete %t, %+v", r.Complete, r.Counts)
	}
}

// A thousand items in five hundred hours are a thousand items' work.
func TestVirtualIdleTimeCostsNothing(t *testing.T) {
	r := runVirtual(t, "rate", "0.001/s", "duration", "500h", "seed", "1", "backend", "synthetic(base=1ms)", "direct", "off")
	if n := r.Counts.Offered; n < 1000 || n > 2500 {
		t.Errorf("%d offered", n)
	}
	if n := len(r.Intervals); n > 600 {
		t.Errorf("%d intervals", n)
	}
	var offered, done uint64
	for _, in := range r.Intervals {
		offered += in.Offered
		done += in.Done
	}
	if offered != r.Counts.Offered || done != r.Counts.Done {
		t.Errorf("intervals have %d offered and %d done of %+v", offered, done, r.Counts)
	}
}

// BenchmarkVirtual is how fast simulated items pass.
func BenchmarkVirtual(b *testing.B) {
	var many, weights []string
	for i := range 10_000 {
		many, weights = append(many, fmt.Sprintf("t%d=0.0001", i)), append(weights, fmt.Sprintf("t%d=%d", i, 1+i%7))
	}
	for name, knobs := range map[string][]string{
		"kernel=make":              {"kernel", "make"},
		"kernel=perkey":            {"kernel", "perkey", "keys", "10k", "key_skew", "1.1"},
		"kernel=keyed":             {"kernel", "keyed", "keys", "10k", "key_skew", "1.1"},
		"kernel=make/shares=3":     {"kernel", "make", "lanes", "a=0.5,b=0.3,c=0.2", "share", "a=3,b=2,c=1"},
		"kernel=make/shares=10000": {"kernel", "make", "queue", "100k", "lanes", strings.Join(many, ","), "share", strings.Join(weights, ",")},
	} {
		b.Run(name, func(b *testing.B) {
			const items = 1_000_000
			for b.Loop() {
				runVirtual(b, append(knobs, "rate", "50k/s", "items", "1000000", "seed", "1",
					"backend", "synthetic(base=1ms,per_item=20us)")...)
			}
			b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mitems/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/item")
		})
	}
}

// BenchmarkQuietInterval is what a second costs in which little happens.
func BenchmarkQuietInterval(b *testing.B) {
	const seconds = 36_000
	for b.Loop() {
		runVirtual(b, "rate", "2/s", "duration", "10h", "seed", "1", "backend", "synthetic(base=100ms,dist=exponential)")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/seconds, "us/interval")
}
