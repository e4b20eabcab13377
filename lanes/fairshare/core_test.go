package fairshare

import (
	"strings"
	"testing"
)

func mustNode(t testing.TB, quantum Units, list string) *Node {
	t.Helper()
	shares, err := ParseShares(list)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewNode(Config{Quantum: quantum}, shares)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The worked example of EEVDF with weights 3, 2, 1 and quantum 6.
func TestWorkedExampleIsServedInItsOrder(t *testing.T) {
	n := mustNode(t, 6, "a=3,b=2,c=1")
	for leaf := Leaf(1); leaf <= 3; leaf++ {
		if err := n.SetBacklog(leaf, 600, 6); err != nil {
			t.Fatal(err)
		}
	}
	var order strings.Builder
	for range 10 {
		leaf, ok := n.Turn()
		if !ok {
			t.Fatal("nobody has the turn")
		}
		order.WriteString(n.Path(leaf))
		res, err := n.Reserve(leaf, 6)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Complete(res, 6); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := order.String(), "ababacabab"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}
