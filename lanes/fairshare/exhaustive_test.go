package fairshare

import "testing"

// Every state that two lanes can reach with up to two calls in flight,
// each found once by its key: while a lane has work somebody has the turn, the
// books are sound.
func TestEveryStateIsWorkConserving(t *testing.T) {
	for _, list := range []string{"a=1,b=1", "a=2,b=1", "a=2,g/b=1"} {
		n := newDriver(t, Config{Quantum: 2}, list).Node
		seen := map[string]bool{string(n.AppendKey(nil)): true}
		next := []explored{{n: n}}
		for len(next) > 0 {
			s := next[len(next)-1]
			next = next[:len(next)-1]
			for _, to := range s.successors(t) {
				if key := string(to.n.AppendKey(nil)); !seen[key] {
					seen[key] = true
					next = append(next, to)
				}
			}
			if len(seen) > 20_000 {
				t.Fatalf("%s: there is no end of states", list)
			}
		}
		t.Logf("%s: %d states", list, len(seen))
	}
}

type explored struct {
	n    *Node
	open []Reservation
}

// successors lists the states one step away: a lane's backlog declared anew, a
// call dispatched, a call over.
func (s explored) successors(t *testing.T) []explored {
	var list []explored
	for leaf := Leaf(1); int(leaf) <= s.n.Leaves(); leaf++ {
		for head := range Units(3) {
			c := s.n.Clone()
			if err := c.SetBacklog(leaf, head, head); err != nil {
				t.Fatal(err)
			}
			list = append(list, explored{c, s.open})
		}
	}
	for i, res := range s.open {
		for actual := range Units(2) {
			c := s.n.Clone()
			if err := c.Complete(res, 1+actual); err != nil {
				continue // it reserved less
			}
			open := append([]Reservation(nil), s.open[:i]...)
			list = append(list, explored{c, append(open, s.open[i+1:]...)})
		}
	}
	c := s.n.Clone()
	leaf, ok := c.Turn()
	work := false
	for i := 1; i <= c.Leaves(); i++ {
		work = work || c.lanes[i].units > 0
	}
	supply := c.Supply()
	if ok != work || c.sound() != nil || supply.Minted != supply.Free+supply.Held+supply.Earmarked+supply.Spent {
		t.Fatalf("turn %t, work %t, %v, %+v", ok, work, c.sound(), supply)
	}
	if ok && len(s.open) < 2 {
		res, err := c.Reserve(leaf, c.lanes[leaf].head)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, explored{c, append(append([]Reservation(nil), s.open...), res)})
	}
	return list
}
