// The forms that other programs read: each is read by the program's own library.

package export

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"

	"os/exec"

	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
	"golang.org/x/net/html"
	"golang.org/x/perf/benchfmt"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
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

// walk calls f for every node.
func walk(n *html.Node, f func(*html.Node)) {
	f(n)
	for c := range n.ChildNodes() {
		walk(c, f)
	}
}

func parsePage(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func textOf(n *html.Node) string {
	var b strings.Builder
	walk(n, func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	})
	return b.String()
}

func tableCells(t *testing.T, page string) (rows [][]string) {
	t.Helper()
	walk(parsePage(t, page), func(n *html.Node) {
		if n.Type != html.ElementNode || n.Data != "tr" {
			return
		}
		var cells []string
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode {
				cells = append(cells, textOf(c))
			}
		}
		rows = append(rows, cells)
	})
	return rows
}

// evil are names that try to leave the place that they are shown in.
var evil = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'; alert(1); '`, "line\u2028separator\u2029", `<!--`, `{{.}}`,
	`javascript:alert(1)`, `</title><svg onload=alert(1)>`, "`|[x](http://evil.example)", `\`, "a|b", "# h", "http://evil.example", "a & b < c",
}

func hostileEverywhere() *bench.Result {
	r := full()
	all := strings.Join(evil, " ")
	r.Profile, r.Clock, r.WorkloadHash = all, all, all
	r.Warnings, r.Measurement.Reasons = evil, evil
	r.Environment.CPUModel, r.Environment.Version = all, all
	quoted, _ := json.Marshal(all)
	r.Settings = bench.Settings{{Knob: "kernel", Value: quoted}, {Knob: all, Value: quoted}, {Knob: "trace", Value: quoted}}
	r.SLO = []bench.SLO{{Term: all, Unit: "ns", Note: all}}
	lane := r.Lanes[0]
	for _, name := range evil {
		lane.Lane = name
		r.Lanes = append(r.Lanes, lane)
	}
	r.Fairness = bench.Fairness{WorstLane: all, MaxLagUnits: bench.Some(1)}
	return r
}

func TestNamesArePlainTextOnThePage(t *testing.T) {
	clean := 0
	count := func(r *bench.Result) (scripts int) {
		page := text(t, "html", r)
		if strings.ContainsAny(page, "\u2028\u2029\u202e\x1b") {
			t.Error("the page holds characters that break lines or turn text around")
		}
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
		return scripts
	}
	if clean = count(full()); clean != 2 {
		t.Errorf("a page has %d scripts, want its data and its code", clean)
	}
	if got := count(hostileEverywhere()); got != clean {
		t.Errorf("hostile names make %d scripts of %d", got, clean)
	}
	page := text(t, "html", hostileEverywhere())
	for _, name := range evil {
		if !hasRow(tableCells(t, page), plain(name), []string{human.Count(75_000)}) {
			t.Errorf("the page has no row of the lane %q", name)
		}
	}
}

