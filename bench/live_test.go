package bench

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ferryctl/bench/backend"
	"ferryctl/bench/backend/sleep"
	"ferryctl/bench/settings"
	"ferryctl/ferry"
)

// bendable is a kernel that takes new settings, or says why not.
type bendable struct {
	ferry.Ferry[*caller, struct{}]
	mu       sync.Mutex
	settings ferry.Settings
	refuse   error // of the goroutine that turns
}

func (b *bendable) Settings() ferry.Settings {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settings
}

func (b *bendable) Reconfigure(cfg ferry.PerKeyConfig) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse == nil {
		b.settings.PerKeyConfig = cfg
		b.settings = b.settings.Effective()
	}
	return b.refuse
}

// watched runs the settings in simulated time with the real shell, and calls play
// in a goroutine beside it.
func watched(t *testing.T, s settings.Settings, bend *bendable, play func(*Live)) (r *Result, live *Live) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := planOf(s)
		p.backend = func() (backend.Backend, error) { return takes(10 * time.Millisecond), nil }
		p.sleeper = sleep.Plain
		p.garbage = func() collections { return collections{} } // those of other tests take time of the real clock
		e, err := newEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
		if bend != nil {
			bend.Ferry, bend.settings = e.ferry, e.ferry.Settings()
			e.ferry, e.kernel = bend, bend
		}
		live = &Live{}
		e.join(live, s, Some(1e6))
		played := make(chan struct{})
		go func() {
			defer close(played)
			play(live)
		}()
		if err := e.run(nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		<-played
		r = &Result{Schema: Schema, Complete: true}
		f := e.assemble(r)
		f.settings = differences(e.askedKernel(), e.kernel.Settings())
		setCeiling(r, f, Some(1e6))
		r.SLO = objective(s.SLO, r)
		judge(r, f)
		e.part(r)
	})
	return r, live
}

func loaded(t *testing.T, more ...string) settings.Settings {
	t.Helper()
	return set(t, append([]string{
		"kernel", "make", "rate", "1k/s", "arrivals", "constant", "duration", "10s", "warmup", "1s", "seed", "7",
		"lanes", "gold=0.25,free=0.75", "slo", "p99<=1s,rejected<=1%",
	}, more...)...)
}

func TestASnapshotShowsTheRunSoFar(t *testing.T) {
	var warm, mid *Snapshot
	r, live := watched(t, loaded(t), nil, func(l *Live) {
		if l.Snapshot() != nil {
			t.Error("there is a picture before the run")
		}
		time.Sleep(550 * time.Millisecond)
		warm = l.Snapshot()
		time.Sleep(5 * time.Second)
		mid = l.Snapshot()
	})
	if warm.Phase != PhaseWarmup || warm.Counts.Offered != 0 || warm.Progress.Offered == 0 || len(warm.Points) != 0 {
		t.Errorf("in the warm-up: %+v", warm)
	}
	if mid.Phase != PhaseMeasure || len(mid.Points) < 3 || len(mid.Points) > 5 || mid.Points[1].Done < 990 || mid.Points[1].P99.Or(0) < 10e6 {
		t.Errorf("points after 4.5 s of the window: %+v", mid.Points)
	}
	if v := mid.Offered1.Or(0); v < 990 || v > 1010 {
		t.Errorf("offered at %v/s, want 1k/s", v)
	}
	if mid.Room.MaxQueued != 10_000 || mid.Room.MaxInFlight != 8 || mid.Verdict != Valid || len(mid.SLO) != 2 || !mid.SLO[0].OK {
		t.Errorf("room %+v, verdict %s %v, SLO %+v", mid.Room, mid.Verdict, mid.Reasons, mid.SLO)
	}
	if len(mid.Lanes) != 2 || mid.Lanes[0].Lane != "gold" || mid.Lanes[1].Done < 2*mid.Lanes[0].Done {
		t.Errorf("lanes %+v", mid.Lanes)
	}
	parts := mid.Split.Lag.Or(0) + mid.Split.Forming.Or(0) + mid.Split.Slot.Or(0) + mid.Split.Service.Or(0)
	if mid.Batches.Count == 0 || parts < 10e6 {
		t.Errorf("batches %+v, split %+v", mid.Batches, mid.Split)
	}
	last := live.Snapshot()
	if !last.Over || last.Counts != r.Counts || last.Verdict != r.Measurement.Verdict || len(last.Points) != 9 || last.Sojourn.P99 != r.Latency.Sojourn.P99 {
		t.Errorf("the last picture %+v is not the result's %+v", last, r)
	}
	if r.Interactive || r.Segments != nil {
		t.Error("nobody turned a knob, and there are segments")
	}
}

