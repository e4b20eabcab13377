// The forms that other programs read: each is read by the program's own library.

package export

import (
	"encoding/xml"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
	"golang.org/x/perf/benchfmt"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// TestEveryFormHoldsTheSameFigures extracts each figure from each form and holds it
// against the result: as exact as the form writes it.
func TestEveryFormHoldsTheSameFigures(t *testing.T) {
	r := full()
	page, exact := tableCells(t, text(t, "html", r)), row(t, r)
	forms := map[string][][]string{"md": markdownRows(text(t, "md", r)), "html": page}
	for _, line := range strings.Split(text(t, "table", r), "\n") {
		cells := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), -1)
		forms["table"] = append(forms["table"], cells)
	}
	l := r.Latency
	wanted := map[string][]string{
		"done":     {human.Count(299_000), rate(r.Rates.Throughput)},
		"rejected": {human.Count(611), percent(r.Rates.Rejected)},
		"sojourn":  {duration(l.Sojourn.Mean), duration(l.Sojourn.Min), duration(l.Sojourn.P50), duration(l.Sojourn.P99), duration(l.Sojourn.Max)},
		"service":  {duration(l.Service.Mean), duration(l.Service.P999)},
		"free":     {human.Count(225_000), duration(r.Lanes[1].Sojourn.P99) + mark},
	}
	for form, rows := range forms {
		for name, figures := range wanted {
			if !hasRow(rows, name, figures) {
				t.Errorf("%s has no row %q with %q", form, name, figures)
			}
		}
	}
	// The exact figures of the page are those of the CSV, which are those of the JSON.
	back, err := Read(strings.NewReader(text(t, "json", r)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells(back) {
		want := strings.TrimPrefix(c.text, "'")
		if exact[c.name] != c.text {
			t.Errorf("%s is %q in CSV, %q from JSON", c.name, exact[c.name], c.text)
		}
		if want == "" {
			want = missing
		}
		if !hasRow(page, c.name, []string{want}) {
			t.Errorf("the page has no %s %q", c.name, want)
		}
	}
}

// hasRow says whether a row begins with name and holds all the cells.
func hasRow(rows [][]string, name string, cells []string) bool {
	for _, row := range rows {
		if len(row) == 0 || row[0] != name {
			continue
		}
		all := true
		for _, want := range cells {
			found := false
			for _, cell := range row[1:] {
				found = found || cell == want
			}
			all = all && found
		}
		if all {
			return true
		}
	}
	return false
}

func markdownRows(md string) (rows [][]string) {
	for _, line := range strings.Split(md, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(c), `\`, "")
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestMarkdownShowsNamesAsTheyAre(t *testing.T) {
	for in, want := range map[string]string{
		"a|b": `a\|b`, "<b>": "&lt;b>", "# h": `\# h`, "- x": `\- x`, "1. x": `1\. x`, "batch_size": "batch_size", "_x_": `\_x\_`,
		"http://e.example": `http\://e.example`, "www.e.example": `www\.e.example`, "a & b": "a &amp; b", "5 ms*": `5 ms\*`, "1.5": "1.5",
	} {
		if got := opened(in); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
	for _, line := range strings.Split(text(t, "md", hostileEverywhere()), "\n") {
		if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "by count, 11 by weight |") && strings.Count(line, " | ") != 4 {
			t.Errorf("a name has made cells of its own: %s", line)
		}
	}
}

func TestPrometheusReadsItsForm(t *testing.T) {
	for name, r := range map[string]*bench.Result{"full": full(), "empty": empty(), "naninf": naninf(), "hostile": hostile(), "evil": hostileEverywhere()} {
		parser := expfmt.NewTextParser(prom.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text(t, "prom", r)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := families["ferryctl_done"].GetMetric()[0].GetGauge().GetValue(); got != float64(r.Counts.Done) {
			t.Errorf("%s: done is %v", name, got)
		}
		p99, known := r.Latency.Sojourn.P99.Get()
		m := families["ferryctl_sojourn_p99_seconds"]
		if (m != nil) != known || known && m.GetMetric()[0].GetGauge().GetValue() != p99/1e9 {
			t.Errorf("%s: p99 is %v, want %v ns", name, m, p99)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if v := m.GetGauge().GetValue(); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: %s is %v", name, f.GetName(), v)
				}
			}
		}
	}
}

func TestBenchstatReadsItsForm(t *testing.T) {
	for name, r := range map[string]*bench.Result{"full": full(), "empty": empty(), "hostile": hostile(), "evil": hostileEverywhere()} {
		in := benchfmt.NewReader(strings.NewReader(text(t, "bench", r)), name)
		results := 0
		for in.Scan() {
			switch rec := in.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Errorf("%s: %v", name, rec)
			case *benchfmt.Result:
				results++
				got, ok := rec.Value("p99-sec")
				want, known := r.Latency.Sojourn.P99.Get()
				if ok != known || math.Abs(got-want/1e9) > 1e-12 {
					t.Errorf("%s: p99 is %v s, want %v ns", name, got, want)
				}
				if v, ok := rec.Value("items/s"); ok && v != r.Rates.Throughput.Or(0) {
					t.Errorf("%s: throughput is %v", name, v)
				}
			}
		}
		if err := in.Err(); err != nil || results != min(1, len(latencyValues(r))) {
			t.Errorf("%s: %d results, %v", name, results, err)
		}
	}
}

// latencyValues are the figures that a benchmark's line has; a line without any is
// none.
func latencyValues(r *bench.Result) []benchfmt.Value { return benchLine(r).Values }

func TestJUnitCountsWhatItHolds(t *testing.T) {
	for name, r := range map[string]*bench.Result{"full": full(), "empty": empty(), "naninf": naninf(), "hostile": hostile(), "evil": hostileEverywhere()} {
		var doc junitSuites
		if err := xml.Unmarshal([]byte(text(t, "junit", r)), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := doc.Suites[0]
		failures := 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
		}
		missed := 0
		for _, term := range r.SLO {
			if !term.OK {
				missed++
			}
		}
		if s.Tests != len(s.Cases) || s.Tests != 1+len(r.SLO) || s.Failures != failures || failures != missed {
			t.Errorf("%s: %d tests, %d failures; %d cases, %d missed", name, s.Tests, s.Failures, len(s.Cases), missed)
		}
	}
	r := full()
	r.Measurement.Verdict = bench.Invalid
	got := text(t, "junit", r)
	if !strings.Contains(got, `errors="1" skipped="3"`) {
		t.Errorf("of an invalid measurement:\n%s", got)
	}
}
