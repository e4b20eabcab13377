// What other programs read: exact integers, and what a run without a machine and
// a day has in their place.

package export

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"ferryctl/bench"
)

// row returns the cells of a result's CSV by column.
func row(t *testing.T, r *bench.Result) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text(t, "csv", r))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for i, name := range rows[0] {
		by[name] = rows[1][i]
	}
	return by
}

func TestIntegersInCSVAreWrittenDigitByDigit(t *testing.T) {
	r := full()
	r.Seed = 9007199254740993
	r.Settings = bench.Settings{setting("seed", "9007199254740993"), setting("keys", "100000000"), setting("key_skew", "1.1"), setting("queue", `"unlimited"`)}
	r.Counts.LateMaxNS = bench.Some(10_118_000)
	r.Rates.Offered, r.Rates.Rejected = bench.Some(123456789012345), bench.Some(0.000001)
	r.Measurement.LittlesLawGap = bench.Some(1e-17)
	got := row(t, r)
	for name, want := range map[string]string{
		"seed": "9007199254740993", "keys": "100000000", "key_skew": "1.1", "queue": "unlimited", "late_max_ns": "10118000",
		"offered_per_s": "123456789012345", "rejected_ratio": "0.000001", "littles_law_gap_ratio": "1e-17",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestARunWithoutAMachineHasNoneInItsFiles(t *testing.T) {
	r := full()
	r.Environment = bench.Environment{Version: "v0.1.0"}
	cells := row(t, r)
	var document struct {
		Environment map[string]*json.RawMessage `json:"environment"`
	}
	if err := json.Unmarshal([]byte(text(t, "json", r)), &document); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go", "os", "arch", "cpus", "gomaxprocs", "cpu_model", "commit", "started", "ended"} {
		if v, there := document.Environment[name]; !there || v != nil {
			t.Errorf("environment.%s is not null (there: %v)", name, there)
		}
		if cells[name] != "" {
			t.Errorf("the column %s is %q", name, cells[name])
		}
	}
	if document.Environment["version"] == nil || cells["version"] != "v0.1.0" {
		t.Error("the version is lost")
	}
	back, err := Read(strings.NewReader(text(t, "json", r)))
	if err != nil || back.Environment != r.Environment {
		t.Errorf("read back as %+v, %v", back.Environment, err)
	}
}

func TestAnIntervalLogWithoutADateBeginsAtTheEpoch(t *testing.T) {
	r := full()
	r.Environment = bench.Environment{}
	log := text(t, "hlog", r)
	if !strings.Contains(log, "#[StartTime: 0.000 (seconds since epoch), 1970-01-01T00:00:00Z]\n#[BaseTime: 0.000 ") {
		t.Errorf("the log begins with\n%.300s", log)
	}
	in := hdr.NewHistogramLogReader(strings.NewReader(log))
	lines := 0
	for {
		h, err := in.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		if at := h.StartTimeMs(); h.Tag() == "" && at != int64(1000*lines) {
			t.Errorf("interval %d starts at %d ms", lines, at)
		}
		lines++
	}
	if lines < len(r.Intervals) {
		t.Errorf("the reader finds %d lines", lines)
	}
}

func TestBothClocksHaveTheirColumns(t *testing.T) {
	r := full()
	r.Model = &bench.Model{Figures: []bench.ModelFigure{
		{Name: "throughput_per_s", Virtual: bench.Some(50_000), Gap: bench.Some(-0.01)},
		{Name: "rejected_ratio", Virtual: bench.Some(0), Gap: bench.Some(0.002)},
		{Name: "sojourn_p99_ns", Virtual: bench.Some(2e7), Gap: bench.Some(0.25)},
	}}
	got := row(t, r)
	for name, want := range map[string]string{
		"virtual_throughput_per_s": "50000", "gap_throughput_ratio": "-0.01", "gap_rejected_ratio": "0.002",
		"virtual_sojourn_p99_ns": "20000000", "gap_sojourn_p99_ratio": "0.25", "gap_sojourn_p50_ratio": "",
	} {
		if v, there := got[name]; !there || v != want {
			t.Errorf("%s is %q (there: %v), want %q", name, v, there, want)
		}
	}
}
