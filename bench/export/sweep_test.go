package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"ferryctl/bench/export"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// swept makes a sweep of the axes (knob, text, knob, text …) and returns its forms.
func swept(t *testing.T, repeat int, pairs ...string) map[string]string {
	t.Helper()
	base := settings.Default()
	base.Profile = "=\x1b[31mred"
	for _, p := range [][2]string{{"clock", "virtual"}, {"seed", "7"}, {"items", "20k"}, {"rate", "5k/s"}, {"backend", "synthetic(base=1ms)"}} {
		if err := base.Set(p[0], p[1], "flag --"+p[0]); err != nil {
			t.Fatal(err)
		}
	}
	var axes []sweep.Axis
	for i := 0; i < len(pairs); i += 2 {
		k, _ := settings.Lookup(pairs[i])
		axis, err := sweep.Parse(k, pairs[i+1], "flag --"+k.Flag)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, axis)
	}
	space, err := sweep.NewSpace(base, axes, sweep.Sample{}, false)
	if err != nil {
		t.Fatal(err)
	}
	h, err := sweep.NewHeader(space, repeat, "test")
	if err != nil {
		t.Fatal(err)
	}
	store, err := sweep.Create(t.TempDir(), space, h)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := (sweep.Runner{}).Sweep(store); err != nil {
		t.Fatal(err)
	}
	objectives, err := sweep.ParseObjectives(sweep.DefaultObjectives)
	if err != nil {
		t.Fatal(err)
	}
	report, err := sweep.Analyse(store, objectives, "valid")
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{}
	for _, format := range export.SweepFormats {
		var b bytes.Buffer
		if err := export.WriteSweep(&b, format, report, store); err != nil {
			t.Fatal(err)
		}
		forms[format] = b.String()
	}
	if err := export.WriteSweep(&bytes.Buffer{}, "hlog", report, store); err == nil || !strings.Contains(err.Error(), "want one of table, json, csv, html, md, prom, bench, junit") {
		t.Errorf("an unknown format gives %v", err)
	}
	return forms
}

// A sweepReport is the JSON form as far as the tests look at it.
type sweepReport struct {
	Schema   string
	Complete bool
	Pareto   []int
	Effects  []struct{ Text string }
	Points   []struct {
		Point   int
		Pareto  bool
		Verdict string
		Knobs   map[string]string
		Figures map[string]*float64
		Spread  map[string]*float64
	}
}

