// The node: a tree of groups and share lanes, and who of them has the turn.

package fairshare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Config holds a node's settings.
type Config struct {
	// Quantum is the most units that one grant moves; >= 1. A lane whose next
	// call costs more collects several grants. The bounds of fairness grow with
	// it (see bounds.go): the best choice is the cost of the largest batch.
	Quantum Units
	// MaxOutstanding bounds what one share lane may have reserved and not yet
	// settled; 0: nothing does. A lane at its bound waits for its own calls,
	// and a cost above it is refused with [ErrNeverFits].
	MaxOutstanding Units
	// Supply is all that there is to grant, to which [Node.Mint] adds; once it
	// is spent, every lane is deferred. 0: the node mints what it needs, so that
	// no slot is idle while a lane has work.
	Supply Units
	// SleeperCredit is how many units a lane may still be owed when it comes
	// back from being idle; 0: it comes back level with the others.
	SleeperCredit Units
}

// Validate reports every fault of the settings.
func (c Config) Validate() error {
	var errs []error
	if c.Quantum < 1 || c.Quantum > MaxUnits {
		errs = append(errs, fmt.Errorf("setting Quantum is %d; give 1 to %d", c.Quantum, MaxUnits))
	}
	if c.MaxOutstanding < 0 {
		errs = append(errs, fmt.Errorf("setting MaxOutstanding is %d; give a bound, or 0 for none", c.MaxOutstanding))
	}
	if c.Supply < 0 || c.Supply > MaxUnits {
		errs = append(errs, fmt.Errorf("setting Supply is %d; give 1 to %d, or 0 to mint on need", c.Supply, MaxUnits))
	}
	if c.SleeperCredit < 0 || c.SleeperCredit > MaxUnits {
		errs = append(errs, fmt.Errorf("setting SleeperCredit is %d; give 0 to %d", c.SleeperCredit, MaxUnits))
	}
	return errors.Join(errs...)
}

// A Leaf is a share lane's handle: 1, 2, … [Node.Leaves], dense, so that a
// caller can keep arrays by it. It stays the same for the life of a node.
type Leaf int32

// Untagged is the root lane "", whose work is free: nothing gates or counts it.
const Untagged Leaf = 0

// A Node grants units to share lanes by weight, just in time: a lane with
// dispatchable work gets what its next call costs when it has the turn, and
// gives back what it has no use for. See the package comment for the protocol.
//
// Every operation costs O(depth · log siblings) at most and allocates nothing
// at steady state. A node, like a map, must not be used by two goroutines at
// once; [Node.Clone] makes an independent one.
//
// Invariants, for every group and lane:
//
//  1. A lane with dispatchable work has the turn sooner or later: no call of
//     Turn answers "none" while a lane has such work (work conservation),
//     unless a finite supply is spent.
//  2. What a lane holds and does not need is back at the root after the next
//     Turn; what it holds at all is at most one call's cost above what its own
//     calls gave back.
//  3. A call's cost is charged once, to the groups on its lane's path as they
//     were when it was reserved.
type Node struct {
	cfg    Config
	verts  []vertex // 0 is the root; siblings in the order of their ids' bytes
	books  []book   // by vertex
	names  []string // by vertex: its path
	groups []group  // the vertices that are no leaves; 0 is the root
	lanes  []lane   // by Leaf; 0 is unused
	byPath map[string]Leaf

	held   Units // the root's: minted, and neither granted nor lost
	minted Units
	err    error // why no more can be granted

	dirty    []Leaf    // lanes that changed since the last Turn
	flipped  []int32   // vertices that got or lost work
	stale    [][]int32 // by depth: groups whose ask may have changed
	ready    []Leaf    // a heap: lanes that hold their next call's cost
	draining []int32   // vertices whose weight is to change
	retired  []closed  // the generations that were
	calls    []call    // reservations by slot
	spare    []int32   // free slots
	seq      uint64    // of the newest reservation
	open     int       // reservations in flight
}

// A vertex is a group or a lane as its siblings see it. What picks read comes
// first.
type vertex struct {
	ev     wide   // virtual service: see wide.go
	weight uint64 // over the common denominator of its siblings'
	ask    Units  // what it would be granted now

	left, right, up, best int32 // in a tree of its group (see tree.go)

	parent int32
	group  int32 // index in groups, or 0 for a leaf (and the root)
	leaf   Leaf  // or 0 for a group
	work   int32 // children with dispatchable work; of a leaf: 1 if it has any
	depth  int32

	busy    bool // in the tree of those that have work (else of the others)
	linked  bool // in a tree at all: seated and not draining
	newborn bool // not yet seated
	touched bool // in flipped
	drains  bool // in draining
	blocked bool // it, or a group above it, drains
}

