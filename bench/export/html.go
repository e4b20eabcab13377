// The HTML form: one page that needs nothing beside it. Every text goes through
// html/template, and the page's own policy lets a browser load nothing and run no
// script but the one that is written into it.

package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

//go:embed assets/report.html.tmpl
var pageText string

//go:embed assets/report.css
var pageStyle string

//go:embed assets/report.js
var pageScript string

//go:embed assets/uplot.iife.min.js
var plotScript string

//go:embed assets/uplot.min.css
var plotStyle string

//go:embed assets/uplot.LICENSE.txt
var plotLicence string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// A page is what the template shows.
type page struct {
	Title, Facts string
	Marks        []pageMark
	Cards        []pageCard
	Sections     []pageSection
	Charts       template.JS // JSON, of []chart
	Style        template.CSS
	Script       template.JS
	ScriptHash   string // for the page's policy
}

// A pageMark is a verdict beside the title; its class is good, fair or bad.
type pageMark struct{ Class, Text string }

// A pageCard is a figure worth a glance.
type pageCard struct{ Label, Value, Note string }

type pageSection struct {
	ID, Title  string
	Text, List []string
	Head       []pageCell
	Rows       [][]pageCell
	Below      string
	Paste      string
	Folded     bool
	Charts     []string // ids, in order
	Heat       []heatMap
}

// A pageCell is a cell of a table. Part, if Bar is set, is how much of all it is, in
// percent.
type pageCell struct {
	Text   string
	Left   bool
	Long   bool // a name or a note that is broken into lines
	Middle bool
	Bar    bool
	Part   float64
	Span   *pageSpan
}

// A pageSpan is an interval, its ends in percent of the cell's width; half of it is no
// difference.
type pageSpan struct {
	From, To, At float64
	Class        string
}

// page turns an interval into what the template draws, nil if there is none.
func (s span) page() *pageSpan {
	at, ok := s.at.Get()
	if !ok {
		return nil
	}
	place := func(v float64) float64 { return math.Round(5000*(v+1)) / 100 }
	class := s.class
	switch {
	case s.beyond > 0:
		class += " over"
	case s.beyond < 0:
		class += " under"
	}
	return &pageSpan{From: place(s.low.Or(at)), To: place(s.high.Or(at)), At: place(at), Class: class}
}

