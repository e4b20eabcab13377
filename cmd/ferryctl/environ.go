package main

import (
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/term"

	"ferryctl/bench"
)

// An environ is everything of the process that a command may touch. Commands
// take it as an argument and never reach for package os themselves, so a test
// runs a whole command without a process.
type environ struct {
	args           []string // without the program's name
	stdout, stderr io.Writer
	vars           []string  // "NAME=value"
	terminal       bool      // whether stderr is a terminal
	tty            *terminal // stderr as a terminal to draw on; nil if it is none
	width          func() int
	// signals makes SIGINT, SIGTERM and SIGHUP arrive there, until they are
	// released to end the process themselves again.
	signals func() (_ <-chan os.Signal, release func())
	press   func()           // asks for an end as SIGINT does; nil where there are no keys
	exit    func(code int)   // ends the process at once
	build   *debug.BuildInfo // nil if the binary holds none
	run     runner
}

// processEnviron returns the environ of this process.
func processEnviron() environ {
	signal.Ignore(syscall.SIGPIPE) // the write that meets a closed pipe reports it
	build, _ := debug.ReadBuildInfo()
	return environ{
		args:     os.Args[1:],
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		vars:     os.Environ(),
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		tty:      processTerminal(),
		width: func() int {
			w, _, err := term.GetSize(int(os.Stderr.Fd()))
			if err != nil {
				return 0
			}
			return w
		},
		signals: catchSignals,
		exit:    os.Exit,
		build:   build,
		run:     bench.Run,
	}
}

// catchSignals hands over the signals that ask for an end, which until then end
// the process themselves. SIGHUP stays ignored under nohup. SIGINT does not,
// although a shell without job control ignores it for what it starts in the
// background: a script must be able to stop a run.
func catchSignals() (_ <-chan os.Signal, release func()) {
	c := make(chan os.Signal, 4) // a run is stopped by two; more say nothing new
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	return c, func() { signal.Stop(c) }
}

// get returns the value of an environment variable, "" if it is not set.
func (e environ) get(name string) string {
	for i := len(e.vars) - 1; i >= 0; i-- {
		if n, value, _ := strings.Cut(e.vars[i], "="); n == name {
			return value
		}
	}
	return ""
}

// plain says whether stderr is to be treated as a file whatever it is: a dumb
// terminal can't move its cursor, and a CI's log keeps every line.
func (e environ) plain() bool {
	return !e.terminal || e.get("TERM") == "dumb" || (e.get("CI") != "" && e.get("CI") != "false")
}

// colored says whether messages may be coloured. The flag outranks NO_COLOR,
// which counts if it holds anything at all.
func (e environ) colored(mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	default:
		return !e.plain() && e.get("NO_COLOR") == ""
	}
}
