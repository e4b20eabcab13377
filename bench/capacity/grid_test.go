package capacity

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// axis reads the text of a knob with several values.
func axis(t *testing.T, knob, text string) sweep.Axis {
	t.Helper()
	k, ok := settings.Lookup(knob)
	if !ok {
		t.Fatal(knob)
	}
	a, err := sweep.Parse(k, text, "flag --"+k.Flag)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// queue returns settings whose capacity depends on the size of a batch.
func queue(t *testing.T) settings.Settings {
	return query(t, "p99<=20ms,rejected<=0.1%", nil, "kernel", "make", "rate", "500/s", "backend", "synthetic(base=2ms)", "in_flight", "1").Start
}

// TestAGridIsASearchAtEachSetting, by itself: what the others come to changes nothing.
func TestAGridIsASearchAtEachSetting(t *testing.T) {
	q := Query{Start: queue(t), Seeds: 2}
	g, err := AskGrid(q, []sweep.Axis{axis(t, "batch_size", "1,2"), axis(t, "in_flight", "1,2")})
	if err != nil {
		t.Fatal(err)
	}
	tracker := &Tracker{}
	all, err := FindGrid(g, lab.Lab{Jobs: 2}, tracker)
	if err != nil || !all.Complete || len(all.Points) != 4 {
		t.Fatalf("%d points, %v", len(all.Points), err)
	}
	for _, p := range all.Points {
		at := q
		for knob, text := range p.Knobs {
			if err := at.Start.Set(knob, text, "flag --x"); err != nil {
				t.Fatal(err)
			}
		}
		asked, err := Ask(at)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := Find(asked, lab.Lab{Jobs: 1}, nil)
		if err != nil || alone.Low != p.Answer.Low || alone.High != p.Answer.High || !reflect.DeepEqual(alone.Curve, p.Answer.Curve) {
			t.Errorf("%v: from %v to %v, alone from %v to %v, %v", p.Knobs, p.Answer.Low, p.Answer.High, alone.Low, alone.High, err)
		}
	}
	best := all.Points[all.Best-1]
	for _, p := range all.Points {
		if p.Answer.Low.Or(0) > best.Answer.Low.Or(0) {
			t.Errorf("the best is %v with %v, but %v has %v", best.Knobs, best.Answer.Low, p.Knobs, p.Answer.Low)
		}
	}
	if !strings.HasPrefix(all.Text, "highest at batch_size "+best.Knobs["batch_size"]+", in_flight ") {
		t.Errorf("it says %q of %v", all.Text, best.Knobs)
	}
	tries := tracker.Tries(nil)
	if last := tries[len(tries)-1]; len(last.Texts) != 3 || last.Texts[0] != "2" || last.Texts[1] != "2" {
		t.Errorf("the last try was %v", last.Texts)
	}
	if p := tracker.Progress(); p.RunsDone != all.Runs || p.Runs < p.RunsDone {
		t.Errorf("%d of %d runs, where there were %d", p.RunsDone, p.Runs, all.Runs)
	}
}

func TestAGridThatCantBeSearchedIsRefused(t *testing.T) {
	for _, tt := range []struct {
		axes    []sweep.Axis
		confirm int
		want    string
	}{
		{[]sweep.Axis{axis(t, "rate", "1k/s,2k/s")}, 0, "rate is what is sought"},
		{[]sweep.Axis{axis(t, "queue", "1k..2k")}, 0, "queue 1k..2k has no step"},
		{[]sweep.Axis{axis(t, "batch_size", "1,2")}, 1, "want --confirm 0"},
		{[]sweep.Axis{axis(t, "batch_size", "1..300:+1")}, 0, "300 settings: want at most 200"},
	} {
		if _, err := AskGrid(Query{Start: queue(t), Confirm: tt.confirm}, tt.axes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want %q, got %v", tt.want, err)
		}
	}
}

// TestAStoppedGridHasWhatItHas: the points that were searched to their end.
func TestAStoppedGridHasWhatItHas(t *testing.T) {
	g, err := AskGrid(Query{Start: queue(t), Seeds: 1}, []sweep.Axis{axis(t, "batch_size", "1,2,4")})
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	all, err := FindGrid(g, lab.Lab{Stop: stop}, nil)
	if !errors.Is(err, lab.ErrStopped) || all.Complete || all.Best != 0 || len(all.Points) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if code, err := all.Status(); code != 3 || err == nil {
		t.Errorf("exit status %d, %v", code, err)
	}
}
