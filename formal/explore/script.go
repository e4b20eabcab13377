// A trace as a script that replays in package lanes: put it into a file of
// lanes/testdata, and its test says whether the room still does so.

package main

import (
	"fmt"
	"io"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// script writes what a trace does to the room, and what that said. What happens
// outside of the room, such as a call's end, stands in the comments on top.
func (in *instance) script(out io.Writer, why string, trace []action) {
	for _, line := range wrap(why, 118) {
		fmt.Fprintf(out, "# %s\n", line)
	}
	fmt.Fprintln(out, "#")
	for i, a := range trace {
		fmt.Fprintf(out, "# %2d %v\n", i+1, a)
	}
	fmt.Fprintf(out, "\n%s\n----\n\nrun\n", in.header())
	lines, said := in.lines(trace)
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	fmt.Fprintln(out, "----")
	for i, l := range lines {
		if said[i] != "" {
			l += "  → " + said[i]
		}
		fmt.Fprintln(out, l)
	}
}

// header is the command that makes the room.
func (in *instance) header() string {
	cfg, s := &in.config, "room perkey"
	if in.make {
		s = "room make"
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"size", cfg.MaxBatchSize},
		{"batch-weight", int(cfg.MaxBatchWeight)},
		{"in-flight", cfg.MaxInFlight},
		{"queued", cfg.MaxQueued},
		{"queued-weight", int(cfg.MaxQueuedWeight)},
	} {
		if n.value != lanes.Unlimited {
			s += fmt.Sprintf(" %s=%d", n.name, n.value)
		}
	}
	switch cfg.MaxBatchDelay {
	case 0:
	case lanes.Never:
		s += " delay=never"
	default:
		s += fmt.Sprintf(" delay=%d", cfg.MaxBatchDelay/tick)
	}
	if cfg.Direct {
		s += " direct"
	}
	if cfg.Ranked {
		s += " ranked"
	}
	if in.shares != "" {
		s += fmt.Sprintf(" shares=%s quantum=%d credit=%d", in.shares, cfg.MaxBatchSize, cfg.MaxBatchSize)
	}
	return s
}

// lines are the commands of a trace, one for each thing done to the room, and
// what the room said.
func (in *instance) lines(trace []action) (lines, said []string) {
	w := newWorld(in)
	for _, a := range trace {
		line := w.command(a)
		freed := a.kind == release && w.calls[a.who].freed
		answer := w.try(a)
		if line == "" || freed {
			continue
		}
		lines, said = append(lines, line), append(said, answer)
		if a.kind == take && in.weak == releaseEarly {
			key := w.calls[len(w.calls)-1].key
			for _, c := range w.calls {
				if c.phase == out {
					key = c.key
				}
			}
			lines, said = append(lines, fmt.Sprintf("%d release %c", w.now/time.Millisecond, 'a'+key)), append(said, "")
		}
	}
	return lines, said
}

// command is what an action does to the room; empty if nothing.
func (w *world) command(a action) string {
	at := int64(w.now / time.Millisecond)
	switch a.kind {
	case admit:
		s := fmt.Sprintf("%d admit %c%d", at, 'a'+a.key, a.who+1)
		if a.weight != 1 {
			s += fmt.Sprintf(" weight=%d", a.weight)
		}
		if a.rank != 0 {
			s += fmt.Sprintf(" rank=%d", a.rank)
		}
		if a.share != fairshare.Untagged {
			s += " share=" + w.in.config.Shares.Path(a.share)
		}
		return s
	case withdraw:
		return fmt.Sprintf("%d withdraw %s", at, w.name(a.who))
	case take:
		return fmt.Sprintf("%d take", at)
	case release:
		return fmt.Sprintf("%d release %c", at, 'a'+a.key)
	case flush:
		return fmt.Sprintf("%d flush", at)
	case drain:
		return fmt.Sprintf("%d drain", at)
	}
	return ""
}
