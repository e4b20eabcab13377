package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/ferry"
	"ferryctl/lanes"
	"ferryctl/workload"
)

// A trial is a load, a kernel and a backend, all drawn at random.
type trial struct {
	kernel ferry.Settings
	load   workload.Spec
	spec   backend.Spec
	seed   uint64
}

// newTrial draws settings in which every rule has its chance. Jitter keeps most
// events from falling on the same nanosecond as another; see tied.
func newTrial(seed uint64) trial {
	r := rand.New(rand.NewPCG(seed, 11))
	pick := func(vs ...int) int { return vs[r.IntN(len(vs))] }
	us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
	t := trial{seed: seed}
	t.kernel = ferry.Settings{Kernel: []string{"make", "keyed", "perkey", "perkey"}[r.IntN(4)], PerKeyConfig: ferry.PerKeyConfig{
		NoDirect: r.IntN(2) == 0,
		Config: ferry.Config{
			MaxBatchSize: pick(1, 2, 4, 16, ferry.Unlimited), MaxBatchWeight: int64(pick(0, 0, 3, 12)),
			MaxBatchDelay: []time.Duration{0, 0, us(30), us(200), us(1500)}[r.IntN(5)], MaxInFlightBatches: pick(1, 2, 5, ferry.Unlimited),
			MaxQueued: pick(3, 12, 1000), MaxQueuedWeight: int64(pick(0, 0, 9, 40)),
		},
	}}
	t.load = workload.Spec{
		Seed: seed, Rate: workload.Rate{PerSecond: float64(pick(2_000, 10_000, 50_000))}, Keys: uint64(pick(1, 3, 20)),
		KeySkew: float64(r.IntN(3)) / 2, Weights: workload.Weights{Kind: workload.UniformWeight, Min: 1, Max: 4}, Items: 80,
	}
	t.spec = backend.Spec{
		Kind: backend.Synthetic, Base: us(pick(0, 20, 150)) + 1, PerItem: us(pick(0, 10)), PerWeight: us(pick(0, 3)), Jitter: 0.5,
		Concurrency: pick(0, 0, 1, 2), Errors: []float64{0, 0, 0.2}[r.IntN(3)],
	}
	t.share()
	return t
}

// share divides the service between two or three share lanes, in one trial of
// three. They need a place each, and twice that to be guaranteed one.
func (x *trial) share() {
	r := rand.New(rand.NewPCG(x.seed, 12))
	if r.IntN(3) > 0 {
		return
	}
	x.load.Lanes = []workload.LaneFraction{{Lane: "a", Fraction: 0.5}, {Lane: "b", Fraction: 0.5}}
	x.kernel.Shares = ferry.Shares{Lanes: "a=3,b=1", Policy: ferry.RoomPolicy(r.IntN(3)), Quantum: int64(r.IntN(5))}
	if r.IntN(2) == 0 {
		x.load.Lanes = []workload.LaneFraction{{Lane: "a", Fraction: 0.3}, {Lane: "g/b", Fraction: 0.3}, {Lane: "g/c", Fraction: 0.4}}
		x.kernel.Lanes = "a=1,g/=2,g/b=1,g/c=2.5"
	}
	if x.kernel.Validate() != nil {
		x.kernel.Policy = ferry.RoomShared
	}
}

// virtual returns every decision of the virtual shell, and when calls ended.
func (x trial) virtual(t *testing.T) (log []decision, ends []time.Duration) {
	t.Helper()
	e, err := newSimulation(plan{kernel: x.kernel, load: x.load, byIndex: true, drain: time.Hour}, x.spec)
	if err != nil {
		t.Fatal(err)
	}
	e.sim.decided = func(d decision) {
		if d.what == callEnded {
			ends = append(ends, d.at)
			return
		}
		log = append(log, d)
	}
	if err := e.simulate(nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	return log, ends
}

// tied reports whether two things fall on the same nanosecond, so that in real
// time it is up to the scheduler which comes first: arrivals, deadlines and ends
// of calls, or the begins of two calls, whose workers race to the backend.
func (x trial) tied(t *testing.T, log []decision, ends []time.Duration) bool {
	t.Helper()
	for i := 1; i < len(log); i++ {
		if log[i].at == log[i-1].at {
			return true
		}
	}
	source, err := workload.New(x.load)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Duration]bool{}
	again := func(at time.Duration) bool {
		was := seen[at]
		seen[at] = true
		return was
	}
	var it workload.Item
	for source.Next(&it) {
		if again(it.At) || x.kernel.MaxBatchDelay > 0 && again(it.At+x.kernel.MaxBatchDelay) {
			return true
		}
	}
	return slices.ContainsFunc(ends, again)
}

// real returns every decision of the real kernel in a bubble of simulated time.
func (x trial) real(t *testing.T) (log []decision) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, err := backend.New(x.spec, x.load.Seed, backend.WithSleeper(sleep.Plain()))
		if err != nil {
			t.Fatal(err)
		}
		k := &realKernel{backend: b, start: time.Now(), left: map[uint64]ferry.Left{}}
		f, err := k.build(x.kernel, func(it *workload.Item) string { return x.load.Lanes[it.Lane].Lane })
		if err != nil {
			t.Fatal(err)
		}
		source, err := workload.New(x.load)
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for {
			it := new(workload.Item)
			if !source.Next(it) {
				break
			}
			time.Sleep(time.Until(k.start.Add(it.At)))
			callers.Go(func() {
				_, err := f.Do(context.Background(), it)
				var rejected *ferry.RejectedError
				if errors.As(err, &rejected) {
					why := lanes.FullCount
					switch {
					case rejected.Never:
						why = lanes.TooHeavy
					case rejected.Share != "" && rejected.Bound == ferry.BoundWeight:
						why = lanes.FullShareWeight
					case rejected.Share != "":
						why = lanes.FullShareCount
					case rejected.Bound == ferry.BoundWeight:
						why = lanes.FullWeight
					}
					k.tell(decision{what: why.String(), items: []uint64{it.Index}})
				}
			})
			synctest.Wait()
		}
		callers.Wait()
		_ = f.Close()
		_ = b.Close()
		log = k.log
	})
	return log
}

