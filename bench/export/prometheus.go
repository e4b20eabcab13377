// The Prometheus form: every figure as a gauge in base units, for a text file
// collector or a push gateway.

package export

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// A family is one metric and its series.
type family struct {
	dto.MetricFamily
	seen map[string]bool // label values, so that no series is there twice
}

// families keeps metrics in the order in which they first appear.
type families struct {
	run   []string // labels of the run itself: name, value, name, value …
	all   []*family
	names map[string]*family
}

// add adds a series of a gauge. A value that is missing has none.
func (f *families) add(name, help string, v bench.Num, labels ...string) {
	value, ok := v.Get()
	if !ok {
		return
	}
	m := f.names[name]
	if m == nil {
		m = &family{seen: map[string]bool{}}
		m.Name, m.Help, m.Type = &name, &help, dto.MetricType_GAUGE.Enum()
		f.names[name] = m
		f.all = append(f.all, m)
	}
	series := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	labels = slices.Concat(f.run, labels)
	for i := 0; i < len(labels); i += 2 {
		series.Label = append(series.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
	}
	slices.SortFunc(series.Label, func(a, b *dto.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) })
	if key := strings.Join(labels, "\x00"); !m.seen[key] {
		m.seen[key] = true
		m.Metric = append(m.Metric, series)
	}
}

// write writes the text format.
func (f *families) write(w io.Writer) error {
	for _, m := range f.all {
		if _, err := expfmt.MetricFamilyToText(w, &m.MetricFamily); err != nil {
			return err
		}
	}
	return nil
}

// writePrometheus writes the text format. The names are those of the CSV columns
// behind ferryctl_, times in seconds; what is missing has no line. Label values are
// UTF-8 without what is not visible.
func writePrometheus(w io.Writer, r *bench.Result) error {
	kernel, _ := r.Settings.Get("kernel")
	f := &families{names: map[string]*family{}, run: []string{
		"profile", plain(r.Profile), "kernel", plain(kernel), "clock", plain(r.Clock), "workload_hash", plain(r.WorkloadHash),
	}}
	f.add("ferryctl_complete", "1 if the run went to its end", yes(r.Complete))
	for _, v := range []bench.Verdict{bench.Valid, bench.Suspect, bench.Invalid} {
		f.add("ferryctl_measurement", "1 for the verdict on the measurement", yes(r.Measurement.Verdict == v), "verdict", string(v))
	}
	for _, t := range r.SLO {
		f.add("ferryctl_slo_met", "1 if the term of the objective was met", yes(t.OK), "term", plain(t.Term))
	}
	whole := func(name string, n uint64) { base(f, name, bench.Some(float64(n))) }
	figures(r, func(name string, v bench.Num) { base(f, name, v) }, whole)
	for _, l := range r.Lanes {
		lane := []string{"lane", plain(l.Lane)}
		for _, c := range []struct {
			outcome string
			n       uint64
		}{{"offered", l.Offered}, {"done", l.Done}, {"rejected", l.Rejected}} {
			f.add("ferryctl_lane_items", "items of a share lane", bench.Some(float64(c.n)), append(lane, "outcome", c.outcome)...)
		}
		for _, p := range bench.Percentiles {
			f.add("ferryctl_lane_sojourn_seconds", "percentiles of a share lane's sojourn", scaled(l.Sojourn.At(p.Name), 1e9), append(lane, "percentile", p.Name)...)
		}
		f.add("ferryctl_lane_error_ratio", "how far a share lane is from what it was owed", l.ErrorRatio, lane...)
	}
	return f.write(w)
}

// knobLabel is a knob's value as a label; of what is no knob, in a file from
// elsewhere, there is none.
func knobLabel(knob, text string) []string {
	if _, ok := settings.Lookup(knob); !ok {
		return nil
	}
	return []string{knob, plain(text)}
}

// gaugePoints is how many points of a sweep have gauges: first those of the Pareto
// set. The CSV form has them all.
const gaugePoints = 500

// writeSweepPrometheus writes the figures of points, as medians over their runs, each
// with its number and the knobs that vary as labels.
func writeSweepPrometheus(w io.Writer, r *sweep.Report) error {
	f := &families{names: map[string]*family{}}
	varies := map[string]bool{}
	for _, a := range r.Space.Axes {
		varies[a.Knob] = true
	}
	for _, x := range []cell{{"profile", r.Header.Profile}, {"clock", r.Header.Clock}} {
		if !varies[x.name] {
			f.run = append(f.run, x.name, plain(x.text))
		}
	}
	f.add("ferryctl_complete", "1 if all runs of the sweep were made", yes(r.Complete))
	f.add("ferryctl_sweep_points", "points that were measured", bench.Some(float64(len(r.Outcomes))))
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	left := gaugePoints
	for _, pareto := range []bool{true, false} {
		for _, o := range r.Outcomes {
			if front[o.Point] != pareto || left == 0 {
				continue
			}
			left--
			labels := []string{"point", strconv.Itoa(o.Point)}
			for i, v := range r.Space.Point(o.Point).Values {
				labels = append(labels, knobLabel(r.Space.Axes[i].Knob, v.Text)...)
			}
			f.add("ferryctl_sweep_pareto", "1 for a point of the Pareto set", yes(pareto), labels...)
			f.add("ferryctl_sweep_valid", "1 if all measurements of a point are VALID", yes(o.Verdict == bench.Valid), labels...)
			if o.SLO != sweep.NoSLO {
				f.add("ferryctl_sweep_slo_met", "1 if all runs of a point met the SLO", yes(o.SLO == sweep.SLOMet), labels...)
			}
			for _, g := range sweep.Figures {
				base(f, "sweep_"+g.Name, o.Of(g), labels...)
			}
		}
	}
	return f.write(w)
}

// base adds a figure by its column, in base units.
func base(f *families, column string, v bench.Num, labels ...string) {
	name, help := "ferryctl_"+column, "as the column "+column
	switch {
	case strings.HasSuffix(name, "_per_s"):
		name += "econd"
	case strings.HasSuffix(name, "_ns"):
		name, v, help = strings.TrimSuffix(name, "ns")+"seconds", scaled(v, 1e9), help+", in seconds"
	case strings.HasSuffix(name, "_s"):
		name = strings.TrimSuffix(name, "s") + "seconds"
	}
	f.add(name, help, v, labels...)
}

// scaled divides a figure.
func scaled(n bench.Num, by float64) bench.Num {
	if v, ok := n.Get(); ok {
		return bench.Some(v / by)
	}
	return bench.Num{}
}
