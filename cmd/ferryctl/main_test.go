package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"ferryctl": main, "ferryctl-broken": brokenMain})
}

// tidy runs the tests and removes what they share.
type tidy struct{ *testing.M }

func (t tidy) Run() int {
	defer func() {
		if binaryDir != "" {
			_ = os.RemoveAll(binaryDir) // a left-over in the folder for temporary files, at worst
		}
	}()
	return t.M.Run()
}

// TestSessions runs the shell sessions in testdata. Beside the usual commands
// they have
//
//	code N ferryctl ARGS…     runs a command that must exit with code N
//	code N|4 ferryctl ARGS…   … or with 4: on a busy machine a short run may not hold its rate
func TestSessions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "TERM=xterm")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code},
	})
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
