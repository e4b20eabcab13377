// The CSV form: a heading and one row, every knob and every figure.

package export

import (
	"encoding/csv"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferryctl/bench"
)

// A cell is one column of the row.
type cell struct{ name, text string }

func writeCSV(w io.Writer, r *bench.Result) error {
	names, texts := unzip(cells(r))
	return writeRows(w, slices.Values([][]string{names, texts}))
}

// unzip returns the names and the texts of cells.
func unzip(all []cell) (names, texts []string) {
	for _, c := range all {
		names, texts = append(names, c.name), append(texts, c.text)
	}
	return names, texts
}

// writeRows writes a heading and rows as RFC 4180 has them.
func writeRows(w io.Writer, rows iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for row := range rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// inert returns text that no spreadsheet takes for a formula: a quote goes before
// the characters that begin one. Numbers are never passed through it.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

// decimal writes a figure so that it reads back to the same one, without an
// exponent unless it is so large or so small that nobody could read it.
func decimal(n bench.Num) string {
	v, ok := n.Get()
	if size := math.Abs(v); ok && (v == 0 || size >= 1e-9 && size < 1e21) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return n.String()
}

// cells returns the columns in order. Knobs have their own names; a figure's name
// is its path in the JSON form, joined by underscores, its unit at the end.
// Lanes, intervals and batch-size counts do not fit a row and are left out.
func cells(r *bench.Result) []cell {
	var out []cell
	text := func(name, v string) { out = append(out, cell{name, inert(v)}) }
	num := func(name string, n bench.Num) { out = append(out, cell{name, decimal(n)}) }
	literal := func(name, v string) { out = append(out, cell{name, v}) }
	whole := func(name string, n uint64) { out = append(out, cell{name, strconv.FormatUint(n, 10)}) }

	text("schema", r.Schema)
	text("complete", strconv.FormatBool(r.Complete))
	text("verdict", string(r.Measurement.Verdict))
	text("reasons", strings.Join(r.Measurement.Reasons, "; "))
	text("slo_met", sloMet(r))
	text("slo_values", sloValues(r))
	text("fairness_worst_lane", r.Fairness.WorstLane)
	text("fairness_note", r.Fairness.Note)
	text("warnings", strings.Join(r.Warnings, "; "))
	text("workload_hash", r.WorkloadHash)
	whole("workload_items", r.Items)
	text("cost_model_sha256", modelHash(r))
	knobs(r, text, literal)
	environment(r.Environment, text, whole)
	figures(r, num, whole)
	return out
}

// modelHash names the calibrated model that the calls followed, "" if none.
func modelHash(r *bench.Result) string {
	if r.CostModel == nil {
		return ""
	}
	return r.CostModel.SHA256
}

// knobs writes each setting under its own name, and profile, seed and clock if
// no setting has them. Numbers are copied digit by digit: a seed is exact beyond
// what a float64 holds.
func knobs(r *bench.Result, text, literal func(name, v string)) {
	seen := map[string]bool{}
	for _, s := range r.Settings {
		seen[s.Knob] = true
		v := s.Text()
		if v == "null" {
			v = ""
		}
		if _, err := strconv.ParseFloat(v, 64); err == nil && v == string(s.Value) {
			literal(s.Knob, v)
			continue
		}
		text(s.Knob, v)
	}
	for _, s := range []cell{{"profile", r.Profile}, {"clock", r.Clock}, {"seed", strconv.FormatUint(r.Seed, 10)}} {
		if !seen[s.name] {
			text(s.name, s.text)
		}
	}
	text("seed_drawn", strconv.FormatBool(r.SeedDrawn))
}

func environment(e bench.Environment, text func(name, v string), whole func(string, uint64)) {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	some := func(name string, n int) {
		if n > 0 {
			whole(name, uint64(n))
			return
		}
		text(name, "")
	}
	text("go", e.Go)
	text("os", e.OS)
	text("arch", e.Arch)
	some("cpus", e.CPUs)
	some("gomaxprocs", e.GOMAXPROCS)
	text("cpu_model", e.CPUModel)
	text("version", e.Version)
	text("commit", e.Commit)
	text("started", stamp(e.Started))
	text("ended", stamp(e.Ended))
}

func figures(r *bench.Result, num func(string, bench.Num), whole func(string, uint64)) {
	num("window_warmup_s", r.Window.Warmup)
	num("window_measured_s", r.Window.Measured)
	num("window_drain_s", r.Window.Drain)
	c := r.Counts
	whole("offered", c.Offered)
	whole("done", c.Done)
	whole("rejected", c.Rejected)
	whole("failed", c.Failed)
	whole("cancelled", c.Cancelled)
	whole("unsent", c.Unsent)
	whole("late", c.Late)
	whole("in_flight_at_end", c.InFlightAtEnd)
	num("late_max_ns", c.LateMaxNS)
	num("offered_per_s", r.Rates.Offered)
	num("throughput_per_s", r.Rates.Throughput)
	num("batches_per_s", r.Rates.Batches)
	num("rejected_ratio", r.Rates.Rejected)
	num("rejected_count_bound", r.Rates.CountBound)
	num("rejected_weight_bound", r.Rates.WeightBound)
	num("rejected_part_bound", r.Rates.PartBound)
	latency := func(name string, l bench.Latency) {
		whole(name+"_count", l.Count)
		num(name+"_mean_ns", l.Mean)
		num(name+"_min_ns", l.Min)
		num(name+"_max_ns", l.Max)
		for _, p := range bench.Percentiles {
			num(name+"_"+p.Name+"_ns", l.At(p.Name))
		}
		whole(name+"_overflow", l.Overflow)
	}
	latency("sojourn", r.Latency.Sojourn)
	latency("wait", r.Latency.Wait)
	latency("service", r.Latency.Service)
	latency("delivery", r.Latency.Delivery)
	virtual(r, num)
	num("split_lag_ns", r.Split.Lag)
	num("split_forming_ns", r.Split.Forming)
	num("split_turn_ns", r.Split.Turn)
	num("split_slot_ns", r.Split.Slot)
	num("split_service_ns", r.Split.Service)
	insides(r, num, whole)
}

func insides(r *bench.Result, num func(string, bench.Num), whole func(string, uint64)) {
	b := r.Batches
	whole("batches_count", b.Count)
	num("batches_size_mean", b.Size.Mean)
	num("batches_size_p50", b.Size.P50)
	num("batches_size_p99", b.Size.P99)
	num("batches_size_max", b.Size.Max)
	whole("batches_left_size", b.Left.Size)
	whole("batches_left_weight", b.Left.Weight)
	whole("batches_left_delay", b.Left.Delay)
	whole("batches_left_freed", b.Left.Freed)
	whole("batches_left_direct", b.Left.Direct)
	whole("batches_left_close", b.Left.Close)
	num("room_mean_queued", r.Room.MeanQueued)
	num("room_max_queued", r.Room.MaxQueued)
	num("room_max_queued_weight", r.Room.MaxQueuedWeight)
	num("room_max_in_flight", r.Room.MaxInFlight)
	whole("lanes_count", uint64(len(r.Lanes)))
	num("fairness_worst_error_ratio", r.Fairness.WorstErrorRatio)
	num("fairness_max_lag_units", r.Fairness.MaxLagUnits)
	num("fairness_bound_units", r.Fairness.BoundUnits)
	num("fairness_jain", r.Fairness.Jain)
	m := r.Measurement
	num("generator_ceiling_per_s", m.GeneratorCeiling)
	num("generator_load_ratio", m.GeneratorLoad)
	num("gc_max_pause_ns", m.GCMaxPause)
	num("gc_paused_ns", m.GCPaused)
	num("gc_count", m.GCCount)
	num("littles_law_gap_ratio", m.LittlesLawGap)
	num("backend_service_asked_mean_ns", m.ServiceAsked)
	num("backend_service_actual_mean_ns", m.ServiceActual)
	num("backend_waited_mean_ns", m.BackendWaited)
	num("callers", m.Callers)
}

// sloMet is "true", "false", or "" without an objective.
func sloMet(r *bench.Result) string {
	if len(r.SLO) == 0 {
		return ""
	}
	for _, t := range r.SLO {
		if !t.OK {
			return "false"
		}
	}
	return "true"
}

func sloValues(r *bench.Result) string {
	var parts []string
	for _, t := range r.SLO {
		v := t.Value.String()
		if v == "" {
			v = "no data"
		}
		parts = append(parts, t.Term+" -> "+v)
	}
	return strings.Join(parts, "; ")
}

// virtual writes what a run in virtual time came to, beside the real figures, and
// how far those are from it; empty without one.
func virtual(r *bench.Result, num func(string, bench.Num)) {
	by := map[string]bench.ModelFigure{}
	if r.Model != nil {
		for _, f := range r.Model.Figures {
			by[f.Name] = f
		}
	}
	for _, name := range []string{"throughput_per_s", "rejected_ratio", "sojourn_mean_ns", "sojourn_p50_ns", "sojourn_p99_ns", "sojourn_p999_ns"} {
		num("virtual_"+name, by[name].Virtual)
		bare := name
		for _, unit := range []string{"_per_s", "_ns", "_ratio"} {
			bare = strings.TrimSuffix(bare, unit)
		}
		num("gap_"+bare+"_ratio", by[name].Gap)
	}
}
