package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageTemplate is cobra's with flags under the headings that flagGroups gives.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{range flagGroups .}}

{{.Title}}:
{{.Usages}}{{end}}{{if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help says more about a command.{{end}}
`

// sectionKey is the annotation of a flag that names its heading.
const sectionKey = "ferryctl_section"

// A flagGroup is the flags under one heading of a command's help.
type flagGroup struct {
	Title, Usages string
}

// flagGroups sorts the flags of cmd under their headings, in the order in which
// these first appear; flags without one come last.
func flagGroups(cmd *cobra.Command) []flagGroup {
	const rest = "Flags"
	var order []string
	sets := make(map[string]*pflag.FlagSet)
	add := func(f *pflag.Flag) {
		title := rest
		if s := f.Annotations[sectionKey]; len(s) == 1 {
			title = s[0]
		}
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
			order = append(order, title)
		}
		sets[title].AddFlag(f)
	}
	cmd.LocalFlags().SortFlags = false
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	if i := slices.Index(order, rest); i >= 0 {
		order = append(slices.Delete(order, i, i+1), rest)
	}
	groups := make([]flagGroup, 0, len(order))
	for _, title := range order {
		groups = append(groups, flagGroup{title, strings.TrimRight(sets[title].FlagUsagesWrapped(helpWidth), "\n")})
	}
	return groups
}

// helpWidth is where help is wrapped: the width that every terminal has, so the
// text is the same in a pipe, in a document and on the screen.
const helpWidth = 100

// A choice is a flag that takes one of a few words.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(value string) error {
	if !slices.Contains(c.of, value) {
		return fmt.Errorf("want %s", strings.Join(c.of, ", "))
	}
	c.value = value
	return nil
}