// realKernel is a kernel whose calls write down that they began.
type realKernel struct {
	backend backend.Backend
	start   time.Time
	mu      sync.Mutex
	log     []decision
	calls   uint64
	left    map[uint64]ferry.Left // by the first item of a batch
	whole   map[uint64][]uint64   // keyed: all items of it
}

func (k *realKernel) tell(d decision) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d.at = time.Since(k.start)
	k.log = append(k.log, d)
}

func (k *realKernel) call(ctx context.Context, in []*workload.Item) error {
	d := decision{at: time.Since(k.start)}
	var weight int64
	k.mu.Lock()
	first := in[0].Index
	d.batch, d.what, d.items = k.calls, ferry.LeftDirect.String(), []uint64{first}
	if whole, ok := k.whole[first]; ok {
		d.what, d.items = k.left[first].String(), whole
	}
	k.calls++
	k.log = append(k.log, d)
	k.mu.Unlock()
	for _, it := range in {
		weight += it.Weight
	}
	return k.backend.Call(ctx, d.batch, len(in), weight)
}

func (k *realKernel) build(s ferry.Settings, lane func(*workload.Item) string) (ferry.Ferry[*workload.Item, struct{}], error) {
	k.whole = map[uint64][]uint64{}
	opts := []ferry.Option[*workload.Item]{
		ferry.WithWeigh(func(it *workload.Item) int64 { return it.Weight }),
		ferry.WithObserver(&ferry.Observer[*workload.Item]{Taken: func(b ferry.Batch, in []*workload.Item, _ []ferry.Wait) {
			k.mu.Lock()
			defer k.mu.Unlock()
			var all []uint64
			for _, it := range in {
				all = append(all, it.Index)
			}
			k.left[in[0].Index], k.whole[in[0].Index] = b.Left, all
		}}),
	}
	if s.Lanes != "" {
		opts = append(opts, ferry.WithShares(s.Shares, lane))
	}
	key := func(it *workload.Item) uint64 { return it.Key }
	switch s.Kernel {
	case "make":
		return ferry.Make(s.Config, func(ctx context.Context, in []*workload.Item) ([]struct{}, error) {
			return make([]struct{}, len(in)), k.call(ctx, in)
		}, opts...)
	case "keyed":
		return ferry.Keyed(s.Config, key, func(ctx context.Context, in []*workload.Item) (map[uint64]struct{}, error) {
			m := map[uint64]struct{}{}
			for _, it := range in {
				m[it.Key] = struct{}{}
			}
			return m, k.call(ctx, in)
		}, opts...)
	}
	return ferry.PerKey(s.PerKeyConfig, key, func(ctx context.Context, _ uint64, in []*workload.Item) ([]struct{}, error) {
		return make([]struct{}, len(in)), k.call(ctx, in)
	}, opts...)
}

func linesOf(log []decision) []string {
	out := make([]string, 0, len(log))
	for _, d := range log {
		out = append(out, fmt.Sprintf("%d %s batch %d %v", d.at.Nanoseconds(), d.what, d.batch, d.items))
	}
	return out
}

// TestVirtualDecidesAsReal compares every decision of the two shells for many
// random loads, kernels and backends.
func TestVirtualDecidesAsReal(t *testing.T) {
	trials := uint64(3000)
	if testing.Short() || raceDetector {
		trials = 300
	}
	decisions, tied, by := 0, uint64(0), map[string]int{}
	for seed := range trials {
		x := newTrial(seed)
		virtual, ends := x.virtual(t)
		if x.tied(t, virtual, ends) {
			tied++
			continue
		}
		v, r := linesOf(virtual), linesOf(x.real(t))
		if !slices.Equal(v, r) {
			at := 0
			for at < min(len(v), len(r)) && v[at] == r[at] {
				at++
			}
			t.Fatalf("trial %d: %+v\n%+v\n%+v\nafter %d common decisions, virtual:\n  %s\nreal:\n  %s", seed, x.kernel, x.load, x.spec, at,
				strings.Join(v[at:min(at+5, len(v))], "\n  "), strings.Join(r[at:min(at+5, len(r))], "\n  "))
		}
		decisions += len(v)
		for _, d := range virtual {
			by[d.what]++
		}
	}
	for _, what := range []string{"size", "weight", "delay", "freed", "direct", "full by count", "full by weight", "share lane full by count", "share lane full by weight"} {
		if by[what] == 0 {
			t.Errorf("no decision was %q: the trials do not cover it", what)
		}
	}
	if tied > trials/10 {
		t.Errorf("%d of %d trials had ties and were left out", tied, trials)
	}
	t.Logf("%d trials (%d more had ties), %d decisions: %v", trials-tied, tied, decisions, by)
}
