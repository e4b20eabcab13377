package workload_test

import (
	"math"
	"testing"
	"time"

	"ferryctl/workload"
)

func retimer(t *testing.T, s workload.Source) workload.Retimer {
	t.Helper()
	r, ok := s.(workload.Retimer)
	if !ok {
		t.Fatalf("a %T cannot be retimed", s)
	}
	return r
}

func TestARetimedLoadGoesOnAtTheNewRate(t *testing.T) {
	for _, arrivals := range []string{"constant", "poisson"} {
		spec := schedule(t, arrivals, "1k/s")
		source, err := workload.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		plain := take(t, spec, 50_000)
		var it workload.Item
		for range 1000 {
			source.Next(&it)
		}
		was := it.At
		from := was - 200*time.Microsecond // as if the item were waited for
		at, err := retimer(t, source).Retime(from, was, 4000)
		if err != nil {
			t.Fatal(err)
		}
		if want := from + 50*time.Microsecond; math.Abs(float64(at-want)) > 2 {
			t.Errorf("%s: the item in hand moves to %s, want %s", arrivals, at, want)
		}
		for i := 1000; i < 50_000; i++ {
			source.Next(&it)
			want := float64(from) + float64(plain[i].At-from)/4
			if math.Abs(float64(it.At)-want) > 10 || it.Key != plain[i].Key || it.Index != plain[i].Index {
				t.Fatalf("%s: item %d comes at %s, want %v", arrivals, i, it.At, time.Duration(want))
			}
		}
	}
}

func TestOnlyASteadyRateIsRetimed(t *testing.T) {
	for _, spec := range []workload.Spec{
		schedule(t, "poisson", "max"), schedule(t, "poisson", "ramp:1k/s..2k/s/1s"), schedule(t, "bursty(factor=4,on=1s,off=9s)", "1k/s"),
	} {
		source, err := workload.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		var it workload.Item
		source.Next(&it)
		if _, err := retimer(t, source).Retime(it.At, it.At, 5); err == nil {
			t.Errorf("%+v was retimed", spec)
		}
	}
	source, err := workload.New(schedule(t, "poisson", "1k/s"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := retimer(t, source).Retime(0, 0, math.NaN()); err == nil {
		t.Error("a rate that is no number was taken")
	}
}
