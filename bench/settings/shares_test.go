package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"ferryctl/bench/settings"
	"ferryctl/lanes/fairshare"
)

func TestSharesHaveToGoWithTheLoad(t *testing.T) {
	many := make([]string, 8)
	for i := range many {
		many[i] = fmt.Sprintf("t%d=0.125", i)
	}
	for _, c := range []struct {
		set  map[string]string
		want string // "": it is right
	}{
		{map[string]string{"share": "gold=3,free=1", "lanes": "gold=0.5,free=0.5"}, ""},
		{map[string]string{"share": "gold=3,free=1,spare=9", "lane_rate": "gold=1k/s,free=2k/s"}, ""},
		{map[string]string{"share": "acme/=2,acme/web=1,acme/batch=1,free=1", "lanes": "acme/web=0.5,free=0.5"}, ""},
		{map[string]string{"share": "gold=3", "trace": "load.csv"}, ""},
		{map[string]string{"share": "none", "room_policy": "shared"}, ""},
		{map[string]string{"share": "none", "lanes": "gold=1"}, ""},
		{map[string]string{"share": "gold=3,free=1"}, "flag --share: share: the load has no share lanes to divide the service between: want lanes or lane_rate"},
		{map[string]string{"share": "gold=3,free=1", "lanes": "gold=0.5,fre=0.5"}, `nothing for "fre", which lanes names: want a share for it, or did you mean free`},
		{map[string]string{"share": "gold=3", "lane_rate": "gold=1k/s,x=1k/s,y=1k/s"}, `nothing for "x", "y", which lane_rate names: want a share for each, such as x=1`},
		{map[string]string{"share": "acme/x=1", "lanes": "acme=1"}, `nothing for "acme"`},
		{map[string]string{"share": "a=1", "lanes": strings.Join(many, ",")}, `"t0", "t1", "t2", "t3" and 4 more`},
		{map[string]string{"room_policy": "shared"}, "flag --room_policy: room_policy: shared divides the queue between share lanes, and none has a share: want share, such as gold=3,free=1"},
		{map[string]string{"share": "a=1,b=1", "lanes": "a=1", "queue": "5"}, "queue 5 (flag --queue) is less than the 6 that 2 share lanes need with room_policy guaranteed: want more, or room_policy shared"},
		{map[string]string{"share": "a=1,b=1", "lanes": "a=1", "queue_weight": "2", "room_policy": "partitioned"}, "queue_weight 2 (flag --queue_weight) is less than the 3"},
		{map[string]string{"share": "a=1,b=1", "lanes": "a=1", "queue": "1", "room_policy": "shared"}, ""},
		{map[string]string{"share": "a=1,b=1", "lanes": "a=1", "slo": "fairness<=2%"}, ""},
		{map[string]string{"slo": "p99<=1s,fairness<=2%"}, "flag --slo: slo: fairness<=2% is about share lanes, and none has a share: want share, such as gold=3,free=1, or an objective without it"},
	} {
		s := settings.Default()
		for knob, text := range c.set {
			set(t, &s, knob, text, "flag --"+knob)
		}
		err := s.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.set, err, c.want)
		}
	}
}

func TestBadSharesAreRefusedAllAtOnce(t *testing.T) {
	s := settings.Default()
	err := s.Set("share", "gold=0,free,acme=1,acme/x=1", "flag --share")
	for _, want := range []string{`flag --share: share "gold": weight`, `flag --share: share "free" has no weight`, `"acme" is both a lane and a group`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestAFlagTakesAProfilesSharesAway(t *testing.T) {
	s := settings.Default()
	set(t, &s, "share", "gold=3", "tenants.yaml:1:1")
	set(t, &s, "lanes", "gold=1", "tenants.yaml:2:1")
	set(t, &s, "room_policy", "shared", "tenants.yaml:3:1")
	set(t, &s, "share", "none", "flag --share")
	if err := s.Validate(); err != nil || s.Share != nil || s.Get("share") != "" || s.Get("room_policy") != "" {
		t.Errorf("%v: share %q, room_policy %q", err, s.Get("share"), s.Get("room_policy"))
	}
}

func TestOnlyWeightsChangeWhileARunGoesOn(t *testing.T) {
	read := func(text string) []fairshare.Share {
		shares, err := fairshare.ParseShares(text)
		if err != nil {
			t.Fatal(err)
		}
		return shares
	}
	from := read("b=1,a/x=1,a/y=2")
	changed, err := settings.Reshared(from, read("a/y=5,a/x=1,a/=3,b=1"))
	if got := fairshare.FormatShares(changed); err != nil || got != "a/=3,a/y=5" {
		t.Errorf("%s, %v", got, err)
	}
	if changed, err := settings.Reshared(read("b=1,a/=1,a/x=1,a/y=2"), from); err != nil || len(changed) > 0 {
		t.Errorf("a group has 1 unless given another weight: %v, %v", changed, err)
	}
	for _, to := range []string{"b=1,a/x=1", "b=1,a/x=1,a/y=2,c=1", "b=1,a/x=1,a/z=2"} {
		if _, err := settings.Reshared(from, read(to)); err == nil || !strings.Contains(err.Error(), "cannot come or go") {
			t.Errorf("%s: %v", to, err)
		}
	}
}
