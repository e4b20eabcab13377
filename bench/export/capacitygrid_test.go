package export

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"ferryctl/bench/capacity"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune/lab"
)

// capacityGrid returns the capacities at three settings, one of which keeps no SLO.
func capacityGrid(t *testing.T) *capacity.Grid {
	t.Helper()
	s := simulated(t, "rate", "500/s", "slo", "p99<=40ms,rejected<=1%", "duration", "1s")
	k, _ := settings.Lookup("batch_delay")
	a, err := sweep.Parse(k, "0s,4ms,2s", "flag --batch-delay")
	if err != nil {
		t.Fatal(err)
	}
	q, err := capacity.AskGrid(capacity.Query{Start: s, Seeds: 2}, []sweep.Axis{a})
	if err != nil {
		t.Fatal(err)
	}
	g, err := capacity.FindGrid(q, lab.Lab{Jobs: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// gridForms returns the answers in every form.
func gridForms(t *testing.T, g *capacity.Grid) map[string]string {
	t.Helper()
	forms := map[string]string{}
	for _, format := range SearchFormats {
		var b bytes.Buffer
		if err := WriteCapacityGrid(&b, format, g); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		forms[format] = b.String()
	}
	return forms
}

func TestAllFormsOfCapacitiesHoldTheSameFigures(t *testing.T) {
	g := capacityGrid(t)
	forms := gridForms(t, g)
	if g.Best == 0 || len(g.Points) != 3 || !g.Points[0].Answer.Found {
		t.Fatalf("the search found too little: %+v", g)
	}
	rows := csvRows(t, forms)
	for i, p := range g.Points {
		a := p.Answer
		name := strconv.Itoa(p.Number)
		if p.Number == g.Best {
			name += "*"
		}
		inRow(t, forms, name, p.Knobs["batch_delay"], rate(a.Low), rate(a.High), rate(a.Median), signed(a.Headroom))
		if rows[i]["low_per_s"] != decimal(a.Low) || rows[i]["median_per_s"] != decimal(a.Median) || rows[i]["batch_delay"] != p.Knobs["batch_delay"] {
			t.Errorf("point %d is %v in CSV, %v in the answer", p.Number, rows[i], a.Low)
		}
		at := gauges(t, forms["prom"], "batch_delay", p.Knobs["batch_delay"])
		if v, ok := at["ferryctl_capacity_low_per_s"]; ok != a.Low.Known() || ok && v != a.Low.Or(0) {
			t.Errorf("point %d: the gauge is %v, want %v", p.Number, at, a.Low)
		}
	}
	d, err := ReadDocument(strings.NewReader(forms["json"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range d.Formats {
		var b bytes.Buffer
		if err := d.Write(&b, format); err != nil || b.String() != forms[format] {
			t.Errorf("%s is another one when it was read back: %v", format, err)
		}
	}
	if !strings.Contains(forms["html"], "--batch-delay 0s,4ms,2s") && !strings.Contains(forms["html"], "--batch-delay &#39;0s,4ms,2s&#39;") {
		t.Error("the page lacks the command that searches again")
	}
}

func TestCapacitiesThatContradictThemselvesAreRefused(t *testing.T) {
	g := capacityGrid(t)
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*capacity.Grid){
		"a best point that is none": func(g *capacity.Grid) { g.Best = 4 },
		"a point without an answer": func(g *capacity.Grid) { g.Points[1].Answer = nil },
		"points out of order":       func(g *capacity.Grid) { g.Points[1].Number = 3 },
		"what is no knob":           func(g *capacity.Grid) { g.Varies = []string{"batch_delay{x=\"1\"}"} },
		"an answer that is no range": func(g *capacity.Grid) {
			g.Points[0].Answer.Low, g.Points[0].Answer.High = g.Points[0].Answer.High, g.Points[0].Answer.Low
		},
	} {
		var changed capacity.Grid
		if err := json.Unmarshal(text, &changed); err != nil {
			t.Fatal(err)
		}
		change(&changed)
		hostile, err := json.Marshal(&changed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadDocument(bytes.NewReader(hostile)); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
