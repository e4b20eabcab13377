// The terminal that a screen is drawn on: what it can show, how large it is, how
// the process is suspended.

package main

import (
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ferryctl/tui"
)

// A terminal is stderr where that is a terminal which this process may draw on.
type terminal struct {
	in     io.Reader // keys; nil if stdin is none of its
	stdout bool      // stdout is a terminal too
	size   func() (columns, lines int)
	guard  func() (release func()) // sees to it that the terminal is whole in the end
}

// processTerminal returns the terminal of this process, nil if it has none. A
// process in the background may not draw.
func processTerminal() *terminal {
	fd := int(os.Stderr.Fd())
	if !term.IsTerminal(fd) || !foreground(fd) {
		return nil
	}
	t := &terminal{
		size: func() (columns, lines int) {
			w, h, err := term.GetSize(fd)
			if err != nil {
				return 0, 0
			}
			return w, h
		},
		guard:  guardTerminal,
		stdout: term.IsTerminal(int(os.Stdout.Fd())),
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		t.in = os.Stdin
	}
	return t
}

// foreground says whether the terminal's input is this process's.
func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// A suspender stops the process as Ctrl-Z does, and tells when it goes on after
// others have stopped it. SIGTSTP itself is never caught: once it was, the Go
// runtime would no longer let it stop the process.
type suspender struct {
	caught chan os.Signal
	onward chan struct{}
}

// catchResumes returns a suspender that serves until release.
func catchResumes() (s *suspender, release func()) {
	s = &suspender{make(chan os.Signal, 1), make(chan struct{}, 1)}
	signal.Notify(s.caught, syscall.SIGCONT)
	go func() {
		defer close(s.onward)
		for range s.caught {
			select {
			case s.onward <- struct{}{}:
			default: // one says as much as two
			}
		}
	}()
	return s, func() {
		signal.Stop(s.caught)
		close(s.caught)
	}
}

// stop stops the process and those of its group until they are told to go on.
func (s *suspender) stop() error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-again:
	case <-time.After(time.Second): // it was not stopped: nobody could tell an orphan to go on
	}
	return nil
}

// themeOf returns what the terminal can show.
func themeOf(env *environ, colored, ascii bool) tui.Theme {
	t := tui.Theme{ASCII: ascii, Light: lightBackground(env.get("COLORFGBG"))}
	if !colored {
		return t
	}
	switch colorprofile.Env(env.vars) {
	case colorprofile.TrueColor:
		t.Colors = tui.TrueColors
	case colorprofile.ANSI256:
		t.Colors = tui.Colors256
	default:
		t.Colors = tui.Colors16
	}
	return t
}

// lightBackground reads the variable in which terminals leave the numbers of
// their colours, "15;0" or "0;default;15": the last is the background's.
func lightBackground(text string) bool {
	_, last, ok := cutLast(text, ";")
	n, err := strconv.Atoi(last)
	return ok && err == nil && (n == 7 || n >= 9 && n <= 15)
}

func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