// A book is the account of one generation of a vertex's inbound edge.
type book struct {
	gen      int // 1, 2, …
	weight   Weight
	next     Weight // while it drains: of the next generation
	seat     wide   // the floor it was seated on, as N counts (see wide.go)
	issued   Units
	returned Units
	leaf     Units // spent here
	rollup   Units // spent below
}

// outstanding is what was granted and neither given back nor spent.
func (b *book) outstanding() Units { return b.issued - b.returned - b.leaf - b.rollup }

type group struct {
	self       int32  // its vertex
	busy, idle int32  // roots of its children's trees
	sum        wide   // of ev, over the busy ones
	weight     uint64 // of the busy ones
	all        uint64 // of all children
	common     uint64 // common denominator of its children's weights
	children   []int32
	front      wide // for the joiners of this Turn, while fronted
	fronted    bool
	stale      bool // in Node.stale
}

type lane struct {
	vert      int32
	place     int32 // in Node.ready, from 1
	units     Units // declared: dispatchable
	head      Units // declared: what the next call costs
	held      Units // granted and not reserved
	earmarked Units // reserved and not settled
	dirty     bool
}

// NewNode returns a node for these shares, every lane idle and level, or says
// all that is wrong with them and the settings.
func NewNode(cfg Config, shares []Share) (*Node, error) {
	branches, err := plan(shares)
	if err = errors.Join(cfg.Validate(), err); err != nil {
		return nil, err
	}
	n := &Node{
		cfg:    cfg,
		verts:  make([]vertex, len(branches)),
		books:  make([]book, len(branches)),
		names:  make([]string, len(branches)),
		lanes:  make([]lane, 1, len(branches)),
		byPath: make(map[string]Leaf),
		held:   cfg.Supply,
		minted: cfg.Supply,
	}
	depth := int32(0)
	for i := range branches {
		b, v := &branches[i], &n.verts[i]
		v.parent, n.names[i] = b.parent, b.path
		if i > 0 {
			v.depth = n.verts[b.parent].depth + 1
			n.books[i] = book{gen: 1, weight: b.weight}
		}
		depth = max(depth, v.depth)
		if b.children == nil {
			continue
		}
		v.group = int32(len(n.groups))
		n.groups = append(n.groups, group{self: int32(i), children: b.children})
	}
	n.stale = make([][]int32, depth+1)
	n.number()
	for i := range n.groups {
		n.groups[i].common, _, _ = scale(n.weights(&n.groups[i]))
		for j, c := range n.groups[i].children {
			v := &n.verts[c]
			v.weight, v.linked = branches[n.groups[i].self].scaled[j], true
			n.groups[i].all += v.weight
			n.insert(c)
		}
	}
	return n, nil
}

// number hands out the handles, in the order of the paths.
func (n *Node) number() {
	var leaves []int32
	for i := range n.verts {
		if v := &n.verts[i]; i > 0 && v.group == 0 {
			leaves = append(leaves, int32(i))
		}
	}
	slices.SortFunc(leaves, func(a, b int32) int { return strings.Compare(n.names[a], n.names[b]) })
	for _, i := range leaves {
		leaf := Leaf(len(n.lanes))
		n.verts[i].leaf = leaf
		n.lanes = append(n.lanes, lane{vert: i})
		n.byPath[n.names[i]] = leaf
	}
}

// weights lists the weights of a group's children, as they are.
func (n *Node) weights(g *group) []Weight {
	list := make([]Weight, len(g.children))
	for i, c := range g.children {
		list[i] = n.books[c].weight
	}
	return list
}

// Lookup returns the handle of a share lane. The empty name is [Untagged]. ok
// is false if the tree has no such lane; a group is none.
func (n *Node) Lookup(path string) (leaf Leaf, ok bool) {
	if path == "" {
		return Untagged, true
	}
	leaf, ok = n.byPath[path]
	return leaf, ok
}

// Leaves returns the number of share lanes, which is also the highest handle.
func (n *Node) Leaves() int { return len(n.lanes) - 1 }

// Path returns the name of a share lane; "" for [Untagged].
func (n *Node) Path(leaf Leaf) string {
	if leaf == Untagged {
		return ""
	}
	return n.names[n.lanes[leaf].vert]
}

// known says whether leaf is a handle of this node's.
func (n *Node) known(leaf Leaf) bool { return leaf > 0 && int(leaf) < len(n.lanes) }
