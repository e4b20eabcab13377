// The plots of a run's page, as data: what is drawn is decided here, how in the
// page's script.

package export

import (
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"ferryctl/bench"
	"ferryctl/bench/slo"
)

// A chart is one plot. Units are "ns", "per_s", "s", "count", "ratio", and for x
// also "percentile", whose values are 1/(1-p).
type chart struct {
	ID       string        `json:"id"`
	Section  string        `json:"section"`
	Kind     string        `json:"kind"` // "line", "bars" or "scatter"
	Title    string        `json:"title"`
	XUnit    string        `json:"xUnit"`
	XLabel   string        `json:"xLabel"`
	XLog     bool          `json:"xLog"`
	YUnit    string        `json:"yUnit"`
	YLabel   string        `json:"yLabel"`
	YLog     bool          `json:"yLog"`
	X        []bench.Num   `json:"x"`
	Series   []plotted     `json:"series"`
	Bounds   []plotBound   `json:"bounds"`   // horizontal lines
	Uprights []plotUpright `json:"uprights"` // vertical lines
	Names    []string      `json:"names"`    // of the points of a scatter
}

// plotted is one series over the chart's X; what is missing is a gap.
type plotted struct {
	Label  string      `json:"label"`
	Color  int         `json:"color"` // of the page's palette, from 1
	Fill   bool        `json:"fill"`
	Dash   bool        `json:"dash"`
	Values []bench.Num `json:"values"`
}

type plotBound struct {
	Label string    `json:"label"`
	Y     bench.Num `json:"y"`
}

type plotUpright struct {
	Label string    `json:"label"`
	X     bench.Num `json:"x"`
}

// plot adds a point of a scatter to one of its series.
func (c *chart) plot(series int, x, y bench.Num, name string) {
	c.X, c.Names = append(c.X, x), append(c.Names, name)
	for s := range c.Series {
		v := bench.Num{}
		if s == series {
			v = y
		}
		c.Series[s].Values = append(c.Series[s].Values, v)
	}
}

// plotPoints is how many intervals a plot shows; more are taken together.
const plotPoints = 1200

// runCharts returns the plots of a run. The error is that of a stored histogram.
func runCharts(r *bench.Result) ([]chart, error) {
	var all []chart
	if inside := within(r); len(inside) > 1 {
		all = append(all, overTimeCharts(r, inside)...)
	}
	dist, err := distribution(r)
	if err != nil {
		return nil, err
	}
	if dist != nil {
		all = append(all, *dist)
	}
	if sizes := r.Batches.Size.Counts; len(sizes) > 1 {
		c := chart{
			ID: "sizes", Section: "batches", Kind: "bars", Title: "Batches by size", XUnit: "count", XLabel: "inputs in a batch", YUnit: "count", YLabel: "batches",
			Series: []plotted{{Label: "batches", Color: 1, Fill: true}},
		}
		for _, s := range sizes {
			c.X = append(c.X, bench.Some(float64(s.Size)))
			c.Series[0].Values = append(c.Series[0].Values, bench.Some(float64(s.Count)))
		}
		all = append(all, c)
	}
	return all, nil
}

// within returns the intervals that begin in the window.
func within(r *bench.Result) []bench.Interval {
	window := r.Window.Measured.Or(math.Inf(1))
	var inside []bench.Interval
	for _, in := range r.Intervals {
		if start, ok := in.Start.Get(); ok && start < window && in.Length.Or(0) > 0 {
			inside = append(inside, in)
		}
	}
	return inside
}

