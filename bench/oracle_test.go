// Runs in virtual time against queues whose answers are known: closed forms and
// numerically solved chains, by way of testdata/oracles.json. docs/method.md says
// what is compared, and where each answer comes from.

package bench

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/ferry"
	"ferryctl/workload"
)

// The full length is what the tolerances are stated for:
//
//	go test ./bench -run TestOracles -oracle-items 1000000
var oracleItems = flag.Uint64("oracle-items", 100_000, "measured items per oracle case")

// fullItems is the length that a case's tolerances are stated for.
const fullItems = 1_000_000

// oracleCase is one case of the file; a null is unbounded.
type oracleCase struct {
	Name   string `json:"name"`
	Family string `json:"family"`
	Params struct {
		Arrival string   `json:"arrival"`
		Lambda  float64  `json:"lambda"`
		B       *int     `json:"B"`
		D       *float64 `json:"D"`
		C       *int     `json:"c"`
		N       *int     `json:"N"`
		Keys    uint64   `json:"keys"`
		Lanes   []struct {
			Weight int     `json:"weight"`
			Demand float64 `json:"demand"`
			Room   int     `json:"room"`
		} `json:"lanes"`
		Service struct {
			Dist  string  `json:"dist"`
			Tau0  float64 `json:"tau0"`
			Alpha float64 `json:"alpha"`
			CV    float64 `json:"cv"`
		} `json:"service"`
	} `json:"params"`
	Expected  map[string]json.RawMessage `json:"expected"`
	Tolerance map[string]float64         `json:"tolerance_rel_1e6_items"`
}

