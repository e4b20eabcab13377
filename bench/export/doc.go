// Package export writes a [bench.Result] in the forms that people and other
// programs read, and reads the JSON form back.
//
//	table  for people, plain text of at most 100 columns, no escapes
//	json   everything, schema ferryctl.result/v1
//	csv    one row of every knob and figure, RFC 4180
//	hlog   HdrHistogram interval log, for HistogramLogProcessor and its kin
//	hgrm   percentile distribution of the sojourn, for HdrHistogram plotters
//	html   one page with plots, which fetches nothing and runs no script but its own
//	md     the table's rows as tables of Markdown
//	prom   every figure in the text format of Prometheus
//	bench  a line of the format of Go's benchmarks, for benchstat
//	junit  verdict and objective as test cases, for the reports of a CI
//
// Sweeps, the answers of searches and comparisons have most of these too:
// [WriteSweep], [WriteTune], [WriteCapacity], [WriteComparison].
//
// All of them are drawn from the one result and compute nothing of their own
// that another could contradict. Names of lanes and profiles are data: they are
// escaped or made harmless in every form. A figure that is missing is null, an
// empty cell or a dash, never 0.
package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ferryctl/bench"
)

// Formats are the names that [Write] knows, the first being the default.
var Formats = []string{"table", "json", "csv", "hlog", "hgrm", "html", "md", "prom", "bench", "junit"}

// Write writes r in the named format. The error names the formats there are if
// format is none of them; otherwise it is w's.
func Write(w io.Writer, format string, r *bench.Result) error {
	writers := []func(io.Writer, *bench.Result) error{
		writeTable, writeResult, writeCSV, writeHlog, writeHgrm, writeHTML, writeMarkdown, writePrometheus, writeGoBench, writeJUnit,
	}
	i := slices.Index(Formats, format)
	if i < 0 {
		return fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(Formats, ", "))
	}
	return writers[i](w, r)
}