// overTimeCharts plots percentiles, rates and the room over the window. Where
// intervals are taken together, percentiles are the highest of theirs, as the label
// says: they can't be averaged.
func overTimeCharts(r *bench.Result, inside []bench.Interval) []chart {
	per := (len(inside) + plotPoints - 1) / plotPoints
	label := func(text string) string {
		if per > 1 {
			return fmt.Sprintf("%s (highest of %d)", text, per)
		}
		return text
	}
	latency := chart{
		ID: "percentiles", Section: "time", Kind: "line", Title: "Sojourn", XUnit: "s", YUnit: "ns", YLog: true,
		Series: []plotted{{Label: label("p50"), Color: 1}, {Label: label("p99"), Color: 2}, {Label: label("max"), Color: 3, Dash: true}},
	}
	rates := chart{
		ID: "rates", Section: "time", Kind: "line", Title: "Throughput", XUnit: "s", YUnit: "per_s",
		Series: []plotted{{Label: "offered", Color: 5, Dash: true}, {Label: "done", Color: 1, Fill: true}, {Label: "rejected", Color: 3}},
	}
	room := chart{
		ID: "room", Section: "time", Kind: "line", Title: "Waiting and in flight", XUnit: "s", YUnit: "count",
		Series: []plotted{{Label: "inputs waiting", Color: 4, Fill: true}, {Label: "calls in flight", Color: 2}},
	}
	for from := 0; from < len(inside); from += per {
		part := inside[from:min(from+per, len(inside))]
		var long, offered, done, rejected float64
		var p50, p99, most, queued, flying bench.Num
		for _, in := range part {
			long += in.Length.Or(0)
			offered, done, rejected = offered+float64(in.Offered), done+float64(in.Done), rejected+float64(in.Rejected)
			p50, p99, most = larger(p50, in.P50), larger(p99, in.P99), larger(most, in.Max)
			queued, flying = larger(queued, in.Queued), larger(flying, in.InFlight)
		}
		if from > 0 && long < inside[0].Length.Or(0)*float64(per)/2 {
			break // a sliver, with a rate by chance
		}
		at := part[0].Start
		for i, c := range []*chart{&latency, &rates, &room} {
			c.X = append(c.X, at)
			values := [][]bench.Num{
				{p50, p99, most},
				{bench.Ratio(offered, long), bench.Ratio(done, long), bench.Ratio(rejected, long)},
				{queued, flying},
			}[i]
			for s, v := range values {
				c.Series[s].Values = append(c.Series[s].Values, v)
			}
		}
	}
	latency.Bounds = bounds(r)
	return []chart{latency, rates, room}
}

// bounds returns the objective's terms on percentiles as lines, from the term's own
// text.
func bounds(r *bench.Result) []plotBound {
	var terms []string
	for _, t := range r.SLO {
		terms = append(terms, t.Term)
	}
	var out []plotBound
	for _, b := range latencyBounds(terms) {
		if b.metric == slo.Percentile {
			out = append(out, b.plotBound)
		}
	}
	return out
}

// A latencyBound is a term of the SLO on the sojourn.
type latencyBound struct {
	plotBound
	metric slo.Metric
	figure string // that it bounds
}

// latencyBounds returns the terms on the sojourn.
func latencyBounds(terms []string) []latencyBound {
	var out []latencyBound
	for _, text := range terms {
		all, err := slo.Parse(text)
		if err == nil && len(all) == 1 && all[0].Metric.Unit() == slo.Nanoseconds {
			out = append(out, latencyBound{plotBound{plain(text), bench.Some(all[0].Bound)}, all[0].Metric, all[0].Name()})
		}
	}
	return out
}

func larger(a, b bench.Num) bench.Num {
	v, ok := b.Get()
	if !ok || a.Known() && a.Or(0) >= v {
		return a
	}
	return b
}

// distribution plots latency by percentile on the axis of HdrHistogram's plots, on
// which each nine is as wide as the one before.
func distribution(r *bench.Result) (*chart, error) {
	c := &chart{
		ID: "distribution", Section: "latency", Kind: "line", Title: "By percentile", XUnit: "percentile", XLog: true, YUnit: "ns",
	}
	type curve struct {
		label string
		l     bench.Latency
		text  string
	}
	curves := []curve{
		{"sojourn", r.Latency.Sojourn, r.Histograms.Sojourn},
		{"wait", r.Latency.Wait, r.Histograms.Wait},
		{"service", r.Latency.Service, r.Histograms.Service},
	}
	for i, x := range curves {
		if x.l.Count == 0 || x.text == "" {
			continue
		}
		h, err := hdr.Decode([]byte(x.text))
		if err != nil {
			return nil, fmt.Errorf("the result's %s histogram: %w", x.label, err)
		}
		if len(c.X) == 0 {
			for _, at := range percentileTicks(x.l.Count) {
				c.X = append(c.X, bench.Some(at))
			}
		}
		s := plotted{Label: x.label, Color: []int{2, 4, 1}[i], Fill: i == 0}
		for _, at := range c.X {
			v := float64(h.ValueAtPercentile(100 - 100/at.Or(1)))
			s.Values = append(s.Values, bench.Some(min(max(v, x.l.Min.Or(v)), x.l.Max.Or(v))))
		}
		c.Series = append(c.Series, s)
	}
	if len(c.Series) == 0 {
		return nil, nil //nolint:nilnil // nothing to plot, and nothing wrong
	}
	return c, nil
}

// percentileTicks returns 1/(1-p) from 1 up to where a single sample lies beyond.
func percentileTicks(count uint64) []float64 {
	var all []float64
	const perTen = 24
	for i := 0; ; i++ {
		at := math.Pow(10, float64(i)/perTen)
		if at > float64(count) || i > 18*perTen {
			return all
		}
		all = append(all, at)
	}
}
