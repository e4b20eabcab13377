package lanes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

// longRun draws a room with share lanes that is neither always empty nor always
// full, so that lines, leftovers and lanes of one key meet.
func longRun(rng *rand.Rand) *pair {
	pick := func(vs ...int) int { return vs[rng.IntN(len(vs))] }
	paths := shapes[1+rng.IntN(len(shapes)-1)]
	var list []string
	for _, path := range paths {
		list = append(list, fmt.Sprintf("%s=%d", path, 1+rng.IntN(6)))
	}
	shares, err := fairshare.ParseShares(strings.Join(list, ","))
	if err != nil {
		panic(err)
	}
	cfg := longConfig(rng, leaves(paths))
	cfg.Ranked, cfg.Parallel = rng.IntN(2) == 0, rng.IntN(4) == 0
	return newSharePair(cfg, fairshare.Units(pick(1, 3, 8, 20)), shares)
}

func longConfig(rng *rand.Rand, lanes int) Config {
	pick := func(vs ...int) int { return vs[rng.IntN(len(vs))] }
	return roomy(Config{
		MaxBatchSize:    pick(2, 3, 4),
		MaxBatchWeight:  int64(pick(4, 7, Unlimited)),
		MaxBatchDelay:   time.Duration(pick(0, 0, 5)),
		MaxInFlight:     pick(1, 2, 4),
		MaxQueued:       pick(16, 30, Unlimited),
		MaxQueuedWeight: int64(pick(30, 60, Unlimited)),
		Direct:          rng.IntN(2) == 0,
		Policy:          RoomPolicy(rng.IntN(3)),
	}, lanes)
}

// step does something at random, mostly what a busy room sees.
func (p *pair) step(rng *rand.Rand) error {
	leaves := p.n.gate.node.Leaves()
	switch op := rng.IntN(100); {
	case op < 42:
		return p.admit(rng.IntN(8), Input[int]{
			Weight: rng.Int64N(4), Rank: rng.Int64N(5), Share: fairshare.Leaf(rng.IntN(leaves + 1)), Cost: 1 + rng.Int64N(5),
		})
	case op < 65:
		return p.takeOfShares()
	case op < 82:
		if len(p.out) > 0 {
			p.release(rng.IntN(len(p.out)))
		}
	case op < 90:
		if p.n.nextID > 0 {
			return p.withdraw(max(0, p.n.nextID-1-rng.IntN(12)))
		}
	case op < 95:
		p.pass(time.Duration(rng.IntN(5)))
	case op < 96:
		path := p.n.gate.paths[1+rng.IntN(leaves)]
		if i := strings.IndexByte(path, '/'); i > 0 && rng.IntN(2) == 0 {
			path = path[:i+1] // the group
		}
		w, err := fairshare.NewWeight(1+rng.Int64N(6), 1)
		if err != nil {
			return err
		}
		return p.reweigh(path, w)
	case op < 97:
		was, cfg := p.n.cfg, longConfig(rng, leaves)
		cfg.Ranked, cfg.Parallel, cfg.Shares, cfg.Policy = was.Ranked, was.Parallel, was.Shares, was.Policy
		p.reconfigure(roomy(cfg, leaves))
	case op < 98:
		p.flush()
	case op < 99:
		p.n.restart()
		p.s.l.Advance(p.now) // an account begins at the latest time that the room was told
		p.s.l.ResetPeaks()
	default:
		p.s = p.s.snapshot()
	}
	return nil
}

// TestShareLanesDecideAsTheirNaiveTwinOnLongRuns goes farther into a busy room
// than rapid's short runs do. The room hears of the time when something is done
// to it, not at every step.
func TestShareLanesDecideAsTheirNaiveTwinOnLongRuns(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		p := longRun(rng)
		for i := range 400 {
			err := p.step(rng)
			if err == nil && rng.IntN(3) > 0 {
				err = p.check()
			}
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, i, err)
			}
		}
	}
}
