package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferryctl/workload"
)

func TestCaptureWorstReplaysTheMoment(t *testing.T) {
	// A load that ramps up over what the backend can do: the last seconds are the worst.
	knobs := []string{
		"rate", "ramp:1k/s..9k/s/6s", "duration", "6s", "warmup", "0s", "seed", "5", "kernel", "make", "in_flight", "4", "batch_size", "8",
		"queue", "100000", "keys", "50", "lanes", "gold=0.5,free=0.5", "backend", "synthetic(base=4ms)", "drain", "1m",
	}
	s := virtualSettings(t, knobs...)
	r, err := Run(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var trace bytes.Buffer
	at, err := CaptureWorst(&trace, r, s, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if at != 5*time.Second {
		t.Errorf("the worst interval began at %s; the queue grows to the end", at)
	}
	path := filepath.Join(t.TempDir(), "worst.csv")
	if err := os.WriteFile(path, trace.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := workload.New(workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: path, Speed: 1})
	if err != nil {
		t.Fatal(err)
	}
	spec := s.Workload()
	spec.Seed = r.Seed
	source, err := workload.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	var it, got workload.Item
	n, first := 0, time.Duration(0)
	for source.Next(&it) {
		if it.At < 4*time.Second {
			continue
		}
		if !again.Next(&got) {
			t.Fatalf("the trace ends after %d items", n)
		}
		if n == 0 {
			first = it.At // a trace begins with its first item
		}
		if d := got.At - (it.At - first); d < -2*time.Microsecond || d > 2*time.Microsecond || got.Weight != it.Weight ||
			again.Lanes()[got.Lane] != source.Lanes()[it.Lane] {
			t.Fatalf("item %d: %+v of %+v", n, got, it)
		}
		n++
	}
	if again.Next(&got) {
		t.Error("the trace has more items than the moment")
	}
	if n < 10_000 {
		t.Errorf("only %d items", n)
	}
}

func TestCaptureWorstNeedsAScheduleAndSomethingDone(t *testing.T) {
	s := virtualSettings(t, "clients", "3", "items", "100", "backend", "synthetic(base=1ms)")
	if _, err := CaptureWorst(new(bytes.Buffer), &Result{}, s, 0); err == nil {
		t.Error("a closed loop was captured")
	}
	s = virtualSettings(t, "rate", "10/s", "duration", "1s")
	if _, err := CaptureWorst(new(bytes.Buffer), &Result{}, s, 0); err == nil {
		t.Error("a run in which nothing was done was captured")
	}
	if _, err := CaptureWorst(new(bytes.Buffer), &Result{}, s, -1); err == nil {
		t.Error("a negative time was taken")
	}
}

// A window that is bounded by items ends with the last of them, which is a part of
// it: a run of a single interval is captured whole.
func TestCaptureWorstHasTheLastItemOfTheWindow(t *testing.T) {
	for _, items := range []string{"30", "300"} {
		s := virtualSettings(t, "rate", "777/s", "items", items, "warmup", "0s", "seed", "2", "backend", "synthetic(base=1ms)")
		r, err := Run(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var trace bytes.Buffer
		if _, err := CaptureWorst(&trace, r, s, time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := uint64(bytes.Count(trace.Bytes(), []byte("\n")) - 1); got != r.Counts.Offered {
			t.Errorf("%d of %d items were captured", got, r.Counts.Offered)
		}
	}
}
