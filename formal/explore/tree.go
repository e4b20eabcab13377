// The fair-share tree: the real node goes through every declaration, turn,
// settlement and cancellation of two or three share lanes, beside the model of
// FairShare.tla in whole numbers, and has to be where the model is.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ferryctl/lanes/fairshare"
)

// tree is an instance of the fair-share tree. The quantum is maxCost.
type tree struct {
	name    string
	weights []int // of two lanes, or three
	fine    int   // how many times finer than the weights ask a front may be
	maxCost int
	maxOpen int
	supply  int    // all that there is to grant; 0: what is needed is minted
	credit  int    // what a lane may be owed still when it wakes
	cancels bool   // calls may be charged nothing
	only    string // the one rule to hold the instance to; empty: all
	apart   bool   // states that the node tells apart are two, also where the model has one
}

func trees() []tree {
	return []tree{
		{name: "fairshare-1to1", weights: []int{1, 1}, fine: 1, maxCost: 2, maxOpen: 2},
		{name: "fairshare-2to1", weights: []int{2, 1}, fine: 1, maxCost: 2, maxOpen: 2},
		{name: "fairshare-3to2", weights: []int{3, 2}, fine: 1, maxCost: 2, maxOpen: 2},
		{name: "fairshare-2to1-credit", weights: []int{2, 1}, fine: 1, maxCost: 2, maxOpen: 2, credit: 2},
		{name: "fairshare-2to1-cancels", weights: []int{2, 1}, fine: 1, maxCost: 2, maxOpen: 2, cancels: true},
		{name: "fairshare-2to1-supply", weights: []int{2, 1}, fine: 1, maxCost: 2, maxOpen: 2, supply: 4, cancels: true},
		{name: "fairshare-3lanes", weights: []int{1, 1, 1}, fine: 4, maxCost: 1, maxOpen: 2},
		{name: "fairshare-3lanes-2to1to1", weights: []int{2, 1, 1}, fine: 3, maxCost: 1, maxOpen: 1},
	}
}

// findTree returns the tree of a name.
func findTree(name string) (tree, bool) {
	for _, in := range trees() {
		if in.name == name {
			return in, true
		}
	}
	return tree{}, false
}

// live says whether lanes are bound to be served: not where calls may be charged
// nothing for ever, nor where the supply comes to an end.
func (in *tree) live() bool {
	return !in.cancels && in.supply == 0 || in.only == "EveryShareLaneIsServed"
}

// node returns the tree at its beginning.
func (in *tree) node() *fairshare.Node {
	var list []string
	for l, weight := range in.weights {
		list = append(list, fmt.Sprintf("%c=%d", 'a'+l, weight))
	}
	shares, err := fairshare.ParseShares(strings.Join(list, ","))
	if err != nil {
		panic(err)
	}
	n, err := fairshare.NewNode(fairshare.Config{Quantum: fairshare.Units(in.maxCost), Supply: fairshare.Units(in.supply), SleeperCredit: fairshare.Units(in.credit)}, shares)
	if err != nil {
		panic(err)
	}
	return n
}

// shares is a state of the model, and the node that must agree with it.
type shares struct {
	v, head, held, spent [3]int    // by lane; what is spent only of a finite supply
	open                 [3][3]int // by lane and cost
	free                 int
	gap                  [3][3]int // by two lanes, the first name first

	in    *tree
	node  *fairshare.Node
	calls [3][3][]fairshare.Reservation
}

// pair is two lanes.
type pair [2]int

func (in *tree) pairs() []pair {
	if len(in.weights) == 2 {
		return []pair{{0, 1}}
	}
	return []pair{{0, 1}, {0, 2}, {1, 2}}
}

func (s *shares) clone() *shares {
	c := *s
	c.node = s.node.Clone()
	for l := range c.calls {
		for cost := range c.calls[l] {
			c.calls[l][cost] = slices.Clone(s.calls[l][cost])
		}
	}
	return &c
}

// key is what makes a state of the model.
func (s *shares) key() string {
	key := fmt.Sprint(s.v, s.head, s.held, s.spent, s.open, s.free, s.gap)
	if s.in.apart {
		key += string(s.node.AppendKey(nil))
	}
	return key
}

// both says whether two lanes have work.
func (s *shares) both(p pair) bool { return s.head[p[0]] > 0 && s.head[p[1]] > 0 }

// apart is how far two lanes are from each other.
func (s *shares) apart(p pair) int {
	return max(s.v[p[0]]-s.v[p[1]], s.v[p[1]]-s.v[p[0]])
}

// worth is what units of a lane are in virtual service.
func (s *shares) worth(l, units int) int {
	scale := s.in.fine
	for _, weight := range s.in.weights {
		scale *= weight
	}
	return units * scale / s.in.weights[l]
}

