// What share lanes get, end to end: the suggested tests of the fair-share
// scheme through a room, with batches, slots and virtual time.

package lanes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

// A works is a room with share lanes and the calls that are out of it.
type works struct {
	*Lanes[int, int]
	t     testing.TB
	now   time.Duration
	ids   int
	out   []job
	batch Batch[int]
	order strings.Builder // the share lanes of the batches, by their names
	idle  int             // times that a slot stood idle while something was lined up
}

type job struct {
	lane  LaneRef
	until time.Duration
}

// newWorks opens an unbounded room with batches of one and one slot, but for
// what change says.
func newWorks(t testing.TB, list string, quantum fairshare.Units, change func(*Config)) *works {
	node, err := fairshare.NewNode(fairshare.Config{Quantum: quantum}, mustShares(t, list))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		MaxBatchSize: 1, MaxBatchWeight: int64(Unlimited), MaxInFlight: 1,
		MaxQueued: Unlimited, MaxQueuedWeight: int64(Unlimited), Shares: node,
	}
	change(&cfg)
	return &works{Lanes: NewLanes[int, int](cfg), t: t}
}

func oneSlot(*Config) {}

// add lets an input in, of a key of its own unless one is given.
func (w *works) add(share fairshare.Leaf, cost int64, key ...int) Ref {
	w.ids++
	k := w.ids
	if len(key) > 0 {
		k = key[0]
	}
	ref, _, a := w.Admit(w.now, k, w.Hash(k), Input[int]{Entry: w.ids, Weight: 1, Share: share, Cost: cost})
	if a != Admitted {
		w.t.Fatal(a)
	}
	return ref
}

// dispatch fills the free slots, with calls that take so long.
func (w *works) dispatch(long func() time.Duration) {
	for w.Take(w.now, &w.batch) {
		w.out = append(w.out, job{w.batch.Lane, w.now + long()})
		w.order.WriteString(w.Shares().Path(w.batch.Share))
	}
	if w.Stats().InFlight < w.Config().MaxInFlight && w.inLine > 0 {
		w.idle++
	}
}

// pass lets a unit of time pass.
func (w *works) pass() {
	w.now++
	kept := w.out[:0]
	for _, j := range w.out {
		if j.until > w.now {
			kept = append(kept, j)
			continue
		}
		w.Release(w.now, j.lane)
	}
	w.out = kept
}

func aUnit() time.Duration { return 1 }

// 2: the worked example of the scheme.
func TestShareLanesTakeTurnsAsInTheWorkedExample(t *testing.T) {
	w := newWorks(t, "a=3,b=2,c=1", 6, oneSlot)
	for range 10 {
		for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
			w.add(leaf, 6)
		}
	}
	for range 10 {
		w.dispatch(aUnit)
		w.pass()
	}
	if got := w.order.String(); got != "ababacabab" {
		t.Errorf("order %s, want ababacabab", got)
	}
}

// 3: saturated, weights 3:2:1, four slots, cost 6.
func TestSaturatedShareLanesSplitByWeightWithinACost(t *testing.T) {
	w := newWorks(t, "a=3,b=2,c=1", 6, func(c *Config) { c.MaxInFlight = 4 })
	for range 600 {
		for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
			w.add(leaf, 6)
		}
	}
	for w.order.Len() < 600 {
		w.dispatch(aUnit)
		w.pass()
	}
	f := w.Fairness()
	for leaf, want := range []float64{0, 1800, 1200, 600} {
		if got := f.Lanes[leaf].Served; got != want {
			t.Errorf("%q got %g, want %g", w.Shares().Path(fairshare.Leaf(leaf)), got, want)
		}
	}
	if f.Worst > 6 || w.idle > 0 {
		t.Errorf("the largest error is %g of 6, a slot stood idle %d times", f.Worst, w.idle)
	}
}

// 4: all wake at once after an idle period, and nobody is in credit.
func TestShareLanesThatAllWakeAreLevel(t *testing.T) {
	for _, first := range []fairshare.Leaf{1, 2} {
		w := newWorks(t, "a=1,b=1", 1, oneSlot)
		for range 1000 {
			w.add(1, 1)
			w.dispatch(aUnit)
			w.pass()
		}
		w.order.Reset()
		for range 30 {
			w.add(first, 1)
			w.add(3-first, 1)
		}
		for range 30 {
			w.dispatch(aUnit)
			w.pass()
		}
		if a := strings.Count(w.order.String(), "a"); a != 15 {
			t.Errorf("share lane %d first: a got %d of 30", first, a)
		}
	}
}

