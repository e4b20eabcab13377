package ferry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// plan is a load, and a batcher to give it to.
type metaPlan struct {
	kernel   string
	cfg      Config
	direct   bool
	at       []time.Duration
	keys     []int
	service  []time.Duration // of the n-th call
	observe  bool
	procs    int
	relabel  func(int) int // keys by another name
	original func(int) int
}

// Every arrival has its own nanosecond within its microsecond, and all other
// times are whole microseconds, so that no two events fall together: then the
// outcome has no choice but the batcher's.
func newMetaPlan(seed uint64) metaPlan {
	r := rand.New(rand.NewPCG(seed, 3))
	pick := func(vs ...int) int { return vs[r.IntN(len(vs))] }
	p := metaPlan{
		kernel: []string{"make", "perkey"}[r.IntN(2)],
		cfg: Config{
			MaxBatchSize: pick(1, 3, 8), MaxBatchDelay: time.Duration(pick(0, 0, 40, 300)) * time.Microsecond,
			MaxInFlightBatches: pick(1, 2, 4), MaxQueued: pick(5, 40, 1000),
		},
		direct: r.IntN(2) == 0,
		procs:  runtime.GOMAXPROCS(0), relabel: func(k int) int { return k }, original: func(k int) int { return k },
	}
	at := time.Duration(0)
	for i := range 300 {
		at += time.Duration(r.IntN(60)) * time.Microsecond
		p.at = append(p.at, at+time.Duration(i))
		p.keys = append(p.keys, r.IntN(6))
		p.service = append(p.service, time.Duration(20+r.IntN(150))*time.Microsecond)
	}
	return p
}

// run returns what was decided: each call with its time, its key and its
// inputs in order, and each rejection.
func (p metaPlan) run(t *testing.T) string {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(p.procs))
	var log []string
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		start := time.Now()
		note := func(format string, args ...any) {
			log = append(log, fmt.Sprintf("%d ", time.Since(start).Nanoseconds())+fmt.Sprintf(format, args...))
		}
		calls := 0
		call := func(_ context.Context, key int, in []int) ([]int, error) {
			mu.Lock()
			d := p.service[calls%len(p.service)]
			calls++
			note("call %d %v", p.original(key), in)
			mu.Unlock()
			time.Sleep(d)
			return in, nil
		}
		var opts []Option[int]
		if p.observe {
			opts = append(opts, WithObserver(&Observer[int]{Taken: func(Batch, []int, []Wait) {}, Answered: func(int, error) {}}))
		}
		key := func(i int) int { return p.relabel(p.keys[i]) }
		var f Ferry[int, int]
		var err error
		if p.kernel == "make" {
			f, err = Make(p.cfg, func(ctx context.Context, in []int) ([]int, error) { return call(ctx, p.relabel(0), in) }, opts...)
		} else {
			f, err = PerKey(PerKeyConfig{Config: p.cfg, NoDirect: !p.direct}, key, call, opts...)
		}
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range p.at {
			time.Sleep(time.Until(start.Add(p.at[i])))
			wg.Go(func() {
				if _, err := f.Do(context.Background(), i); err != nil {
					mu.Lock()
					note("%d: %v", i, err)
					mu.Unlock()
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		f.Close()
	})
	return strings.Join(log, "\n")
}

// TestWhatMustNotMatterDoesNot gives the same load to the same batcher under
// settings that must not matter, and compares every decision.
func TestWhatMustNotMatterDoesNot(t *testing.T) {
	for seed := range uint64(40) {
		p := newMetaPlan(seed)
		want := p.run(t)
		if strings.Count(want, "call") < 10 {
			t.Fatalf("seed %d: the load made only these calls:\n%s", seed, want)
		}
		variants := map[string]func(*metaPlan){
			"again":        func(*metaPlan) {},
			"an observer":  func(p *metaPlan) { p.observe = true },
			"GOMAXPROCS 1": func(p *metaPlan) { p.procs = 1 },
			"GOMAXPROCS 4": func(p *metaPlan) { p.procs = 4 },
			"other keys": func(p *metaPlan) {
				p.relabel = func(k int) int { return 1000 - 7*k }
				p.original = func(k int) int { return (1000 - k) / 7 }
			},
		}
		for name, vary := range variants {
			v := p
			vary(&v)
			if got := v.run(t); got != want {
				t.Errorf("seed %d (%s %+v direct=%t): %s makes a difference:\n%s\nwithout it:\n%s", seed, p.kernel, p.cfg, p.direct, name, got, want)
			}
		}
	}
}
