package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

// completeProfiles offers the built-in profiles, and files.
func completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, p := range profiles.List() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.Title))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// words is the form of a knob that takes one of a few words.
var words = regexp.MustCompile(`^[a-z]+(\|[a-z]+)*$`)

// completeKnobs lets the shell offer values where there are few, files where a
// file is wanted, and nothing that could not be right.
func completeKnobs(cmd *cobra.Command) {
	offer := func(flag string, values []cobra.Completion, directive cobra.ShellCompDirective) {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, directive)) // fails for unknown flags alone
	}
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles) // as above
	var names []cobra.Completion
	for _, k := range settings.Knobs() {
		names = append(names, k.Name+"=")
		switch {
		case k.Form == "FILE":
			offer(k.Flag, nil, cobra.ShellCompDirectiveDefault)
		case words.MatchString(k.Form):
			offer(k.Flag, strings.Split(k.Form, "|"), cobra.ShellCompDirectiveNoFileComp)
		default:
			offer(k.Flag, []cobra.Completion{k.Example}, cobra.ShellCompDirectiveNoFileComp)
		}
	}
	offer("set", names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
}
