// Share lanes through the kernels, in simulated time.

package ferry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/lanes/fairshare"
)

// tenants is a batcher of ints whose hundreds say which share lane they are of.
type tenants struct {
	f    Ferry[int, int]
	mu   sync.Mutex
	done map[string]int
	rej  map[string]int
	wg   sync.WaitGroup
}

func tenantOf(in int) string { return []string{"a", "b", "c", ""}[in/100] }

// build makes a batcher of every kernel with these share lanes, whose calls
// take a millisecond.
func (x *tenants) build(t *testing.T, kernel string, c Config, s Shares) {
	t.Helper()
	x.done, x.rej = map[string]int{}, map[string]int{}
	serve := func(_ context.Context, in []int) ([]int, error) {
		for _, v := range in {
			if tenantOf(v) != tenantOf(in[0]) && strings.Contains(s.Lanes, ",") { // one alone shares its line with the untagged
				t.Errorf("a batch of two share lanes: %v", in)
			}
		}
		time.Sleep(ms)
		return in, nil
	}
	opts := []Option[int]{WithShares(s, tenantOf)}
	var err error
	switch kernel {
	case "make":
		x.f, err = Make(c, serve, opts...)
	case "keyed":
		x.f, err = Keyed(c, func(in int) int { return in }, func(ctx context.Context, in []int) (map[int]int, error) {
			m := map[int]int{}
			for _, v := range in {
				m[v] = v
			}
			_, err := serve(ctx, in)
			return m, err
		}, opts...)
	default:
		x.f, err = PerKey(PerKeyConfig{Config: c, NoDirect: kernel == "queued"}, func(in int) int { return in },
			func(ctx context.Context, _ int, in []int) ([]int, error) { return serve(ctx, in) }, opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// load keeps n callers of a share lane busy until stop.
func (x *tenants) load(stop context.Context, first, n int) {
	for i := range n {
		x.wg.Go(func() {
			for stop.Err() == nil {
				_, err := x.f.Do(context.Background(), first+i)
				x.mu.Lock()
				switch {
				case err == nil:
					x.done[tenantOf(first)]++
				case errors.Is(err, ErrRejected):
					x.rej[tenantOf(first)]++
				}
				x.mu.Unlock()
				if err != nil {
					time.Sleep(ms)
				}
			}
		})
	}
}

func TestServiceIsDividedByWeightInEveryKernel(t *testing.T) {
	for _, kernel := range []string{"make", "keyed", "queued"} {
		t.Run(kernel, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := new(tenants)
				x.build(t, kernel, settings(2, 0, 2, 400), Shares{Lanes: "a=5,b=3,c=2", Policy: RoomShared})
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				for i := range 3 {
					x.load(ctx, 100*i, 40)
				}
				time.Sleep(2900 * ms) // while all of them have work
				measured := x.f.Shares()
				x.wg.Wait()
				all := x.done["a"] + x.done["b"] + x.done["c"]
				for lane, share := range map[string]float64{"a": 0.5, "b": 0.3, "c": 0.2} {
					if got := float64(x.done[lane]) / float64(all); got < share-0.01 || got > share+0.01 {
						t.Errorf("share lane %s got %.3f of %d, want %.1f", lane, got, all, share)
					}
				}
				for _, m := range measured {
					// They came one after the other, which leaves them up to two of the
					// largest costs apart: see Churn in lanes/fairshare/bounds.go.
					if churn := 2 * m.Bound; m.Got == 0 || m.MaxLag > churn || m.MaxLead > churn {
						t.Errorf("%+v: further from its share than lanes that come may be", m)
					}
				}
				x.f.Close()
			})
		})
	}
}

func TestAFloodOfOneShareLaneKeepsNoOtherOut(t *testing.T) {
	for _, kernel := range []string{"make", "keyed", "queued"} {
		for _, policy := range []RoomPolicy{RoomGuaranteed, RoomPartitioned} {
			t.Run(fmt.Sprint(kernel, "/", policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := new(tenants)
					x.build(t, kernel, settings(1, 0, 1, 40), Shares{Lanes: "a=1,b=1", Policy: policy})
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					x.load(ctx, 0, 100) // fills whatever it may
					time.Sleep(10 * ms)
					x.load(ctx, 100, 5)
					x.wg.Wait()
					if x.rej["a"] == 0 || x.rej["b"] > 0 {
						t.Errorf("rejected: %v; the flood should be, and nobody else", x.rej)
					}
					if x.done["b"] < x.done["a"]*9/10 {
						t.Errorf("done: %v; both have work and equal shares", x.done)
					}
					x.f.Close()
				})
			})
		}
	}
}

func TestRejectionsSayWhichPartIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := new(tenants)
		x.build(t, "make", settings(1, 0, 1, 40), Shares{Lanes: "a=1,b=1", Policy: RoomPartitioned})
		ctx, cancel := context.WithCancel(t.Context())
		x.load(ctx, 0, 1)
		synctest.Wait() // one is out, and takes no place from those that come
		x.load(ctx, 0, 50)
		synctest.Wait()
		_, err := x.f.Do(t.Context(), 0)
		var r *RejectedError
		if !errors.As(err, &r) || r.Share != "a" || r.Limit != int64(x.f.Shares()[0].Part) || r.Bound != BoundCount ||
			!strings.Contains(err.Error(), "share lane a holds its part") {
			t.Errorf("got %v", err)
		}
		cancel()
		x.wg.Wait()
		x.f.Close()
	})
}

func TestUnknownShareLanesAndCostsAreErrorsAtOnce(t *testing.T) {
	f, err := Make(settings(1, 0, 1, 40), func(_ context.Context, in []int) ([]int, error) { return in, nil },
		WithShares(Shares{Lanes: "a=1"}, func(in int) string { return map[int]string{1: "z"}[in] }),
		WithCost(func(in int) int64 { return map[int]int64{0: 1, 2: MaxCost + 1}[in] }))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Do(t.Context(), 0); err != nil {
		t.Errorf("an untagged input: %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a cost of 0 went through")
			}
		}()
		f.Do(t.Context(), 1)
	}()
	var c *CostError
	if _, err := f.Do(t.Context(), 2); !errors.As(err, &c) || c.Cost != MaxCost+1 {
		t.Errorf("too high a cost: %v", err)
	}
	if m := f.Metrics(); m.Submitted != 1 || m.Done != 1 {
		t.Errorf("metrics count what was never submitted: %+v", m)
	}
	g, err := Make(settings(1, 0, 1, 40), func(_ context.Context, in []int) ([]int, error) { return in, nil },
		WithShares(Shares{Lanes: "a=1"}, func(int) string { return "z" }))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var u *UnknownShareError
	if _, err := g.Do(t.Context(), 0); !errors.Is(err, ErrUnknownShare) || !errors.As(err, &u) || u.Share != "z" {
		t.Errorf("an unknown share lane: %v", err)
	}
	if err := g.Reweigh("z", fairshare.One); err == nil {
		t.Error("an unknown share lane was given a weight")
	}
}

func TestReweighTakesEffectWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := new(tenants)
		x.build(t, "make", settings(1, 0, 1, 400), Shares{Lanes: "a=1,b=1", Policy: RoomShared})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		x.load(ctx, 0, 20)
		x.load(ctx, 100, 20)
		time.Sleep(500 * ms)
		w, err := fairshare.ParseWeight("3")
		if err != nil {
			t.Fatal(err)
		}
		if err := x.f.Reweigh("a", w); err != nil {
			t.Fatal(err)
		}
		if got := x.f.Settings().Lanes; got != "a=3,b=1" {
			t.Errorf("the settings say %s", got)
		}
		x.mu.Lock()
		before := [2]int{x.done["a"], x.done["b"]}
		x.mu.Unlock()
		time.Sleep(time.Second)
		x.mu.Lock()
		a, b := x.done["a"]-before[0], x.done["b"]-before[1]
		x.mu.Unlock()
		if before[0]*100 < before[1]*95 || a < 29*b/10 || a > 31*b/10 {
			t.Errorf("before %v, after %d and %d; want 1:1 and 3:1", before, a, b)
		}
		x.wg.Wait()
		x.f.Close()
	})
}

// All that two share lanes have is behind one key, so that each of them looks
// idle whenever its call is out.
func TestShareLanesThatContendForAKeyTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := map[string]int{}
		f, err := PerKey(PerKeyConfig{Config: settings(1, 0, 1, 400), NoDirect: true}, func(int) int { return 7 },
			func(_ context.Context, _ int, in []int) ([]int, error) {
				time.Sleep(ms)
				served[tenantOf(in[0])] += len(in)
				return in, nil
			}, WithShares(Shares{Lanes: "a=1,b=1", Policy: RoomShared}, tenantOf))
		if err != nil {
			t.Fatal(err)
		}
		x := &tenants{f: f, done: map[string]int{}, rej: map[string]int{}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		x.load(ctx, 0, 20)
		x.load(ctx, 100, 20)
		x.wg.Wait()
		f.Close()
		if a, b := served["a"], served["b"]; a < b-21 || b < a-21 { // at the end one of them is alone for a while
			t.Errorf("served %v", served)
		}
	})
}

