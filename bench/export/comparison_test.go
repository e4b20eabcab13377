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
