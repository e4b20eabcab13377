// Traces of the real shell: what an Observer, the call itself and the callers
// saw of one batcher's life, in the order in which they came to write it down.
//
// Hooks run outside of the shell's mutex, so the order of two lines is not that
// of the two transitions they tell of. What a line does say is this: what it
// tells of has happened by now (an admission, a take, an answer) or has not
// happened yet (a submission, a cancellation, Close). See replay.go for how a
// trace is held to the model.

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ferryctl/lanes"
)

// An event is a line of a trace.
//
//	submitted a1       input 1, of key a, is about to come to the door
//	admitted 1         it waits, or has waited
//	claimed 1          its direct call is about to begin
//	rejected 1         the room was full
//	taken size 1 2     a batch of these inputs, which left by size, is about to be called
//	ended 1 2          its call, or the direct call of an input, is about to be over
//	cancel 1           its caller is about to give up
//	answered done 1    Do is about to return: done, failed, rejected, closed or cancelled
//	close              Close is about to be called
//	closed             Close has returned
type event struct {
	what  string // the first word
	word  string // why a batch left, or what the answer is
	key   int8   // submitted
	input []entry
}

var words = []string{"submitted", "admitted", "claimed", "rejected", "taken", "ended", "cancel", "answered", "close", "closed"}

func (e event) String() string {
	s := e.what
	if e.word != "" {
		s += " " + e.word
	}
	for _, i := range e.input {
		s += " "
		if e.what == "submitted" {
			s += string(rune('a' + e.key))
		}
		s += fmt.Sprint(i)
	}
	return s
}

// maxInputs is how many inputs the trace of one life may have.
const maxInputs = 120

// readTrace reads a trace; an error names the line.
func readTrace(from io.Reader) ([]event, error) {
	var list []event
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		e, err := parseEvent(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}

func parseEvent(fields []string) (event, error) {
	e := event{what: fields[0]}
	if !slices.Contains(words, e.what) {
		return e, fmt.Errorf("%q is no event; the events are %s", e.what, strings.Join(words, ", "))
	}
	rest := fields[1:]
	if (e.what == "taken" || e.what == "answered") && len(rest) > 0 {
		e.word, rest = rest[0], rest[1:]
	}
	for _, f := range rest {
		if e.what == "submitted" && f[0] >= 'a' && f[0] <= 'z' {
			e.key, f = int8(f[0]-'a'), f[1:]
		}
		var i int
		if _, err := fmt.Sscanf(f, "%d", &i); err != nil || i < 0 || i >= maxInputs {
			return e, fmt.Errorf("%q is no input; give its number, 0 to %d", f, maxInputs-1)
		}
		e.input = append(e.input, entry(i))
	}
	if one := e.what != "taken" && e.what != "ended" && !strings.HasPrefix(e.what, "close"); one && len(e.input) != 1 {
		return e, fmt.Errorf("%s tells of one input, not %d", e.what, len(e.input))
	}
	return e, nil
}

// traced are the settings under which the real shell is watched.
func traced() []instance {
	list := []instance{
		{name: "make", make: true, config: bounds(3, 2, 4, 0), keys: 1},
		{name: "make-delay", make: true, config: bounds(3, 2, 4, tick), keys: 1},
		{name: "perkey", config: with(bounds(3, 1, 4, 0), func(c *lanes.Config) { c.Direct = true }), keys: 2},
		{name: "perkey-nodirect", config: bounds(2, 2, 4, 0), keys: 3},
		{name: "perkey-delay", config: bounds(3, 2, 4, tick), keys: 2},
	}
	for i := range list {
		list[i].weights, list[i].ranks = []int8{1}, plain
	}
	return list
}

// tracedRoom returns the settings of a name.
func tracedRoom(name string) (instance, bool) {
	for _, in := range traced() {
		if in.name == name {
			return in, true
		}
	}
	return instance{}, false
}

// check holds a trace that was written down to the model.
func (r request) check(out io.Writer) error {
	in, ok := tracedRoom(r.room)
	if !ok {
		return fmt.Errorf("there is no room %q to check a trace of; -list names them", r.room)
	}
	file, err := os.Open(r.trace) //nolint:gosec // the user's own choice
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	trace, err := readTrace(file)
	if err != nil {
		return fmt.Errorf("%s: %w", r.trace, err)
	}
	steps, err := validate(&in, trace)
	if err != nil {
		return fmt.Errorf("%s: %w", r.trace, err)
	}
	fmt.Fprintf(out, "%d events are a behaviour of the model of %s (%d steps tried)\n", len(trace), in.name, steps)
	return nil
}
