// Fair shares for work that runs elsewhere.

package ferry

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ferryctl/lanes/fairshare"
)

func admission(t *testing.T, lanes string, quantum, outstanding int64) *AdmissionControl {
	t.Helper()
	a, err := NewAdmissionControl(AdmissionConfig{Lanes: lanes, Quantum: quantum, MaxOutstanding: outstanding})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func declare(t *testing.T, a *AdmissionControl, share string, units, next int64) {
	t.Helper()
	if err := a.SetBacklog(share, units, next); err != nil {
		t.Fatal(err)
	}
}

// The worked example of weights 3:2:1, one execution of six units at a time: the
// order of the turns, whoever asks first.
func TestAdmissionFollowsTheWorkedExample(t *testing.T) {
	for _, ask := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"a", "a", "c", "b"}} {
		a := admission(t, "a=3,b=2,c=1", 6, 0)
		for _, share := range []string{"a", "b", "c"} {
			declare(t, a, share, 600, 6)
		}
		var got strings.Builder
		for range 10 {
			for _, share := range ask {
				ticket, err := a.Admit(share, 6)
				if errors.Is(err, fairshare.ErrDeferred) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(share)
				declare(t, a, share, 600, 6)
				if err := ticket.Settle(6); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if got.String() != "ababacabab" {
			t.Errorf("asked in the order %v: %s", ask, got.String())
		}
	}
}

func TestUntaggedWorkIsAdmittedAtOnceAndTouchesNothing(t *testing.T) {
	a := admission(t, "a=1", 1, 1)
	declare(t, a, "a", 5, 1)
	for range 3 {
		ticket, err := a.Admit("", 7)
		if err != nil || ticket.Cost() != 0 || ticket.Settle(0) != nil {
			t.Fatalf("%+v %v", ticket, err)
		}
	}
	if s := a.node.Supply(); s.Spent != 0 {
		t.Errorf("the account was touched: %+v", s)
	}
}

func TestDeferredWorkIsWokenByItsTurnAndNothingIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := admission(t, "a=1,b=1", 1, 1)
		for _, share := range []string{"a", "b"} {
			declare(t, a, share, 40, 1)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		done := map[string]int{}
		for _, share := range []string{"a", "b"} {
			for range 4 {
				wg.Go(func() {
					for range 10 {
						ticket, err := a.Wait(t.Context(), share, 1)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						done[share]++
						if left := int64(40 - done[share]); left > 0 {
							declare(t, a, share, left, 1)
						} else {
							declare(t, a, share, 0, 0)
						}
						mu.Unlock()
						ticket.Settle(1)
					}
				})
			}
		}
		wg.Wait()
		if done["a"] != 40 || done["b"] != 40 {
			t.Errorf("done %v, want 40 each", done)
		}
	})
}

func TestAdmissionErrorsAtOnce(t *testing.T) {
	a := admission(t, "a=1,b=1", 4, 8)
	declare(t, a, "b", 8, 8)
	if _, err := a.Admit("z", 1); !errors.Is(err, ErrUnknownShare) {
		t.Errorf("unknown share lane: %v", err)
	}
	if _, err := a.Admit("a", 9); !errors.Is(err, fairshare.ErrNeverFits) {
		t.Errorf("a cost above MaxOutstanding: %v", err)
	}
	if _, err := a.Admit("a", 0); !errors.Is(err, fairshare.ErrAmount) {
		t.Errorf("a cost of 0: %v", err)
	}
	if err := a.SetBacklog("z", 1, 1); !errors.Is(err, ErrUnknownShare) {
		t.Errorf("unknown share lane: %v", err)
	}
	if err := a.SetBacklog("a", 9, 9); !errors.Is(err, fairshare.ErrNeverFits) {
		t.Errorf("a backlog whose next never fits: %v", err)
	}
	var later *DeferredError
	if _, err := a.Admit("a", 4); !errors.As(err, &later) || later.Share != "a" || later.Reason != NoEntitlement || later.Wake == nil {
		t.Errorf("no backlog declared, and another's turn: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Wait(ctx, "a", 4); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait given up: %v", err)
	}
	_, err := NewAdmissionControl(AdmissionConfig{Lanes: "a=0", Quantum: 0})
	if err == nil || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(strings.ToLower(err.Error()), "quantum") {
		t.Errorf("two faults: %v", err)
	}
}

func TestSettlingCountsOnce(t *testing.T) {
	a := admission(t, "a=1", 4, 0)
	declare(t, a, "a", 8, 4)
	ticket, err := a.Admit("a", 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := ticket.Settle(5); !errors.Is(err, fairshare.ErrAmount) {
		t.Errorf("more than was reserved: %v", err)
	}
	for range 3 {
		if err := ticket.Settle(3); err != nil {
			t.Error(err)
		}
	}
	if r := a.node.Report(1); r.Spent != 3 || r.Earmarked != 0 {
		t.Errorf("spent %d, earmarked %d", r.Spent, r.Earmarked)
	}
}

func TestBatchAdmissionTakesTheLongestPrefixThatFits(t *testing.T) {
	a := admission(t, "a=1", 4, 6)
	declare(t, a, "a", 6, 6)
	ticket, n, err := a.AdmitBatch("a", []int64{2, 2, 2, 2})
	if err != nil || n != 3 || ticket.Cost() != 6 {
		t.Errorf("%d of them for %d: %v", n, ticket.Cost(), err)
	}
	if _, n, err := a.AdmitBatch("a", []int64{1, 1}); !errors.Is(err, fairshare.ErrDeferred) || n != 0 {
		t.Errorf("at the bound: %d %v", n, err)
	}
	if _, _, err := a.AdmitBatch("a", nil); !errors.Is(err, fairshare.ErrAmount) {
		t.Errorf("an empty batch: %v", err)
	}
	if _, n, err := a.AdmitBatch("", []int64{1, 1}); err != nil || n != 2 {
		t.Errorf("untagged: %d %v", n, err)
	}
}

func TestANewWeightDrainsFirst(t *testing.T) {
	a := admission(t, "a=1,b=1", 1, 0)
	declare(t, a, "a", 5, 1)
	ticket, err := a.Admit("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := fairshare.NewWeight(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Reweigh("a", w); err != nil {
		t.Fatal(err)
	}
	var later *DeferredError
	if _, err := a.Admit("a", 1); !errors.As(err, &later) || later.Reason != Draining {
		t.Fatalf("while it drains: %v", err)
	}
	ticket.Settle(1)
	<-later.Wake
	if _, err := a.Admit("a", 1); err != nil {
		t.Errorf("drained: %v", err)
	}
}
