// Making the calls.

package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ferryctl/bench/backend"
)

// A Design says which calls are made.
type Design struct {
	Sizes       []int   // items in a batch
	Weights     []int64 // of each item in it
	Concurrency []int   // calls at once, for the part that looks for a limit of the backend's own
	Rounds      int     // calls of each kind
	Warmup      int     // calls made before, which count for nothing
	Budget      time.Duration
	Seed        uint64 // of the order, and of the backend's chance
}

// Default is the design for a backend of which nothing is known.
func Default() Design {
	return Design{
		Sizes: []int{1, 2, 4, 8, 16, 32, 64, 128, 256}, Weights: []int64{1, 64, 1024}, Concurrency: []int{1, 2, 4, 8, 16},
		Rounds: 30, Warmup: 10, Budget: time.Minute,
	}
}

// Bounds of a design.
const (
	maxList   = 100
	maxSize   = 1 << 20
	maxWeight = 1 << 40
	maxAtOnce = 10_000
	maxRounds = 100_000
	maxWarmup = 1_000_000
	maxCells  = 2000
	maxBudget = 24 * time.Hour
	minBudget = time.Millisecond
)

// Validate returns an error that holds every value out of bounds, or nil.
func (d Design) Validate() error {
	return errors.Join(
		checkList("sizes", "items in a batch", d.Sizes, maxSize),
		checkList("item_weights", "weights of an item", d.Weights, maxWeight),
		checkList("concurrency", "numbers of calls at once", d.Concurrency, maxAtOnce),
		unless(len(d.Sizes)*len(d.Weights) <= maxCells, "%d kinds of calls: want at most %d", len(d.Sizes)*len(d.Weights), maxCells),
		unless(d.Rounds >= 3 && d.Rounds <= maxRounds, "rounds %d is out of range: want 3 to %d", d.Rounds, maxRounds),
		unless(d.Warmup >= 0 && d.Warmup <= maxWarmup, "warmup_calls %d is out of range: want 0 to %d", d.Warmup, maxWarmup),
		unless(d.Budget >= minBudget && d.Budget <= maxBudget, "budget %s is out of range: want %s to %s", d.Budget, minBudget, maxBudget),
	)
}

func checkList[T int | int64](name, what string, list []T, most T) error {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	switch {
	case len(list) == 0 || len(list) > maxList:
		return fmt.Errorf("%s has %d values: want 1 to %d %s", name, len(list), maxList, what)
	case sorted[0] < 1 || sorted[len(sorted)-1] > most:
		return fmt.Errorf("%s is out of range: want %s from 1 to %d", name, what, most)
	case len(slices.Compact(sorted)) != len(list):
		return fmt.Errorf("%s has a value twice: want each once", name)
	}
	return nil
}

func unless(ok bool, format string, a ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, a...)
}

// A Call is one call that was made.
type Call struct {
	Items    int
	Weight   int64 // of the whole batch
	InFlight int   // so many calls were made at once
	Time     time.Duration
	Failed   bool
}

// Calls are what was measured.
type Calls struct {
	Alone    []Call // one at a time, over the grid
	Together []Call // of one kind, several at once
	Complete bool   // nobody stopped it
	Rounds   int    // over the grid, whole ones
}

// Progress is how measuring is getting on.
type Progress struct {
	Round, Rounds int // over the grid; 0 while it warms up
	AtOnce        int // > 0: the part that looks for a limit
}

// Measure makes the design's calls to b and times them. When ctx is done it returns
// what it has by then, not complete. The error is that of the design, or that a call
// cannot be made at all: those that fail are counted in what was measured.
func Measure(ctx context.Context, b backend.Backend, d Design, report func(Progress)) (Calls, error) {
	if err := d.Validate(); err != nil {
		return Calls{}, err
	}
	m := &measurer{b: b, d: d, rng: rand.New(rand.NewPCG(d.Seed, uint64(len(d.Sizes)))), began: time.Now()}
	report(Progress{Rounds: d.Rounds})
	for i := range d.Warmup {
		cell := m.cell(i % m.cells())
		if _, ok := m.call(ctx, cell.Items, cell.Weight, 1); !ok {
			return m.out, nil
		}
	}
	for round := range d.Rounds {
		if round >= minRounds && m.spent() {
			break
		}
		report(Progress{Round: round + 1, Rounds: d.Rounds})
		for _, i := range m.rng.Perm(m.cells()) {
			cell := m.cell(i)
			c, ok := m.call(ctx, cell.Items, cell.Weight, 1)
			if !ok {
				return m.out, nil
			}
			m.out.Alone = append(m.out.Alone, c)
		}
		m.out.Rounds++
	}
	m.out.Complete = m.together(ctx, report)
	return m.out, nil
}

// minRounds are made whatever the budget: fewer say nothing of the scatter.
const minRounds = 3

// A measurer is a measurement under way.
type measurer struct {
	b     backend.Backend
	d     Design
	rng   *rand.Rand
	began time.Time
	next  batchNumber
	out   Calls
}

func (m *measurer) cells() int { return len(m.d.Sizes) * len(m.d.Weights) }

// spent reports whether the time for the grid is over.
func (m *measurer) spent() bool { return time.Since(m.began) >= m.d.Budget }

// cell returns the kind of call numbered i.
func (m *measurer) cell(i int) Call {
	n := m.d.Sizes[i/len(m.d.Weights)]
	return Call{Items: n, Weight: int64(n) * m.d.Weights[i%len(m.d.Weights)]}
}

// call makes one call. It is not ok if it was cut short, which says nothing.
func (m *measurer) call(ctx context.Context, items int, weight int64, atOnce int) (c Call, ok bool) {
	number := m.next.take()
	began := time.Now()
	err := m.b.Call(ctx, number, items, weight)
	c = Call{Items: items, Weight: weight, InFlight: atOnce, Time: time.Since(began), Failed: err != nil}
	return c, ctx.Err() == nil
}

// skipTogether is how many calls of each caller count for nothing: until all of
// them have one out, the backend is not as busy as they are to find it.
const skipTogether = 2

// together makes calls of the middle kind, several at a time, each number of them
// in its turn, and reports whether it got to the end.
func (m *measurer) together(ctx context.Context, report func(Progress)) bool {
	kind := m.cell(m.cells() / 2)
	var mu sync.Mutex
	for _, i := range m.rng.Perm(len(m.d.Concurrency)) {
		n := m.d.Concurrency[i]
		report(Progress{Round: m.out.Rounds, Rounds: m.d.Rounds, AtOnce: n})
		perCaller := skipTogether + max(int(math.Ceil(float64(4*m.d.Rounds)/float64(n))), minRounds)
		var callers sync.WaitGroup
		for range n {
			callers.Go(func() {
				for k := range perCaller {
					c, ok := m.call(ctx, kind.Items, kind.Weight, n)
					if !ok {
						return
					}
					if k >= skipTogether {
						mu.Lock()
						m.out.Together = append(m.out.Together, c)
						mu.Unlock()
					}
				}
			})
		}
		callers.Wait()
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// A batchNumber hands out the numbers of batches, from 0.
type batchNumber struct {
	mu   sync.Mutex
	next uint64
}

func (n *batchNumber) take() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	return n.next - 1
}
