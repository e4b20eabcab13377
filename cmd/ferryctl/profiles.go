package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

// newProfiles builds `ferryctl profiles` and what is below it.
func newProfiles(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profiles",
		Short:   "list, show and check profiles",
		Long:    "A profile is a YAML file that sets knobs. Some are built in; any file can be one.",
		Example: "  ferryctl profiles list\n  ferryctl profiles show hotkeys\n  ferryctl profiles check ./mine.yaml",
	}
	cmd.AddCommand(newProfilesList(env), newProfilesShow(env), newProfilesCheck(env), newProfilesSchema(env))
	return cmd
}

func newProfilesList(env *environ) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the built-in profiles, one to a line",
		Long:  "List the built-in profiles, one to a line. show prints what one asks and what to see.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(env.stdout, 0, 0, 3, ' ', 0)
			for _, p := range profiles.List() {
				fmt.Fprintf(w, "%s\t%s\n", p.Name, p.Title)
			}
			return w.Flush()
		},
	}
}

const showLong = `Print the settings that profile, environment and flags give together, as a
profile, with where each value came from. bench would run just these. If nothing
overrides the profile, its comment comes first: what it asks and what to see.`

func newProfilesShow(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show [NAME|FILE] [flags]",
		Short:             "print the merged settings and where each value came from",
		Long:              showLong,
		Example:           "  ferryctl profiles show hotkeys\n  ferryctl profiles show tenants --batch-size 16 > mine.yaml",
		ValidArgsFunction: completeProfiles,
	}
	knobs := addKnobs(cmd, env)
	planned(cmd, env, knobs, mergeShown, func(_ *cobra.Command, s settings.Settings) error {
		if err := writeComment(env.stdout, s); err != nil {
			return err
		}
		return writeSettings(env.stdout, s)
	})
	return cmd
}

// mergeShown merges settings for a profile that may also be named by an argument.
func mergeShown(m messenger, knobs *knobFlags, args []string, parse error) (settings.Settings, error) {
	faults := []error{parse}
	switch {
	case len(args) > 1:
		faults = append(faults, fmt.Errorf("ferryctl profiles show takes one profile, got %q", strings.Join(args, " ")))
	case len(args) == 1:
		knobs.given = append(knobs.given, given{"profile", args[0]})
	}
	s, warnings, err := knobs.merge()
	m.warn(warnings)
	return s, errors.Join(append(faults, err)...)
}

// writeComment writes the comment of the built-in profile that s is, unless
// something overrides it: what is to be seen with other values is another matter.
func writeComment(w io.Writer, s settings.Settings) error {
	text, builtin := profiles.Source(s.Profile)
	if !builtin {
		return nil
	}
	for _, k := range settings.Knobs() {
		source := s.Source(k.Name)
		if strings.HasPrefix(source, "flag ") || strings.HasPrefix(source, "env ") {
			return nil
		}
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

func newProfilesSchema(env *environ) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "print the JSON Schema of profiles, for editors",
		Example: "  ferryctl profiles schema > profile.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := env.stdout.Write(profiles.JSONSchema())
			return err
		},
	}
}

// plainScalar is what YAML reads as the same text without quotes.
var plainScalar = regexp.MustCompile(`^[A-Za-z0-9./][A-Za-z0-9./%_+-]*$`)

// sourceColumn is where the sources stand, unless a value is longer.
const sourceColumn = 36

// writeSettings writes s as a profile that gives the same settings again, with
// the source of each value behind it. What gave way to another knob is a comment.
func writeSettings(w io.Writer, s settings.Settings) error {
	replaced := make(map[string]settings.Replacement)
	for _, r := range s.Replaced() {
		replaced[r.Knob] = r
	}
	knobsIn := make(map[string][]settings.Knob)
	var sections []string
	for _, k := range settings.Knobs() { // the knobs of a section need not stand together
		if knobsIn[k.Section] == nil {
			sections = append(sections, k.Section)
		}
		knobsIn[k.Section] = append(knobsIn[k.Section], k)
	}
	var text strings.Builder
	for _, section := range sections {
		knobs := knobsIn[section]
		indent := ""
		if len(knobs) > 1 { // else the section is the knob
			fmt.Fprintf(&text, "%s:\n", section)
			indent = "  "
		}
		for _, k := range knobs {
			value, source := s.Get(k.Name), s.Source(k.Name)
			line := indent + k.Name + ": " + scalar(value)
			if r, ok := replaced[k.Name]; ok {
				line = indent + "# " + k.Name + ": " + scalar(r.Text)
				source = fmt.Sprintf("%s; gave way to %s (%s)", r.Source, r.By, r.BySource)
			} else if value == "" {
				continue
			}
			fmt.Fprintf(&text, "%-*s # %s\n", sourceColumn, clean(line), oneLine(source))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// oneLine is text as it can stand in a comment.
func oneLine(text string) string { return strings.ReplaceAll(clean(text), "\n", "\uFFFD") }

// scalar writes a value as YAML.
func scalar(value string) string {
	if plainScalar.MatchString(value) {
		return value
	}
	if strings.ContainsFunc(value, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(value) // its escapes are YAML's too
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

func newProfilesCheck(env *environ) *cobra.Command {
	return &cobra.Command{
		Use:               "check NAME|FILE...",
		Short:             "check profiles, reporting every fault with its place",
		Example:           "  ferryctl profiles check ./mine.yaml",
		ValidArgsFunction: completeProfiles,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint(errors.New("ferryctl profiles check wants a profile"), "ferryctl profiles check ./mine.yaml")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var faults []error
			for _, name := range args {
				if err := checkProfile(name); err != nil {
					faults = append(faults, err)
					continue
				}
				if _, err := fmt.Fprintf(env.stdout, "%s: ok\n", clean(name)); err != nil {
					return err
				}
			}
			return usage(errors.Join(faults...))
		},
	}
}

// checkProfile returns every fault of a built-in profile or of a file.
func checkProfile(name string) error {
	text, builtin := profiles.Source(name)
	if builtin {
		return profiles.Check(name+".yaml", text)
	}
	if _, err := os.Stat(name); err != nil && !strings.ContainsAny(name, `/\.`) {
		_, err = profiles.Load(name) // says which profiles there are
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("profile %s: %w", name, plainError(err))
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, profiles.MaxSize+1)) // a larger one is refused by its size
	if err != nil {
		return fmt.Errorf("profile %s: %w", name, plainError(err))
	}
	return profiles.Check(name, text)
}
