package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/export"
	"ferryctl/bench/sweep"
)

const reportLong = `Write a stored run, sweep or answer in another form. RUN is the JSON form of a run,
or of what ferryctl tune or capacity answered, a folder with one such (--out DIR), or
the folder of a sweep, which may still be running; nothing in it is changed. The
figures are those that were measured: nothing is computed anew.

Exit codes: 0 done, 1 a form could not be written, 2 usage, or RUN is none of these.`

const reportExamples = `  ferryctl report run.json --html run.html
  ferryctl report sweep/ --md sweep.md --objectives throughput,p99
  ferryctl report tuned/ --html tune.html
  ferryctl report run.json -o prom=run.prom -o junit=run.xml`

// newReport builds `ferryctl report`.
func newReport(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "report RUN [flags]",
		Short:   "write a stored run, sweep or answer in another form",
		Long:    reportLong,
		Example: reportExamples,
	}
	flags := &knobFlags{env: env}
	flags.add(cmd, "html", "", "FILE", "Output", "write one page with plots; the same as -o html=FILE")
	flags.add(cmd, "md", "", "FILE", "Output", "write Markdown; the same as -o md=FILE")
	flags.add(cmd, "objectives", "", "FIGURE,...", "Sweep", "figures of the Pareto set and of what the knobs do (default "+sweep.DefaultObjectives+")")
	flags.add(cmd, "trust", "", strings.Join(sweep.Trusts, "|"), "Sweep", "measurements that take part in these (default "+sweep.Trusts[0]+")")
	formats := fmt.Sprintf("%s (of a sweep %s; of an answer %s)", strings.Join(export.Formats, ", "), strings.Join(export.SweepFormats, ", "), strings.Join(export.SearchFormats, ", "))
	rewrites(cmd, env, flags, formats, planReport)
	return cmd
}

// planReport reads what there is, and settles every fault at once.
func planReport(f *faulty, args []string) (*rewriting, func() error, error) {
	if len(args) != 1 {
		return nil, nil, hint(fmt.Errorf("ferryctl report takes one run, sweep or answer, got %d arguments", len(args)), "ferryctl compare sets several side by side")
	}
	w := &rewriting{forms: runForms}
	found, err := findStored(args[0])
	f.add(err)
	objectives, err := sweep.ParseObjectives(f.or("objectives", sweep.DefaultObjectives))
	f.add(behind("flag --objectives: ", err))
	trust, err := sweep.ParseTrust(f.or("trust", sweep.Trusts[0]))
	f.add(behind("flag --trust: ", err))
	if found.sweep != "" {
		w.forms = sweepForms
	} else if len(found.files) > 0 {
		f.add(w.read(found))
	}
	specs := f.knobs.all("output")
	for _, form := range []string{"html", "md"} {
		if file := f.one(form); file != "" {
			specs = append(specs, form+"="+file)
		}
	}
	w.settle(f, specs, found)
	if err := errors.Join(f.faults...); err != nil {
		return nil, nil, err
	}
	if found.sweep == "" {
		return w, func() error { return nil }, nil
	}
	end, err := w.readSweep(found.sweep, objectives, trust)
	return w, end, err
}

// read reads a run or an answer.
func (w *rewriting) read(found stored) error {
	if n := len(found.files); n > 1 {
		return hint(fmt.Errorf("%s holds %d results: want one", found.path, n), "ferryctl report "+quoted(found.files[0]))
	}
	d, err := readDocument(found.files[0])
	if err != nil {
		return err
	}
	w.forms, w.write = forms{d.Formats, d.Stem}, d.Write
	return nil
}

// readSweep reads a sweep; end closes it.
func (w *rewriting) readSweep(dir string, objectives []sweep.Objective, trust sweep.Trust) (end func() error, err error) {
	store, err := readSweep(dir)
	if err != nil {
		return nil, err
	}
	report, err := sweep.Analyse(store, objectives, trust)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), store.Close())
	}
	w.write = func(into io.Writer, format string) error { return export.WriteSweep(into, format, report, store) }
	return store.Close, nil
}