func TestThePageRunsNoScriptButItsOwn(t *testing.T) {
	page := text(t, "html", full())
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]+)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("the page has no policy")
	}
	p, err := pageOf("", "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	allowed := html.UnescapeString(policy[1])
	if !strings.Contains(allowed, "default-src 'none'") || !strings.Contains(allowed, "script-src '"+p.ScriptHash+"'") {
		t.Errorf("the policy is %s, the script's hash %s", allowed, p.ScriptHash)
	}
	if !strings.Contains(page, "<script>"+string(p.Script)+"</script>") {
		t.Error("the page's script is not the one that was hashed")
	}
	if !strings.Contains(page, "MIT License") || !strings.Contains(page, "Leon Sorokin") {
		t.Error("the licence of the plots' library is missing")
	}
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

func TestTheCommandMakesTheSameRun(t *testing.T) {
	s := settings.Default()
	for _, p := range [][2]string{
		{"kernel", "make"}, {"batch_size", "16"}, {"batch_delay", "2ms"}, {"clients", "8"}, {"keys", "1000"}, {"seed", "7"}, {"items", "5000"}, {"clock", "virtual"},
		{"backend", "synthetic(base=1ms,per_item=20us)"}, {"slo", "p99<=20ms,rejected<=0.1%"}, {"weights", "uniform(1,9)"},
	} {
		if err := s.Set(p[0], p[1], "test"); err != nil {
			t.Fatal(err)
		}
	}
	r := full()
	r.Settings, r.Seed = nil, 7
	for _, v := range s.Values() {
		value, err := json.Marshal(v.JSON)
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = append(r.Settings, bench.Setting{Knob: v.Knob, Value: value})
	}
	again := settings.Default()
	// A shell takes the command apart, and so finds out whether it is quoted well.
	out, err := exec.Command("bash", "-c", `printf '%s\n' `+Command(r)).Output()
	if err != nil {
		t.Skip("no bash")
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i := 2; i+1 < len(words); i += 2 {
		if err := again.Set(strings.ReplaceAll(strings.TrimPrefix(words[i], "--"), "-", "_"), words[i+1], "test"); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range again.Values() {
		if want := s.Values()[i]; v.Text != want.Text {
			t.Errorf("%s is %q, want %q by %s", v.Knob, v.Text, want.Text, Command(r))
		}
	}
}

func TestWordsSurviveAShell(t *testing.T) {
	for _, word := range append(evil, "it's", "$(id)", "a b", "tab\there", "new\nline", "\u202ebidi", "日本") {
		out, err := exec.Command("bash", "-c", "printf %s "+shellWord(word)).Output()
		if err != nil {
			t.Skip("no bash")
		}
		if string(out) != word {
			t.Errorf("%q comes back as %q by %s", word, out, shellWord(word))
		}
	}
}

func TestAPageOfNothingIsAPage(t *testing.T) {
	for name, r := range map[string]*bench.Result{"empty": empty(), "naninf": naninf(), "hostile": hostile()} {
		page := text(t, "html", r)
		if !strings.Contains(page, "</html>") || strings.Contains(page, "NaN") && !strings.Contains(plotScript, "NaN") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: the page is not whole", name)
		}
		data := regexp.MustCompile(`(?s)<script type="application/json" id="charts">(.*?)</script>`).FindStringSubmatch(page)
		if data == nil || !json.Valid([]byte(data[1])) {
			t.Errorf("%s: the plots' data is no JSON", name)
		}
	}
}

func TestADamagedHistogramIsAnError(t *testing.T) {
	r := full()
	r.Histograms.Wait = "HISTFAAAAB"
	if err := Write(&bytes.Buffer{}, "html", r); err == nil || !strings.Contains(err.Error(), "wait histogram") {
		t.Errorf("error is %v", err)
	}
}

// TestThePlotsDataIsTheResults holds what is drawn against the result.
func TestThePlotsDataIsTheResults(t *testing.T) {
	r := full()
	charts, err := runCharts(r)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]chart{}
	for _, c := range charts {
		by[c.ID] = c
		for _, s := range c.Series {
			if len(s.Values) != len(c.X) {
				t.Errorf("%s: %s has %d values over %d", c.ID, s.Label, len(s.Values), len(c.X))
			}
		}
	}
	if got := by["percentiles"].Series[1].Values[3]; got != r.Intervals[3].P99 {
		t.Errorf("the p99 of the fourth second is drawn at %v, is %v", got, r.Intervals[3].P99)
	}
	if b := by["percentiles"].Bounds; len(b) != 1 || b[0].Y != bench.Some(20e6) {
		t.Errorf("the objective is drawn as %v", b)
	}
	d := by["distribution"]
	for i, at := range d.X {
		v := d.Series[0].Values[i].Or(-1)
		if v < r.Latency.Sojourn.Min.Or(0) || v > r.Latency.Sojourn.Max.Or(0) {
			t.Errorf("at %v the sojourn is drawn at %v, outside of its extremes", at, v)
		}
		if at.Or(0) == 10 && v != r.Latency.Sojourn.P90.Or(0) {
			t.Errorf("p90 is drawn at %v, is %v", v, r.Latency.Sojourn.P90)
		}
	}
	if got, _ := strconv.Atoi(by["sizes"].X[2].String()); got != 64 {
		t.Errorf("the third size is %v", by["sizes"].X[2])
	}
}