// pageOf turns a document and its plots into a page.
func pageOf(title, facts string, sections []section, charts []chart) (*page, error) {
	data, err := json.Marshal(charts) // it writes <, >, & and the line separators of JavaScript as escapes
	if err != nil {
		return nil, err
	}
	script := "/*\n" + plotLicence + "*/\n" + plotScript + "\n" + pageScript
	sum := sha256.Sum256([]byte(script))
	p := &page{
		Title: title, Facts: facts,
		Charts: template.JS(data), Style: template.CSS(plotStyle + pageStyle), Script: template.JS(script), //nolint:gosec // the first was escaped just now, the others are our own
		ScriptHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	for _, s := range sections {
		x := pageSection{ID: s.id, Title: s.title, Text: s.text, List: s.list, Paste: s.paste, Folded: s.folded}
		if s.grid != nil {
			x.Head, x.Rows, x.Below = s.grid.page()
		}
		for _, c := range charts {
			if c.Section == s.id {
				x.Charts = append(x.Charts, c.ID)
			}
		}
		p.Sections = append(p.Sections, x)
	}
	return p, nil
}

// longName is how many columns the name of a row, or a note, takes at most on one
// line.
const longName = 32

// page turns a grid into cells.
func (g *grid) page() (head []pageCell, rows [][]pageCell, below string) {
	for i, texts := range g.rows {
		var cells []pageCell
		for c, text := range texts {
			left := c == 0 || c >= g.notes
			cells = append(cells, pageCell{Text: text, Left: left, Long: left && columns(text) > longName})
		}
		switch {
		case i == 0 && g.parts != nil:
			cells = append(cells, pageCell{})
		case i > 0 && i <= len(g.parts):
			cells = append(cells, pageCell{Bar: true, Part: 100 * min(max(g.parts[i-1].Or(0), 0), 1)})
		case i == 0 && len(g.spans) > 0:
			cells = append(cells, pageCell{Text: "interval, ±" + human.Percent(g.spans[0].reach), Middle: true})
		case i > 0 && i <= len(g.spans):
			cells = append(cells, pageCell{Span: g.spans[i-1].page()})
		}
		if i == 0 {
			if slices.ContainsFunc(cells, func(c pageCell) bool { return c.Text != "" }) {
				head = cells
			}
			continue
		}
		for len(cells) < len(head) { // a note that only some rows have
			cells = append(cells, pageCell{})
		}
		rows = append(rows, cells)
	}
	widest := 0
	for _, cells := range rows {
		widest = max(widest, len(cells))
	}
	for len(head) > 0 && len(head) < widest {
		head = append(head, pageCell{})
	}
	return head, rows, g.below
}

func writeHTML(w io.Writer, r *bench.Result) error {
	charts, err := runCharts(r)
	if err != nil {
		return err
	}
	sections := append(runDocument(r), everyFigure(r))
	p, err := pageOf(runName(r), runFacts(r), sections, charts)
	if err != nil {
		return err
	}
	p.Marks = append(p.Marks, verdictMark(r.Measurement.Verdict))
	if len(r.SLO) > 0 {
		class := "good"
		if sloMet(r) == "false" {
			class = "bad"
		}
		p.Marks = append(p.Marks, pageMark{class, "SLO " + objectiveState(r)})
	}
	if !r.Complete {
		p.Marks = append(p.Marks, pageMark{"fair", "incomplete"})
	}
	s := r.Latency.Sojourn
	p.Cards = []pageCard{
		{"throughput", rate(r.Rates.Throughput), rate(r.Rates.Offered) + " offered"},
		{"median sojourn", sure(s, 0), duration(s.Mean) + " mean"},
		{"p99 sojourn", sure(s, 3), sure(s, 4) + " p99.9"},
		{"rejected", percent(r.Rates.Rejected), human.Count(float64(r.Counts.Rejected)) + " items"},
		{"mean batch", short(r.Batches.Size.Mean), count(r.Batches.Size.Max) + " at most"},
	}
	return p.write(w)
}

// sure writes a percentile with its mark.
func sure(l bench.Latency, i int) string {
	text, _ := percentileCell(l, bench.Percentiles[i])
	return text
}

func verdictMark(v bench.Verdict) pageMark {
	class := map[bench.Verdict]string{bench.Valid: "good", bench.Suspect: "fair"}[v]
	if class == "" {
		class = "bad"
	}
	return pageMark{class, plain(string(v))}
}

// everyFigure lists all columns of the CSV form, exact.
func everyFigure(r *bench.Result) section {
	all := cells(r)
	for i := range all {
		all[i].name, all[i].text = plain(all[i].name), exact(all[i].text)
	}
	s := pairs("every", "Every figure", "column", "value", all)
	s.folded = true
	s.text = []string{"The columns of the CSV form, to the last digit."}
	return s
}

// everyRow lists the rows of a CSV form, exact.
func everyRow(rows iter.Seq[[]string]) section {
	g := grid{}
	for row := range rows {
		if len(g.rows) > documentPoints {
			g.below = "and more, in the CSV form"
			break
		}
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = exact(text)
		}
		g.row(cells...)
	}
	return section{id: "every", title: "Every figure", grid: &g, folded: true, text: []string{"The rows of the CSV form, to the last digit."}}
}

// exact is a cell of the CSV form as people see it.
func exact(text string) string {
	if text == "" {
		return missing
	}
	return plain(strings.TrimPrefix(text, "'"))
}

func (p *page) write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