func TestATurnedRateBeginsASegment(t *testing.T) {
	r, _ := watched(t, loaded(t), nil, func(l *Live) {
		time.Sleep(4 * time.Second)
		if err := l.Set("rate", "2k/s"); err != nil {
			t.Error(err)
		}
		if s := l.Snapshot(); s == nil {
			t.Error("no picture")
		}
		time.Sleep(200 * time.Millisecond)
		s := l.Snapshot()
		if s.Segment != 2 || len(s.Changed) != 1 || s.Changed[0].Knob != "rate" || s.Knobs[6] != (LiveKnob{Name: "rate", Value: "2k/s"}) {
			t.Errorf("segment %d after %v, knobs %v", s.Segment, s.Changed, s.Knobs)
		}
	})
	// 3 s of the window at 1k/s, then 6 s at 2k/s.
	if n := r.Counts.Offered; n < 14_990 || n > 15_010 || r.Counts.Done != n {
		t.Errorf("offered %d and done %d, want 15,000 of both", n, r.Counts.Done)
	}
	if !r.Interactive || len(r.Segments) != 2 || r.Measurement.Verdict != Valid {
		t.Fatalf("interactive %v, %d segments, %s: %v", r.Interactive, len(r.Segments), r.Measurement.Verdict, r.Measurement.Reasons)
	}
	a, b := r.Segments[0], r.Segments[1]
	if n := a.Counts.Offered; n < 2990 || n > 3010 || a.Length.Or(0) < 2.99 || a.Length.Or(0) > 3.1 {
		t.Errorf("the first segment is %+v", a)
	}
	if v := b.OfferedPer.Or(0); v < 1990 || v > 2010 {
		t.Errorf("the second is offered %v/s, want 2k/s", v)
	}
	sumUp(t, r)
}

// sumUp checks that the segments are parts of one whole.
func sumUp(t *testing.T, r *Result) {
	t.Helper()
	var c Counts
	var done, batches uint64
	for _, s := range r.Segments {
		c.Offered += s.Counts.Offered
		c.Done += s.Counts.Done
		c.Rejected += s.Counts.Rejected
		done += s.Latency.Sojourn.Count
		batches += s.Batches.Count
		if err := checkIdentity(s.Counts); err != nil {
			t.Errorf("a segment's counts: %v", err)
		}
	}
	if c.Offered != r.Counts.Offered || c.Done != r.Counts.Done || c.Rejected != r.Counts.Rejected || done != r.Latency.Sojourn.Count || batches != r.Batches.Count {
		t.Errorf("segments add up to %+v, %d sojourns, %d batches; the run is %+v, %d, %d",
			c, done, batches, r.Counts, r.Latency.Sojourn.Count, r.Batches.Count)
	}
}

