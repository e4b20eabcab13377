package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/export"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

const reportLong = `Write a stored run or sweep in another form. RUN is the JSON form of a run, a
folder with one, or the folder of a sweep, which may still be running; nothing in
it is changed. The figures are those that were measured: nothing is computed anew.

Exit codes: 0 done, 1 a form could not be written, 2 usage, or RUN is neither a
run nor a sweep.`

const reportExamples = `  ferryctl report run.json --html run.html
  ferryctl report sweep/ --md sweep.md --objectives throughput,p99
  ferryctl report run.json -o prom=run.prom -o junit=run.xml`

// newReport builds `ferryctl report`.
func newReport(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "report RUN [flags]",
		Short:   "write a stored run or sweep in another form",
		Long:    reportLong,
		Example: reportExamples,
	}
	flags := &knobFlags{env: env}
	flags.add(cmd, "html", "", "FILE", "Output", "write one page with plots; the same as -o html=FILE")
	flags.add(cmd, "md", "", "FILE", "Output", "write Markdown; the same as -o md=FILE")
	flags.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write it as "+strings.Join(export.Formats, ", ")+" (of a sweep "+strings.Join(export.SweepFormats, ", ")+"), repeatable")
	flags.add(cmd, "out", "", "DIR", "Output", "write every format into a folder")
	flags.add(cmd, "objectives", "", "FIGURE,...", "Sweep", "figures of the Pareto set and of what the knobs do (default "+sweep.DefaultObjectives+")")
	flags.add(cmd, "trust", "", strings.Join(sweep.Trusts, "|"), "Sweep", "measurements that take part in these (default "+sweep.Trusts[0]+")")
	ascii := cmd.Flags().Bool("ascii", false, "write the table without characters beyond ASCII")
	cmd.Flags().Lookup("ascii").Annotations = map[string][]string{sectionKey: {"Output"}}
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := planReport(flags, args)
		if err != nil {
			return usage(err)
		}
		p.ascii = *ascii
		return p.run(env, messengerOf(cmd, env))
	}
	return cmd
}

// A reportPlan is a report that nothing speaks against.
type reportPlan struct {
	outputs []output
	dir     string
	ascii   bool
	forms   forms
	write   func(w io.Writer, format string) error
	close   func() error
}

// planReport reads what there is, and settles every fault at once.
func planReport(flags *knobFlags, args []string) (*reportPlan, error) {
	if len(args) != 1 {
		return nil, hint(fmt.Errorf("ferryctl report takes one run or sweep, got %d arguments", len(args)), "ferryctl compare sets several side by side")
	}
	var faults []error
	one := func(flag, otherwise string) string {
		v, err := flags.one(flag)
		if faults = append(faults, err); v == "" {
			return otherwise
		}
		return v
	}
	p := &reportPlan{forms: runForms, close: func() error { return nil }}
	found, err := findStored(args[0])
	faults = append(faults, err)
	objectives, err := sweep.ParseObjectives(one("objectives", sweep.DefaultObjectives))
	faults = append(faults, behind("flag --objectives: ", err))
	trust, err := sweep.ParseTrust(one("trust", sweep.Trusts[0]))
	faults = append(faults, behind("flag --trust: ", err))
	if found.sweep != "" {
		p.forms = sweepForms
	}
	specs := flags.all("output")
	for _, form := range []string{"html", "md"} {
		if file := one(form, ""); file != "" {
			specs = append(specs, form+"="+file)
		}
	}
	p.dir = one("out", "")
	p.outputs, err = parseOutputs(specs, p.dir, p.forms)
	faults = append(faults, err, checkOutputs(p.outputs, p.dir, append(filesInUse(flags.env, settings.Settings{}), found.inUse()...)))
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return p, p.read(found, objectives, trust)
}

// read reads the run or the sweep.
func (p *reportPlan) read(found stored, objectives []sweep.Objective, trust sweep.Trust) error {
	if found.sweep == "" {
		if n := len(found.files); n > 1 {
			return hint(fmt.Errorf("%s holds %d results: want one", found.path, n), "ferryctl report "+quoted(found.files[0]))
		}
		r, err := readRun(found.files[0])
		if err != nil {
			return err
		}
		p.write = func(w io.Writer, format string) error { return export.Write(w, format, r) }
		return nil
	}
	store, err := readSweep(found.sweep)
	if err != nil {
		return err
	}
	report, err := sweep.Analyse(store, objectives, trust)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", found.sweep, err), store.Close())
	}
	p.close = store.Close
	p.write = func(w io.Writer, format string) error { return export.WriteSweep(w, format, report, store) }
	return nil
}

// run writes the forms.
func (p *reportPlan) run(env *environ, m messenger) error {
	wrote := func(o output) { m.say("wrote %s to %s", o.format, clean(o.file)) }
	err := writeOutputs(p.outputs, p.dir, env.stdout, wrote, func(w io.Writer, format string) error {
		if p.ascii && format == p.forms.names[0] {
			w = asciiWriter{w}
		}
		return p.write(w, format)
	})
	return errors.Join(err, p.close())
}