// TestNobodyWaitsForEverForAKeyOfSeveralShareLanes: whatever else a share lane has
// to do, and whatever calls cost, its callers at a key that another keeps busy get
// in as often as the weights of the two say, once those elsewhere had a turn each.
func TestNobodyWaitsForEverForAKeyOfSeveralShareLanes(t *testing.T) {
	const contended = 7 // the key of all up to input 109
	for name, c := range map[string]struct {
		lanes       string
		size, slots int
		cost        int64
		elsewhere   int    // how many more callers b has, each with a key of its own
		third       int    // … and c
		least       [2]int // calls at the key, for a and for b
	}{
		"calls that cost more than the quantum":   {lanes: "a=3,b=1", size: 4, slots: 1, cost: 10, least: [2]int{700, 200}},
		"more to do elsewhere":                    {lanes: "a=1,b=1", size: 1, slots: 2, cost: 1, elsewhere: 20, least: [2]int{900, 40}},
		"more slots than are of use":              {lanes: "a=1,b=1", size: 1, slots: 8, cost: 1, elsewhere: 40, least: [2]int{800, 100}},
		"a third one that is busy elsewhere":      {lanes: "a=1,b=1,c=1", size: 1, slots: 8, cost: 1, third: 40, least: [2]int{400, 400}},
		"weights that are far apart, and a third": {lanes: "a=100,b=1,c=100", size: 1, slots: 2, cost: 1, third: 40, least: [2]int{900, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls [2]atomic.Int64
				key := func(i int) int {
					if i < 110 {
						return contended
					}
					return i
				}
				f, err := PerKey(PerKeyConfig{Config: settings(c.size, 0, c.slots, 400), NoDirect: true}, key,
					func(_ context.Context, key int, in []int) ([]int, error) {
						if key == contended {
							calls[in[0]/100].Add(1)
						}
						time.Sleep(ms)
						return in, nil
					}, WithShares(Shares{Lanes: c.lanes, Policy: RoomShared}, tenantOf), WithCost(func(int) int64 { return c.cost }))
				if err != nil {
					t.Fatal(err)
				}
				x := &tenants{f: f, done: map[string]int{}, rej: map[string]int{}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				x.load(ctx, 0, 20)
				x.load(ctx, 100, 10)
				x.load(ctx, 110, c.elsewhere)
				x.load(ctx, 200, c.third)
				<-ctx.Done()
				a, b := int(calls[0].Load()), int(calls[1].Load())
				x.wg.Wait()
				f.Close()
				if a < c.least[0] || b < c.least[1] {
					t.Errorf("in a second a had %d calls at the key, and b %d; want %v at least", a, b, c.least)
				}
			})
		})
	}
}

// A direct call takes no slot, but its share lane's turn.
func TestDirectCallsAskForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := new(tenants)
		x.build(t, "perkey", settings(1, 0, 1, 400), Shares{Lanes: "a=1,b=1", Policy: RoomShared})
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		x.load(ctx, 0, 1)
		time.Sleep(20 * ms)
		if m := x.f.Metrics(); m.Claimed == 0 || m.Admitted != 0 {
			t.Errorf("alone, every call is direct: %+v", m)
		}
		x.wg.Wait()
		x.f.Close()
	})
}

func TestSharesAreValidatedWithEverythingElse(t *testing.T) {
	_, err := PerKey(PerKeyConfig{Config: settings(0, 0, 1, 4)}, func(in int) int { return in },
		func(_ context.Context, _ int, in []int) ([]int, error) { return in, nil },
		WithShares[int](Shares{Lanes: "a=1,b=1,c=1"}, nil))
	for _, want := range []string{"MaxBatchSize 0", "MaxQueued 4 is less than the 8 that 3 share lanes need", "it must give each input's share lane"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := Make(settings(1, 0, 1, 40), func(_ context.Context, in []int) ([]int, error) { return in, nil },
		WithShares(Shares{Lanes: "a=0,b"}, tenantOf)); err == nil || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("two bad shares: %v", err)
	}
}

func TestANewWindowHasAnAccountOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := new(tenants)
		x.build(t, "make", settings(1, 0, 1, 400), Shares{Lanes: "a=1,b=1", Policy: RoomShared})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		x.load(ctx, 0, 20)
		time.Sleep(500 * ms)
		x.load(ctx, 100, 20)
		x.f.ResetPeaks()
		time.Sleep(400 * ms)
		m := x.f.Shares()
		if a, b := m[0], m[1]; a.Got+b.Got < 398 || a.Got+b.Got > 401 || b.Got < 198 || a.Got < 198 {
			t.Errorf("got %v and %v in 400 calls since the new window", a.Got, b.Got)
		}
		x.wg.Wait()
		x.f.Close()
	})
}

func TestAGroupsNewWeightIsInTheSettings(t *testing.T) {
	w, _ := fairshare.NewWeight(2, 1)
	for list, want := range map[string]string{
		"a/x=1,a/y=1,b=1":      "a/x=1,a/y=1,b=1,a/=2",
		"a/=5,a/x=1,a/y=1,b=1": "a/=2,a/x=1,a/y=1,b=1",
	} {
		if got := reweighed(list, "a", w); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}
