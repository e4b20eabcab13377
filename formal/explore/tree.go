// The fair-share tree: the real node goes through every declaration, turn and
// settlement of two share lanes, beside the model of FairShare.tla in whole
// numbers, and has to give the turn to whom the model does.

package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"ferryctl/lanes/fairshare"
)

// tree is an instance of the fair-share tree.
type tree struct {
	name    string
	weights [2]int
	maxCost int
	maxOpen int
}

func trees() []tree {
	return []tree{
		{"fairshare-2to1", [2]int{2, 1}, 2, 2},
		{"fairshare-3to2", [2]int{3, 2}, 2, 2},
		{"fairshare-1to1", [2]int{1, 1}, 2, 3},
	}
}

// shares is a state of the model, and the node that must agree with it.
type shares struct {
	v, head [2]int
	open    [2][3]int // by lane and cost
	gap     int

	node  *fairshare.Node
	calls [2][3][]fairshare.Reservation
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

func (s *shares) key() string { return fmt.Sprint(s.v, s.head, s.open, s.gap) }

func (s *shares) both() bool { return s.head[0] > 0 && s.head[1] > 0 }

func (s *shares) apart() int { return max(s.v[0]-s.v[1], s.v[1]-s.v[0]) }

// normal takes off what makes no difference: see Normal in the model.
func (s *shares) normal() {
	for l := range s.v {
		if s.head[l] > 0 && s.head[1-l] == 0 {
			s.v[1-l] = max(s.v[1-l], s.v[l])
		}
	}
	if s.head == [2]int{} {
		s.v = [2]int{}
	}
	low := min(s.v[0], s.v[1])
	s.v[0], s.v[1] = s.v[0]-low, s.v[1]-low
}

// setBacklog declares what a lane's next call costs.
func (s *shares) setBacklog(l, cost int) string {
	began := !s.both()
	s.head[l] = cost
	if began && s.both() {
		s.gap = s.apart()
	}
	if !s.both() {
		s.gap = 0
	}
	s.normal()
	err := s.node.SetBacklog(fairshare.Leaf(l+1), fairshare.Units(cost), fairshare.Units(cost))
	s.node.Settle()
	if err != nil {
		return "NoPanic: " + err.Error()
	}
	return ""
}

// grown is a lane's virtual service after its next call.
func (s *shares) grown(l int, weights [2]int) int { return s.v[l] + s.head[l]*weights[1-l] }

// turn is whom the model gives the turn; -1 if nobody has work.
func (s *shares) turn(weights [2]int) int {
	best := -1
	for l := range s.v {
		ahead := s.both() && s.v[l]*(weights[0]+weights[1]) > s.v[0]*weights[0]+s.v[1]*weights[1]
		if s.head[l] == 0 || ahead {
			continue
		}
		if best < 0 || s.grown(l, weights) < s.grown(best, weights) {
			best = l
		}
	}
	return best
}

// reserve asks both whose turn it is, and reserves.
func (s *shares) reserve(weights [2]int) string {
	want := s.turn(weights)
	got, ok := s.node.Turn()
	if !ok {
		return "WorkIsConserved: nobody has the turn, and a lane has work"
	}
	if int(got)-1 != want {
		return fmt.Sprintf("TurnIsTheModels: the node gives the turn to %d where the model does to %d", got, want+1)
	}
	cost := s.head[want]
	res, err := s.node.Reserve(got, fairshare.Units(cost))
	if err != nil {
		return "WorkIsConserved: the turn can't be reserved: " + err.Error()
	}
	s.v[want] = s.grown(want, weights)
	s.normal()
	s.open[want][cost]++
	s.calls[want][cost] = append(s.calls[want][cost], res)
	return ""
}

// complete settles a call; which one of equals makes no difference.
func (s *shares) complete(l, cost int) string {
	list := s.calls[l][cost]
	s.calls[l][cost], s.open[l][cost] = list[1:], s.open[l][cost]-1
	err := s.node.Complete(list[0], fairshare.Units(cost))
	s.node.Settle()
	if err != nil {
		return "NoPanic: " + err.Error()
	}
	return ""
}

// check holds a state to the rules.
func (s *shares) check(in *tree) string {
	sup, earmarked := s.node.Supply(), 0
	for l := range s.open {
		earmarked += s.open[l][1] + 2*s.open[l][2]
	}
	switch {
	case sup.Minted != sup.Free+sup.Held+sup.Earmarked+sup.Spent || int(sup.Earmarked) != earmarked:
		return fmt.Sprintf("SupplyIsConserved: %+v, where %d units are in flight", sup, earmarked)
	case s.both() && s.apart() > max(s.gap, in.maxCost*max(in.weights[0], in.weights[1])):
		return fmt.Sprintf("PairIsBounded: the two are %d apart, and were %d", s.apart(), s.gap)
	}
	return ""
}

// treeStep is something that can happen to a tree.
type treeStep struct {
	name string
	do   func(*shares) string
}

// steps lists them.
func (in *tree) steps(s *shares) []treeStep {
	var list []treeStep
	open := 0
	for l := range s.head {
		for cost := range in.maxCost + 1 {
			if cost != s.head[l] {
				list = append(list, treeStep{fmt.Sprintf("SetBacklog(%d, %d)", l+1, cost), func(s *shares) string { return s.setBacklog(l, cost) }})
			}
			if cost > 0 && s.open[l][cost] > 0 {
				open += s.open[l][cost]
				list = append(list, treeStep{fmt.Sprintf("Complete(%d, %d)", l+1, cost), func(s *shares) string { return s.complete(l, cost) }})
			}
		}
	}
	if s.head != [2]int{} && open < in.maxOpen {
		list = append(list, treeStep{"Reserve", func(s *shares) string { return s.reserve(in.weights) }})
	}
	return list
}

// treeReport is what going through a tree came to.
type treeReport struct {
	states, depth, steps int
	fault                string
	trace                []string
}

// explore goes through a tree, breadth first.
func (in *tree) explore() (r treeReport) {
	type found struct {
		s     *shares
		trace []string
	}
	first := &shares{node: shareTree(fmt.Sprintf("a=%d,b=%d", in.weights[0], in.weights[1]), in.maxCost)}
	seen := map[string]bool{first.key(): true}
	for level := []found{{s: first}}; len(level) > 0; r.depth++ {
		var next []found
		for _, from := range level {
			for _, step := range in.steps(from.s) {
				r.steps++
				s := from.s.clone()
				fault := step.do(s)
				if fault == "" {
					fault = s.check(in)
				}
				trace := append(slices.Clip(from.trace), step.name)
				if fault != "" {
					r.fault, r.trace, r.states = fault, trace, len(seen)
					return r
				}
				if key := s.key(); !seen[key] {
					seen[key] = true
					next = append(next, found{s, trace})
				}
			}
		}
		level = next
	}
	r.states = len(seen)
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
	return fmt.Errorf("instance %s breaks a rule", in.name)
}

// tlc writes the configuration of a tree for the model checker.
func (in *tree) tlc(fault string) string {
	head, claims := fmt.Sprintf("\\* The explorer's instance %s, which must hold.\n", in.name),
		"INVARIANTS PairIsBounded WorkIsConserved\nPROPERTY EveryShareLaneIsServed\n"
	if fault != "none" {
		head = "\\* Must violate PairIsBounded: the turn goes by name.\n" +
			"\\* The first lane has work all the while and is always served: the other falls\n\\* behind without a bound.\n"
		claims = "INVARIANT PairIsBounded\n"
	}
	return head + fmt.Sprintf("SPECIFICATION Spec\nCONSTANTS\n    Weight1 = %d\n    Weight2 = %d\n    MaxCost = %d\n    MaxOpen = %d\n    Fault = %q\n%sCHECK_DEADLOCK FALSE\n",
		in.weights[0], in.weights[1], in.maxCost, in.maxOpen, fault, claims)
}
