// A sweep in the forms that people and other programs read.

package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// SweepFormats are the names that [WriteSweep] knows, the first being the default.
var SweepFormats = []string{"table", "json", "csv", "html", "md", "bench", "junit"}

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
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	row := func(number, repeat string, pareto bool, limits sweep.Limits, result *bench.Result, heading bool) error {
		all := []cell{
			{"point", number},
			{"run", repeat},
			{"pareto", strconv.FormatBool(pareto)},
			{"throughput_limit", strings.Join(limits.Throughput, "+")},
			{"latency_limit", strings.Join(limits.Latency, "+")},
			{"share_limit", strings.Join(limits.Shares, "+")},
		}
		all = append(all, cells(result)...)
		texts := make([]string, len(all))
		for i, c := range all {
			texts[i] = c.text
			if heading {
				texts[i] = c.name
			}
		}
		return out.Write(texts)
	}
	headed := false
	for record, err := range records.Records() {
		if err != nil {
			return err
		}
		limits := sweep.LimitsOf(record.Result)
		for _, heading := range []bool{true, false} {
			if heading && headed {
				continue
			}
			headed = true
			if err := row(strconv.Itoa(record.Point), strconv.Itoa(record.Repeat), front[record.Point], limits, record.Result, heading); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