// 5: a turn that was given and is not taken leaves no slot idle.
func TestATurnNotTakenLeavesNoSlotIdle(t *testing.T) {
	w := newWorks(t, "a=1,b=1", 1, func(c *Config) { c.MaxInFlight = 4 })
	w.add(fairshare.Untagged, 1)
	parked := w.add(1, 1)
	if w.Take(0, &w.batch); w.batch.Share != fairshare.Untagged {
		t.Fatal("the older input did not go first")
	}
	if r := w.Shares().Report(1); r.Held != 1 {
		t.Fatalf("a has no turn to give back: %+v", r)
	}
	w.Withdraw(0, parked)
	if r := w.Shares().Report(1); r.Held != 0 {
		t.Errorf("a keeps %d units", r.Held)
	}
	for range 3 {
		w.add(2, 1)
	}
	if w.dispatch(aUnit); w.order.String() != "bbb" || w.idle > 0 {
		t.Errorf("batches of %q, and a slot stood idle %d times", w.order.String(), w.idle)
	}
}

// 6: a share lane with little to do against three that are saturated.
func TestASparseShareLaneWaitsForOneCallOfEachOther(t *testing.T) {
	w := newWorks(t, "a=1,b=1,c=1,s=1", 1, oneSlot)
	for i := range 400 {
		for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
			w.add(leaf, 1)
		}
		if i%20 == 0 {
			w.add(4, 1)
		}
		w.dispatch(aUnit)
		w.pass()
	}
	if e := w.Fairness().Lanes[4]; e.Starved > 3 || e.Served != 20 {
		t.Errorf("it waited for up to %d calls, and got %g of 20", e.Starved, e.Served)
	}
	if s := w.Share(4).Starved; s > 3 {
		t.Errorf("it waited for %d calls' time", s)
	}
}

// 7: who asks first, and how often, does not decide.
func TestTheOrderOfAskingDoesNotDecide(t *testing.T) {
	w := newWorks(t, "a=3,b=2,c=1", 6, oneSlot)
	for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
		w.add(leaf, 6) // a always first, with ever more
		w.add(1, 6)
	}
	for w.order.Len() < 10 {
		for leaf := fairshare.Leaf(1); leaf <= 3; leaf++ {
			w.add(leaf, 6)
			w.Ready(w.now)
			w.Due()
			w.Advance(w.now)
			w.dispatch(aUnit)
			w.Take(w.now, &w.batch)
		}
		w.pass()
	}
	if got := w.order.String(); got != "ababacabab" {
		t.Errorf("order %s, want ababacabab", got)
	}
}

// 8: share lanes come and go at random. The error stays within two costs and no
// slot stands idle while something is lined up.
func TestShareLanesComeAndGoWithinTwoCosts(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		lanes := 2 + rng.IntN(4)
		cost := []int64{1, 4, 8}[rng.IntN(3)]
		list := ""
		for i := range lanes {
			list += fmt.Sprintf(",lane%d=%d", i, 1+rng.IntN(5))
		}
		w := newWorks(t, list[1:], fairshare.Units(cost), func(c *Config) { c.MaxInFlight = 1 + rng.IntN(4) })
		on := make([]bool, lanes+1)
		for range 600 {
			for leaf := 1; leaf <= lanes; leaf++ {
				if rng.IntN(20) == 0 {
					on[leaf] = !on[leaf]
				}
				if on[leaf] && rng.IntN(2) == 0 {
					w.add(fairshare.Leaf(leaf), 1+rng.Int64N(cost))
				}
			}
			w.dispatch(func() time.Duration { return time.Duration(1 + rng.IntN(3)) })
			w.pass()
		}
		if f := w.Fairness(); f.Worst > 2*float64(cost) || w.idle > 0 {
			t.Errorf("seed %d (%s): the largest error is %g of 2*%d, a slot stood idle %d times", seed, list[1:], f.Worst, cost, w.idle)
		}
	}
}

func TestReleaseOfWhatIsNotOutPanics(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		w := newWorks(t, "a=1", 1, func(c *Config) { c.Parallel, c.MaxInFlight = parallel, 2 })
		w.add(1, 1)
		w.add(1, 1)
		w.Take(0, &w.batch)
		w.Take(0, &w.batch) // the other one stays out
		w.Release(0, w.batch.Lane)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("parallel=%t: a batch was released twice", parallel)
				}
			}()
			w.Release(0, w.batch.Lane)
		}()
	}
}
