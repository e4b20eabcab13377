package fairshare

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A naiveMeter pours fluid in small steps from one lane's end to the next, and
// keeps every instant.
type naiveMeter struct {
	n                       *Node
	offered, served, got    []float64
	lag, lead               []float64
	wait, since             []int64
	calls                   int64
	then                    []float64 // got less owed at the end of competition
	thenServed, totalServed float64
	first                   float64 // served when the account began
}

func newNaiveMeter(n *Node) *naiveMeter {
	k := len(n.lanes)
	return &naiveMeter{
		n: n, offered: make([]float64, k), served: make([]float64, k), got: make([]float64, k),
		lag: make([]float64, k), lead: make([]float64, k), wait: make([]int64, k), since: make([]int64, k), then: make([]float64, k),
	}
}

func (m *naiveMeter) wet(leaf Leaf) bool { return m.offered[leaf]-m.got[leaf] > dregs }

func (m *naiveMeter) wetBelow(i int32) (count int) {
	v := &m.n.verts[i]
	if v.leaf != 0 {
		if m.wet(v.leaf) {
			return 1
		}
		return 0
	}
	for _, c := range m.n.groups[v.group].children {
		count += m.wetBelow(c)
	}
	return count
}

// rates divides one unit below i.
func (m *naiveMeter) rates(i int32, rate float64, rates map[Leaf]float64) {
	v := &m.n.verts[i]
	if v.leaf != 0 {
		rates[v.leaf] = rate
		return
	}
	all := 0.0
	for _, c := range m.n.groups[v.group].children {
		if m.wetBelow(c) > 0 {
			all += float64(m.n.verts[c].weight)
		}
	}
	for _, c := range m.n.groups[v.group].children {
		if m.wetBelow(c) > 0 {
			m.rates(c, rate*float64(m.n.verts[c].weight)/all, rates)
		}
	}
}

func (m *naiveMeter) pour(units float64) {
	for units > 1e-12 && m.wetBelow(0) > 0 {
		rates := map[Leaf]float64{}
		m.rates(0, 1, rates)
		step := units
		for leaf, rate := range rates {
			step = min(step, (m.offered[leaf]-m.got[leaf])/rate)
		}
		for leaf, rate := range rates {
			m.got[leaf] += step * rate
		}
		units -= step
	}
}

func (m *naiveMeter) note() {
	for i := range m.got {
		m.lag[i] = max(m.lag[i], m.got[i]-m.served[i])
		m.lead[i] = max(m.lead[i], m.served[i]-m.got[i])
	}
}

func (m *naiveMeter) compete() {
	if m.wetBelow(0) >= 2 {
		for i := range m.then {
			m.then[i] = m.served[i] - m.got[i]
		}
		m.thenServed = m.totalServed - m.first
	}
}

func (m *naiveMeter) restart() {
	m.first, m.thenServed = m.totalServed, 0
	for i := range m.got {
		m.lag[i], m.lead[i], m.wait[i], m.since[i] = 0, 0, 0, m.calls
		m.then[i] = m.served[i] - m.got[i]
	}
	m.note()
}

func (m *naiveMeter) offer(leaf Leaf, units float64) {
	if m.offered[leaf] <= m.served[leaf] {
		m.since[leaf] = m.calls
	}
	m.offered[leaf] += units
}

