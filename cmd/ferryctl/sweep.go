package main

import (
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/export"
	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
)

const sweepLong = `Measure many settings under the same load, and report which of them nothing
beats, what each knob does, and which limit binds.

Any knob takes several values: a list (1,8,64), or a range (1..256:x2, 1..16:+1,
0.5ms..20ms:log:8, 1ms..9ms:lin:5), or ranges in a list (1,8..64:x2,unlimited).
Values that hold commas themselves (lane_rate, lanes, trace) are separated by
semicolons. The points are all combinations, at most 100,000, or with --sample a
part of them; then a range may do without a step (0.5ms..20ms:log) and gives any
value in between.

Points run in virtual time unless --clock real says otherwise, several at once.
By the real clock they run one by one, each three times (--repeat), in an order
drawn from the seed in which all are measured once before any is measured again.
All points of one repeat see the same arrivals; repeat 2 has the seed plus 1.

With --out, each run is on the disk (points.jsonl) before the next one is counted.
After Ctrl-C the running points are finished; after a kill they are lost. --resume
goes on, and ends with the same file. Ctrl-C twice leaves within a second.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 3 no point
that can be trusted meets the SLO, 4 no measurement is valid or suspect, 130, 143
or 129 after SIGINT, SIGTERM or SIGHUP.`

const sweepExamples = `  ferryctl sweep --profile hotkeys --batch-size 1..64:x4 --in-flight 4,16 --items 100k
  ferryctl sweep --profile overload --batch-delay 0s..20ms --queue 100..10k:log --sample 40 --items 50k
  ferryctl sweep --profile heavy --batch-weight 64KiB..4MiB:x4 --items 100k --out heavy
  ferryctl sweep --batch-size 1..256:x2 --batch-delay 0s,1ms,5ms --dry-run`

// newSweep builds `ferryctl sweep`.
func newSweep(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sweep [flags]",
		Short:   "measure a grid or a sample of settings",
		Long:    sweepLong,
		Example: sweepExamples,
	}
	knobs := addKnobs(cmd, env)
	cmd.Flags().Lookup("clock").DefValue = settings.Virtual
	knobs.add(cmd, "sample", "", "N", "Sweep", "measure so many points of the space instead of all")
	knobs.add(cmd, "design", "", strings.Join(sweep.Designs, "|"), "Sweep", "how these are chosen: randomised Halton sequence, or Latin hypercube (default "+sweep.Designs[0]+")")
	knobs.add(cmd, "jobs", "", "N", "Sweep", "points that run at once in virtual time; changes no figure (default one for each processor)")
	knobs.add(cmd, "skip-impossible", "", "yes|no", "Sweep", "leave out combinations that no run can have, instead of refusing them (default no)")
	knobs.add(cmd, "objectives", "", "FIGURE,...", "Sweep", "figures of the Pareto set and of what the knobs do, with max: or min: to turn one round (default "+sweep.DefaultObjectives+")")
	knobs.add(cmd, "trust", "", strings.Join(sweep.Trusts, "|"), "Sweep", "measurements that take part in these (default "+sweep.Trusts[0]+")")
	dry := cmd.Flags().Bool("dry-run", false, "print the points, and how long they will take by a short pilot")
	knobs.add(cmd, "output", "o", "FORMAT[=FILE]", "Output", "write the result as "+strings.Join(export.SweepFormats, ", ")+", repeatable; the table goes to stdout unless another format does")
	knobs.add(cmd, "out", "", "DIR", "Output", "keep every run in a folder, and write every format there")
	knobs.add(cmd, "resume", "", "DIR", "Output", "go on with the sweep in a folder, with its own settings")
	cmd.Flags().Lookup("dry-run").Annotations = map[string][]string{sectionKey: {"Sweep"}}
	for flag, words := range map[string][]string{
		"design": sweep.Designs, "trust": sweep.Trusts, "skip-impossible": {"yes", "no"}, "output": export.SweepFormats,
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	}
	for _, flag := range []string{"out", "resume"} {
		_ = cmd.MarkFlagDirname(flag) // so is this one
	}
	displayed(cmd, env, knobs, planSweep, func(env *environ, m messenger, p *sweepPlan, d display) error {
		p.display = d
		if *dry {
			return p.dryRun(env, m)
		}
		return p.run(env, m)
	})
	return cmd
}