// service is what the lanes with work have had of it, and what they weigh.
func (s *shares) service() (sum, weights int) {
	for l, weight := range s.in.weights {
		if s.head[l] > 0 {
			sum, weights = sum+s.v[l]*weight, weights+weight
		}
	}
	return sum, weights
}

// idle says whether no lane has work.
func (s *shares) idle() bool { return s.head == [3]int{} }

// counted are units of a supply that is counted at all.
func (s *shares) counted(units int) int {
	if s.in.supply == 0 {
		return 0
	}
	return units
}

// front is where one that wakes is seated: see Front in the model. It is whole,
// or the model has no such step.
func (s *shares) front() (at int, whole bool) {
	if s.idle() {
		return slices.Max(s.v[:len(s.in.weights)]), true
	}
	sum, weights := s.service()
	return sum / weights, sum%weights == 0
}

// normal takes off what makes no difference: see Normal in the model.
func (s *shares) normal() {
	var least []int // of those that have work, or of all
	for l := range s.in.weights {
		if s.head[l] > 0 || s.idle() {
			least = append(least, s.v[l]-s.worth(l, s.held[l]+s.open[l][1]+2*s.open[l][2]))
		}
	}
	front := slices.Min(least)
	if s.idle() {
		front = slices.Max(least)
	}
	lanes := s.v[:len(s.in.weights)]
	for l := range lanes {
		if s.head[l] == 0 {
			lanes[l] = max(lanes[l], front-s.worth(l, s.in.credit))
		}
	}
	low := slices.Min(lanes)
	for l := range lanes {
		lanes[l] -= low
	}
}

// giveBack returns what a lane without work holds to the root.
func (s *shares) giveBack(l int) {
	if s.head[l] > 0 {
		return
	}
	s.v[l] -= s.worth(l, s.held[l])
	s.free += s.counted(s.held[l])
	s.held[l] = 0
}

// setBacklog declares what a lane's next call costs.
func (s *shares) setBacklog(l, cost int) string {
	wakes := s.head[l] == 0
	if wakes {
		front, _ := s.front()
		s.v[l] = max(s.v[l], front-s.worth(l, s.in.credit))
	}
	s.head[l] = cost
	for _, p := range s.in.pairs() {
		switch gap := &s.gap[p[0]][p[1]]; {
		case !s.both(p):
			*gap = 0
		case wakes && (p[0] == l || p[1] == l):
			*gap = s.apart(p)
		}
	}
	s.giveBack(l)
	s.normal()
	err := s.node.SetBacklog(fairshare.Leaf(l+1), fairshare.Units(cost), fairshare.Units(cost))
	s.node.Settle()
	if err != nil {
		return "NoPanic: " + err.Error()
	}
	return ""
}

// ask is what a lane lacks of its next call's cost.
func (s *shares) ask(l int) int { return s.head[l] - s.held[l] }

// turn is whom the model gives the turn; -1 if nobody has work.
func (s *shares) turn() int {
	for l := range s.v {
		if s.head[l] > 0 && s.ask(l) <= 0 {
			return l
		}
	}
	best := -1
	sum, weights := s.service()
	deadline := func(l int) int { return s.v[l] + s.worth(l, s.ask(l)) }
	for l := range s.v {
		if s.head[l] == 0 || s.v[l]*weights > sum {
			continue
		}
		if best < 0 || deadline(l) < deadline(best) {
			best = l
		}
	}
	return best
}

// reserve asks both whose turn it is, and reserves. The model follows the node
// where that gives the turn to another: its own rules say how bad that is.
func (s *shares) reserve() string {
	l := s.turn()
	got, ok := s.node.Turn()
	if ok && int(got)-1 != l {
		if s.in.minds("TurnIsTheModels") {
			return fmt.Sprintf("TurnIsTheModels: the node gives the turn to %d where the model does to %d", got, l+1)
		}
		l = int(got) - 1
	}
	grant := max(s.ask(l), 0)
	if s.in.supply > 0 {
		grant = min(grant, s.free)
	}
	enough := s.held[l]+grant >= s.head[l]
	if ok != enough {
		return fmt.Sprintf("WorkIsConserved: somebody has the turn: %v, where there is enough for lane %d: %v", ok, l+1, enough)
	}
	s.v[l] += s.worth(l, grant)
	s.free -= s.counted(grant)
	s.held[l] += grant
	if !enough {
		s.normal()
		return ""
	}
	cost := s.head[l]
	res, err := s.node.Reserve(got, fairshare.Units(cost))
	if err != nil {
		return "WorkIsConserved: the turn can't be reserved: " + err.Error()
	}
	s.held[l] -= cost
	s.open[l][cost]++
	s.calls[l][cost] = append(s.calls[l][cost], res)
	s.normal()
	return ""
}

