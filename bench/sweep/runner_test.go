package sweep

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
)

// read returns the bytes of a store's file.
func read(t testing.TB, s *Store) []byte {
	t.Helper()
	text, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAFinishedSweepIsTheSameWhateverTheJobs runs the real thing in virtual time.
func TestAFinishedSweepIsTheSameWhateverTheJobs(t *testing.T) {
	space := grid(t, base(t, "backend", "synthetic(base=1ms,per_item=20us,dist=exponential)", "keys", "100"), "batch_size", "1,4,16", "batch_delay", "0s,1ms", "in_flight", "1,8")
	var want []byte
	for _, jobs := range []int{1, 2, 7} {
		store := create(t, space, 2)
		if err := (Runner{Jobs: jobs, Version: "test"}).Sweep(store); err != nil {
			t.Fatal(err)
		}
		if got := read(t, store); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d jobs give another file than one", jobs)
		}
	}
}

// TestRunsMayEndInAnyOrder holds the first run back until the last has ended.
func TestRunsMayEndInAnyOrder(t *testing.T) {
	space := grid(t, base(t), "batch_size", "1,2,4,8")
	sorted := create(t, space, 1)
	sweepAll(t, sorted, 1)
	var others sync.WaitGroup
	others.Add(3)
	store := create(t, space, 1)
	err := Runner{Jobs: 2, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if s.BatchSize == 1 {
			others.Wait()
		} else {
			defer others.Done()
		}
		return fake(s, o)
	}}.Sweep(store)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, store), read(t, sorted)) {
		t.Error("the order in which runs end shows in the file")
	}
}

func TestAStopLetsRunningRunsEndAndAKillForgetsThem(t *testing.T) {
	space := grid(t, base(t), "batch_size", "1,2,4,8")
	stop, kill := make(chan struct{}), make(chan struct{})
	store := create(t, space, 1)
	err := Runner{Stop: stop, Kill: kill, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if s.BatchSize == 2 {
			close(stop)
		}
		return fake(s, o)
	}}.Sweep(store)
	if held, _ := store.Len(); !errors.Is(err, ErrStopped) || held != 2 {
		t.Errorf("stopped in the second run: %d runs are there, %v", held, err)
	}
	err = Runner{Kill: kill, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		close(kill)
		<-o.Kill
		r, err := fake(s, o)
		r.Complete = false
		return r, err
	}}.Sweep(store)
	if held, _ := store.Len(); !errors.Is(err, ErrStopped) || held != 2 {
		t.Errorf("killed in the third run: %d runs are there, %v", held, err)
	}
	if sweepAll(t, store, 1) != 2 {
		t.Error("the rest is not made")
	}
}

func TestAFailureKeepsWhatWasMeasured(t *testing.T) {
	store := create(t, grid(t, base(t), "batch_size", "1,2,4,8"), 1)
	err := Runner{Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if s.BatchSize == 4 {
			return nil, errors.New("broken")
		}
		return fake(s, o)
	}}.Sweep(store)
	if err == nil || err.Error() != "point 3 (batch_size 4): broken" {
		t.Errorf("the error is %v", err)
	}
	if held, _ := store.Len(); held != 2 {
		t.Errorf("%d runs are there, want 2", held)
	}
}

// TestTheRealClockInterleavesRepeatsAndShufflesPoints: whatever changes on the
// machine meanwhile meets all points alike.
func TestTheRealClockInterleavesRepeatsAndShufflesPoints(t *testing.T) {
	space := grid(t, base(t, "clock", "real"), "batch_size", "1..20:+1")
	order := func(store *Store) (all []task) {
		err := Runner{Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
			all = append(all, task{int(s.BatchSize), int(s.Seed)}) // the seed is 1 at first
			return fake(s, o)
		}}.Sweep(store)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := order(create(t, space, 3))
	var inOrder []int
	for i, x := range first {
		if x.repeat != i/20+1 {
			t.Fatalf("run %d is of repeat %d", i, x.repeat)
		}
		inOrder = append(inOrder, x.point)
	}
	for r := range 3 {
		part := inOrder[20*r : 20*r+20]
		if slices.IsSorted(part) || r > 0 && slices.Equal(part, inOrder[:20]) {
			t.Errorf("repeat %d is made in the order %v", r+1, part)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(part))); len(sorted) != 20 {
			t.Errorf("repeat %d measures %d points", r+1, len(sorted))
		}
	}
	resumed := create(t, space, 3)
	stop := make(chan struct{})
	made := 0
	_ = Runner{Stop: stop, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		if made++; made == 30 {
			close(stop)
		}
		return fake(s, o)
	}}.Sweep(resumed)
	if rest := order(resumed); !slices.Equal(rest, first[30:]) {
		t.Error("a resumed sweep goes on in another order")
	}
}

func TestDefaultsFollowTheClock(t *testing.T) {
	for _, tt := range []struct {
		pairs []string
		want  int
	}{
		{nil, 1},
		{[]string{"clock", "real"}, 3},
		{[]string{"clock", "both"}, 3},
		{[]string{"repeat", "5"}, 5},
	} {
		if got := Repeats(base(t, tt.pairs...)); got != tt.want {
			t.Errorf("%v: %d repeats, want %d", tt.pairs, got, tt.want)
		}
	}
	if Jobs("real") != 1 || Jobs("both") != 1 || Jobs("virtual") < 1 {
		t.Error("runs by the real clock run at once")
	}
}

