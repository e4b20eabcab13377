// How share lanes divide the waiting room: the part of each, who may come in
// beyond it, and what is told of it.

package lanes

import (
	"time"

	"ferryctl/lanes/fairshare"
)

// RoomPolicy says how share lanes divide the waiting room. Each has a part of
// MaxQueued and MaxQueuedWeight, of at least 1, by its share of the whole;
// untagged inputs have the part of the smallest share lane. So what is divided
// is to be at least the number of share lanes and one.
type RoomPolicy uint8

// The policies.
const (
	Guaranteed  RoomPolicy = iota // half the room is divided into parts that nobody else fills; the other half is for all
	Partitioned                   // the whole room is divided: no share lane fills more than its part
	Shared                        // the room is for all: one share lane may fill it, and the others are turned away
)

var policyNames = [...]string{"guaranteed", "partitioned", "shared"}

func (p RoomPolicy) String() string { return policyNames[p] }

// ShareStats is what a room tells of a share lane.
type ShareStats struct {
	Queued       int   // inputs waiting
	QueuedWeight int64 // their weight

	// Its part of the room: what is kept for it, or, if Partitioned, all that it
	// may hold. Unlimited without a bound, and if Shared.
	Part       int
	PartWeight int64
	Heaviest   int64 // an input heavier than this can never be let in

	// The longest time, since construction or ResetPeaks, for which it had work
	// lined up and none of its batches left.
	Starved time.Duration
}

// Share tells of a share lane; it panics if the room has none.
func (l *Lanes[K, E]) Share(share fairshare.Leaf) ShareStats {
	ln := &l.gate.lines[share]
	return ShareStats{
		Queued: ln.queued, QueuedWeight: ln.weight, Part: ln.part, PartWeight: ln.partWeight,
		Heaviest: l.gate.heaviest(&l.cfg, share), Starved: ln.waited(l.now),
	}
}

// divide gives every share lane its part of the room.
func (g *gate) divide(cfg Config) {
	count, weight := cfg.MaxQueued, cfg.MaxQueuedWeight
	if cfg.Policy == Guaranteed {
		count, weight = count/2, weight/2
	}
	shares := make([]float64, len(g.lines))
	shares[0] = 1
	for i := 1; i < len(shares); i++ {
		shares[i] = g.node.Share(fairshare.Leaf(i))
		shares[0] = min(shares[0], shares[i])
	}
	whole := 1 + shares[0]
	g.kept, g.keptWeight, g.parts = 0, 0, 0
	for i := range g.lines {
		ln := &g.lines[i]
		ln.portion = shares[i]
		ln.part, ln.partWeight = Unlimited, int64(Unlimited)
		if cfg.Policy == Shared {
			continue
		}
		if cfg.MaxQueued != Unlimited {
			ln.part = int(part(int64(count), len(g.lines), shares[i]/whole))
			g.kept += max(ln.part, ln.queued)
		}
		if cfg.MaxQueuedWeight != int64(Unlimited) {
			ln.partWeight = part(weight, len(g.lines), shares[i]/whole)
			g.keptWeight += max(ln.partWeight, ln.weight)
			g.parts += ln.partWeight
		}
	}
}

// part returns a line's part of a bound that is at least the number of lines:
// one for each, and of the rest its share, rounded down. Together they are
// within the bound.
func part(bound int64, lines int, share float64) int64 {
	rest := float64(bound-int64(lines)) * share
	return 1 + int64(rest+rest*1e-12) // 6 places are no 5.999…: a share is rounded
}

// door answers an input of a share lane that has to wait and is not too heavy;
// the room's own bounds were looked at before.
func (g *gate) door(cfg *Config, share fairshare.Leaf, weight int64) Admission {
	ln := &g.lines[share]
	if cfg.Policy == Shared {
		return Admitted
	}
	if ln.queued >= ln.part && (cfg.Policy == Partitioned || g.kept >= cfg.MaxQueued) {
		return FullShareCount
	}
	over := more(ln.weight, weight, ln.partWeight)
	if over > 0 && (cfg.Policy == Partitioned || over > cfg.MaxQueuedWeight-g.keptWeight) {
		return FullShareWeight
	}
	return Admitted
}

// more returns by how much adding to a held weight takes more than its part.
func more(held, add, part int64) int64 {
	return max(held+min(add, int64(Unlimited)-held), part) - max(held, part)
}

// heaviest returns the heaviest input of a share lane that can ever be let in.
func (g *gate) heaviest(cfg *Config, share fairshare.Leaf) int64 {
	part := g.lines[share].partWeight
	switch {
	case cfg.Policy == Shared || cfg.MaxQueuedWeight == int64(Unlimited):
		return cfg.MaxQueuedWeight
	case cfg.Policy == Partitioned:
		return min(cfg.MaxQueuedWeight, part)
	}
	// The room, but for what is kept for the others.
	return min(cfg.MaxQueuedWeight, max(part, cfg.MaxQueuedWeight-(g.parts-part)))
}

func (g *gate) enter(share fairshare.Leaf, weight int64) {
	ln := &g.lines[share]
	if ln.queued >= ln.part {
		g.kept++
	}
	g.keptWeight += more(ln.weight, weight, ln.partWeight)
	ln.queued++
	ln.weight += weight
}

func (g *gate) leave(share fairshare.Leaf, weight int64) {
	ln := &g.lines[share]
	ln.queued--
	ln.weight -= weight
	if ln.queued >= ln.part {
		g.kept--
	}
	g.keptWeight -= more(ln.weight, weight, ln.partWeight)
}