func (m *naiveMeter) serve(leaf Leaf, units float64) {
	m.offer(leaf, max(0, m.served[leaf]+units-m.offered[leaf]))
	m.compete()
	m.wait[leaf] = max(m.wait[leaf], m.calls-m.since[leaf])
	m.calls++
	m.since[leaf] = m.calls
	m.served[leaf] += units
	m.totalServed += units
	m.pour(units)
	m.note()
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

func TestMeterIsItsNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares, _ := ParseShares(rapid.SampledFrom(trees).Draw(t, "tree"))
		n, err := NewNode(Config{Quantum: 1}, shares)
		if err != nil {
			t.Fatal(err)
		}
		m, naive := NewMeter(n), newNaiveMeter(n)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			leaf := Leaf(rapid.IntRange(1, n.Leaves()).Draw(t, "lane"))
			units := Units(rapid.IntRange(1, 9).Draw(t, "units"))
			backlog := naive.offered[leaf] - naive.served[leaf]
			switch op := rapid.SampledFrom([]string{"offer", "serve", "serve", "withdraw", "clone", "weigh", "restart"}).Draw(t, "op"); {
			case op == "clone":
				old := m
				m = m.Clone()
				old.Serve(leaf, units) // must not show in the clone
				old.Offer(leaf, units)
			case op == "restart":
				m.Restart()
				naive.restart()
			case op == "weigh":
				w, _ := NewWeight(int64(units), 1)
				if err := n.SetWeight(n.Path(leaf), w); err != nil {
					t.Fatal(err)
				}
				m.Reweigh(n)
			case op == "offer":
				m.Offer(leaf, units)
				naive.offer(leaf, float64(units))
			case op == "withdraw" && naive.offered[leaf]-naive.got[leaf] > float64(units) && backlog >= float64(units):
				m.Withdraw(leaf, units)
				naive.offered[leaf] -= float64(units)
			case op == "serve" && (backlog > 0 || rapid.IntRange(0, 9).Draw(t, "unoffered") == 0):
				m.Serve(leaf, units)
				naive.serve(leaf, float64(units))
			}
			compareMeters(t, m, naive)
		}
	})
}

func compareMeters(t *rapid.T, m *Meter, naive *naiveMeter) {
	f := m.Report()
	naive.compete()
	sum := 0.0
	for i := 1; i < len(f.Lanes); i++ {
		e := f.Lanes[i]
		wait := naive.wait[i]
		if naive.offered[i] > naive.served[i] {
			wait = max(wait, naive.calls-naive.since[i])
		}
		if !near(e.MaxLag, naive.lag[i]) || !near(e.MaxLead, naive.lead[i]) || !near(e.End, naive.then[i]) || e.Starved != wait {
			t.Fatalf("lane %d: %+v; the twin has lag %g, lead %g, end %g, wait %d", i, e, naive.lag[i], naive.lead[i], naive.then[i], wait)
		}
		if got := m.fluid.level(m.lanes[i].vert); !near(got, naive.got[i]) {
			t.Fatalf("lane %d is owed %g; the twin has %g", i, got, naive.got[i])
		}
		sum += e.End
	}
	if !near(sum, 0) || !near(f.Served, naive.thenServed) || m.fluid.wet != naive.wetBelow(0) {
		t.Fatalf("errors sum to %g; competition ended at %g, the twin says %g; %d have backlog, the twin says %d",
			sum, f.Served, naive.thenServed, m.fluid.wet, naive.wetBelow(0))
	}
}

func TestANewAccountOwesWhatTheOldOneDid(t *testing.T) {
	shares, _ := ParseShares("a=1,b=1")
	n, err := NewNode(Config{Quantum: 1}, shares)
	if err != nil {
		t.Fatal(err)
	}
	m := NewMeter(n)
	m.Offer(1, 100)
	m.Offer(2, 100)
	m.Serve(1, 6) // a is 3 ahead, b 3 behind
	m.Restart()
	m.Serve(2, 4)
	a, b := m.Report().Lanes[1], m.Report().Lanes[2]
	if a.Got != 0 || a.Owed != -1 || b.Got != 4 || b.Owed != 5 || a.Served != 0 || b.Offered != 100 {
		t.Errorf("a %+v\nb %+v; of the 4 that were served since, a had had its 2 and one more, and b was 3 behind", a, b)
	}
	if f := m.Report(); f.Served != 4 || f.Calls != 1 || a.MaxLead != 3 || b.MaxLag != 3 || b.Starved != 0 || a.Starved != 1 {
		t.Errorf("%+v; the account is of one call", f)
	}
}

func TestMeterRefusesAVerdictOnTooLittle(t *testing.T) {
	if (Fairness{Served: 399}).Enough(5, 0.25) == nil || (Fairness{Served: 400}).Enough(5, 0.25) != nil {
		t.Error("the limit is not at 20 quanta of the smallest share")
	}
}
