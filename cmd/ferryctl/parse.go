package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ferryctl/workload/units"
)

// A given is one flag as the user gave it.
type given struct {
	flag, value string // the flag's name without dashes
}

// A recorder is a flag's value that only notes what was given. What it means,
// and whether it is sound, is judged once all of it is known.
type recorder struct {
	into *[]given
	flag string
	form string
}

func (r recorder) String() string { return "" }
func (r recorder) Type() string   { return r.form }

func (r recorder) Set(value string) error {
	*r.into = append(*r.into, given{r.flag, value})
	return nil
}

// parseAll parses args as often as it takes to report every fault in them, not
// the first alone, and returns what is left beside the flags. It calls reset
// before each pass. It ends, since each further pass has fewer args.
func parseAll(fs *pflag.FlagSet, args []string, reset func()) (rest []string, err error) {
	var faults []error
	for {
		reset()
		if len(args) == 0 {
			return nil, errors.Join(faults...)
		}
		err := fs.Parse(args)
		if err == nil {
			return fs.Args(), errors.Join(faults...)
		}
		faults = append(faults, describe(fs, err))
		at := offender(args, err)
		if at < 0 {
			return nil, errors.Join(faults...)
		}
		end := at + 1
		unknown, invalid := errors.As(err, new(*pflag.NotExistError)), errors.As(err, new(*pflag.InvalidValueError))
		if (unknown || invalid) && end < len(args) && !strings.HasPrefix(args[end], "-") && !strings.Contains(args[at], "=") {
			end++ // its value: of an unknown flag, most likely
		}
		args = slices.Delete(slices.Clone(args), at, end)
	}
}

// offender returns the index of the argument that err is about, -1 if it can't be told.
func offender(args []string, err error) int {
	var long, short string
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		long, short = unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
	case errors.As(err, &valueless):
		long, short = valueless.GetSpecifiedName(), valueless.GetSpecifiedShortnames()
	case errors.As(err, &invalid):
		long, short = invalid.GetFlag().Name, invalid.GetFlag().Shorthand
	case errors.As(err, &syntax):
		return slices.Index(args, syntax.GetSpecifiedFlag())
	}
	return slices.IndexFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--"+long || (short != "" && strings.HasPrefix(arg, "-"+short) && !strings.HasPrefix(arg, "--"))
	})
}

// describe words a parse error as this program does, with the nearest flag.
func describe(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		var names []string
		fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := strings.ReplaceAll(unknown.GetSpecifiedName(), "_", "-") // a knob's other spelling
		near := units.Nearest(name, names)
		if near != "" {
			near = "--" + near
		}
		return hint(fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName()), didYouMean(near))
	case errors.As(err, &valueless):
		return fmt.Errorf("flag --%s needs a value: %s", valueless.GetFlag().Name, valueless.GetFlag().Value.Type())
	case errors.As(err, &invalid):
		return fmt.Errorf("flag --%s: %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

// flagFault reports all faults in the flags of a command that has no other
// arguments to judge.
func flagFault(cmd *cobra.Command, args []string) error {
	_, rest, err := cmd.Root().Find(args)
	if err != nil {
		return err
	}
	_, err = parseAll(cmd.Flags(), rest, func() {})
	return err
}
