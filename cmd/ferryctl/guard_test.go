package main

import (
	"io"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// TestTheModesComeBackWithTheFirstWordOfACrash: a shell that looks at the
// terminal once the process is gone finds it whole. A crash that the guard reads
// on has seen the modes come back, as the pipe holds nothing itself.
func TestTheModesComeBackWithTheFirstWordOfACrash(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	before, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	news, crash := io.Pipe()
	over := make(chan struct{})
	go func() {
		defer close(over)
		giveBackAfter(news, tty, before, -1)
	}()
	for _, word := range []string{"panic: ", "on purpose"} {
		_, _ = crash.Write([]byte(word)) // returns once it was read
	}
	now, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if *now != *before {
		t.Error("the crash goes on, and the terminal is not as it was")
	}
	_ = crash.Close()
	<-over
	want := giveBack + "panic: on purpose"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(master, got); err != nil || string(got) != want {
		t.Errorf("the terminal was sent %q, %v; want %q", got, err, want)
	}
}

// TestAnEndInOrderIsLeftAlone: nothing is set and nothing is written.
func TestAnEndInOrderIsLeftAlone(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	before, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	news, end := io.Pipe()
	go func() { _, _ = end.Write(guardDone) }()
	giveBackAfter(news, tty, before, -1)
	if now, err := term.GetState(int(tty.Fd())); err != nil || *now != *raw {
		t.Errorf("the terminal's modes were changed, %v", err)
	}
}