// settle settles a call; which one of equals makes no difference. To do it again
// does nothing.
func (s *shares) settle(l, cost, used int) string {
	list := s.calls[l][cost]
	s.calls[l][cost], s.open[l][cost] = list[1:], s.open[l][cost]-1
	s.spent[l] += s.counted(used)
	s.held[l] += cost - used
	s.giveBack(l)
	s.normal()
	err := s.node.Complete(list[0], fairshare.Units(used))
	if err == nil {
		err = s.node.Complete(list[0], fairshare.Units(used))
	}
	s.node.Settle()
	if err != nil {
		return "NoPanic: " + err.Error()
	}
	return ""
}

// minds says whether the instance is held to a rule.
func (in *tree) minds(rule string) bool { return in.only == "" || in.only == rule }

// check holds a state to the rules.
func (s *shares) check() string {
	in, sup, earmarked, open := s.in, s.node.Supply(), 0, 0
	for l := range s.open {
		earmarked += s.open[l][1] + 2*s.open[l][2]
		open += s.open[l][1] + s.open[l][2]
	}
	for _, p := range in.pairs() {
		bound := max(s.gap[p[0]][p[1]], s.worth(p[0], in.maxCost), s.worth(p[1], in.maxCost))
		if in.minds("PairIsBounded") && s.both(p) && s.apart(p) > bound {
			return fmt.Sprintf("PairIsBounded: lanes %d and %d are %d apart, which may be %d", p[0]+1, p[1]+1, s.apart(p), bound)
		}
	}
	reports := make([]fairshare.LaneReport, len(in.weights))
	for l := range reports {
		reports[l] = s.node.Report(fairshare.Leaf(l + 1))
	}
	switch {
	case in.minds("SupplyIsConserved") && (sup.Minted != sup.Free+sup.Held+sup.Earmarked+sup.Spent || int(sup.Earmarked) != earmarked):
		return fmt.Sprintf("SupplyIsConserved: %+v, where %d units are in flight", sup, earmarked)
	case in.minds("CallsAreBounded") && (open > in.maxOpen || sup.Open != open):
		return fmt.Sprintf("CallsAreBounded: %d calls are open, and the node knows %d", open, sup.Open)
	}
	for l, r := range reports {
		switch {
		case in.minds("IdleHoldsNothing") && s.head[l] == 0 && r.Held > 0:
			return fmt.Sprintf("IdleHoldsNothing: lane %d has no work, and holds %d", l+1, r.Held)
		case in.minds("StateIsTheModels") && int(r.Held) != s.held[l],
			in.minds("StateIsTheModels") && in.supply > 0 && (int(r.Spent) != s.spent[l] || int(sup.Free) != s.free):
			return fmt.Sprintf("StateIsTheModels: lane %d is %+v of %+v, where the model has %d held, %d spent, %d free", l+1, r, sup, s.held[l], s.spent[l], s.free)
		}
	}
	return ""
}

// Classes of the steps that are bound to come: see Spec in the model.
const (
	reserveClass = iota + 1
	settleClass  // and so on, one for each lane and cost
)

// treeStep is something that can happen to a tree.
type treeStep struct {
	name  string
	class uint8 // 0: it need never happen
	do    func(*shares) string
}

// steps lists them.
func (s *shares) steps() []treeStep {
	var list []treeStep
	in, open := s.in, 0
	_, whole := s.front()
	for l := range in.weights {
		for cost := range in.maxCost + 1 {
			if cost != s.head[l] && (s.head[l] > 0 || whole) {
				list = append(list, treeStep{fmt.Sprintf("SetBacklog(%d, %d)", l+1, cost), 0, func(s *shares) string { return s.setBacklog(l, cost) }})
			}
			if cost == 0 || s.open[l][cost] == 0 {
				continue
			}
			open += s.open[l][cost]
			class := uint8(settleClass + 3*l + cost)
			if in.cancels {
				list = append(list, treeStep{fmt.Sprintf("Cancel(%d, %d)", l+1, cost), class, func(s *shares) string { return s.settle(l, cost, 0) }})
			}
			for used := 1; used <= cost; used++ {
				list = append(list, treeStep{fmt.Sprintf("Complete(%d, %d, %d)", l+1, cost, used), class, func(s *shares) string { return s.settle(l, cost, used) }})
			}
		}
	}
	if s.idle() || open >= in.maxOpen {
		return list
	}
	if l := s.turn(); in.supply > 0 && s.ask(l) > 0 && s.free == 0 {
		return list // there is nothing to grant
	}
	return append(list, treeStep{"Reserve", reserveClass, (*shares).reserve})
}

