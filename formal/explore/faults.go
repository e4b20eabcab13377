// The negative models: one rule broken at a time, in the TLA+ models by their
// constant Fault, and in the code by a change of its source or of the model of
// its shell. Each must be caught, by TLC and by the explorer, or the invariants
// would prove nothing.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fault is a rule to break.
type fault struct {
	name     string // the models' constant Fault
	what     string // what is broken
	meaning  string // what the trace of the violation tells
	violates string // the invariant that must fail
	property bool   // … which speaks of steps, or of what happens in the end
	instance string
	weak     weakness // how the model of the shell breaks it; sound: it does not
	file     string   // which source of the room is changed, if any
	old, new string
}

// faults are what must be caught.
func faults() []fault {
	const perKey, delayed, queue, queueDelayed, tree = "perkey-2keys-3callers", "perkey-2keys-3callers-delay", "make-3callers", "make-3callers-delay", "fairshare-2to1"
	return []fault{
		{
			name: "ReleaseEarly", what: "a key is freed before its call is over", violates: "OneCallPerKey", instance: perKey, weak: releaseEarly,
			meaning: "An input comes while the key's batch runs. The lane was given back already, so it lines up and is taken: the second batch overtakes a call that is still on the wire.",
		},
		{
			name: "ClosedCheckApart", what: "whether the room is closed is looked at in a step before the admission", violates: "ClosedIsEmpty", instance: perKey, weak: checkApart,
			meaning: "A caller sees the room open. Close drains it. The caller goes on and is let in: nobody will ever take it out.",
			file:    "lanes/lanes.go", old: "	if l.closed {\n		return Ref{}, 0, Closed\n	}\n", new: "",
		},
		{
			name: "DeadlineFromNewest", what: "the delay counts from the newest input", violates: "LineHoldsReady", instance: delayed,
			meaning: "An input waits. Just before it is due another comes, and the lane starts anew: with a stream of them the first waits for ever.",
			file:    "lanes/lanes.go", old: "	ln.tail = slot\n	if l.cfg.Ranked {", new: "	ln.tail = slot\n	l.items.mut(ln.oldest).at = now\n	if l.cfg.Ranked {",
		},
		{
			name: "NotMarkedBusy", what: "a lane that is taken is not marked busy", violates: "OneCallPerKey", instance: "perkey-2keys-3callers-nodirect",
			meaning: "A batch of the key is out. The next input finds its lane free, lines up, and a second worker takes it: two calls of one key.",
			file:    "lanes/lanes.go", old: "	ln.state, ln.out, ln.direct, ln.ticket = isBusy, true, false, ticket\n", new: "	ln.state, ln.out, ln.direct, ln.ticket = isForming, true, false, ticket\n",
		},
		{
			name: "DropEntries", what: "Close empties the room without telling whom it turned out", violates: "OneOwner", instance: perKey,
			meaning: "An input waits. Close drops it: nobody owns it now, and its caller sleeps for ever.",
			file:    "lanes/lanes.go", old: "			l.remove(ln, ln.oldest)\n			f(e)\n", new: "			l.remove(ln, ln.oldest)\n			_ = e\n",
		},
		{
			name: "AdmitPastBound", what: "an input is let in without a look at the bounds", violates: "RoomIsBounded", instance: perKey,
			meaning: "The room is full, and one more input is let in.",
			file:    "lanes/room.go", old: "r.stats.Queued >= r.cfg.MaxQueued", new: "r.stats.Queued > r.cfg.MaxQueued",
		},
		{
			name: "FrontOfTheLine", what: "a lane that becomes ready goes to the front of the line", violates: "FirstComeFirstServed", property: true, instance: "perkey-2keys-3callers-nodirect",
			meaning: "A lane is in line. Another one that comes later is served before it: a key that is always busy starves it.",
			file:    "lanes/lanes.go",
			old:     "	if ln.promised {\n		ln.prev", new: "	if l.gate == nil {\n		ln.prev",
		},
		{
			name: "BackToTheFront", what: "a lane whose call is over goes to the front of the line", violates: "EveryLaneIsTaken", property: true, instance: "perkey-2keys-3callers-ranked",
			meaning: "A key always has one input in its call and one that waits. Whenever the call is over it is first in line again, and the other key waits for ever.",
			file:    "lanes/lanes.go",
			old:     "	if ln.promised {\n		ln.prev", new: "	if cause == LeftFreed {\n		ln.prev",
		},
		{
			name: "StrandOnEnd", what: "a call that ends its worker takes its callers' answers along", violates: "EveryInputIsAnswered", property: true, instance: "perkey-2keys-3callers-nodirect", weak: strandOnEnd,
			meaning: "A call panics, or calls runtime.Goexit. Nobody is left who would tell the callers of its batch, nor give the key back.",
		},
		{
			name: "ReleaseEarly", what: "a slot is given back before its batch's call is over", violates: "SlotsAreBounded", instance: queue, weak: releaseEarly,
			meaning: "As many batches run as may. Their slots count as free, and one more is taken.",
		},
		{
			name: "ClosedCheckApart", what: "whether the room is closed is looked at in a step before the admission", violates: "ClosedIsEmpty", instance: queue, weak: checkApart,
			meaning: "A caller sees the room open. Close drains it. The caller goes on and is let in: nobody will ever take it out.",
			file:    "lanes/queue.go", old: "	if q.closed {\n		return Ref{}, Closed\n	}\n", new: "",
		},
		{
			name: "DeadlineFromNewest", what: "the delay counts from the newest input", violates: "LineHoldsReady", instance: queueDelayed,
			meaning: "An input waits. Just before it is due another comes, and the line starts anew: with a stream of them the first waits for ever.",
			file:    "lanes/queue.go", old: "	oldest := q.items.get(q.head)\n	return q.due(", new: "	oldest := q.items.get(q.tail)\n	return q.due(",
		},
		{
			name: "DropEntries", what: "Close empties the room without telling whom it turned out", violates: "OneOwner", instance: queue,
			meaning: "An input waits. Close drops it: nobody owns it now, and its caller sleeps for ever.",
			file:    "lanes/queue.go", old: "		q.remove(q.head)\n		f(e)\n", new: "		q.remove(q.head)\n		_ = e\n",
		},
		{
			name: "AdmitPastBound", what: "an input is let in without a look at the bounds", violates: "RoomIsBounded", instance: queue,
			meaning: "The room is full, and one more input is let in.",
			file:    "lanes/room.go", old: "r.stats.Queued >= r.cfg.MaxQueued", new: "r.stats.Queued > r.cfg.MaxQueued",
		},
		{
			name: "StrandOnEnd", what: "a call that ends its worker takes its callers' answers along", violates: "EveryInputIsAnswered", property: true, instance: queue, weak: strandOnEnd,
			meaning: "A call panics, or calls runtime.Goexit. Nobody is left who would tell the callers of its batch, nor give the slot back.",
		},
		{
			name: "NotPromised", what: "no lane of a key is promised its next call", violates: "EveryInputIsAnswered", property: true, instance: "shares-twins-2keys-3callers",
			meaning: "A share lane has an input at a key that another keeps busy, and more elsewhere. Whenever it has the turn the key is busy, and when the key is free the other has the turn.",
			file:    "lanes/gate.go", old: "			ln.promised, given = true, true\n", new: "			ln.promised, given = false, false\n",
		},
		{
			name: "DeadlinesIgnored", what: "the turn goes by name", violates: "PairIsBounded", instance: tree,
			meaning: "The first lane has work all the while and is always served: the other falls behind without a bound.",
			file:    "lanes/fairshare/tree.go", old: "	best := int32(0)\n	for at := g.busy;", new: "	for _, c := range g.children {\n		if n.verts[c].work > 0 {\n			return c\n		}\n	}\n	best := int32(0)\n	for at := g.busy;",
		},
		{
			name: "NotClamped", what: "a lane that wakes keeps the credit of the time in which it had no work", violates: "PairIsBounded", instance: tree,
			meaning: "One lane is served while the other has no work. Then that wakes, and is served alone until it has caught up.",
			file:    "lanes/fairshare/join.go", old: "credit.less(floor) && v.ev.less(floor.sub(credit))", new: "credit.less(floor) && floor.less(credit)",
		},
		{
			name: "NotReset", what: "a lane that wakes first, when none has work, keeps a credit", violates: "PairIsBounded", instance: tree,
			meaning: "One lane is served; then neither has work. The other wakes first, far behind, and is served alone until it has caught up with what was long ago.",
			file:    "lanes/fairshare/join.go", old: "	at := g.idle\n	if at == 0 {", new: "	at := g.idle\n	if at == 0 || g.busy == 0 {",
		},
		{
			name: "FrontOfAll", what: "lanes without work have a part in where one that wakes is seated", violates: "PairIsBounded", instance: "fairshare-3lanes",
			meaning: "One lane is served while two have no work. One of those wakes, is seated as if the other had work too, far behind, and is served alone until it has caught up.",
			file:    "lanes/fairshare/join.go", old: "		return g.sum.up(g.weight)\n	}\n	at",
			new: "		sum, weight := g.sum, g.weight\n		for _, c := range g.children {\n			if v := &n.verts[c]; !v.busy {\n				sum, weight = sum.add(v.ev), weight+v.weight\n			}\n		}\n		return sum.up(weight)\n	}\n	at",
		},
		{
			name: "KeepsWhatItHolds", what: "a lane without work keeps what it holds", violates: "IdleHoldsNothing", instance: tree,
			meaning: "A call uses less than it reserved, and its lane has no more work. What is left is nobody's to use.",
			file:    "lanes/fairshare/turn.go", old: "		if !work && l.held > 0 {\n			n.release(leaf)\n		}\n", new: "",
		},
		{
			name: "SettledTwice", what: "to settle a call again counts again", violates: "SupplyIsConserved", instance: "fairshare-2to1-supply",
			meaning: "A call is settled twice, as after a panic whose deferred code settles too: more was spent than there was.",
			file:    "lanes/fairshare/reserve.go", old: "	c.seq = 0\n	n.spare", new: "	n.spare",
		},
		{
			name: "ChargedNothing", what: "calls are cancelled for ever", violates: "EveryShareLaneIsServed", property: true, instance: "fairshare-2to1-cancels",
			meaning: "No fault of the code but a limit of its promise: a lane whose calls are charged nothing has the turn again each time, and the other waits.",
		},
	}
}

