// --capture-worst: the run's worst moment as a trace, one more output.

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/workload/units"
)

// captureFormat is the name of the output among the others.
const captureFormat = "trace"

// A capture asks for the arrivals of the worst interval, and of the time before
// it. The zero capture asks for nothing.
type capture struct {
	before time.Duration
	file   string
}

// parseCapture reads the flag's value, DURATION=FILE or a DURATION with the file
// as the command's one argument, and returns the arguments that are left.
func parseCapture(value string, args []string, s settings.Settings) (c capture, rest []string, err error) {
	if value == "" {
		return capture{}, args, nil
	}
	before, file, ok := strings.Cut(value, "=")
	if !ok && len(args) > 0 {
		file, args, ok = args[0], args[1:], true
	}
	if !ok || file == "" {
		return capture{}, args, fmt.Errorf("flag --capture-worst: %q names no file: want a duration and a file, such as 2s worst.csv", value)
	}
	c.file = file
	if c.before, err = units.ParseDuration(before); err != nil {
		return capture{}, args, fmt.Errorf("flag --capture-worst: %w", err)
	}
	if s.Clients > 0 || s.Rate.Max {
		return capture{}, args, errors.New("flag --capture-worst: clients, and rate max, have no schedule to capture: want a rate or a trace")
	}
	return c, args, nil
}

// outputs returns the capture as an output, if it asks for anything.
func (c capture) outputs() []output {
	if c.file == "" {
		return nil
	}
	return []output{{format: captureFormat, file: c.file}}
}