func TestAllFormsOfASweepHoldTheSameFigures(t *testing.T) {
	forms := swept(t, 1, "batch_size", "1,16", "in_flight", "1..4:+1")
	var doc sweepReport
	if err := json.Unmarshal([]byte(forms["json"]), &doc); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(forms["csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if doc.Schema != export.SweepSchema || !doc.Complete || len(doc.Points) != 8 || len(rows) != 9 {
		t.Fatalf("%s with %d points, %d rows", doc.Schema, len(doc.Points), len(rows))
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for i, p := range doc.Points {
		row := rows[i+1]
		if row[column("point")] != strconv.Itoa(p.Point) || row[column("pareto")] != strconv.FormatBool(p.Pareto) || row[column("verdict")] != p.Verdict {
			t.Errorf("point %+v has the row %v", p, row[:8])
		}
		for knob, text := range p.Knobs {
			if row[column(knob)] != text {
				t.Errorf("point %d: %s is %s in CSV, %s in JSON", p.Point, knob, row[column(knob)], text)
			}
		}
		for _, f := range sweep.Figures {
			at := column(f.Name)
			if at < 0 {
				if f.Name != "failed_ratio" { // CSV has the count
					t.Errorf("CSV has no column %s", f.Name)
				}
				continue
			}
			v := p.Figures[f.Name]
			if got, err := strconv.ParseFloat(row[at], 64); v == nil && row[at] != "" || v != nil && (err != nil || got != *v) {
				t.Errorf("point %d: %s is %q in CSV, %v in JSON", p.Point, f.Name, row[at], v)
			}
			if v != nil && slices.Contains([]string{"throughput", "p99", "mean"}, f.Short) && !strings.Contains(forms["table"], f.Say(*v)) {
				t.Errorf("point %d: the table does not show %s %s", p.Point, f.Short, f.Say(*v))
			}
		}
		if slices.Contains(doc.Pareto, p.Point) != p.Pareto {
			t.Errorf("point %d is in the Pareto set, or not", p.Point)
		}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(forms["prom"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range doc.Points {
		found := false
		for _, m := range families["ferryctl_sweep_sojourn_p99_seconds"].GetMetric() {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["point"] == strconv.Itoa(p.Point) {
				found = true
				if m.GetGauge().GetValue() != *p.Figures["sojourn_p99_ns"]/1e9 || labels["batch_size"] != p.Knobs["batch_size"] || labels["in_flight"] != p.Knobs["in_flight"] {
					t.Errorf("point %d is the gauge %v", p.Point, m)
				}
			}
		}
		if !found {
			t.Errorf("point %d has no gauge", p.Point)
		}
	}
	flat := strings.Join(strings.Fields(forms["table"]), " ")
	for _, e := range doc.Effects {
		if !strings.Contains(flat, e.Text) {
			t.Errorf("the table does not say %q", e.Text)
		}
	}
}

func TestASweepOfRepeatsHasARowARunAndTheMedian(t *testing.T) {
	forms := swept(t, 3, "batch_size", "1,16")
	rows, err := csv.NewReader(strings.NewReader(forms["csv"])).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := slices.Index(rows[0], "sojourn_p99_ns")
	var p99 []float64
	for _, row := range rows[1:4] {
		v, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		p99 = append(p99, v)
	}
	slices.Sort(p99)
	var doc sweepReport
	if err := json.Unmarshal([]byte(forms["json"]), &doc); err != nil {
		t.Fatal(err)
	}
	if got := doc.Points[0].Figures["sojourn_p99_ns"]; got == nil || *got != p99[1] {
		t.Errorf("the p99 is %v, those of the runs are %v", got, p99)
	}
	if got := doc.Points[0].Spread["sojourn_p99_ns"]; got == nil || *got != (p99[2]-p99[0])/p99[1] {
		t.Errorf("the spread is %v, of %v", got, p99)
	}
}

// TestASweepsPageHoldsItsFigures: those of the table, and the best of each pair of
// values in the heat maps.
func TestASweepsPageHoldsItsFigures(t *testing.T) {
	forms := swept(t, 1, "batch_size", "1,16", "in_flight", "1..4:+1", "rate", "500/s,5k/s")
	var doc sweepReport
	if err := json.Unmarshal([]byte(forms["json"]), &doc); err != nil {
		t.Fatal(err)
	}
	p99 := sweep.Figures[slices.IndexFunc(sweep.Figures, func(f sweep.Figure) bool { return f.Short == "p99" })]
	best := map[string]float64{}
	for _, p := range doc.Points {
		v := *p.Figures["sojourn_p99_ns"]
		at := p.Knobs["batch_size"] + " " + p.Knobs["in_flight"]
		if old, ok := best[at]; !ok || v < old {
			best[at] = v
		}
		if !strings.Contains(forms["html"], "<td>"+p99.Say(v)+"</td>") || !strings.Contains(forms["md"], "| "+p99.Say(v)+" |") {
			t.Errorf("point %d: page or Markdown lack its p99 of %s", p.Point, p99.Say(v))
		}
	}
	_, heat, ok := strings.Cut(forms["html"], "<caption>p99: batch_size ↓ in_flight →</caption>")
	heat, _, _ = strings.Cut(heat, "</table>")
	cells := regexp.MustCompile(`<td style="--shade:([0-9.]+)">([^<]*)</td>`).FindAllStringSubmatch(heat, -1)
	if !ok || len(cells) != 8 {
		t.Fatalf("the heat map has %d cells: %s", len(cells), heat)
	}
	for i, cell := range cells {
		at := []string{"1", "16"}[i/4] + " " + strconv.Itoa(i%4+1)
		if cell[2] != p99.Say(best[at]) {
			t.Errorf("the heat map has %s at %s, the best there is %s", cell[2], at, p99.Say(best[at]))
		}
	}
	if n := strings.Count(forms["html"], "<script"); n != 2 || strings.ContainsRune(forms["html"], '\x1b') || strings.Contains(forms["html"], "ZgotmplZ") {
		t.Errorf("the page has %d scripts, or a name is more than text", n)
	}
	for _, chart := range []string{`"id":"front"`, `"id":"loadcurve"`} {
		if !strings.Contains(forms["html"], chart) {
			t.Errorf("the page has no plot %s", chart)
		}
	}
}

func TestNamesInASweepAreData(t *testing.T) {
	forms := swept(t, 1, "lanes", "@sum(1)=0.5,free=0.5;+a=1")
	if strings.ContainsRune(forms["table"], '\x1b') {
		t.Error("an escape reaches the table")
	}
	rows, err := csv.NewReader(strings.NewReader(forms["csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, c := range row {
			if strings.HasPrefix(c, "=") || strings.HasPrefix(c, "+") || strings.HasPrefix(c, "@") {
				t.Errorf("a cell is a formula: %q", c)
			}
		}
	}
	if !json.Valid([]byte(forms["json"])) {
		t.Error("the JSON form is none")
	}
}
