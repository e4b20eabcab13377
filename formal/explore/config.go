// An instance as the model checker reads it.

package main

import (
	"fmt"
	"strings"

	"ferryctl/lanes"
)

// unbounded stands in the models for a bound that is none: more than any
// instance can hold.
const unbounded = 99

// modelled says whether a TLA+ model describes an instance: share lanes have one
// of their own.
func (in *instance) modelled() bool { return in.shares == "" }

// module names the TLA+ module of an instance, or what has none.
func (in *instance) module() string {
	switch {
	case in.make:
		return "Ferry"
	case !in.modelled():
		return "Shares"
	}
	return "PerKey"
}

// tlc writes the configuration with which TLC goes through the same instance.
// With a fault it is a negative one, which must be violated.
func (in *instance) tlc(f *fault) string {
	var b strings.Builder
	constant := func(name string, v any) { fmt.Fprintf(&b, "    %s = %v\n", name, v) }
	if f == nil {
		fmt.Fprintf(&b, "\\* The explorer's instance %s, which must hold.\n", in.name)
	} else {
		b.WriteString(f.heading())
	}
	b.WriteString("SPECIFICATION Spec\nCONSTANTS\n")
	constant("Callers", set("c", in.caller))
	if !in.make {
		constant("Keys", set("k", in.keys))
		constant("Ranks", numbers(in.ranks))
		constant("Direct", boolean(in.config.Direct))
	}
	constant("Weights", numbers(in.weights))
	constant("MaxBatchSize", bound(in.config.MaxBatchSize))
	constant("MaxBatchWeight", bound(int(in.config.MaxBatchWeight)))
	constant("MaxBatchDelay", in.window())
	constant("MaxInFlight", bound(in.config.MaxInFlight))
	constant("MaxQueued", bound(in.config.MaxQueued))
	constant("MaxQueuedWeight", bound(int(in.config.MaxQueuedWeight)))
	constant("Never", boolean(in.config.MaxBatchDelay == lanes.Never))
	constant("Flushes", boolean(in.flush))
	constant("Closes", boolean(in.close))
	if f == nil {
		constant("Fault", `"none"`)
	} else {
		constant("Fault", `"`+f.name+`"`)
	}
	b.WriteString(in.claims(f))
	b.WriteString("CHECK_DEADLOCK FALSE\n")
	return b.String()
}

// heading says in a negative configuration what must be violated, and why.
func (f *fault) heading() string {
	text := fmt.Sprintf("\\* Must violate %s: %s.\n", f.violates, f.what)
	for _, line := range wrap(f.meaning, 76) {
		text += fmt.Sprintf("\\* %s\n", line)
	}
	return text
}

// claims lists what is to be checked.
func (in *instance) claims(f *fault) string {
	invariants := "INVARIANTS OneOwner RoomIsBounded SlotsAreBounded ClosedIsEmpty LineHoldsReady"
	steps := " OrderIsKept"
	if !in.make {
		invariants += " OneCallPerKey"
		steps += " FirstComeFirstServed"
	}
	switch {
	case f != nil && f.property:
		return "PROPERTY " + f.violates + "\n"
	case f != nil:
		return "INVARIANT " + f.violates + "\n"
	case in.symmetric: // states that differ by names are one: no liveness
		return "SYMMETRY Symmetry\n" + invariants + "\n"
	case in.config.MaxBatchDelay == lanes.Never: // flushing is for callers to do, who may never
		return invariants + "\nPROPERTIES" + steps + " CloseReturns\n"
	}
	steps += " EveryLaneIsTaken CloseReturns"
	if !in.config.Ranked { // inside a lane with ranks one may be overtaken for ever
		steps += " EveryInputIsAnswered"
	}
	return invariants + "\nPROPERTIES" + steps + "\n"
}

func set(prefix string, n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s%d", prefix, i+1))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func numbers(list []int8) string {
	return strings.ReplaceAll(strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(list)), " ", ", ")
}

func boolean(v bool) string { return strings.ToUpper(fmt.Sprint(v)) }

func bound(n int) int { return min(n, unbounded) }

// wrap breaks a text into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
