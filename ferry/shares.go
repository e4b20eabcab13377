// Share lanes: weighted fair shares of service between tenants.

package ferry

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// Share gives a share lane, or with a slash at its end a group of them, its
// weight; see [ParseShares].
type Share = fairshare.Share

// ParseShares reads a list such as "gold=3,free=1" or, nested,
// "acme/=2,acme/interactive=3,acme/batch=1". A weight is more than 0 and at most
// [fairshare.MaxWeight]; a group without one has 1. Every fault is reported.
func ParseShares(list string) ([]Share, error) { return fairshare.ParseShares(list) }

// RoomPolicy says how share lanes divide the waiting room.
type RoomPolicy = lanes.RoomPolicy

// The room policies.
const (
	RoomGuaranteed  = lanes.Guaranteed  // half the room is divided into parts that nobody else fills; the other half is for all
	RoomPartitioned = lanes.Partitioned // the whole room is divided: no share lane fills more than its part
	RoomShared      = lanes.Shared      // the room is for all: one share lane may fill it, and the others are turned away
)

// MaxCost is the most that one input may cost, in service units.
const MaxCost = 1<<31 - 1

// Shares are the settings of share lanes.
type Shares struct {
	// Lanes are the share lanes and their weights, in the form of ParseShares;
	// "": there are none.
	Lanes string

	// Policy says how they divide the waiting room. Each gets a part of MaxQueued
	// and MaxQueuedWeight by its share of the whole; untagged inputs get the part
	// of the smallest share lane.
	Policy RoomPolicy

	// Quantum is the most service units that one grant moves, and how far a
	// share lane may be from its share at any instant; best the cost of the
	// largest batch. 0: MaxBatchSize, but at most 1024.
	Quantum int64
}

const maxQuantum = 1024 // unless asked for

// effective resolves the quantum.
func (s Shares) effective(batch int) Shares {
	if s.Lanes == "" {
		return Shares{}
	}
	if s.Quantum == 0 {
		s.Quantum = int64(max(1, min(batch, maxQuantum)))
	}
	return s
}

// node builds the tree, or says all that is wrong.
func (s Shares) node() (*fairshare.Node, error) {
	shares, err := fairshare.ParseShares(s.Lanes)
	if err != nil {
		return nil, err
	}
	// A share lane all of whose work waits behind one key looks idle whenever that
	// key's call is out. What it was owed then, up to a quantum, it is owed still
	// when it comes back: otherwise two that share a key would be level each time,
	// and the tie would always go to the same one.
	q := fairshare.Units(s.Quantum)
	return fairshare.NewNode(fairshare.Config{Quantum: q, SleeperCredit: q}, shares)
}

// validate reports every fault; maxQueued and maxWeight are the room's bounds.
func (s Shares) validate(maxQueued int, maxWeight int64) error {
	if s.Lanes == "" {
		return nil
	}
	var faults []error
	if s.Quantum < 0 {
		faults = append(faults, fmt.Errorf("ferry: Quantum %d is less than the allowed 0 (0 is the largest batch)", s.Quantum))
		s.Quantum = 0
	}
	if s.Policy > RoomShared {
		faults = append(faults, fmt.Errorf("ferry: there is no room policy %d", s.Policy))
	}
	n, err := s.effective(1).node()
	if err != nil {
		return errors.Join(append(faults, fmt.Errorf("ferry: share lanes %q: %w", s.Lanes, err))...)
	}
	// One place for each, and for what is untagged.
	least := int64(n.Leaves() + 1)
	if s.Policy == RoomGuaranteed {
		least *= 2
	}
	if s.Policy != RoomShared {
		if int64(maxQueued) < least {
			faults = append(faults, fmt.Errorf("ferry: MaxQueued %d is less than the %d that %d share lanes need under the room policy %s; raise it, or share the room", maxQueued, least, n.Leaves(), s.Policy))
		}
		if maxWeight != 0 && maxWeight < least {
			faults = append(faults, fmt.Errorf("ferry: MaxQueuedWeight %d is less than the %d that %d share lanes need under the room policy %s; raise it, or share the room", maxWeight, least, n.Leaves(), s.Policy))
		}
	}
	return errors.Join(faults...)
}

// A GatedRoom is what a room with share lanes tells of them; a [lanes.Lanes].
type GatedRoom interface {
	Share(share fairshare.Leaf) lanes.ShareStats
	Shares() *fairshare.Node
	Fairness() fairshare.Fairness
}

// gated is what a shell with share lanes asks of its room.
type gated interface {
	GatedRoom
	Reweigh(now time.Duration, path string, w fairshare.Weight) error
}

// shareOf returns an input's share lane and what it costs there.
func (s *shell[K, I, A]) shareOf(in I) (leaf fairshare.Leaf, cost int64, err error) {
	if s.leaves == nil {
		return fairshare.Untagged, 1, nil
	}
	cost = 1
	if s.cost != nil {
		if cost = s.cost(in); cost < 1 {
			panic(fmt.Sprintf("ferry: cost returned %d; a cost is at least 1", cost))
		}
	}
	name := s.lane(in)
	if s.sole && (name == s.names[1] || name == "") {
		return fairshare.Untagged, 1, nil
	}
	leaf, ok := s.leaves[name]
	switch {
	case !ok:
		return 0, 0, &UnknownShareError{Share: name}
	case cost > MaxCost:
		return 0, 0, &CostError{Cost: cost}
	}
	return leaf, cost, nil
}

