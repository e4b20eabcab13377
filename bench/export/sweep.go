// A sweep in the forms that people and other programs read.

package export

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench/sweep"
)

// SweepFormats are the names that [WriteSweep] knows, the first being the default.
var SweepFormats = []string{"table", "json", "csv", "html", "md", "prom", "bench", "junit"}

// WriteSweep writes a sweep in the named format. Most are drawn from the report, with
// a point's figures as medians over its runs; csv and bench have one row a run, read
// from the store one by one. The error names the
// formats there are if format is none of them.
func WriteSweep(w io.Writer, format string, r *sweep.Report, records *sweep.Store) error {
	switch format {
	case "table":
		return writeSweepTable(w, r)
	case "json":
		return writeSweepJSON(w, r)
	case "csv":
		return writeSweepCSV(w, r, records)
	case "html":
		return writeSweepHTML(w, r)
	case "md":
		return writeSweepMarkdown(w, r)
	case "prom":
		return writeSweepPrometheus(w, r)
	case "bench":
		return writeSweepGoBench(w, records)
	case "junit":
		return writeSweepJUnit(w, r)
	}
	return fmt.Errorf("unknown output format %q: want one of %s", format, strings.Join(SweepFormats, ", "))
}

// writeSweepCSV writes a heading and a row for each run. Before the columns that a
// single run has stand those that say what it is in the sweep.
func writeSweepCSV(w io.Writer, r *sweep.Report, records *sweep.Store) error {
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	var fault error
	rows := func(yield func([]string) bool) {
		headed := false
		for record, err := range records.Records() {
			if err != nil {
				fault = err
				return
			}
			limits := sweep.LimitsOf(record.Result)
			all := append([]cell{
				{"point", strconv.Itoa(record.Point)},
				{"run", strconv.Itoa(record.Repeat)},
				{"pareto", strconv.FormatBool(front[record.Point])},
				{"throughput_limit", inert(strings.Join(limits.Throughput, "+"))},
				{"latency_limit", inert(strings.Join(limits.Latency, "+"))},
				{"share_limit", inert(strings.Join(limits.Shares, "+"))},
			}, cells(record.Result)...)
			names, texts := unzip(all)
			if !headed && !yield(names) || !yield(texts) {
				return
			}
			headed = true
		}
	}
	return errors.Join(writeRows(w, rows), fault)
}
