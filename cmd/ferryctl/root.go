package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

const rootLong = `ferryctl tunes batchers: it runs the real kernels of the ferry library under
synthetic or recorded load and shows what each setting costs in latency,
throughput, rejections and fairness.`

// Three commands to paste, the first of which needs nothing else.
const rootExamples = `  ferryctl bench --profile hotkeys
  ferryctl bench --profile overload --queue 500 --slo 'p99<=20ms,rejected<=40%'
  ferryctl profiles show tenants --batch-size 16`

// execute runs the command that env names and returns the exit code.
func execute(env environ) int {
	out := &notedWriter{w: env.stdout}
	root := newRoot(&env, out)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		err = out.err
	}
	m := messengerOf(root, &env)
	if errors.Is(err, syscall.EPIPE) {
		return exitFailed // who no longer reads the result needs no message about it
	}
	m.fail(err)
	return exitCode(err)
}

// A notedWriter keeps the first error of a writer, since cobra drops those of its
// help.
type notedWriter struct {
	w   io.Writer
	err error
}

func (n *notedWriter) Write(p []byte) (int, error) {
	written, err := n.w.Write(p)
	if n.err == nil {
		n.err = err
	}
	return written, err
}

// messengerOf returns what cmd speaks through, coloured as its flags say.
func messengerOf(cmd *cobra.Command, env *environ) messenger {
	color := cmd.Root().PersistentFlags().Lookup("color").Value.String()
	return messenger{env.stderr, env.colored(color)}
}

// newRoot builds all commands; cobra writes its own texts to out.
func newRoot(env *environ, out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "ferryctl",
		Short:         "tune batchers",
		Long:          rootLong,
		Example:       rootExamples,
		Version:       version(env.build),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetArgs(env.args)
	root.SetOut(out)
	root.SetErr(env.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if all := flagFault(cmd, env.args); all != nil {
			err = all
		}
		return usage(err)
	})
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("ferryctl {{.Version}}\n")
	root.PersistentFlags().Var(&choice{"auto", []string{"auto", "always", "never"}}, "color", "colour messages; auto: on a terminal, unless NO_COLOR, CI or TERM=dumb")
	cobra.AddTemplateFunc("flagGroups", flagGroups)
	root.AddCommand(newBench(env), newSweep(env), newCompare(env), newReport(env), newTune(env), newCapacity(env), newCalibrate(env), newProfiles(env), newValues(env), newVersion(env))
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(env.args...)
	refuseAsUsage(root)
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "print the completion script of a shell"
		}
	}
	return root
}

// refuseAsUsage makes wrong arguments of any command a fault of usage, those of
// the commands that cobra brings along included, and lets a command that only
// groups others print its help.
func refuseAsUsage(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = knownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return usage(check(cmd, args)) }
	}
	for _, sub := range cmd.Commands() {
		refuseAsUsage(sub)
	}
}

// knownCommand refuses what is left over when no command has that name.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return hint(err, didYouMean(cmd.CommandPath()+" "+near[0]))
	}
	return hint(err, fmt.Sprintf("%s --help lists the commands", cmd.CommandPath()))
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), strings.Join(args, " "))
}

// newHelp is `ferryctl help [COMMAND]`; unlike cobra's own it fails for a
// command that does not exist.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "print help about a command",
		Args: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return knownCommand(cmd, rest)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}
