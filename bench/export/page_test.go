// The page: what is on it, and what no name can put there.

package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

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
	for _, r := range []*bench.Result{full(), hostileEverywhere()} {
		page := text(t, "html", r)
		if strings.ContainsAny(page, "\u2028\u2029\u202e\x1b") {
			t.Error("the page holds characters that break lines or turn text around")
		}
		inertPage(t, page)
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
	// A browser hashes what stands between the tags, as it stands there.
	_, script, _ := strings.Cut(page, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	allowed := html.UnescapeString(policy[1])
	if !strings.Contains(allowed, "default-src 'none'") || !strings.Contains(allowed, "script-src "+hash+";") {
		t.Errorf("the policy is %s, the script's hash %s", allowed, hash)
	}
	if !strings.Contains(page, "MIT License") || !strings.Contains(page, "Leon Sorokin") {
		t.Error("the licence of the plots' library is missing")
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
