// Answers of searches: the same figures in all forms, and names that are no more than
// text.

package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
	"golang.org/x/net/html"

	"ferryctl/bench"
	"ferryctl/bench/capacity"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
	"ferryctl/bench/tune/lab"
)

func simulated(t *testing.T, pairs ...string) settings.Settings {
	t.Helper()
	s := settings.Default()
	all := append([]string{"clock", "virtual", "seed", "7", "kernel", "make", "backend", "synthetic(base=2ms,per_item=50us,concurrency=2)"}, pairs...)
	for i := 0; i < len(all); i += 2 {
		if err := s.Set(all[i], all[i+1], "flag --"+all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// both returns an answer of each search, made once, as documents that a test may
// change.
func both(t *testing.T) (*tune.Answer, *capacity.Answer) {
	t.Helper()
	made.Do(func() {
		var axes []sweep.Axis
		for _, x := range [][2]string{{"batch_size", "1,8,64"}, {"batch_delay", "0s,1ms,16ms"}} {
			k, _ := settings.Lookup(x[0])
			a, err := sweep.Parse(k, x[1], "flag --"+k.Flag)
			if err != nil {
				t.Fatal(err)
			}
			axes = append(axes, a)
		}
		objective, err := tune.ParseObjective("cost", false)
		if err != nil {
			t.Fatal(err)
		}
		q, err := tune.Ask(tune.Query{Start: simulated(t, "rate", "2k/s", "items", "5k", "slo", "p99<=15ms"), Axes: axes, Objective: objective, Seeds: 2})
		if err != nil {
			t.Fatal(err)
		}
		tuning, err := tune.Find(q, lab.Lab{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := capacity.Ask(capacity.Query{Start: simulated(t, "rate", "1k/s", "duration", "1s", "batch_size", "4", "slo", "p99<=50ms"), Seeds: 2, Within: 0.05, For: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		found, err := capacity.Find(asked, lab.Lab{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tuning.Confirmed = []tune.Confirmation{{Rank: 1, Knobs: tuning.Recommended.Knobs, SLOMet: true, Confirmed: confirmation}}
		found.Confirmed = []capacity.Confirmation{{Rate: found.Low.Or(0), Place: "at", Kept: true, Confirmed: confirmation}}
		stored = []string{marshalled(t, tuning), marshalled(t, found)}
	})
	a, c := &tune.Answer{}, &capacity.Answer{}
	for i, into := range []any{a, c} {
		if err := json.Unmarshal([]byte(stored[i]), into); err != nil {
			t.Fatal(err)
		}
	}
	return a, c
}

var (
	made         sync.Once
	stored       []string // as JSON
	confirmation = lab.Confirmed{
		Seconds: 2, Missed: []string{}, Verdict: bench.Suspect, Reason: "a noisy machine", Reasons: []string{},
		Figures: []bench.ModelFigure{{Name: "sojourn_p99_ns", Unit: "ns", Virtual: bench.Some(2e6), Real: bench.Some(3e6), Gap: bench.Some(0.5), Limit: bench.Some(0.25)}},
	}
)

func marshalled(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answersForms writes an answer in all forms.
func answersForms(t *testing.T, write func(format string, b *bytes.Buffer) error) map[string]string {
	t.Helper()
	forms := map[string]string{}
	for _, format := range SearchFormats {
		var b bytes.Buffer
		if err := write(format, &b); err != nil {
			t.Fatal(err)
		}
		forms[format] = b.String()
	}
	if err := write("hlog", &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "want one of table, json, csv, html, md, prom") {
		t.Errorf("an unknown format gives %v", err)
	}
	return forms
}

func tuneForms(t *testing.T, a *tune.Answer) map[string]string {
	t.Helper()
	return answersForms(t, func(format string, b *bytes.Buffer) error { return WriteTune(b, format, a) })
}

func capacityForms(t *testing.T, a *capacity.Answer) map[string]string {
	t.Helper()
	return answersForms(t, func(format string, b *bytes.Buffer) error { return WriteCapacity(b, format, a) })
}

// csvRows returns the rows of a CSV form by column, and holds the page's list of every
// figure to them.
func csvRows(t *testing.T, forms map[string]string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(forms["csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	page := tableCells(t, forms["html"])
	var out []map[string]string
	for i, row := range rows {
		shown := slices.Clone(row)
		for c, text := range shown {
			shown[c] = exact(text)
		}
		if !slices.ContainsFunc(page, func(cells []string) bool { return slices.Equal(cells, shown) }) {
			t.Errorf("the page does not list the row %v", row)
		}
		if i > 0 {
			by := map[string]string{}
			for c, name := range rows[0] {
				by[name] = row[c]
			}
			out = append(out, by)
		}
	}
	return out
}

// gauges returns the values of the Prometheus form that have a label, by metric.
func gauges(t *testing.T, text, label, value string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(prom.UTF8Validation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for name, f := range all {
		for _, m := range f.Metric {
			if slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == label && l.GetValue() == value }) {
				out[name] = m.GetGauge().GetValue()
			}
		}
	}
	return out
}

// gaugeOf is what a figure of a column is in the Prometheus form.
func gaugeOf(prefix, column string, v float64) (name string, value float64) {
	name = "ferryctl_" + prefix + column
	switch {
	case strings.HasSuffix(column, "_ns"):
		return strings.TrimSuffix(name, "ns") + "seconds", v / 1e9
	case strings.HasSuffix(column, "_per_s"):
		return name + "econd", v
	}
	return name, v
}

// inRow says whether a form has a row with these cells beside each other.
func inRow(t *testing.T, forms map[string]string, cells ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(forms["table"]), " ")
	if want := strings.Join(strings.Fields(strings.Join(cells, " ")), " "); !strings.Contains(flat, want) {
		t.Errorf("the table has no %q:\n%s", want, forms["table"])
	}
	for form, rows := range map[string][][]string{"md": markdownRows(forms["md"]), "html": tableCells(t, forms["html"])} {
		if !slices.ContainsFunc(rows, func(row []string) bool {
			for i := range row {
				if i+len(cells) <= len(row) && slices.Equal(row[i:i+len(cells)], cells) {
					return true
				}
			}
			return false
		}) {
			t.Errorf("%s has no row with %q", form, cells)
		}
	}
}

func TestAllFormsOfATuneHoldTheSameFigures(t *testing.T) {
	a, _ := both(t)
	forms := tuneForms(t, a)
	if !a.Found || len(a.Points) < 5 || len(a.Alternatives) == 0 {
		t.Fatalf("the search found too little: %d points", len(a.Points))
	}
	rows := csvRows(t, forms)
	if len(rows) != len(a.Points) {
		t.Fatalf("%d rows of %d points", len(rows), len(a.Points))
	}
	cells := func(c tune.Candidate) (out []string) {
		for _, x := range a.Axes {
			out = append(out, c.Knobs[x.Knob])
		}
		for _, short := range []string{"throughput", "rejected", "mean", "p99", "cost"} {
			f, _ := lab.FigureOf(short)
			out = append(out, figure(c.Figures[f.Name], f.Say))
		}
		return out
	}
	inRow(t, forms, append([]string{"best"}, cells(*a.Recommended)...)...)
	inRow(t, forms, append([]string{"start"}, cells(*a.Start)...)...)
	inRow(t, forms, append([]string{"2"}, cells(a.Alternatives[0])...)...)
	inRow(t, forms, "sojourn p99", "2.00 ms", "3.00 ms", "+50.0 %", "over its limit of 25.0 %")
	for i, p := range a.Points {
		for _, f := range lab.Figures {
			if want := decimal(p.Figures[f.Name]); rows[i][f.Name] != want {
				t.Errorf("point %d: %s is %s in CSV, %s in the answer", i+1, f.Name, rows[i][f.Name], want)
			}
		}
	}
	best := gauges(t, forms["prom"], "place", "recommended")
	for _, f := range lab.Figures {
		if v, ok := a.Recommended.Figures[f.Name].Get(); ok {
			if name, want := gaugeOf("tune_", f.Name, v); best[name] != want {
				t.Errorf("the gauge %s is %v, want %v", name, best[name], want)
			}
		}
	}
	flat := strings.Join(strings.Fields(forms["table"]), " ")
	for _, text := range []string{a.Buys[0].Text, a.Free[0].Text, a.Binding.Text, a.Command} {
		if !strings.Contains(flat, text) || !strings.Contains(textOf(parsePage(t, forms["html"])), text) {
			t.Errorf("table or page do not say %q", text)
		}
	}
	if !strings.Contains(forms["html"], "ferryctl tune --kernel make") || !strings.Contains(forms["md"], "ferryctl tune --kernel make") {
		t.Error("page or Markdown lack the command that searches again")
	}
}

// TestTheTunesPlotHoldsItsPoints: each once, by the figures that it has.
func TestTheTunesPlotHoldsItsPoints(t *testing.T) {
	a, _ := both(t)
	doubted := slices.IndexFunc(a.Points, func(p tune.Candidate) bool { return good(&p) && !(tuned{a}).isBest(&p) })
	a.Points[doubted].Verdict = bench.Suspect
	charts := tuned{a}.charts()
	if len(charts) != 1 || len(charts[0].X) != len(a.Points) {
		t.Fatalf("%d plots of %d points", len(charts), len(a.Points))
	}
	c := charts[0]
	if len(c.Bounds) != 1 || c.Bounds[0].Y != bench.Some(15e6) {
		t.Errorf("the SLO is drawn as %v", c.Bounds)
	}
	for _, p := range a.Points {
		at := slices.Index(c.Names, tuned{a}.say(&p))
		if at < 0 || c.X[at] != p.Figures["cost_ns"] {
			t.Errorf("the point %v is not plotted at its cost", p.Knobs)
			continue
		}
		shown := []int{}
		for s := range c.Series {
			if v := c.Series[s].Values[at]; v.Known() {
				shown = append(shown, s)
				if v != p.Figures["sojourn_p99_ns"] {
					t.Errorf("the point %v is plotted at %v", p.Knobs, v)
				}
			}
		}
		met := p.Verdict == bench.Valid && p.SLOMet == p.Seeds
		best, start := (tuned{a}).isBest(&p), maps.Equal(p.Knobs, a.Start.Knobs)
		if len(shown) != 1 || (shown[0] == 0) != best || (shown[0] == 1) != (start && !best) || !best && !start && (shown[0] == 4) == met {
			t.Errorf("the point %v is in the series %v", p.Knobs, shown)
		}
		// Of the Pareto set: no other that meets the SLO is better in one figure and as
		// good in the other, to the digits that tables show.
		beaten := slices.ContainsFunc(a.Points, func(q tune.Candidate) bool {
			x, y := digits(q.Figures["cost_ns"])-digits(p.Figures["cost_ns"]), digits(q.Figures["sojourn_p99_ns"])-digits(p.Figures["sojourn_p99_ns"])
			return good(&q) && x <= 0 && y <= 0 && x+y < 0
		})
		if !best && !start && met && (shown[0] == 2) == beaten {
			t.Errorf("the point %v is in the series %v, and beaten %t", p.Knobs, shown, beaten)
		}
	}
}

// digits is a figure to three digits.
func digits(n bench.Num) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(n.Or(0), 'e', 2, 64), 64)
	return v
}

func TestAllFormsOfACapacityHoldTheSameFigures(t *testing.T) {
	_, a := both(t)
	forms := capacityForms(t, a)
	if !a.Found || len(a.Curve) < 5 {
		t.Fatalf("the search found too little: %d rates", len(a.Curve))
	}
	rows := csvRows(t, forms)
	charts := capable{a}.charts()
	for i, p := range a.Curve {
		cells := []string{rate(bench.Some(p.Rate)), p.Place, strconv.Itoa(p.Kept) + " of " + strconv.Itoa(p.Of)}
		at := gauges(t, forms["prom"], "rate", decimal(bench.Some(p.Rate)))
		for _, f := range capacity.Figures() {
			x := p.Figures[f.Name]
			cells = append(cells, figure(x.Median, f.Say))
			for column, v := range map[string]bench.Num{f.Name: x.Median, f.Name + "_least": x.Least, f.Name + "_most": x.Most} {
				if rows[i][column] != decimal(v) {
					t.Errorf("at %v: %s is %s in CSV, %v in the answer", p.Rate, column, rows[i][column], v)
				}
			}
			if name, want := gaugeOf("capacity_curve_", f.Name, x.Median.Or(0)); at[name] != want {
				t.Errorf("at %v: the gauge %s is %v, want %v", p.Rate, name, at[name], want)
			}
		}
		inRow(t, forms, cells...)
		if charts[0].Series[3].Values[i] != p.Figures["sojourn_p99_ns"].Median || charts[1].X[i] != bench.Some(p.Rate) {
			t.Errorf("at %v the curve is another one", p.Rate)
		}
	}
	if len(charts[0].Bounds) != 1 || charts[0].Bounds[0].Y != bench.Some(50e6) || charts[0].Uprights[0].X != a.Low || charts[0].Uprights[1].X != a.High {
		t.Errorf("the lines are %v and %v", charts[0].Bounds, charts[0].Uprights)
	}
	for form, text := range map[string]string{
		"table": strings.Join(strings.Fields(forms["table"]), " "), "html": textOf(parsePage(t, forms["html"])), "md": strings.ReplaceAll(forms["md"], "&lt;", "<"),
	} {
		for _, want := range []string{a.Text, a.For.Text, rate(a.Knee)} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", form, want)
			}
		}
	}
	inRow(t, forms, "7", rate(a.BySeed[0].Low), rate(a.BySeed[0].High))
	if !strings.Contains(forms["html"], "ferryctl capacity --kernel make") {
		t.Error("the page lacks the command that searches again")
	}
}

// TestAnAnswerReadBackIsWrittenAsBefore in every form.
func TestAnAnswerReadBackIsWrittenAsBefore(t *testing.T) {
	a, c := both(t)
	for name, forms := range map[string]map[string]string{"tune": tuneForms(t, a), "capacity": capacityForms(t, c)} {
		d, err := ReadDocument(strings.NewReader(forms["json"]))
		if err != nil || d.Stem != name {
			t.Fatalf("%s: %v, read as %+v", name, err, d)
		}
		for _, format := range d.Formats {
			var b bytes.Buffer
			if err := d.Write(&b, format); err != nil || b.String() != forms[format] {
				t.Errorf("%s: %s is another one: %v", name, format, err)
			}
		}
	}
}

// hostileStrings puts names that are more than text into every string of a document;
// where a knob is named, only if it is to.
func hostileStrings(v any, name string, knobs bool) any {
	switch x := v.(type) {
	case string:
		return name
	case []any:
		for i := range x {
			x[i] = hostileStrings(x[i], name, knobs)
		}
	case map[string]any:
		for k, inner := range x {
			switch k {
			case "schema", "figure", "unit", "verdict", "name":
			case "knob":
				if knobs {
					x[k] = name
				}
			default:
				x[k] = hostileStrings(inner, name, knobs)
			}
		}
		if values, ok := x["knobs"].(map[string]any); ok {
			values[name] = name
		}
	}
	return v
}

func TestNamesInAnswersArePlainText(t *testing.T) {
	both(t)
	for i, text := range slices.Concat(stored, stored) {
		for _, name := range append(slices.Clone(evil), "\x1b[31mred", "=1+1", "\u202eturned") {
			var doc map[string]any
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
			d, err := ReadDocument(strings.NewReader(marshalled(t, hostileStrings(doc, name, i < len(stored)))))
			if err != nil {
				t.Fatalf("document %d, %q: %v", i, name, err)
			}
			for _, format := range d.Formats {
				var b bytes.Buffer
				if err := d.Write(&b, format); err != nil {
					t.Errorf("%q as %s: %v", name, format, err)
				}
				if format != "json" && format != "csv" && strings.ContainsAny(b.String(), "\x1b\u202e\u2028") {
					t.Errorf("%q reaches %s", name, format)
				}
				switch format {
				case "html":
					inertPage(t, b.String())
				case "prom":
					parser := expfmt.NewTextParser(prom.UTF8Validation)
					if _, err := parser.TextToMetricFamilies(&b); err != nil {
						t.Errorf("%q: %v", name, err)
					}
				case "csv":
					rows, err := csv.NewReader(&b).ReadAll()
					if err != nil {
						t.Error(err)
					}
					for _, c := range slices.Concat(rows...) {
						if strings.HasPrefix(c, "=") {
							t.Errorf("a cell is a formula: %q", c)
						}
					}
				}
			}
		}
	}
}

// inertPage holds a page to its own two scripts and to elements that do nothing.
func inertPage(t *testing.T, page string) {
	t.Helper()
	scripts := 0
	walk(parsePage(t, page), func(n *html.Node) {
		if n.Type != html.ElementNode {
			return
		}
		switch n.Data {
		case "script":
			scripts++
		case "img", "svg", "iframe", "object", "embed", "a", "form", "base":
			t.Errorf("the page has an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "srcdoc" || a.Key == "href" && a.Val != "data:," {
				t.Errorf("the page has an attribute %s=%q", a.Key, a.Val)
			}
		}
	})
	data := regexp.MustCompile(`(?s)<script type="application/json" id="charts">(.*?)</script>`).FindStringSubmatch(page)
	if scripts != 2 || data == nil || !json.Valid([]byte(data[1])) || strings.Contains(page, "ZgotmplZ") {
		t.Errorf("the page has %d scripts, or its data is none", scripts)
	}
}

func TestNoAnswerMakesAFormFallOver(t *testing.T) {
	both(t)
	rng := rand.New(rand.NewPCG(5, 6))
	read := 0
	for n := range 500 {
		var doc map[string]any
		if err := json.Unmarshal([]byte(stored[n%2]), &doc); err != nil {
			t.Fatal(err)
		}
		schema := doc["schema"]
		for range 1 + rng.IntN(4) {
			spoil(rng, doc)
		}
		doc["schema"] = schema
		spoiled := marshalled(t, doc)
		d, err := ReadDocument(strings.NewReader(spoiled))
		if err != nil {
			continue // refused, which is as well
		}
		read++
		for _, format := range d.Formats {
			var b bytes.Buffer
			if err := d.Write(&b, format); err == nil && format == "html" && strings.Count(b.String(), "<script") != 2 {
				t.Errorf("a page has another script, from %s", spoiled)
			}
		}
	}
	if read < 25 {
		t.Errorf("only %d of 500 files were read: the test tests little", read)
	}
}

func TestAnswersThatContradictThemselvesAreRefused(t *testing.T) {
	a, c := both(t)
	a.Recommended = nil
	c.High = bench.Num{}
	other, _ := both(t)
	other.Objective.Figure = "speed"
	for want, doc := range map[string]any{
		"nothing is recommended":          a,
		"it was found from ":              c,
		`"speed", which is no figure`:     other,
		`schema is "ferryctl.sweep/v1": `: map[string]string{"schema": "ferryctl.sweep/v1"},
	} {
		if _, err := ReadDocument(strings.NewReader(marshalled(t, doc))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one that says %q", err, want)
		}
	}
}

// TestGaugesOfASweepAreBounded to those of the Pareto set first.
func TestGaugesOfASweepAreBounded(t *testing.T) {
	k, _ := settings.Lookup("queue")
	axis, err := sweep.Parse(k, "1..700:+1", "flag --queue")
	if err != nil {
		t.Fatal(err)
	}
	space, err := sweep.NewSpace(simulated(t), []sweep.Axis{axis}, sweep.Sample{}, false)
	if err != nil {
		t.Fatal(err)
	}
	r := &sweep.Report{Space: space, Front: []int{3, 699}}
	for n := range space.Len() {
		r.Outcomes = append(r.Outcomes, sweep.Outcome{Point: n + 1, Verdict: bench.Valid})
	}
	var b bytes.Buffer
	if err := writeSweepPrometheus(&b, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\nferryctl_sweep_pareto{"); n != gaugePoints || !strings.Contains(b.String(), "\nferryctl_sweep_points{") {
		t.Errorf("%d of %d points have gauges", n, space.Len())
	}
	for _, point := range []string{"3", "699"} {
		if at := gauges(t, b.String(), "point", point); at["ferryctl_sweep_pareto"] != 1 || at["ferryctl_sweep_valid"] != 1 {
			t.Errorf("point %s of the Pareto set has the gauges %v", point, at)
		}
	}
	if at := gauges(t, b.String(), "queue", "4"); at["ferryctl_sweep_pareto"] != 0 || at["ferryctl_sweep_valid"] != 1 {
		t.Errorf("the point of queue 4 has the gauges %v", at)
	}
}
