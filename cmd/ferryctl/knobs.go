package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/profiles"
	"ferryctl/workload/units"
)

// envPrefix opens the name of every environment variable that is read here.
const envPrefix = "FERRYCTL_"

// envOthers are variables with the prefix that set no knob: the profile to
// start from, and the folder of recorded traces that the tests replay.
var envOthers = []string{envPrefix + "PROFILE", envPrefix + "TRACES"}

// headings are those of the knobs' sections in the help.
var headings = map[string]string{"kernel": "Kernel", "workload": "Workload", "backend": "Backend", "run": "Run", "slo": "SLO"}

// knobFlags are the flags of a command that takes settings: one for each knob,
// --set and --profile.
type knobFlags struct {
	env   *environ
	given []given
}

// addKnobs gives cmd the flags of all knobs. A fault in any flag makes the
// command report the faults of all of them.
func addKnobs(cmd *cobra.Command, env *environ) *knobFlags {
	k := &knobFlags{env: env}
	k.add(cmd, "profile", "", "NAME|FILE", "Profile", "start from a built-in profile or a YAML file; see ferryctl profiles list")
	k.add(cmd, "set", "", "knob=value", "Profile", "set any knob by its name, repeatable")
	for _, knob := range settings.Knobs() {
		form := strings.ReplaceAll(knob.Form, "…", "...") // the help's columns are counted in bytes
		k.add(cmd, knob.Flag, "", form, headings[knob.Section], knob.Doc)
		cmd.Flags().Lookup(knob.Flag).DefValue = knob.Default
	}
	cmd.Flags().SortFlags = false
	completeKnobs(cmd)
	return k
}

// add gives cmd a flag that is recorded in k.
func (k *knobFlags) add(cmd *cobra.Command, name, short, form, section, doc string) {
	cmd.Flags().VarP(recorder{&k.given, name, form}, name, short, doc)
	cmd.Flags().Lookup(name).Annotations = map[string][]string{sectionKey: {section}}
}

// reparse parses the flags of cmd once more, past every fault in them, and
// returns the other arguments.
func (k *knobFlags) reparse(cmd *cobra.Command) ([]string, error) {
	_, args, err := cmd.Root().Find(k.env.args)
	if err != nil {
		return nil, err
	}
	return parseAll(cmd.Flags(), args, func() { k.given = nil })
}

// all returns every value that the flag was given.
func (k *knobFlags) all(flag string) []string {
	var values []string
	for _, g := range k.given {
		if g.flag == flag {
			values = append(values, g.value)
		}
	}
	return values
}

// one returns the value of a flag that has one, "" if it was not given.
func (k *knobFlags) one(flag string) (string, error) {
	values := k.all(flag)
	if len(values) == 0 {
		return "", nil
	}
	if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return "", fmt.Errorf("flag --%s is given %d times, as %s; want it once", flag, len(values), strings.Join(values, " and "))
	}
	if values[0] == "" {
		return "", fmt.Errorf("flag --%s is empty", flag)
	}
	return values[0], nil
}

// An assignment is a knob's value and where it was found.
type assignment struct {
	knob, value, source string
}

// layers returns the settings to start from, those of the profile or the defaults,
// and what environment and flags assign, each outranking the ones before it.
func (k *knobFlags) layers() (s settings.Settings, as []assignment, warnings, err error) {
	fromEnv, profile, warnings := k.fromEnv()
	fromFlags, flagErr := k.fromFlags()
	name, nameErr := k.one("profile")
	if name == "" {
		name = profile
	}
	s = settings.Default()
	var profileErr error
	if name != "" {
		var loaded settings.Settings
		if loaded, profileErr = profiles.Load(name); profileErr == nil {
			s = loaded
		}
	}
	return s, append(fromEnv, fromFlags...), warnings, errors.Join(flagErr, nameErr, profileErr)
}

