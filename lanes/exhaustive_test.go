package lanes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

// fork returns a pair that goes its own way: the room by its snapshot, the
// twin by a deep copy.
func (p *pair) fork() *pair {
	c := &pair{s: p.s.snapshot(), n: p.n.clone(), now: p.now, refs: maps.Clone(p.refs), out: slices.Clone(p.out)}
	return c
}

func (n *naive) clone() *naive {
	c := *n
	twin := map[*naiveLane]*naiveLane{}
	c.lanes = nil
	for _, ln := range n.lanes {
		l := *ln
		l.items = nil
		for _, it := range ln.items {
			i := *it
			l.items = append(l.items, &i)
		}
		twin[ln] = &l
		c.lanes = append(c.lanes, &l)
	}
	c.line = nil
	for _, ln := range n.line {
		c.line = append(c.line, twin[ln])
	}
	c.calls = slices.Clone(n.calls)
	for i := range c.calls {
		if ln := twin[c.calls[i].lane]; ln != nil { // else parallel, and gone
			c.calls[i].lane = ln
		}
	}
	if n.gate != nil {
		c.gate = n.gate.clone()
	}
	return &c
}

// choice is one thing that can be done to a pair.
type choice struct {
	name string
	do   func(*pair) error
}

// choices returns all that can be done: time passes; an input comes, of
// either key and any share lane, light or heavy; a batch is taken; any call is
// over; any input is given up; all is flushed; a weight changes; the room is
// drained.
func (p *pair) choices(keys int) []choice {
	cs := []choice{
		{"pass", func(p *pair) error { p.pass(2); return nil }},
		{"take", (*pair).take},
		{"flush", func(p *pair) error { p.flush(); return nil }},
	}
	shares := 0
	if p.n.gate != nil {
		shares = p.n.gate.node.Leaves()
	}
	for key := range keys {
		for share := min(1, shares); share <= shares; share++ {
			cs = append(cs, choice{fmt.Sprintf("admit %d of share lane %d", key, share), func(p *pair) error {
				id := p.n.nextID
				return p.admit(key, Input[int]{
					Weight: int64(1 + id%2), Rank: int64(-id % 2), Share: fairshare.Leaf(share), Cost: int64(1 + id%3),
				})
			}})
		}
	}
	if shares > 0 {
		cs = append(cs, choice{"reweigh", func(p *pair) error { return p.reweigh("a", fairshare.One) }})
	}
	for i := range p.out {
		cs = append(cs, choice{fmt.Sprintf("release %d", i), func(p *pair) error { p.release(i); return nil }})
	}
	for id := range p.n.nextID {
		if _, ok := p.refs[id]; ok {
			cs = append(cs, choice{fmt.Sprintf("withdraw %d", id), func(p *pair) error { return p.withdraw(id) }})
		}
	}
	if !p.n.closed {
		cs = append(cs, choice{"drain", (*pair).drain})
	}
	return cs
}

// explore does everything that can be done, to the given depth.
func (p *pair) explore(keys, depth int, path []string) (sequences int, err error) {
	if depth == 0 {
		return 1, nil
	}
	for _, c := range p.choices(keys) {
		next := p.fork()
		path := append(path, c.name)
		err := c.do(next)
		if err == nil {
			err = next.check()
		}
		if err != nil {
			return sequences, fmt.Errorf("%s: %w", strings.Join(path, ", "), err)
		}
		n, err := next.explore(keys, depth-1, path)
		sequences += n
		if err != nil {
			return sequences, err
		}
	}
	return sequences, nil
}

// TestEverySequenceOfOperations compares the rooms with their naive twins
// through every sequence of operations to a small bound, each step on a
// snapshot of the one before.
func TestEverySequenceOfOperations(t *testing.T) {
	depth := 6
	if testing.Short() {
		depth = 5
	}
	base := Config{MaxBatchSize: 2, MaxBatchWeight: 3, MaxBatchDelay: 3, MaxInFlight: 1, MaxQueued: 3, MaxQueuedWeight: 4}
	for name, change := range map[string]func(*Config){
		"delay":      func(*Config) {},
		"zero delay": func(c *Config) { c.MaxBatchDelay = 0 },
		"direct":     func(c *Config) { c.MaxBatchDelay, c.Direct = 0, true },
		"never":      func(c *Config) { c.MaxBatchDelay = Never },
		"two slots":  func(c *Config) { c.MaxInFlight = 2; c.MaxBatchSize = 1; c.MaxBatchDelay = time.Duration(0) },
	} {
		for _, single := range []bool{true, false} {
			keys := 2
			if single {
				keys = 1
			}
			t.Run(fmt.Sprintf("%s/single=%t", name, single), func(t *testing.T) {
				t.Parallel()
				cfg := base
				cfg.Ranked = !single
				change(&cfg)
				n, err := newPair(cfg, single).explore(keys, depth, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d sequences", n)
			})
		}
	}
}

// TestEverySequenceOfTwoShareLanes does the same with two share lanes, which
// share one key or two.
func TestEverySequenceOfTwoShareLanes(t *testing.T) {
	depth := 4
	if testing.Short() {
		depth = 3
	}
	base := Config{MaxBatchSize: 2, MaxBatchWeight: 3, MaxBatchDelay: 0, MaxInFlight: 1, MaxQueued: 6, MaxQueuedWeight: 6}
	for name, change := range map[string]func(*Config){
		"guaranteed":  func(*Config) {},
		"partitioned": func(c *Config) { c.MaxQueued, c.Policy = 3, Partitioned },
		"shared":      func(c *Config) { c.MaxQueued, c.Policy = 2, Shared },
		"direct":      func(c *Config) { c.Direct = true },
		"delay":       func(c *Config) { c.MaxBatchDelay = 3 },
		"two slots":   func(c *Config) { c.MaxInFlight, c.MaxBatchSize = 2, 1 },
		"parallel":    func(c *Config) { c.MaxInFlight, c.Parallel, c.MaxBatchDelay = 2, true, 3 },
	} {
		for _, keys := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/keys=%d", name, keys), func(t *testing.T) {
				t.Parallel()
				cfg := base
				change(&cfg)
				n, err := newSharePair(cfg, 2, mustShares(t, "a=3,b=1")).explore(keys, depth, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d sequences", n)
			})
		}
	}
}

func mustShares(t testing.TB, list string) []fairshare.Share {
	shares, err := fairshare.ParseShares(list)
	if err != nil {
		t.Fatal(err)
	}
	return shares
}