// path returns a share lane's name; it needs no mutex.
func (s *shell[K, I, A]) path(share fairshare.Leaf) string {
	if share == fairshare.Untagged {
		return ""
	}
	return s.names[share]
}

// ShareMetrics is the account of one share lane.
type ShareMetrics struct {
	Share    string
	Fraction float64 // of the whole, while every share lane has work

	Queued       int // inputs waiting
	QueuedWeight int64
	Part         int // of MaxQueued: what is kept for it, or all that it may hold (see RoomPolicy)
	PartWeight   int64

	Spent     int64 // service units of calls that are over
	Earmarked int64 // … of those that are out

	// How far service at dispatch was from the fluid reference, in service
	// units, since construction or ResetPeaks. Owed and Got are as of the end of
	// competition: the last instant at which two share lanes or more had work.
	// What the share lane was behind by at the start is in Owed. MaxLag and
	// MaxLead are the farthest behind and ahead at any instant.
	Owed, Got       float64
	MaxLag, MaxLead float64
	// Bound is what MaxLag and MaxLead stay within while the same share lanes
	// have work, with batches that cost a quantum at most.
	Bound float64
	// Starved is the most batches of other share lanes that left in a row while
	// it had work lined up, and StarvedFor the longest time for which none of its
	// own did; 0 where the batcher does not look at the clock (see
	// Metrics.QueuedSeconds).
	Starved    int64
	StarvedFor time.Duration
}

// Shares returns the account of every share lane, in the order of their names;
// nil without share lanes. It costs time in proportion to them.
func (s *shell[K, I, A]) Shares() []ShareMetrics {
	if s.leaves == nil {
		return nil
	}
	now := s.clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.Advance(now)
	out := s.settings.SharesOf(s.gate)
	if s.sole {
		m := s.account()
		out[0].Spent = int64(m.Done + m.Failed) // nothing was charged
		out[0].Earmarked = int64(m.Running)
	}
	return out
}

// soleShare is the account of the only share lane of a room that knows nothing
// of it: there is nobody to divide with.
type soleShare struct {
	node *fairshare.Node
	room interface{ Stats() lanes.Stats }
}

func (s soleShare) Shares() *fairshare.Node { return s.node }

func (s soleShare) Share(fairshare.Leaf) lanes.ShareStats {
	st := s.room.Stats()
	return lanes.ShareStats{Queued: st.Queued, QueuedWeight: st.QueuedWeight, Part: lanes.Unlimited, PartWeight: int64(lanes.Unlimited)}
}

func (s soleShare) Fairness() fairshare.Fairness {
	return fairshare.Fairness{Lanes: make([]fairshare.LaneError, s.node.Leaves()+1)}
}

func (s soleShare) Reweigh(_ time.Duration, path string, w fairshare.Weight) error {
	return s.node.SetWeight(path, w)
}

// SharesOf returns the account of every share lane of a room that was made by
// [Settings.Room], for a shell of another kind.
func (s Settings) SharesOf(room GatedRoom) []ShareMetrics {
	quantum := fairshare.Units(s.Effective().Quantum)
	node, fair := room.Shares(), room.Fairness()
	out := make([]ShareMetrics, 0, node.Leaves())
	for leaf := fairshare.Leaf(1); int(leaf) <= node.Leaves(); leaf++ {
		r, st, e := node.Report(leaf), room.Share(leaf), fair.Lanes[leaf]
		out = append(out, ShareMetrics{
			Share: r.Path, Fraction: node.Share(leaf),
			Queued: st.Queued, QueuedWeight: st.QueuedWeight, Part: st.Part, PartWeight: st.PartWeight,
			Spent: int64(r.Spent), Earmarked: int64(r.Earmarked),
			Owed: e.Owed, Got: e.Got, MaxLag: e.MaxLag, MaxLead: e.MaxLead, Starved: e.Starved, StarvedFor: st.Starved,
			Bound: node.Bounds(leaf, quantum, 1).Dispatch,
		})
	}
	return out
}

// Reweigh changes the weight of a share lane or a group.
func (s *shell[K, I, A]) Reweigh(share string, weight fairshare.Weight) error {
	if s.leaves == nil {
		return ErrNoShares
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	now := s.clock()
	err := s.gate.Reweigh(now, share, weight)
	if err == nil {
		s.settings.Lanes = reweighed(s.settings.Lanes, share, weight)
	}
	next := s.changed(now)
	s.mu.Unlock()
	s.kick(next)
	return err
}

// reweighed returns a list of shares with another weight for one of its names.
func reweighed(list, name string, weight fairshare.Weight) string {
	shares, _ := fairshare.ParseShares(list) // it was read before
	name = strings.TrimSuffix(name, "/")
	for i := range shares {
		if strings.TrimSuffix(shares[i].Path, "/") == name {
			shares[i].Weight = weight
			return fairshare.FormatShares(shares)
		}
	}
	return fairshare.FormatShares(append(shares, Share{Path: name + "/", Weight: weight})) // a group that was given none
}
