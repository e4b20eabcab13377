// What the scripts say and show of share lanes.

package lanes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"ferryctl/lanes/fairshare"
)

func ofShares(arg string) bool {
	return slices.Contains([]string{"shares", "policy", "quantum", "credit"}, arg)
}

// openShares reads a room's share lanes; a quantum is 1 unless given, and a
// sleeper's credit 0.
func openShares(t *testing.T, d *datadriven.TestData, cfg *Config) {
	if !d.HasArg("shares") {
		return
	}
	list, policy, quantum, credit := "", "guaranteed", 1, 0
	for _, a := range d.CmdArgs {
		if a.Key == "shares" {
			list = strings.Join(a.Vals, ",")
		}
	}
	d.MaybeScanArgs(t, "policy", &policy)
	d.MaybeScanArgs(t, "quantum", &quantum)
	d.MaybeScanArgs(t, "credit", &credit)
	at := slices.Index(policyNames[:], policy)
	if at < 0 {
		t.Fatalf("policy %q: want one of %q", policy, policyNames)
	}
	node, err := fairshare.NewNode(fairshare.Config{Quantum: fairshare.Units(quantum), SleeperCredit: fairshare.Units(credit)}, mustShares(t, list))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Shares, cfg.Policy = node, RoomPolicy(at)
}

func (s *script) leaf(t *testing.T, path string) fairshare.Leaf {
	leaf, ok := s.l.Shares().Lookup(path)
	if !ok {
		t.Fatalf("there is no share lane %q", path)
	}
	return leaf
}

// of names a share lane behind what is of it; nothing for what is untagged.
func (s *script) of(share fairshare.Leaf) string {
	if share == fairshare.Untagged {
		return ""
	}
	return " of " + s.l.Shares().Path(share)
}

func (s *script) reweigh(t *testing.T, now time.Duration, arg string) string {
	path, value, _ := strings.Cut(arg, "=")
	w, err := fairshare.ParseWeight(value)
	if err == nil {
		err = s.l.Reweigh(now, path, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// showLines shows the ready lines: one, or one for each share lane.
func (s *script) showLines(b *strings.Builder) {
	shares := 0
	if s.l.gate != nil {
		shares = s.l.Shares().Leaves()
	}
	for share := range fairshare.Leaf(shares + 1) {
		var line []string
		for i := s.l.line(share).first; i != 0; i = s.l.lanes.get(i).next {
			line = append(line, s.l.lanes.get(i).key)
		}
		fmt.Fprintf(b, "ready line%s: %s\n", s.of(share), strings.Join(line, " "))
	}
}

// showShares shows what waits of each share lane and how it stands in the tree.
func (s *script) showShares() string {
	var b strings.Builder
	f := s.l.Fairness()
	for share := range fairshare.Leaf(s.l.Shares().Leaves() + 1) {
		st := s.l.Share(share)
		name := "untagged"
		if share != fairshare.Untagged {
			name = s.l.Shares().Path(share)
		}
		fmt.Fprintf(&b, "%s: %d wait", name, st.Queued)
		if st.Part != Unlimited {
			fmt.Fprintf(&b, ", part %d", st.Part)
		}
		if st.PartWeight != int64(Unlimited) {
			fmt.Fprintf(&b, ", weight %d, part %d, heaviest %d", st.QueuedWeight, st.PartWeight, st.Heaviest)
		}
		if share != fairshare.Untagged {
			r := s.l.Shares().Report(share)
			fmt.Fprintf(&b, "; %s; %d in flight, %d spent, %g offered", r.State, r.Earmarked, r.Spent, f.Lanes[share].Offered)
		}
		b.WriteString("\n")
	}
	return b.String()
}