func readOracles(t *testing.T) []oracleCase {
	t.Helper()
	data, err := os.ReadFile("testdata/oracles.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []oracleCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func nanoseconds(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// plan translates a case's parameters. Five per cent more items than are
// measured warm the queue up.
func (c *oracleCase) plan(seed, items uint64) (plan, backend.Spec) {
	p := c.Params
	or := func(v *int, none int) int {
		if v == nil {
			return none
		}
		return *v
	}
	delay := ferry.Never
	if p.D != nil {
		delay = nanoseconds(*p.D)
	}
	kernel := ferry.Settings{Kernel: "make", PerKeyConfig: ferry.PerKeyConfig{NoDirect: true, Config: ferry.Config{
		MaxBatchSize: or(p.B, ferry.Unlimited), MaxBatchDelay: delay,
		MaxInFlightBatches: or(p.C, ferry.Unlimited), MaxQueued: or(p.N, ferry.Unlimited),
	}}}
	if p.Keys > 0 {
		kernel.Kernel = "perkey"
	}
	warm := items / 20
	if len(p.Lanes) > 0 {
		warm = max(warm, 20_000) // until every part of the room is full
	}
	load := workload.Spec{
		Seed: seed, Rate: workload.Rate{PerSecond: p.Lambda}, Keys: max(1, p.Keys), Items: items + warm,
	}
	if p.Arrival == "deterministic" {
		load.Arrivals = workload.Arrivals{Kind: workload.Constant}
	}
	spec := backend.Spec{Kind: backend.Synthetic, Base: nanoseconds(p.Service.Tau0), PerItem: nanoseconds(p.Service.Alpha)}
	c.share(&kernel, &load)
	switch p.Service.Dist {
	case "exponential":
		spec.Dist.Shape = backend.Exponential
	case "lognormal":
		spec.Dist = backend.Dist{Shape: backend.Lognormal, Sigma: math.Sqrt(math.Log1p(p.Service.CV * p.Service.CV))}
	}
	return plan{kernel: kernel, load: load, byIndex: true, first: warm, drain: time.Hour}, spec
}

// share gives every share lane its weight, its arrivals, and a part of the room
// that is as large as the case's for the heaviest and smaller for the others: in
// overload a smaller room rejects as often, and is full sooner.
func (c *oracleCase) share(kernel *ferry.Settings, load *workload.Spec) {
	if len(c.Params.Lanes) == 0 {
		return
	}
	var list []string
	load.Rate = workload.Rate{}
	total, heaviest := 0, 0
	for i, l := range c.Params.Lanes {
		name := fmt.Sprintf("lane%d", i)
		list = append(list, fmt.Sprintf("%s=%d", name, l.Weight))
		load.LaneRates = append(load.LaneRates, workload.LaneRate{Lane: name, Rate: workload.Rate{PerSecond: l.Demand}})
		total, heaviest = total+l.Weight, max(heaviest, l.Weight)
	}
	kernel.Shares = ferry.Shares{Lanes: strings.Join(list, ","), Policy: ferry.RoomPartitioned}
	kernel.MaxQueued = c.Params.Lanes[0].Room * (total + 1) / heaviest // of which untagged items have the lightest's part
}

// figures are what a run says, by the oracles' names.
type figures map[string]float64

// histShare returns the part of the values that lie in [low, high].
func histShare(h *hist, low, high time.Duration) float64 {
	n := int64(0)
	for _, b := range h.buckets.Distribution() {
		if b.To >= int64(low) && b.From <= int64(high) {
			n += b.Count
		}
	}
	return float64(n) / float64(h.count)
}

func (c *oracleCase) figures(t *testing.T, e *engine) figures {
	t.Helper()
	r := &Result{Schema: Schema}
	e.assemble(r)
	tot := e.rec.totals(e.series, e.watch.next)
	window := r.Window.Measured.Or(0)
	sec := func(n Num) float64 { return n.Or(math.NaN()) / 1e9 }
	f := figures{
		"mean_wait": sec(r.Latency.Wait.Mean), "mean_sojourn": sec(r.Latency.Sojourn.Mean),
		"p50_wait": sec(r.Latency.Wait.P50), "p99_wait": sec(r.Latency.Wait.P99), "p999_wait": sec(r.Latency.Wait.P999),
		"p50_sojourn": sec(r.Latency.Sojourn.P50), "p99_sojourn": sec(r.Latency.Sojourn.P99), "p999_sojourn": sec(r.Latency.Sojourn.P999),
		"max_wait": sec(r.Latency.Wait.Max), "p_wait_zero": histShare(&tot.wait, 0, 0),
		"mean_queue": r.Room.MeanQueued.Or(math.NaN()), "mean_inflight": tot.batches.service.float() / 1e9 / window,
		"mean_batch": r.Batches.Size.Mean.Or(math.NaN()), "throughput": r.Rates.Throughput.Or(math.NaN()),
		"reject_ratio": r.Rates.Rejected.Or(math.NaN()),
	}
	for i, l := range r.Lanes {
		rate := float64(l.Done) / window
		f[fmt.Sprintf("lane%d_rate", i)], f[fmt.Sprintf("lane%d_share", i)] = rate, rate/f["throughput"]
		f[fmt.Sprintf("lane%d_reject", i)] = float64(l.Rejected) / float64(l.Offered)
	}
	sizes := tot.batches
	if b := c.Params.B; b != nil && *b < len(sizes.sizes) {
		f["p_full"] = float64(sizes.sizes[*b]) / float64(sizes.count)
	}
	if d := c.Params.D; d != nil && *d > 0 {
		at := nanoseconds(*d)
		f["p_wait_equals_D"] = histShare(&tot.wait, at, at)
	}
	return f
}

// check compares one figure. Tolerances are relative, and stated for a full run:
// a shorter one is as many times less sure as the square root of its length is
// less. A quantile is known to its bucket, a part in a thousand.
func (c *oracleCase) check(t *testing.T, name string, got, want, widen float64) {
	t.Helper()
	off, tolerance := math.Abs(got-want)/math.Abs(want), c.Tolerance[name]
	if abs, ok := c.Tolerance[name+"_abs"]; ok {
		off, tolerance = math.Abs(got-want), abs
	}
	if tolerance == 0 {
		t.Errorf("%s: no tolerance", name)
		return
	}
	allowed := tolerance*widen + 0.0011*bucketed(name)
	if !(off <= allowed) {
		t.Errorf("%s: got %.6g, want %.6g: off by %.3f %%, %.3f %% are allowed", name, got, want, 100*off, 100*allowed)
	}
}

func bucketed(name string) float64 {
	switch name {
	case "p50_wait", "p99_wait", "p999_wait", "p50_sojourn", "p99_sojourn", "p999_sojourn", "p_wait_equals_D":
		return 1
	}
	return 0
}

func (c *oracleCase) checkSizes(t *testing.T, sizes *batchTally, raw json.RawMessage, widen float64) {
	t.Helper()
	var pmf map[int]float64
	if err := json.Unmarshal(raw, &pmf); err != nil {
		t.Fatal(err)
	}
	for size, want := range pmf {
		got := 0.0
		if size < len(sizes.sizes) {
			got = float64(sizes.sizes[size]) / float64(sizes.count)
		}
		if math.Abs(got-want) > c.Tolerance["batch_pmf_abs"]*widen {
			t.Errorf("batches of %d: got %.6f, want %.6f within %.4f", size, got, want, c.Tolerance["batch_pmf_abs"]*widen)
		}
	}
}

func TestOracles(t *testing.T) {
	if raceDetector && *oracleItems > 20_000 {
		*oracleItems = 20_000
	}
	widen := math.Sqrt(float64(fullItems) / float64(*oracleItems))
	compared := 0
	for _, c := range readOracles(t) {
		t.Run(c.Name, func(t *testing.T) {
			p, spec := c.plan(1, *oracleItems)
			e, err := newSimulation(p, spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.simulate(nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			got := c.figures(t, e)
			sizes := e.rec.totals(e.series, e.watch.next).batches
			for name, raw := range c.Expected {
				if name == "batch_pmf" {
					c.checkSizes(t, &sizes, raw, widen)
					continue
				}
				var want float64
				if err := json.Unmarshal(raw, &want); err != nil {
					t.Fatal(err)
				}
				g, ok := got[name]
				if !ok {
					t.Errorf("%s is not compared", name)
					continue
				}
				c.check(t, name, g, want, widen)
				compared++
			}
		})
	}
	t.Logf("%d figures compared over %d items each", compared, *oracleItems)
}
