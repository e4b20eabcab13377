// The exit codes, each with its meaning: scripts branch on them, so they don't change.

package main

import (
	"errors"
	"os"
	"syscall"
)

const (
	// exitDone: everything that was asked for has been done.
	exitDone = 0

	// exitFailed: it started and failed, or a result could not be written.
	exitFailed = 1

	// exitUsage: the command line, the environment or a profile is wrong.
	// Nothing was started and no file was written.
	exitUsage = 2

	// exitSLOMissed: the run is complete, its measurement can be relied on, and
	// at least one SLO term was missed. A term without data is missed. Of compare: a
	// figure is worse by more than the threshold, and by more than chance.
	exitSLOMissed = 3

	// exitInvalid: the run is complete, but its measurement can't be relied on
	// (the rate was not held, the generator was saturated, …). It outranks
	// exitSLOMissed: a verdict on figures that don't hold is none. Of compare: too few
	// runs to tell whether there is a regression.
	exitInvalid = 4

	// exitHangup, exitInterrupt, exitTerminate: stopped by SIGHUP, SIGINT or
	// SIGTERM. What was measured until then has been written, marked
	// "complete": false. They outrank every other code.
	exitHangup    = 128 + int(syscall.SIGHUP)
	exitInterrupt = 128 + int(syscall.SIGINT)
	exitTerminate = 128 + int(syscall.SIGTERM)
)

// exitOfSignal returns the code of a process that sig has ended.
func exitOfSignal(sig os.Signal) int {
	switch sig {
	case syscall.SIGHUP:
		return exitHangup
	case syscall.SIGTERM:
		return exitTerminate
	default:
		return exitInterrupt
	}
}

// An exitError ends a command with a code. Its err may be nil: then the output
// has said already what there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return "stopped"
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks err as a fault of what was asked for. A nil err stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// exitCode maps the error of a command to the code of the process.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitFailed
}
