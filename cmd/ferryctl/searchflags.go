// What commands that search have in common: their flags, and writing their answer.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/bench/sweep"
	"ferryctl/bench/tune"
)

// A faulty collects the faults of flags while it reads them.
type faulty struct {
	knobs  *knobFlags
	faults []error
}

func (f *faulty) add(err ...error) { f.faults = append(f.faults, err...) }

// one returns the value of a flag, "" if it was not given.
func (f *faulty) one(flag string) string {
	v, err := f.knobs.one(flag)
	f.add(err)
	return v
}

// number returns that of a flag that counts something, 0 if it was not given.
func (f *faulty) number(flag string, most int64) int {
	n, err := number(flag, f.one(flag), most)
	f.add(err)
	return n
}

// duration returns that of a flag, 0 if it was not given.
func (f *faulty) duration(flag string) time.Duration {
	text := f.one(flag)
	if text == "" {
		return 0
	}
	d, err := parseSpan(text)
	f.add(behind("flag --"+flag+": ", err))
	return d
}

// count returns the number of a flag that may be none, otherwise if it was not given.
func (f *faulty) count(flag string, most int64, otherwise int) int {
	switch f.one(flag) {
	case "":
		return otherwise
	case "0":
		return 0
	}
	return f.number(flag, most)
}

// objective returns what is sought.
func (f *faulty) objective() sweep.Objective {
	most, least := f.one("maximize"), f.one("minimize")
	if most != "" && least != "" {
		f.add(fmt.Errorf("flags --maximize %s and --minimize %s: want one of them, and bounds on the other in --slo", most, least))
	}
	flag, name := "maximize", most
	switch {
	case least != "":
		flag, name = "minimize", least
	case most == "":
		name = "throughput"
	}
	o, err := tune.ParseObjective(name, flag == "maximize")
	f.add(behind("flag --"+flag+": ", err))
	return o
}

// noArguments refuses arguments that are no flags.
func noArguments(command string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return hint(fmt.Errorf("ferryctl %s takes no arguments, got %q", command, strings.Join(args, " ")), didYouMean("--profile "+args[0]))
}

// startAndAxes returns the settings before a search, and the knobs that vary. A
// knob that varies starts where the layers below the flags have it.
func (k *knobFlags) startAndAxes(m messenger) (settings.Settings, []sweep.Axis, error) {
	start, axes, warnings, err := k.mergeAxes()
	m.warn(warnings)
	if err != nil {
		return start, axes, err
	}
	if source := start.Source("clock"); start.Clock != settings.Virtual && !strings.HasPrefix(source, "flag ") && !strings.HasPrefix(source, "env ") {
		err = start.Set("clock", settings.Virtual, "flag of the search")
	}
	if err == nil && len(axes) == 0 {
		err = start.Validate() // else the space looks at every point
	}
	return start, axes, err
}

// checkNew refuses a file that is there already.
func checkNew(file string) error {
	if file == "" {
		return nil
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("flag --save %s: there is such a file: want another name, no profile is overwritten", file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("flag --save %s: %w", file, plainError(err))
	}
	if _, _, err := resolve(file); err != nil {
		return fmt.Errorf("flag --save %s: %w", file, err)
	}
	return nil
}

// saveProfile writes the recommended settings as a profile, to a file that must not
// be there. What could not be written whole is not left.
func saveProfile(file string, knobs map[string]string, q *tune.Query) error {
	s, err := saved(q, knobs)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("profile %s: %w", file, plainError(err))
	}
	err = errors.Join(writeSettings(f, s), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("profile %s: %w", file, errors.Join(err, os.Remove(file)))
	}
	return nil
}
