package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/ferry"
)

// shared runs settings in virtual time.
func shared(t *testing.T, knobs map[string]string) *Result {
	t.Helper()
	s := settings.Default()
	for _, base := range [][2]string{{"clock", "virtual"}, {"items", "20000"}, {"kernel", "make"}, {"seed", "1"}} {
		_, given := knobs[base[0]]
		_, timed := knobs["duration"]
		if !given && (!timed || base[0] != "items") {
			if err := s.Set(base[0], base[1], "flag --"+base[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for knob, text := range knobs {
		if err := s.Set(knob, text, "flag --"+knob); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Result) laneNamed(t *testing.T, name string) Lane {
	t.Helper()
	for _, l := range r.Lanes {
		if l.Lane == name {
			return l
		}
	}
	t.Fatalf("there is no lane %s in %v", name, r.Lanes)
	return Lane{}
}

// TestOverloadIsSplitByWeight is of every kernel, with 200 seeds: each share
// lane's part of the service is within 1 % of its share, and none is ever further
// from what it is owed than the bound.
func TestOverloadIsSplitByWeight(t *testing.T) {
	seeds := 200
	if testing.Short() || raceDetector {
		seeds = 10
	}
	for seed := range seeds {
		r := shared(t, map[string]string{
			"seed": fmt.Sprint(seed), "kernel": []string{"make", "keyed", "perkey"}[seed%3], "direct": "off", "keys": "1000",
			"lane_rate": "a=20k/s,b=20k/s,c=20k/s", "share": "a=5,b=3,c=2", "batch_size": "8", "in_flight": "2", "queue": "2000",
			"backend": "synthetic(base=1ms,per_item=50us,dist=exponential)", "items": "60000",
		})
		if r.Settings == nil || r.Fairness.Note != "" {
			t.Fatalf("seed %d: %+v", seed, r.Fairness)
		}
		all := 0.0
		for _, l := range r.Lanes {
			all += l.ServiceUnits.Or(0)
		}
		for lane, share := range map[string]float64{"a": 0.5, "b": 0.3, "c": 0.2} {
			l := r.laneNamed(t, lane)
			got := l.ServiceUnits.Or(0) / all
			bound, bounded := l.BoundUnits.Get()
			bound *= 1 + 1e-9 // the account is in floating point
			if math.Abs(got-share) > 0.01*share || l.Share.Or(0) != share {
				t.Errorf("seed %d: share lane %s got %.4f of %.0f, want %.1f", seed, lane, got, all, share)
			}
			if !bounded || l.MaxLagUnits.Or(99) > bound || l.MaxLeadUnits.Or(99) > bound {
				t.Errorf("seed %d: share lane %s was %s behind and %s ahead, the bound is %v", seed, lane, l.MaxLagUnits, l.MaxLeadUnits, bound)
			}
			if math.Abs(l.ServiceUnits.Or(0)-l.OwedUnits.Or(99)) > bound {
				t.Errorf("seed %d: share lane %s got %s and was owed %s", seed, lane, l.ServiceUnits, l.OwedUnits)
			}
		}
		if r.Fairness.WorstErrorRatio.Or(1) > 0.01 || r.Fairness.Jain.Or(0) < 0.9999 || !strings.Contains("abc", r.Fairness.WorstLane) {
			t.Errorf("seed %d: %+v", seed, r.Fairness)
		}
	}
}

// TestAFloodIsNotNoticedByTheOthers, but for the rest of a call that is out
// already: calls are not interrupted. Jitter keeps the slots from coming free all
// at once, as the fixed times of a flood that begins at once would have them. It is of a share lane that asks for less than its
// share, alone and beside one that asks for twenty times as much. A direct call
// takes none of the slots that the flood may fill, and asks for its turn: with
// perkey, the lane's calls go through either way.
func TestAFloodIsNotNoticedByTheOthers(t *testing.T) {
	for _, kernel := range []string{"make", "keyed", "perkey", "direct"} {
		for _, policy := range []string{"guaranteed", "partitioned"} {
			t.Run(kernel+"/"+policy, func(t *testing.T) {
				knobs := map[string]string{
					"kernel": strings.Replace(kernel, "direct", "perkey", 1), "keys": "100k", "share": "quiet=1,loud=1", "room_policy": policy,
					"batch_size": "4", "in_flight": "32", "queue": "400", "backend": "synthetic(base=2ms,per_item=50us,jitter=0.3)",
					"duration": "3s", "lane_rate": "quiet=4k/s,loud=1/s",
				}
				if kernel != "direct" {
					knobs["direct"] = "off"
				}
				alone := shared(t, knobs).laneNamed(t, "quiet")
				knobs["lane_rate"] = "quiet=4k/s,loud=80k/s"
				flooded := shared(t, knobs)
				quiet, loud := flooded.laneNamed(t, "quiet"), flooded.laneNamed(t, "loud")
				if quiet.Rejected > 0 || kernel != "direct" && loud.Rejected == 0 {
					t.Errorf("rejected: quiet %d, loud %d", quiet.Rejected, loud.Rejected)
				}
				t.Logf("p99 %v beside, %v alone", quiet.Sojourn.P99, alone.Sojourn.P99)
				if p, q := alone.Sojourn.P99.Or(0), quiet.Sojourn.P99.Or(0); q > 1.5*p {
					t.Errorf("p99 is %.3g ms beside the flood and %.3g ms alone", q/1e6, p/1e6)
				}
			})
		}
	}
}

func TestRoomPoliciesDifferInWhoIsTurnedAway(t *testing.T) {
	rejected := func(policy string, rates string) (a, b Lane, rates2 Rates) {
		r := shared(t, map[string]string{
			"share": "a=1,b=1", "room_policy": policy, "lane_rate": rates, "queue": "200", "batch_size": "8", "in_flight": "1",
			"backend": "synthetic(base=2ms,per_item=100us)",
		})
		return r.laneNamed(t, "a"), r.laneNamed(t, "b"), r.Rates
	}
	// A flood of b: with one room for all it takes a's places.
	if a, b, rates := rejected("shared", "a=500/s,b=20k/s"); a.Rejected == 0 || b.Rejected == 0 || rates.PartBound.Or(1) != 0 {
		t.Errorf("shared: a %d, b %d, by part %s", a.Rejected, b.Rejected, rates.PartBound)
	}
	queued := map[string]float64{}
	for _, policy := range []string{"guaranteed", "partitioned"} {
		a, b, rates := rejected(policy, "a=500/s,b=20k/s")
		if a.Rejected > 0 || b.Rejected == 0 || rates.PartBound.Or(0) != float64(b.Rejected) || rates.CountBound.Or(0) != float64(b.Rejected) {
			t.Errorf("%s: a %d, b %d, by part %s", policy, a.Rejected, b.Rejected, rates.PartBound)
		}
		queued[policy] = b.Sojourn.Mean.Or(0)
	}
	// Both keep a third of 200 places for b, or about; guaranteed lets it have
	// what is nobody's as well, where items wait longer.
	if g, p := queued["guaranteed"], queued["partitioned"]; g < 1.5*p {
		t.Errorf("b waits %.3g ms in what it may fill, and %.3g ms in its part alone", g/1e6, p/1e6)
	}
}

func TestTooLittleCompetitionIsNoVerdict(t *testing.T) {
	r := shared(t, map[string]string{
		"share": "a=1,b=1", "lane_rate": "a=100/s,b=100/s", "items": "2000", "backend": "synthetic(base=10us)", "slo": "fairness<=2%",
	})
	if r.Fairness.WorstErrorRatio.Known() || !strings.Contains(r.Fairness.Note, "to judge") || r.laneNamed(t, "a").ErrorRatio.Known() {
		t.Errorf("%+v", r.Fairness)
	}
	if s := r.SLO[0]; s.OK || s.Value.Known() || !strings.Contains(s.Note, "no data: ") || !strings.Contains(s.Note, "to judge") {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "fairness: ") {
		t.Errorf("no warning says so: %q", r.Warnings)
	}
	r = shared(t, map[string]string{
		"share": "a=1,b=1", "lane_rate": "a=50k/s,b=50k/s", "backend": "synthetic(base=1ms)", "slo": "fairness<=2%", "batch_size": "8", "in_flight": "2",
	})
	if s := r.SLO[0]; !s.OK || !s.Value.Known() || s.Unit != "ratio" {
		t.Errorf("%+v", s)
	}
}

func TestBatchesDearerThanAQuantumHaveNoBound(t *testing.T) {
	r := shared(t, map[string]string{
		"share": "a=1,b=1", "lane_rate": "a=500k/s,b=500k/s", "items": "200000", "backend": "synthetic(base=20ms)", "batch_size": "2000", "queue": "20000", "in_flight": "1",
	})
	if r.Fairness.BoundUnits.Known() || !strings.Contains(strings.Join(r.Warnings, "\n"), "no bound on the lag is known") {
		t.Errorf("%+v, %q", r.Fairness, r.Warnings)
	}
}

func TestATraceEndsAtAShareLaneWithoutAShare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "load.csv")
	rows := "offset_us,key,weight,lane\n"
	for i := range 50 {
		rows += fmt.Sprintf("%d,k,1,%s\n", i*100, []string{"", "gold"}[i%2])
	}
	if err := os.WriteFile(file, []byte(rows+"6000,k,1,tin\n7000,k,1,gold\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, clock := range []string{"real", "virtual"} {
		s := settings.Default()
		for _, v := range [][2]string{{"trace", file}, {"share", "gold=1"}, {"clock", clock}, {"backend", "synthetic(base=10us)"}} {
			if err := s.Set(v[0], v[1], "flag --"+v[0]); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(s, Options{})
		if err == nil || !strings.Contains(err.Error(), `item 51 of the trace is of share lane "tin", which has no share: want one for it, such as tin=1`) {
			t.Fatalf("%s: %v", clock, err)
		}
		if r.Complete || r.Counts.Done != 50 {
			t.Errorf("%s: complete %v, %+v", clock, r.Complete, r.Counts)
		}
	}
}

func TestSharesAreReadBackFromTheKernelByBothClocks(t *testing.T) {
	for _, clock := range []string{"real", "virtual"} {
		r := shared(t, map[string]string{
			"clock": clock, "share": "a=1/2,g/=3,g/b=1", "lane_rate": "a=20k/s,g/b=20k/s", "items": "8000", "batch_size": "8",
			"backend": "synthetic(base=1ms)", "room_policy": "partitioned",
		})
		for knob, want := range map[string]string{"share": "a=1/2,g/=3,g/b=1", "room_policy": "partitioned"} {
			if got, _ := r.Settings.Get(knob); got != want {
				t.Errorf("%s: %s is %q, want %q", clock, knob, got, want)
			}
		}
		l := r.laneNamed(t, "g/b")
		if !l.OwedUnits.Known() || !l.StarvedBatches.Known() || l.Starved.Or(-1) < 0 || math.Abs(l.Share.Or(0)-6.0/7) > 1e-9 {
			t.Errorf("%s: %+v", clock, l)
		}
	}
}

func TestSharedRunsAreTheSameByteForByte(t *testing.T) {
	knobs := map[string]string{
		"kernel": "perkey", "keys": "50", "key_skew": "1", "share": "a=3,g/b=1,g/c=2", "lanes": "a=0.5,g/b=0.25,g/c=0.25", "rate": "50k/s",
		"backend": "synthetic(base=100us,per_item=20us,dist=exponential)", "in_flight": "4", "batch_size": "8", "queue": "300",
	}
	first := ""
	for range 3 {
		r := shared(t, knobs)
		r.Environment = Environment{}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(out)
		}
		if string(out) != first {
			t.Fatal("two runs differ")
		}
	}
}

func TestJainsIndexTellsOneFromAll(t *testing.T) {
	all := []ferry.ShareMetrics{{Owed: 10, Got: 10}, {Owed: 20, Got: 20}, {Got: 5}}
	one := []ferry.ShareMetrics{{Owed: 10, Got: 20}, {Owed: 10}}
	if a, b := jain(all), jain(one); a.Or(0) != 1 || b.Or(0) != 0.5 || jain(nil).Known() {
		t.Errorf("all %s, one of two %s, none %s", a, b, jain(nil))
	}
}

func TestWeightsAreTurnedWhileARunGoesOn(t *testing.T) {
	s := loaded(t, "batch_size", "4", "in_flight", "1", "queue", "400", "share", "gold=1,free=1")
	r, _ := watched(t, s, nil, func(l *Live) {
		time.Sleep(5 * time.Second)
		before := l.Snapshot()
		for text, want := range map[string]string{
			"gold=3":               `nothing for "free"`,
			"gold=3,free=1,tin=1":  "cannot come or go",
			"gold=0,free=1":        "weight",
			"none":                 "cannot come or go",
			"gold=1,free=1,free=2": "twice",
		} {
			if err := l.Set("share", text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
		if err := l.Set("share", "free=1,gold=4"); err != nil {
			t.Error(err)
		}
		time.Sleep(1500 * time.Millisecond)
		mid := l.Snapshot()
		time.Sleep(2 * time.Second)
		after := l.Snapshot()
		rate := func(from, to *Snapshot) float64 {
			return (to.Lanes[0].ServiceUnits.Or(0) - from.Lanes[0].ServiceUnits.Or(0)) / (to.Measured - from.Measured).Seconds()
		}
		if v := rate(mid, after); v < 240 || v > 325 { // of 400 that are served in a second it is owed 320, and asks for 250 and what had queued
			t.Errorf("gold got %.0f/s with four fifths of the weight", v)
		}
		if v := before.Lanes[0].ServiceUnits.Or(0) / before.Measured.Seconds(); v < 190 || v > 210 {
			t.Errorf("gold got %.0f/s with half of it", v)
		}
		if !after.Fairness.WorstErrorRatio.Known() || after.Changed[0].Knob != "share" {
			t.Errorf("%+v, %v", after.Fairness, after.Changed)
		}
	})
	if len(r.Segments) != 2 || strings.Contains(strings.Join(r.Measurement.Reasons, " "), "another setting") {
		t.Errorf("%d segments, %v", len(r.Segments), r.Measurement.Reasons)
	}
	if l := r.laneNamed(t, "gold"); math.Abs(l.ErrorRatio.Or(1)) > 0.01 || l.Share.Or(0) != 0.8 {
		t.Errorf("%+v", l)
	}
}

func TestSharesAreTheSameInAnyOrder(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"a=1,b=2", "b=2,a=1"}: true, {"g/a=1", "g/=1,g/a=1"}: true, {"", ""}: true,
		{"a=1", ""}: false, {"a=1", "a=2"}: false, {"a=1", "b=1"}: false,
	} {
		if sameShares(pair[0], pair[1]) != want {
			t.Errorf("%v: want %v", pair, want)
		}
	}
}
