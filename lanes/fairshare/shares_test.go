package fairshare

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSharesReportEveryFaultAtOnce(t *testing.T) {
	_, err := ParseShares("gold=0,free=-1,big=1000001,tiny=0.0000001,word=x,none,acme=1,acme/x=2,acme/x=3,a//b=1,/c=1,=1,lone/=2,sp ace=1,half=1/0")
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		`"gold"`, `"free"`, `"big"`, `"tiny"`, `"word"`, `"none" has no weight`, `"acme" is both a lane and a group`,
		`"acme/x" is given twice`, `"a//b" has an empty segment`, `"/c" has an empty segment`, `"" has no name`,
		`"lone/" has no lanes`, `"sp ace" holds the character`, `"half"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %s in\n%v", want, err)
		}
	}
	if _, err := NewNode(Config{Quantum: 0, MaxOutstanding: -1, Supply: -1, SleeperCredit: -1}, nil); err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("settings: %v", err)
	}
}

func TestWeightsTooFarApartAreRefused(t *testing.T) {
	if _, err := ParseShares("a=1000000,b=0.0001"); err == nil || !strings.Contains(err.Error(), "too far apart") {
		t.Errorf("%v", err)
	}
	if _, err := ParseShares("a=1/999983,b=1/999979"); err == nil || !strings.Contains(err.Error(), "common denominator") {
		t.Errorf("%v", err)
	}
	d := newDriver(t, Config{Quantum: 1}, "a=1000000,b=1")
	before := d.AppendKey(nil)
	if err := d.SetWeight("b", Weight{1, 1000000}); err == nil || string(d.AppendKey(nil)) != string(before) {
		t.Errorf("%v, or the node changed", err)
	}
}

func TestWeightsAreReducedExactly(t *testing.T) {
	for in, want := range map[string]Weight{"3": {3, 1}, "2.5": {5, 2}, "0.125": {1, 8}, "4/6": {2, 3}, "-1/-2": {1, 2}, "1000000": {1000000, 1}} {
		if got, err := ParseWeight(in); err != nil || got != want {
			t.Errorf("%s reads as %v (%v), want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", ".5", "1.", "1e3", "+-1", "1.-5", "9223372036854775808", "-9223372036854775808/1", "0", "0/1", "1/0"} {
		if got, err := ParseWeight(in); err == nil {
			t.Errorf("%q reads as %v", in, got)
		}
	}
}

func TestSharesReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SampledFrom(trees).Draw(t, "tree")
		shares, err := ParseShares(list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseShares(FormatShares(shares))
		if err != nil || FormatShares(again) != FormatShares(shares) {
			t.Fatalf("%s: %v", FormatShares(shares), err)
		}
	})
}

func TestHandlesAreDenseInOrderOfThePaths(t *testing.T) {
	n := newDriver(t, Config{Quantum: 1}, "z=1,b/y=2,b/x=1,a=1,b/=4")
	want := []string{"", "a", "b/x", "b/y", "z"}
	if n.Leaves() != len(want)-1 {
		t.Fatalf("%d lanes", n.Leaves())
	}
	for leaf, path := range want {
		if got, ok := n.Lookup(path); !ok || got != Leaf(leaf) || n.Path(Leaf(leaf)) != path {
			t.Errorf("%q is lane %d", path, got)
		}
	}
	if got := n.Share(2); got != 4.0/6/3 {
		t.Errorf("the share of b/x is %g", got)
	}
}
