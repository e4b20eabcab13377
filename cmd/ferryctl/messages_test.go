package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"ferryctl/bench"
)

func TestEveryFaultIsOneMessage(t *testing.T) {
	base := errors.New("plain")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"none", nil, ""},
		{"one", base, "ferryctl: error: plain\n"},
		{
			"joined, nested", errors.Join(base, errors.Join(errors.New("b"), errors.New("c"))),
			"ferryctl: error: plain\nferryctl: error: b\nferryctl: error: c\n",
		},
		{"hint", hint(base, "try this"), "ferryctl: error: plain\nferryctl: hint: try this\n"},
		{
			"hint inside a join", errors.Join(hint(base, "try this"), errors.New("b")),
			"ferryctl: error: plain\nferryctl: hint: try this\nferryctl: error: b\n",
		},
		{"no advice", hint(base, ""), "ferryctl: error: plain\n"},
		{"wrapped keeps its words", fmt.Errorf("both: %w, %w", base, base), "ferryctl: error: both: plain, plain\n"},
		{"with an exit code", usage(errors.Join(base, base)), "ferryctl: error: plain\nferryctl: error: plain\n"},
		{"only an exit code", &exitError{exitFailed, nil}, ""},
		{"several lines", errors.New("a\nb"), "ferryctl: error: a\n    b\n"},
		{"escapes", errors.New("a\x1b[2Jb\r"), "ferryctl: error: a\ufffd[2Jb\ufffd\n"},
	}
	for _, tt := range tests {
		var b strings.Builder
		messenger{w: &b}.fail(tt.err)
		if b.String() != tt.want {
			t.Errorf("%s: printed %q, want %q", tt.name, b.String(), tt.want)
		}
	}
}

func TestExitCodeOfAnError(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{io.EOF, exitFailed},
		{usage(io.EOF), exitUsage},
		{fmt.Errorf("later: %w", &exitError{exitInvalid, io.EOF}), exitInvalid},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("exit code of %v is %d, want %d", tt.err, got, tt.want)
		}
	}
	if usage(nil) != nil {
		t.Error("no error became a fault of usage")
	}
}

func TestColorFollowsFlagThenEnvironment(t *testing.T) {
	tests := []struct {
		mode     string
		terminal bool
		vars     []string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, []string{"NO_COLOR=1"}, false},
		{"auto", true, []string{"NO_COLOR="}, true},
		{"auto", true, []string{"TERM=dumb"}, false},
		{"auto", true, []string{"CI=true"}, false},
		{"auto", true, []string{"CI=false"}, true},
		{"never", true, nil, false},
		{"always", false, []string{"NO_COLOR=1"}, true},
	}
	for _, tt := range tests {
		env := environ{terminal: tt.terminal, vars: tt.vars}
		if got := env.colored(tt.mode); got != tt.want {
			t.Errorf("--color %s, terminal %v, %q: coloured %v, want %v", tt.mode, tt.terminal, tt.vars, got, tt.want)
		}
	}
}

// TestWhatCannotBeWrittenIsAFailure: every command whose text does not get through
// says so, and by its exit code too; a reader that has gone away is told nothing.
func TestWhatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--help"},
		{"--version"},
		{"help"},
		{"help", "bench"},
		{"bench", "--help"},
		{"profiles"},
		{"profiles", "list"},
		{"profiles", "show", "hotkeys"},
		{"profiles", "check", "hotkeys"},
		{"version"},
		{"completion"},
		{"completion", "bash"},
		{"bench"},
	} {
		for errno, words := range map[syscall.Errno]string{syscall.ENOSPC: "no space left", syscall.EPIPE: ""} {
			r := try(gives(result(bench.Valid), nil), func(e *environ) { e.stdout = failing{errno} }, args...)
			if r.code != exitFailed || !strings.Contains(r.stderr, words) || (words == "") != !strings.Contains(r.stderr, "error") {
				t.Errorf("%q, %v: exit code %d and %q, want %d and %q", args, errno, r.code, r.stderr, exitFailed, words)
			}
		}
	}
}

func TestNothingActsOnATerminal(t *testing.T) {
	for _, text := range []string{"\x1b[31m", "\a", "\r", "\x7f", "\u009b2J", "\u202etxt", "\u2066x\u2069"} {
		if got := clean("a" + text + "b"); strings.ContainsAny(got, "\x1b\a\r\x7f\u009b\u202e\u2066\u2069") || !strings.HasPrefix(got, "a\uFFFD") {
			t.Errorf("%q is cleaned to %q", text, got)
		}
	}
	if text := "plain\ttext\nin 日本 é 👩‍🚀"; clean(text) != text {
		t.Errorf("%q is changed to %q", text, clean(text))
	}
}