// treeReport is what going through a tree came to.
type treeReport struct {
	states, depth, steps int
	fault                string
	trace, cycle         []string
}

// treeState is a state that was found.
type treeState struct {
	s    *shares
	from int
	by   string
}

// explore goes through a tree, breadth first.
func (in *tree) explore() (r treeReport) {
	first := &shares{in: in, node: in.node(), free: in.supply}
	states, index, edges := []treeState{{s: first, from: -1}}, map[string]int{first.key(): 0}, [][]edge{}
	trace := func(id int) (names []string) {
		for ; states[id].from >= 0; id = states[id].from {
			names = append(names, states[id].by)
		}
		slices.Reverse(names)
		return names
	}
	for from, level := 0, 1; from < len(states); from++ {
		if from == level {
			r.depth, level = r.depth+1, len(states)
		}
		var out []edge
		for _, step := range states[from].s.steps() {
			r.steps++
			s := states[from].s.clone()
			fault := step.do(s)
			if fault == "" {
				fault = s.check()
			}
			if fault != "" {
				r.fault, r.trace, r.states = fault, append(trace(from), step.name), len(states)
				return r
			}
			to, known := index[s.key()]
			if !known {
				to = len(states)
				index[s.key()] = to
				states = append(states, treeState{s, from, step.name})
			}
			e := edge{to: int32(to), class: step.class, fair: step.class > 0, key: -1} //nolint:gosec // as many as fit a slice
			for l := range s.open {
				if step.class == reserveClass && s.open[l] != states[from].s.open[l] {
					e.key = int8(l)
				}
			}
			out = append(out, e)
		}
		edges = append(edges, out)
	}
	r.states, r.depth = len(states), r.depth+1
	for l := range int8(len(in.weights)) { //nolint:gosec // three at most
		if !in.live() || r.fault != "" {
			break
		}
		t := newTrap(edges, func(id int32) bool { return states[id].s.head[l] > 0 }, func(e edge) bool { return e.key == l })
		if !t.look() {
			continue
		}
		r.fault, r.trace = fmt.Sprintf("EveryShareLaneIsServed: lane %d waits for ever", l+1), trace(int(t.found[0]))
		for _, p := range t.around() {
			r.cycle = append(r.cycle, states[p.state].s.steps()[p.step].name)
		}
	}
	return r
}

// show goes through a tree and prints what that came to.
func (in *tree) show(out io.Writer) error {
	began := time.Now()
	r := in.explore()
	fmt.Fprintf(out, "%-34s %8d states  depth %2d  %8d steps  %6.2fs\n", in.name, r.states, r.depth, r.steps, time.Since(began).Seconds())
	if r.fault == "" {
		return nil
	}
	fmt.Fprintf(out, "\n%s\n\n", r.fault)
	for i, name := range r.trace {
		fmt.Fprintf(out, "%3d  %s\n", i+1, name)
	}
	if r.cycle != nil {
		fmt.Fprintln(out, "\nand then, for ever:")
		for _, name := range r.cycle {
			fmt.Fprintf(out, "     %s\n", name)
		}
	}
	return fmt.Errorf("instance %s breaks a rule", in.name)
}

// tlc writes the configuration of a tree for the model checker. With a fault it is
// a negative one, which must be violated.
func (in *tree) tlc(f *fault) string {
	const invariants = "INVARIANTS PairIsBounded WorkIsConserved SupplyIsConserved IdleHoldsNothing CallsAreBounded\n"
	const property = "PROPERTY EveryShareLaneIsServed\n"
	head, broken, claims := fmt.Sprintf("\\* The explorer's instance %s, which must hold.\n", in.name), "none", invariants
	if in.live() {
		claims += property
	}
	if f != nil {
		head, claims = f.heading(), "INVARIANT "+f.violates+"\n"
		if f.property {
			claims = property
		} else {
			broken = f.name
		}
	}
	third := 0 // there is none
	if len(in.weights) > 2 {
		third = in.weights[2]
	}
	return head + fmt.Sprintf("SPECIFICATION Spec\nCONSTANTS\n    Weight1 = %d\n    Weight2 = %d\n    Weight3 = %d\n    Fine = %d\n    MaxCost = %d\n    MaxOpen = %d\n    Supply = %d\n    Credit = %d\n    Cancels = %s\n    Fault = %q\n%sCHECK_DEADLOCK FALSE\n",
		in.weights[0], in.weights[1], third, in.fine, in.maxCost, in.maxOpen, in.supply, in.credit, boolean(in.cancels), broken, claims)
}
