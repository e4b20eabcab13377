// What ferryctl says, and where:
//
//   - stdout carries the result that was asked for and nothing else;
//   - stderr carries the rest, each message on lines of its own:
//     "ferryctl: error: …" for what stops it, one for each fault;
//     "ferryctl: warning: …" for what the user should know but may ignore;
//     "ferryctl: hint: …" after either, for what to do about it;
//     "ferryctl: …" for what it is doing;
//   - messages are lower case (names aside) and don't end in a full stop;
//   - a word is coloured only on a terminal, never if NO_COLOR, CI or TERM=dumb says not.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A hinted error carries what to do about it.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }

// hint adds advice to err, which is printed after it. A nil err stays nil, an
// empty advice is none.
func hint(err error, advice string) error {
	if err == nil || advice == "" {
		return err
	}
	return &hinted{err, advice}
}

// A messenger writes messages. Its methods ignore failing writes: where stderr
// is gone, nobody is left to be told.
type messenger struct {
	w     io.Writer
	color bool
}

// Colours of the words that open a message.
const (
	red    = "31"
	yellow = "33"
	cyan   = "36"
)

func (m messenger) say(format string, args ...any) {
	fmt.Fprintf(m.w, "ferryctl: "+format+"\n", args...)
}

func (m messenger) warn(err error) { m.tell("warning", yellow, err) }

// fail prints every fault that err is made of.
func (m messenger) fail(err error) { m.tell("error", red, err) }

func (m messenger) tell(word, color string, err error) {
	for _, leaf := range leaves(err) {
		m.labelled(word, color, leaf.Error())
		for h := (*hinted)(nil); errors.As(leaf, &h); leaf = h.error {
			m.labelled("hint", cyan, h.hint)
		}
	}
}

// labelled prints one message; further lines of it are indented below the first.
func (m messenger) labelled(word, color, text string) {
	if m.color {
		word = "\x1b[" + color + "m" + word + "\x1b[0m"
	}
	text = strings.ReplaceAll(strings.TrimSpace(clean(text)), "\n", "\n    ")
	fmt.Fprintf(m.w, "ferryctl: %s: %s\n", word, text)
}

// clean drops what would act on a terminal instead of showing on it, marks that
// turn text around included: a message may quote a file or an argument that holds
// anything.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// leaves returns the errors that err joins, itself if it joins none.
func leaves(err error) []error {
	switch e := err.(type) { //nolint:errorlint // only the outermost layer is taken apart
	case nil:
		return nil
	case *exitError:
		return leaves(e.err)
	case interface{ Unwrap() []error }:
		var all []error
		texts := make([]string, 0, len(e.Unwrap()))
		for _, part := range e.Unwrap() {
			all = append(all, leaves(part)...)
			texts = append(texts, part.Error())
		}
		if err.Error() == strings.Join(texts, "\n") { // says no more than its parts do
			return all
		}
	}
	return []error{err}
}
