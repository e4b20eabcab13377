package fairshare

import (
	"fmt"
	"testing"
)

// A decision is what a batcher asks for each batch: the turn, a reservation,
// the new backlog and the settling. At 10,000 lanes it is to cost 2 us at most,
// and no allocation.
//
//	go test -run '^$' -bench Decision ./lanes/fairshare
func BenchmarkDecision(b *testing.B) {
	for _, lanes := range []int{2, 64, 10_000} {
		b.Run(fmt.Sprintf("saturated/%d", lanes), func(b *testing.B) { decide(b, lanes, false) })
		b.Run(fmt.Sprintf("sparse/%d", lanes), func(b *testing.B) { decide(b, lanes, true) })
	}
}

func manyLanes(tb testing.TB, lanes int) *Node {
	tb.Helper()
	shares := make([]Share, lanes)
	for i := range shares {
		w, err := NewWeight(int64(1+i%7), 1)
		if err != nil {
			tb.Fatal(err)
		}
		shares[i] = Share{fmt.Sprintf("lane%05d", i), w}
	}
	n, err := NewNode(Config{Quantum: 8}, shares)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// decide runs one decision per iteration. Saturated lanes have always work; of
// sparse ones each goes idle when served while another one wakes.
func decide(b *testing.B, lanes int, sparse bool) {
	n := manyLanes(b, lanes)
	for leaf := Leaf(1); int(leaf) <= lanes; leaf++ {
		if !sparse || leaf%2 == 0 {
			_ = n.SetBacklog(leaf, 80, 8)
		}
	}
	n.Turn()
	heads := make([]Units, lanes+1)
	for i := range heads {
		heads[i] = 8
	}
	b.ReportAllocs()
	wake := Leaf(1)
	for b.Loop() {
		leaf, ok := n.Turn()
		if !ok {
			b.Fatal("nobody has the turn")
		}
		res, err := n.Reserve(leaf, heads[leaf])
		if err != nil {
			b.Fatal(err)
		}
		if sparse {
			_ = n.SetBacklog(leaf, 0, 0)
			_ = n.SetBacklog(wake, 80, 8)
			wake = leaf
		} else {
			cost := heads[leaf]
			heads[leaf] = 8 - Units(n.seq%3)
			_ = n.SetBacklog(leaf, 80-Units(n.seq%8), heads[leaf])
			_ = n.Complete(res, cost)
			continue
		}
		_ = n.Complete(res, 8)
	}
}

// What the meter adds to each call: 10,000 lanes, all with fluid backlog.
func BenchmarkMeter(b *testing.B) {
	n := manyLanes(b, 10_000)
	m := NewMeter(n)
	for leaf := Leaf(1); leaf <= 10_000; leaf++ {
		m.Offer(leaf, 80)
	}
	leaf := Leaf(1)
	b.ReportAllocs()
	for b.Loop() {
		m.Offer(leaf, 8)
		m.Serve(leaf, 8)
		leaf = leaf%10_000 + 1
	}
}

func BenchmarkClone(b *testing.B) {
	n := manyLanes(b, 10_000)
	for b.Loop() {
		n.Clone()
	}
}
