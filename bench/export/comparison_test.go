package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ferryctl/bench"
	"ferryctl/bench/compare"
	"ferryctl/bench/sweep"
)

// compared compares six runs with six slower ones, on sides with hostile names.
func compared(t *testing.T, axes []string) *compare.Comparison {
	t.Helper()
	objectives, err := sweep.ParseObjectives("p99,rejected")
	if err != nil {
		t.Fatal(err)
	}
	sides := []*compare.Side{compare.NewSide("before|<b>\x1b[31m", axes), compare.NewSide("after", axes)}
	for i, s := range sides {
		for n := range 6 {
			r := full()
			r.Complete, r.Measurement.Verdict, r.Seed = true, bench.Valid, uint64(n)
			r.Latency.Sojourn.P99 = bench.Some(2e6 * float64(1+i) * (1 + float64(n)/100))
			if err := s.Add("run", r); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := compare.Compare(sides, compare.Options{Figures: objectives, Threshold: bench.Some(0.1)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnIntervalIsPicturedWhereItIs: on a line from -reach to reach, and where it is
// beyond that, an arrow says so.
func TestAnIntervalIsPicturedWhereItIs(t *testing.T) {
	p99, err := sweep.ParseObjectives("p99,rejected")
	if err != nil {
		t.Fatal(err)
	}
	row := func(figure int, before, low, at, high float64, claim compare.Claim) compare.Row {
		return compare.Row{
			Side: 1, Figure: p99[figure], Before: bench.Some(before), Low: bench.Some(low), Difference: bench.Some(at), High: bench.Some(high), Claim: claim,
		}
	}
	near, far, parts := row(0, 100, -10, -5, 20, compare.Unclear), row(0, 100, 300, 400, 500, compare.Worse), row(1, 0, 0.1, 0.15, 0.2, compare.Better)
	for name, tt := range map[string]struct {
		rows []compare.Row
		want pageSpan
	}{
		"as far as it goes":         {[]compare.Row{near}, pageSpan{From: 25, To: 100, At: 37.5}},
		"beside one that is many":   {[]compare.Row{near, far}, pageSpan{From: 40, To: 70, At: 45}},
		"beyond half":               {[]compare.Row{far}, pageSpan{From: 100, To: 100, At: 100, Class: "bad over"}},
		"parts where none was lost": {[]compare.Row{parts}, pageSpan{From: 75, To: 100, At: 87.5, Class: "good"}},
	} {
		c := &compare.Comparison{Rows: tt.rows}
		if got := spanOf(tt.rows[0], reachOf(c, 1)).page(); got == nil || *got != tt.want {
			t.Errorf("%s: it is pictured as %+v, want %+v", name, got, tt.want)
		}
	}
	if got := spanOf(compare.Row{Figure: p99[0], Before: bench.Some(1)}, 1).page(); got != nil {
		t.Errorf("a row without an interval is pictured as %+v", got)
	}
}

func TestAllFormsOfAComparisonHoldTheSameFigures(t *testing.T) {
	c := compared(t, nil)
	forms := map[string]string{}
	for _, format := range ComparisonFormats {
		var b bytes.Buffer
		if err := WriteComparison(&b, format, c); err != nil {
			t.Fatal(err)
		}
		forms[format] = b.String()
	}
	var doc comparisonDoc
	if err := json.Unmarshal([]byte(forms["json"]), &doc); err != nil {
		t.Fatal(err)
	}
	p99 := doc.Rows[0]
	if doc.Schema != ComparisonSchema || p99.Figure != "sojourn_p99_ns" || p99.Claim != "regression" || p99.Change.Or(0) != 1 || doc.Rows[1].Claim != "identical" {
		t.Errorf("the document is %+v", doc)
	}
	say := c.Rows[0].Figure.Figure.Say
	want := []string{say(p99.Before.Or(0)), say(p99.After.Or(0)), "+100 %", "+" + say(p99.Low.Or(0)) + " to +" + say(p99.High.Or(0)), "0.002", "6+6", "REGRESSION"}
	if !hasRow(markdownRows(forms["md"]), "p99", want) {
		t.Errorf("Markdown has no row of p99 with %q:\n%s", want, forms["md"])
	}
	for _, text := range want {
		if !strings.Contains(forms["table"], text) {
			t.Errorf("the table lacks %q:\n%s", text, forms["table"])
		}
	}
	if rows := tableCells(t, forms["html"]); !hasRow(rows, "p99", want) {
		t.Errorf("the page has no row of p99 with %q: %q", want, rows)
	}
	inertPage(t, forms["html"])
	rows := csvRows(t, forms)
	for i, x := range doc.Rows {
		for column, v := range map[string]bench.Num{
			"before": x.Before, "after": x.After, "change_ratio": x.Change, "difference": x.Difference, "difference_low": x.Low, "difference_high": x.High,
			"p": x.P, "p_adjusted": x.Adjusted, "runs_before": bench.Some(float64(x.RunsBefore)),
		} {
			if rows[i][column] != decimal(v) {
				t.Errorf("%s: %s is %s in CSV, %v in JSON", x.Figure, column, rows[i][column], v)
			}
		}
		if rows[i]["claim"] != x.Claim || rows[i]["figure"] != x.Figure || rows[i]["side"] != x.Side {
			t.Errorf("the row is %v, the entry %+v", rows[i], x)
		}
	}
	for form, text := range forms {
		if strings.ContainsRune(text, '\x1b') || form == "md" && strings.Contains(text, "<b>") {
			t.Errorf("%s: a side's name is more than text", form)
		}
	}
	for _, line := range strings.Split(forms["table"], "\n") {
		if columns(line) > width {
			t.Errorf("a line has %d columns: %s", columns(line), line)
		}
	}
	if err := WriteComparison(&bytes.Buffer{}, "hlog", c); err == nil || !strings.Contains(err.Error(), "want one of table, json, csv, html, md") {
		t.Errorf("an unknown format gives %v", err)
	}
}