func TestTheTrackerKnowsWhereTheSweepIs(t *testing.T) {
	objectives, err := ParseObjectives(DefaultObjectives)
	if err != nil {
		t.Fatal(err)
	}
	tracker := NewTracker(objectives, "valid")
	store := create(t, grid(t, base(t), "batch_size", "1,64", "batch_delay", "0s,1ms"), 2)
	var seen []Progress
	err = Runner{Tracker: tracker, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		seen = append(seen, tracker.Progress())
		return fake(s, o)
	}}.Sweep(store)
	if err != nil {
		t.Fatal(err)
	}
	end := tracker.Progress()
	if end.PointsDone != 4 || end.RunsDone != 8 || end.Points != 4 || end.Runs != 8 || len(end.Running) != 0 || end.ETA != 0 {
		t.Errorf("at the end it is %+v", end)
	}
	if p := seen[3]; p.RunsDone < 2 || p.RunsDone > 3 || !slices.Contains(p.Running, 2) {
		t.Errorf("in the fourth run it is %+v", p)
	}
	if len(end.Best) != 2 || end.Best[0].Mark.Point != 3 || end.Best[1].Mark.Point != 1 {
		t.Errorf("the best are %+v", end.Best)
	}
	spots := tracker.Spots(nil)
	if len(spots) != 4 || spots[2].Runs != 2 || spots[2].Running || spots[2].Verdict != bench.Valid || spots[2].Figures[0].Or(0) != end.Best[0].Mark.Figures[0] {
		t.Errorf("the points are %+v", spots)
	}
	again := NewTracker(objectives, "valid")
	again.begin(store) // as a sweep that goes on does
	if got := again.Spots(nil); !reflect.DeepEqual(got, spots) || again.Progress().Best[0].Mark.Point != 3 {
		t.Errorf("after a resume the points are %+v, want %+v", got, spots)
	}
}

func TestRunsThatCantBeTrustedDoNotLead(t *testing.T) {
	tracker := NewTracker(objectives(t, DefaultObjectives), "valid")
	err := Runner{Tracker: tracker, Run: func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		r, err := fake(s, o)
		if s.BatchSize == 64 {
			r.Measurement.Verdict = bench.Suspect
		}
		return r, err
	}}.Sweep(create(t, grid(t, base(t), "batch_size", "1,8,64"), 1))
	if p := tracker.Progress(); err != nil || p.RunsDone != 3 || p.Best[0].Mark.Point != 2 {
		t.Errorf("it is %+v, %v", p, err)
	}
}

func TestTheETAIsWhatTheRestTakesAtTheSamePace(t *testing.T) {
	if got := eta(10*time.Second, 5, 20); got != 40*time.Second {
		t.Errorf("5 runs in 10 s and 20 to go: %s", got)
	}
	if eta(time.Second, 0, 5) != 0 {
		t.Error("it is told without a run")
	}
}

// TestAPilotTellsTheTimeFromTheBeginningOfRuns: runs of which a tenth is over when
// they are stopped take ten times as long.
func TestAPilotTellsTheTimeFromTheBeginningOfRuns(t *testing.T) {
	space := grid(t, base(t), "batch_size", "1..100:+1")
	var sizes []int64
	run := func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		sizes = append(sizes, s.BatchSize)
		return fake(s, o)
	}
	e, err := Runner{Run: run, Jobs: 2}.Estimate(space, 300)
	if err != nil || e.Pilots != 5 || !slices.Equal(sizes, []int64{1, 25, 50, 75, 100}) || e.Total <= 0 || e.Least > e.Most {
		t.Errorf("%+v of %v, %v", e, sizes, err)
	}
	w := watcher{loaded: time.Unix(100, 0), seen: time.Second, part: 0.1}
	if got := w.cost(time.Unix(98, 0)); got != 12*time.Second {
		t.Errorf("two seconds of ceiling and a tenth in one second come to %s", got)
	}
	if (&watcher{}).cost(time.Now()) != 0 {
		t.Error("a run of unknown length has a cost")
	}
	stop := make(chan struct{})
	close(stop)
	if _, err := (Runner{Run: fake, Stop: stop}).Estimate(space, 1); !errors.Is(err, ErrStopped) {
		t.Errorf("a stopped pilot gives %v", err)
	}
}

func TestObjectivesAreReadByEitherName(t *testing.T) {
	got, err := ParseObjectives("throughput, sojourn_p99_ns,max:rejected")
	if err != nil || len(got) != 3 || got[0].String() != "throughput" || got[1].String() != "p99" || got[2].String() != "max:rejected" {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                            "unknown figure",
		"p98":                         "did you mean p9",
		"least:p99":                   "want max: or min: before p99",
		"p99,p99":                     "p99 is given twice",
		"p50,p90,p95,p99,p99.9,max":   "6 objectives: want at most 5",
		"thruput,p99,latncy,min:mean": "latncy",
	} {
		if _, err := ParseObjectives(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