// merge returns the settings that all layers give together, and every fault among
// them.
func (k *knobFlags) merge() (s settings.Settings, warnings, err error) {
	s, as, warnings, err := k.layers()
	faults := []error{err}
	for _, a := range as {
		err := s.Set(a.knob, a.value, a.source)
		if knob, ok := settings.Lookup(a.knob); err != nil && ok && sweep.Several(knob, a.value) {
			err = hint(err, "ferryctl sweep takes lists and ranges, and measures each of their values")
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return s, warnings, err
	}
	if err := s.Validate(); err != nil {
		return s, warnings, err
	}
	return withModel(s, warnings)
}

// withModel reads the backend's model, if it has one: what is wrong with that file
// should be said before anything starts.
func withModel(s settings.Settings, warnings error) (settings.Settings, error, error) {
	loaded, err := s.Backend.Load()
	if err == nil && s.Clock == settings.Both {
		_, err = loaded.Origin()
	}
	if err != nil {
		var faults []error
		for _, fault := range leaves(err) {
			faults = append(faults, fmt.Errorf("%s: backend: %w", s.Source("backend"), fault))
		}
		return s, warnings, errors.Join(faults...)
	}
	s.Backend = loaded
	return s, warnings, s.Validate() // by the model's costs, which were not known
}

// fromEnv reads the environment in the order of its names. A variable that is
// set but empty counts as not set. One with an unknown name is worth a warning
// and no more: it may be meant for another version.
func (k *knobFlags) fromEnv() (as []assignment, profile string, warnings error) {
	known := make(map[string]string)
	names := slices.Clone(envOthers)
	for _, knob := range settings.Knobs() {
		name := envPrefix + strings.ToUpper(knob.Name)
		known[name] = knob.Name
		names = append(names, name)
	}
	vars := slices.Clone(k.env.vars)
	slices.Sort(vars)
	var unknown []error
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		knob, isKnob := known[name]
		switch {
		case !strings.HasPrefix(name, envPrefix) || value == "":
		case name == envPrefix+"PROFILE":
			profile = value
		case isKnob:
			as = append(as, assignment{knob, value, "env " + name})
		case !slices.Contains(envOthers, name):
			unknown = append(unknown, hint(fmt.Errorf("environment variable %s names no knob and is ignored", name),
				didYouMean(units.Nearest(name, names))))
		}
	}
	return as, profile, errors.Join(unknown...)
}

// fromFlags reads the knobs' flags and --set. Both outrank the rest alike, so a
// knob that is given two values is a fault rather than a guess.
func (k *knobFlags) fromFlags() ([]assignment, error) {
	byFlag := make(map[string]string)
	var names []string
	for _, knob := range settings.Knobs() {
		byFlag[knob.Flag] = knob.Name
		names = append(names, knob.Name)
	}
	var as []assignment
	var faults []error
	seen := make(map[string]assignment)
	for _, g := range k.given {
		a := assignment{byFlag[g.flag], g.value, "flag --" + g.flag}
		if g.flag == "set" {
			name, value, ok := strings.Cut(g.value, "=")
			a = assignment{strings.ReplaceAll(name, "-", "_"), value, "flag --set " + name}
			switch {
			case !ok:
				faults = append(faults, fmt.Errorf("flag --set %q: want knob=value", g.value))
				continue
			case !slices.Contains(names, a.knob):
				faults = append(faults, hint(fmt.Errorf("flag --set %q: no knob is called %q", g.value, name), didYouMean(units.Nearest(a.knob, names))))
				continue
			}
		}
		if a.knob == "" {
			continue // a flag that is no knob
		}
		if before, twice := seen[a.knob]; twice {
			if before.value != a.value {
				faults = append(faults, fmt.Errorf("knob %s is given twice: %q by %s and %q by %s", a.knob, before.value, before.source, a.value, a.source))
			}
			continue
		}
		seen[a.knob] = a
		as = append(as, a)
	}
	return as, errors.Join(faults...)
}
