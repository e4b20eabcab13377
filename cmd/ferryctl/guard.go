// The guard: a second process that gives the terminal back if this one dies with
// the screen up. Nothing within a process can do that: a panic in any goroutine,
// a fault of the runtime and a SIGKILL end it before any of its code runs again.

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// guardArgument is the only argument of a guard.
const guardArgument = "__guard-terminal"

// guardWithin is how long the screen waits for its guard.
const guardWithin = time.Second

// Done is what a guard is told at the end, when there is nothing to give back.
var guardDone = []byte("done\n")

// giveBack leaves the alternate screen, brings back the cursor, and ends all
// that a screen may have begun.
const giveBack = "\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m\r"

// guardTerminal starts a guard and returns once it has seen the terminal as it
// is. release tells it that all is well. Without a guard there is a screen all
// the same.
func guardTerminal() (release func()) {
	nothing := func() {}
	path, err := os.Executable()
	if err != nil {
		return nothing
	}
	news, line, err := os.Pipe()
	if err != nil {
		return nothing
	}
	defer news.Close()
	cmd := &exec.Cmd{
		Path: path, Args: []string{os.Args[0], guardArgument},
		Stdin: news, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // what ends this process's group must not end the guard
	}
	ready, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		line.Close()
		return nothing
	}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		_, _ = ready.Read(make([]byte, 1)) // or it is gone
	}()
	select {
	case <-seen:
	case <-time.After(guardWithin):
	}
	_ = debug.SetCrashOutput(line, debug.CrashOptions{}) // without it the crash is on the screen that is left
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = line.Write(guardDone)
		_ = line.Close()
		_ = cmd.Wait()
	}
}

// guard is the second process: it waits for the end of the first. What it reads
// until then is what the first had to say as it crashed.
func guard(news io.Reader, ready io.Writer, tty *os.File) {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGTTOU, syscall.SIGTTIN)
	fd := int(tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return
	}
	parent := os.Getppid()
	group, err := unix.Getpgid(parent)
	if err != nil {
		return
	}
	_, _ = ready.Write([]byte{'\n'})
	giveBackAfter(news, tty, state, group)
}

// crashHolds is the most of a crash that is printed.
const crashHolds = 1 << 20

// giveBackAfter gives the terminal back to the state that it had before the group
// of processes drew on it, unless news says that all is well.
//
// The modes come back with the first word of a crash, while the process has yet
// to write the rest: once it is gone its shell looks at the terminal, and a shell
// that finds it without echo after an ordinary exit keeps it so.
func giveBackAfter(news io.Reader, tty *os.File, state *term.State, group int) {
	restore := func() {
		// Once a shell has taken the terminal back it is the shell's to set.
		if owner, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP); err != nil || owner == group {
			_ = term.Restore(int(tty.Fd()), state)
		}
	}
	text := make([]byte, 512)
	n, _ := news.Read(text)
	if text = text[:n]; bytes.Equal(text, guardDone) {
		return
	}
	restore()
	rest, _ := io.ReadAll(io.LimitReader(news, crashHolds))
	_, _ = tty.Write(append([]byte(giveBack), append(text, rest...)...))
}
