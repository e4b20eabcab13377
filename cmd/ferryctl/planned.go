// What commands have in common that settle everything before anything starts.

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// A settle turns flags into a plan, or reports every fault at once. parse is what
// was wrong with the flags' form.
type settle[P any] func(m messenger, knobs *knobFlags, args []string, parse error) (P, error)

// planned has a command settle its plan and then run it. Faults of the flags' form
// are reported with all others.
func planned[P any](cmd *cobra.Command, env *environ, knobs *knobFlags, settle settle[P], run func(cmd *cobra.Command, p P) error) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		rest, parse := knobs.reparse(cmd)
		if parse == nil {
			return usage(err)
		}
		_, err = settle(messengerOf(cmd, env), knobs, rest, parse)
		return usage(err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := settle(messengerOf(cmd, env), knobs, args, nil)
		if err != nil {
			return usage(err)
		}
		return run(cmd, p)
	}
}

// A display is how a command shows what it does and writes what people read.
type display struct {
	ascii   bool // without characters beyond ASCII
	drawn   bool // on a screen
	colored bool // … in colour
}

// asciiFlag adds --ascii.
func asciiFlag(cmd *cobra.Command, what string) *bool {
	ascii := cmd.Flags().Bool("ascii", false, "write "+what+" without characters beyond ASCII")
	cmd.Flags().Lookup("ascii").Annotations = map[string][]string{sectionKey: {"Output"}}
	return ascii
}

// displayed has a command of the form of planned show what it does on a screen, by
// --screen and --ascii. Each key that asks for an end counts as a signal.
func displayed[P any](cmd *cobra.Command, env *environ, knobs *knobFlags, settled settle[P], run func(env *environ, m messenger, p P, d display) error) {
	mode := &choice{screenModes[0], screenModes}
	cmd.Flags().Var(mode, "screen", "draw it on the terminal while it goes on; auto: wherever stderr can show it")
	cmd.Flags().Lookup("screen").Annotations = map[string][]string{sectionKey: {"Output"}}
	ascii := asciiFlag(cmd, "the table, the screen and the live line")
	checked := func(m messenger, knobs *knobFlags, args []string, parse error) (P, error) {
		p, err := settled(m, knobs, args, parse)
		return p, errors.Join(err, checkScreen(env, mode.value))
	}
	planned(cmd, env, knobs, checked, func(cmd *cobra.Command, p P) error {
		d := display{ascii: *ascii, drawn: draws(env, mode.value)}
		d.colored = env.colored(cmd.Root().PersistentFlags().Lookup("color").Value.String())
		m := messengerOf(cmd, env)
		if d.ascii {
			m.w = asciiWriter{m.w}
		}
		return run(withKeys(env), m, p, d)
	})
}