func TestKnobsOfTheKernelAreTurnedAndChecked(t *testing.T) {
	bend := &bendable{}
	r, _ := watched(t, loaded(t), bend, func(l *Live) {
		time.Sleep(3 * time.Second)
		for _, bad := range []struct{ knob, text, want string }{
			{"batch_size", "0", "want at least 1"},
			{"batch_delay", "5", "unit"},
			{"backend", "synthetic", "cannot be changed while a run goes on"},
			{"rate", "ramp:1k/s..2k/s/1s", "want a steady rate"},
		} {
			if err := l.Set(bad.knob, bad.text); err == nil || !strings.Contains(err.Error(), bad.want) || strings.Contains(err.Error(), turnedBy) {
				t.Errorf("%s %s: %v, want an error with %q", bad.knob, bad.text, err, bad.want)
			}
		}
		if err := l.Set("batch_size", "64"); err != nil { // as it is
			t.Error(err)
		}
		bend.refuse = errors.New("no")
		if err := l.Set("batch_size", "16"); !errors.Is(err, bend.refuse) {
			t.Errorf("a kernel that refuses gives %v", err)
		}
		bend.refuse = nil
		for _, good := range [][2]string{{"batch_size", "16"}, {"batch_delay", "5ms"}, {"queue", "unlimited"}} {
			if err := l.Set(good[0], good[1]); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
	})
	if s := bend.settings; s.MaxBatchSize != 16 || s.MaxBatchDelay != 5*time.Millisecond || s.MaxQueued != ferry.Unlimited {
		t.Errorf("the kernel has %+v", s)
	}
	if len(r.Segments) != 4 || r.Measurement.Verdict != Valid {
		t.Fatalf("%d segments, %s %v; want 4", len(r.Segments), r.Measurement.Verdict, r.Measurement.Reasons)
	}
	for i, want := range []string{`"5ms"`, `"unlimited"`} {
		if got := string(r.Segments[i+2].Changed[0].Value); got != want {
			t.Errorf("segment %d began with %s, want %s", i+3, got, want)
		}
	}
	sumUp(t, r)
}

func TestWhatCannotBeTurnedSaysWhy(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		knob  string
		want  string
	}{
		{[]string{"clients", "4"}, "rate", "clients"},
		{[]string{"lane_rate", "a=1k/s"}, "rate", "share lane"},
		{[]string{"rate", "max"}, "rate", "no schedule"},
		{[]string{"rate", "ramp:1k/s..2k/s/1s"}, "rate", "steady"},
	} {
		e := &engine{}
		if why := fixed(e, set(t, c.knobs...), c.knob); !strings.Contains(why, c.want) {
			t.Errorf("%v: %q, want why with %q", c.knobs, why, c.want)
		}
	}
	if why := fixed(&engine{sim: &simulation{}}, set(t), "queue"); !strings.Contains(why, "virtual") {
		t.Errorf("in virtual time: %q", why)
	}
	if err := (&Live{}).Set("queue", "5"); err == nil {
		t.Error("without a run a knob was turned")
	}
}

func TestAVirtualRunLeavesItsFinalPicture(t *testing.T) {
	live := &Live{}
	r, err := Run(set(t, "clock", "virtual", "items", "50k", "seed", "3", "slo", "p99<=1s"), Options{Live: live})
	if err != nil {
		t.Fatal(err)
	}
	s := live.Snapshot()
	if !s.Over || s.Counts != r.Counts || len(s.Points) == 0 || len(s.SLO) != 1 || s.Knobs[0].Fixed == "" {
		t.Errorf("the final picture is %+v", s)
	}
	if err := live.Set("queue", "5"); err == nil {
		t.Error("a knob of a run that is over was turned")
	}
}

func TestTheSegmentsAreBounded(t *testing.T) {
	r, _ := watched(t, loaded(t, "duration", "20s"), nil, func(l *Live) {
		time.Sleep(2 * time.Second)
		for i := range maxSegments + 10 {
			if err := l.Set("rate", []string{"900/s", "1.1k/s"}[i%2]); err != nil {
				t.Error(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	if n := len(r.Segments); n != maxSegments || len(r.Segments[n-1].Changed) != 12 {
		t.Errorf("%d segments, the last with %d changes; want %d, 12", n, len(r.Segments[n-1].Changed), maxSegments)
	}
	sumUp(t, r)
}

// TestASnapshotSplitsTheSegmentThatRuns: what a knob did is seen at once, and not
// mixed with all that was before. The last picture is of the whole run.
func TestASnapshotSplitsTheSegmentThatRuns(t *testing.T) {
	r, live := watched(t, loaded(t), nil, func(l *Live) {
		time.Sleep(6 * time.Second)
		if before := l.Snapshot(); before.Split.Count < 3500 || before.Batches.Count < 1000 {
			t.Errorf("after 5 s of the window: split of %d, %d batches", before.Split.Count, before.Batches.Count)
		}
		if err := l.Set("rate", "2k/s"); err != nil {
			t.Error(err)
		}
		time.Sleep(1100 * time.Millisecond)
		s := l.Snapshot()
		if n := s.Split.Count; n < 1 || n > 2200 || s.Batches.Count < 1 || s.Batches.Count > n {
			t.Errorf("a second into the segment: split of %d, %d batches", n, s.Batches.Count)
		}
		if s.Counts.Done < 5000 {
			t.Errorf("counts are of the run: %+v", s.Counts)
		}
	})
	if s := live.Snapshot(); s.Split != r.Split || s.Batches.Count != r.Batches.Count {
		t.Errorf("the last picture has %+v, the result %+v", s.Split, r.Split)
	}
}

func TestWhatBeganASegmentIsNamedAsTheSchemaNames(t *testing.T) {
	got, err := json.Marshal(Segment{Changed: []Setting{{Knob: "in_flight", Value: json.RawMessage("1")}}}.Changed)
	if want := `[{"knob":"in_flight","value":1}]`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