// onTree says whether a fault is one of the fair-share tree.
func (f *fault) onTree() bool {
	_, ok := findTree(f.instance)
	return ok
}

// id names a fault with its kernel.
func (f *fault) id() string {
	if f.onTree() {
		return "FairShare-" + f.name
	}
	in, _ := find(f.instance)
	return in.module() + "-" + f.name
}

// modelled says whether a fault has a model that the checker goes through.
func (f *fault) modelled() bool {
	in, ok := find(f.instance)
	return !ok || in.modelled()
}

// show goes through the instance on which a fault must show, held to the rule that
// it must break and no other.
func (f *fault) show(out io.Writer, recheck bool) error {
	if in, ok := findTree(f.instance); ok {
		in.only, in.apart = f.violates, true // where a fault leads is not told by the model's state
		return in.show(out)
	}
	in, _ := find(f.instance)
	in.weak, in.only = f.weak, f.violates
	return one(out, &in, recheck)
}

// config is the fault's configuration for the model checker.
func (f *fault) config() string {
	if in, ok := findTree(f.instance); ok {
		return in.tlc(f)
	}
	in, _ := find(f.instance)
	return in.tlc(f)
}

// catch goes through a fault's instance, in a program with the source changed,
// and returns what that printed; an error says that the fault was not caught.
func (f *fault) catch(root string) (printed string, err error) {
	dir, err := os.MkdirTemp("", "fault")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args := []string{"run"}
	if f.file != "" {
		overlay, err := f.overlay(root, dir)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a broken room may hang
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, "./formal/explore", "-fault", f.id())...) //nolint:gosec // a program of ours
	cmd.Dir, cmd.WaitDelay = root, time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	if err == nil || !bytes.Contains(out, []byte("\n"+f.violates+": ")) {
		return string(out), fmt.Errorf("%s was not caught by %s:\n%s", f.id(), f.violates, out)
	}
	return string(out), nil
}

// overlay writes the changed source, and the file that has the compiler read it.
func (f *fault) overlay(root, dir string) (path string, err error) {
	from := filepath.Join(root, f.file)
	source, err := os.ReadFile(from) //nolint:gosec // a path of ours
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), f.old); n != 1 {
		return "", fmt.Errorf("%s: its text is %d times in %s; it must be there once", f.id(), n, f.file)
	}
	to := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(to, []byte(strings.Replace(string(source), f.old, f.new, 1)), 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {from: to}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("faults are caught by changed builds, which need the go command: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// catchAll has every fault caught.
func catchAll(out io.Writer) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	var missed []error
	for _, f := range faults() {
		if _, err := f.catch(root); err != nil {
			missed = append(missed, err)
			continue
		}
		fmt.Fprintf(out, "%-28s caught by %-22s %s\n", f.id(), f.violates, f.what)
	}
	return errors.Join(missed...)
}
