// The form of Go's benchmarks, which benchstat reads.

package export

import (
	"io"
	"math"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

// benchFigures are the figures of a benchmark's line and their units. A unit in ns
// is one that benchstat scales.
var benchFigures = []struct {
	column, unit string
	better       string // what benchstat says of a change: higher or lower
}{
	{"sojourn_mean_ns", "ns/item", ""},
	{"sojourn_p50_ns", "p50-ns", "lower"},
	{"sojourn_p90_ns", "p90-ns", "lower"},
	{"sojourn_p99_ns", "p99-ns", "lower"},
	{"sojourn_p999_ns", "p99.9-ns", "lower"},
	{"throughput_per_s", "items/s", "higher"},
	{"rejected_ratio", "rejected", "lower"},
	{"batches_size_mean", "inputs/batch", "higher"},
}

// writeGoBench writes one run as one line.
func writeGoBench(w io.Writer, r *bench.Result) error {
	out := benchfmt.NewWriter(w)
	if err := benchUnits(out); err != nil {
		return err
	}
	return writeBenchLine(out, r)
}

// writeBenchLine leaves out a run that measured nothing: a line without a figure is
// none.
func writeBenchLine(out *benchfmt.Writer, r *bench.Result) error {
	line := benchLine(r)
	if len(line.Values) == 0 {
		return nil
	}
	return out.Write(line)
}

// writeSweepGoBench writes a line for each run of each point.
func writeSweepGoBench(w io.Writer, records *sweep.Store) error {
	out := benchfmt.NewWriter(w)
	if err := benchUnits(out); err != nil {
		return err
	}
	for record, err := range records.Records() {
		if err != nil {
			return err
		}
		if err := writeBenchLine(out, record.Result); err != nil {
			return err
		}
	}
	return nil
}

func benchUnits(out *benchfmt.Writer) error {
	for _, f := range benchFigures {
		if f.better == "" {
			continue
		}
		m := &benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: f.unit, Key: "better"}, OrigUnit: f.unit, Value: f.better}
		if err := out.Write(m); err != nil {
			return err
		}
	}
	return nil
}

// benchLine is a run as a benchmark. What the load and the backend are is
// configuration, so that runs under different ones are not put side by side; the
// kernel's knobs, where they are not at their defaults, are keys in the name. The seed is in neither: runs that differ in
// it are samples of the same.
func benchLine(r *bench.Result) *benchfmt.Result {
	b := &benchfmt.Result{Iters: int(min(max(r.Counts.Done, 1), math.MaxInt32))}
	configure := func(key, value string) {
		if value != "" && value != "null" {
			b.Config = append(b.Config, benchfmt.Config{Key: key, Value: []byte(plain(value)), File: true})
		}
	}
	configure("goos", r.Environment.OS)
	configure("goarch", r.Environment.Arch)
	configure("cpu", r.Environment.CPUModel)
	name := "Run/profile=" + keyValue(r.Profile)
	for _, s := range r.Settings {
		k, ok := settings.Lookup(s.Knob)
		switch {
		case !ok:
		case k.Section == "kernel":
			if text := s.Text(); text != "" && text != "null" && (k.Name == "kernel" || !atDefault(k.Name, text)) {
				name += "/" + k.Name + "=" + keyValue(settingText(s))
			}
		case k.Section == "workload", k.Section == "backend", k.Name == "clock":
			configure(k.Name, s.Text())
		}
	}
	b.Name = benchfmt.Name(name)
	by := map[string]bench.Num{}
	figures(r, func(column string, v bench.Num) { by[column] = v }, func(string, uint64) {})
	for _, f := range benchFigures {
		if v, ok := by[f.column].Get(); ok {
			b.Values = append(b.Values, benchfmt.Value{Value: v, Unit: f.unit})
		}
	}
	return b
}

// keyValue writes text as a name's value allows it: no white space, and no slash,
// which would begin another key.
func keyValue(text string) string {
	if text == "" {
		return "none"
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, plain(text))
}
