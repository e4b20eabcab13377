// The call grammar: name(key=value,…) as text, cut into its arguments.

package units

import (
	"fmt"
	"strings"
	"unicode"
)

// An Arg is one argument of a call.
type Arg struct {
	Key   string // "" for an argument without a name, such as 2 in lognormal(2)
	Value string // may itself be a call; never empty
	Pos   int    // byte offset of the argument in the text given to Call
}

// A SyntaxError says where a call cannot be read.
type SyntaxError struct {
	Text string // what was being read
	Pos  int    // byte offset in Text
	Msg  string // what is wrong and what would be right
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%q at column %d: %s", e.Text, e.Pos+1, e.Msg)
}

// maxCall bounds the text of a call, in bytes.
const maxCall = 4096

// Call reads the grammar
//
//	call = name [ "(" [ arg { "," arg } ] ")" ]
//	arg  = [ name "=" ] value
//	name = lower-case letter { lower-case letter | digit | "_" }
//
// where a value is any text whose parentheses balance and that holds no comma
// outside them. Spaces around names, values and punctuation are dropped. A name
// without parentheses has no arguments, like one with empty parentheses. A
// repeated key is refused. The error is a [*SyntaxError].
func Call(s string) (name string, args []Arg, err error) {
	fail := func(pos int, format string, a ...any) (string, []Arg, error) {
		return "", nil, &SyntaxError{s, pos, fmt.Sprintf(format, a...)}
	}
	if len(s) > maxCall {
		return "", nil, &SyntaxError{s[:40] + "...", maxCall, fmt.Sprintf("longer than %d bytes", maxCall)}
	}
	open := strings.IndexByte(s, '(')
	head := s
	if open >= 0 {
		head = s[:open]
	}
	name = strings.TrimSpace(head)
	if !isName(name) {
		return fail(0, "want a name such as lognormal before the parenthesis")
	}
	if open < 0 {
		return name, nil, nil
	}
	end := closing(s, open)
	if end < 0 {
		return fail(len(s), "want a closing parenthesis")
	}
	if tail := strings.TrimSpace(s[end+1:]); tail != "" {
		return fail(end+1, "want nothing after the closing parenthesis")
	}
	if strings.TrimSpace(s[open+1:end]) == "" {
		return name, nil, nil
	}
	seen := map[string]bool{}
	for start := open + 1; start <= end; {
		stop := argEnd(s, start, end)
		arg := cutArg(s, start, stop)
		switch {
		case arg.Value == "":
			return fail(arg.Pos, "want a value such as min=1")
		case arg.Key != "" && !isName(arg.Key):
			return fail(arg.Pos, "%q is not a name of lower-case letters, digits and _", arg.Key)
		case arg.Key != "" && seen[arg.Key]:
			return fail(arg.Pos, "%s is given twice", arg.Key)
		}
		seen[arg.Key] = true
		args = append(args, arg)
		start = stop + 1
	}
	return name, args, nil
}

// closing returns the index of the parenthesis that closes the one at open, or -1.
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// argEnd returns the index of the comma that ends the argument starting at
// start, or end, the index of the call's closing parenthesis.
func argEnd(s string, start, end int) int {
	depth := 0
	for i := start; i < end; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return end
}

// cutArg splits s[start:stop] at its first "=" outside parentheses.
func cutArg(s string, start, stop int) Arg {
	text := s[start:stop]
	pos := start + len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	eq, paren := strings.IndexByte(text, '='), strings.IndexByte(text, '(')
	if eq < 0 || paren >= 0 && paren < eq {
		return Arg{Value: strings.TrimSpace(text), Pos: pos}
	}
	key := strings.TrimSpace(text[:eq])
	if key == "" {
		key = "=" // not a name, so that Call refuses it
	}
	return Arg{Key: key, Value: strings.TrimSpace(text[eq+1:]), Pos: pos}
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter, other := c >= 'a' && c <= 'z', c >= '0' && c <= '9' || c == '_'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}
