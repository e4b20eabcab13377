// The Prometheus form: every figure as a gauge in base units, for a text file
// collector or a push gateway.

package export

import (
	"cmp"
	"io"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"ferryctl/bench"
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

// writePrometheus writes the text format. The names are those of the CSV columns
// behind ferryctl_, times in seconds; what is missing has no line. Label values are
// UTF-8 without what is not visible.
func writePrometheus(w io.Writer, r *bench.Result) error {
	kernel, _ := r.Settings.Get("kernel")
	f := &families{names: map[string]*family{}, run: []string{
		"profile", plain(r.Profile), "kernel", plain(kernel), "clock", plain(r.Clock), "workload_hash", plain(r.WorkloadHash),
	}}
	one := func(is bool) bench.Num {
		if is {
			return bench.Some(1)
		}
		return bench.Some(0)
	}
	f.add("ferryctl_complete", "1 if the run went to its end", one(r.Complete))
	for _, v := range []bench.Verdict{bench.Valid, bench.Suspect, bench.Invalid} {
		f.add("ferryctl_measurement", "1 for the verdict on the measurement", one(r.Measurement.Verdict == v), "verdict", string(v))
	}
	for _, t := range r.SLO {
		f.add("ferryctl_slo_met", "1 if the term of the objective was met", one(t.OK), "term", plain(t.Term))
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
	for _, m := range f.all {
		if _, err := expfmt.MetricFamilyToText(w, &m.MetricFamily); err != nil {
			return err
		}
	}
	return nil
}

// base adds a figure by its column, in base units.
func base(f *families, column string, v bench.Num) {
	name, help := "ferryctl_"+column, "as the column "+column
	switch {
	case strings.HasSuffix(name, "_per_s"):
		name += "econd"
	case strings.HasSuffix(name, "_ns"):
		name, v, help = strings.TrimSuffix(name, "ns")+"seconds", scaled(v, 1e9), help+", in seconds"
	case strings.HasSuffix(name, "_s"):
		name = strings.TrimSuffix(name, "s") + "seconds"
	}
	f.add(name, help, v)
}

// scaled divides a figure.
func scaled(n bench.Num, by float64) bench.Num {
	if v, ok := n.Get(); ok {
		return bench.Some(v / by)
	}
	return bench.Num{}
}
