package lanes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// script runs a room by commands, one a line, each with the time in
// milliseconds in front:
//
//	room make|perkey [size=] [batch-weight=] [delay=] [in-flight=] [queued=] [queued-weight=] [direct] [ranked]
//	                 [parallel] [shares=gold=3,free=1 [policy=] [quantum=] [credit=]]
//	5 admit a1 [weight=] [rank=] [share=] [cost=]    an input of key a; the name is the key's letter and a number
//	5 take                          prints the batch
//	5 release a                     the key's call is over (make: any name; parallel: the batch's first input)
//	5 withdraw a1
//	5 reconfigure [size=] [delay=] [in-flight=] [queued=] …
//	5 flush · drain · snapshot      snapshot keeps the room aside
//	5 reweigh gold=2                a share lane gets another weight
//	5 show · show-snapshot · shares
type script struct {
	q    *Queue[string]
	l    *Lanes[string, string]
	keep *script
	refs map[string]Ref
	out  map[string]LaneRef
}

func (s *script) room() interface {
	Ready(time.Duration) bool
	Due() (time.Duration, bool)
	Take(time.Duration, *Batch[string]) bool
	Release(time.Duration, LaneRef)
	Withdraw(time.Duration, Ref) bool
	Flush(time.Duration)
	Reconfigure(time.Duration, Config)
	Config() Config
	Drain(time.Duration, func(string))
	Advance(time.Duration)
	Stats() Stats
} {
	if s.q != nil {
		return s.q
	}
	return s.l
}

// setting changes one setting, given as size=3.
func setting(t *testing.T, cfg *Config, arg string) {
	name, value, _ := strings.Cut(arg, "=")
	n := Unlimited
	if value != "never" && value != "unlimited" {
		if _, err := fmt.Sscan(value, &n); err != nil {
			t.Fatalf("%q: want a number", arg)
		}
	}
	switch name {
	case "size":
		cfg.MaxBatchSize = n
	case "batch-weight":
		cfg.MaxBatchWeight = int64(n)
	case "in-flight":
		cfg.MaxInFlight = n
	case "queued":
		cfg.MaxQueued = n
	case "queued-weight":
		cfg.MaxQueuedWeight = int64(n)
	case "delay":
		cfg.MaxBatchDelay = time.Duration(n) * time.Millisecond
		if value == "never" {
			cfg.MaxBatchDelay = Never
		}
	default:
		t.Fatalf("%q: unknown setting", arg)
	}
}

func (s *script) open(t *testing.T, d *datadriven.TestData) string {
	cfg := Config{
		MaxBatchSize: Unlimited, MaxBatchWeight: int64(Unlimited), MaxInFlight: Unlimited,
		MaxQueued: Unlimited, MaxQueuedWeight: int64(Unlimited),
	}
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 1 && !ofShares(a.Key) {
			setting(t, &cfg, a.Key+"="+a.Vals[0])
		}
	}
	cfg.Direct, cfg.Ranked, cfg.Parallel = d.HasArg("direct"), d.HasArg("ranked"), d.HasArg("parallel")
	openShares(t, d, &cfg)
	*s = script{refs: map[string]Ref{}, out: map[string]LaneRef{}}
	if d.HasArg("make") {
		s.q = NewQueue[string](cfg)
	} else {
		s.l = NewLanes[string, string](cfg)
	}
	return ""
}

func (s *script) show() string {
	st := s.room().Stats()
	var b strings.Builder
	fmt.Fprintf(&b, "queued=%d", st.Queued)
	if st.QueuedWeight != int64(st.Queued) {
		fmt.Fprintf(&b, " weight=%d", st.QueuedWeight)
	}
	fmt.Fprintf(&b, " out=%d", st.InFlight)
	if st.Direct > 0 {
		fmt.Fprintf(&b, " direct=%d", st.Direct)
	}
	if at, ok := s.room().Due(); ok {
		fmt.Fprintf(&b, " due=%s", at)
	}
	if st.Closed {
		b.WriteString(" closed")
	}
	b.WriteString("\n")
	if s.l == nil {
		return b.String()
	}
	s.showLines(&b)
	var lanes []string
	s.l.lanes.each(func(_ int32, ln *lane[string]) bool {
		var items []string
		for slot := ln.oldest; slot != 0; slot = s.l.items.get(slot).next {
			items = append(items, s.l.items.get(slot).entry)
		}
		lanes = append(lanes, strings.TrimSpace(fmt.Sprintf("  %s%s %s: %s", ln.key, s.of(ln.share), []string{"forming", "ready", "busy"}[ln.state], strings.Join(items, " "))))
		return true
	})
	slices.Sort(lanes)
	for _, l := range lanes {
		b.WriteString("  " + l + "\n")
	}
	return b.String()
}

// one runs one line and returns what it says.
func (s *script) one(t *testing.T, line string) string {
	f := strings.Fields(line)
	var at int
	if _, err := fmt.Sscan(f[0], &at); err != nil || len(f) < 2 {
		t.Fatalf("%q: want a time in milliseconds and a command", line)
	}
	now := time.Duration(at) * time.Millisecond
	name := ""
	if len(f) > 2 {
		name = f[2]
	}
	switch f[1] {
	case "admit":
		in := Input[string]{Entry: name, Weight: 1, Cost: 1}
		for _, a := range f[3:] {
			fmt.Sscanf(a, "weight=%d", &in.Weight)
			fmt.Sscanf(a, "rank=%d", &in.Rank)
			fmt.Sscanf(a, "cost=%d", &in.Cost)
			if share, ok := strings.CutPrefix(a, "share="); ok {
				in.Share = s.leaf(t, share)
			}
		}
		return s.admit(now, in)
	case "take":
		var b Batch[string]
		if !s.room().Take(now, &b) {
			return "nothing"
		}
		return s.taken(&b)
	case "release":
		if s.l != nil && s.out[name] == 0 {
			t.Fatalf("%q: it has no call out", line)
		}
		s.room().Release(now, s.out[name])
		delete(s.out, name)
		return ""
	case "withdraw":
		if !s.room().Withdraw(now, s.refs[name]) {
			return "not there"
		}
		return ""
	case "flush":
		s.room().Flush(now)
		return ""
	case "reconfigure":
		cfg := s.room().Config()
		for _, a := range f[2:] {
			setting(t, &cfg, a)
		}
		s.room().Reconfigure(now, cfg)
		return ""
	case "reweigh":
		return s.reweigh(t, now, name)
	case "shares":
		s.room().Advance(now)
		return s.showShares()
	case "drain":
		var gone []string
		s.room().Drain(now, func(e string) { gone = append(gone, e) })
		slices.Sort(gone)
		return strings.Join(gone, " ")
	case "snapshot":
		keep := *s
		if s.q != nil {
			keep.q = s.q.Snapshot()
		} else {
			keep.l = s.l.Snapshot()
		}
		s.keep = &keep
		return ""
	case "show":
		s.room().Advance(now)
		return s.show()
	case "show-snapshot":
		return s.keep.show()
	}
	t.Fatalf("%q: unknown command", line)
	return ""
}

func (s *script) admit(now time.Duration, in Input[string]) string {
	name := in.Entry
	var ref Ref
	var a Admission
	if s.q != nil {
		ref, a = s.q.Admit(now, name, in.Weight)
	} else {
		var lane LaneRef
		ref, lane, a = s.l.Admit(now, name[:1], s.l.Hash(name[:1]), in)
		if a == Claimed {
			s.out[name[:1]] = lane
		}
	}
	s.refs[name] = ref
	if a == Admitted {
		return ""
	}
	return a.String()
}

func (s *script) taken(b *Batch[string]) string {
	var items []string
	for _, it := range b.Items {
		waited := []string{it.Entry}
		for _, w := range []struct {
			cause string
			d     time.Duration
		}{{"forming", it.Wait.Forming}, {"turn", it.Wait.Turn}, {"slot", it.Wait.Slot}} {
			if w.d > 0 {
				waited = append(waited, fmt.Sprintf("%s=%s", w.cause, w.d))
			}
		}
		items = append(items, strings.Join(waited, " "))
	}
	switch {
	case s.l == nil:
	case s.l.Config().Parallel:
		s.out[b.Items[0].Entry] = b.Lane
	default:
		s.out[s.l.Key(b.Lane)] = b.Lane
	}
	return fmt.Sprintf("%s%s (by %s)", strings.Join(items, ", "), s.of(b.Share), b.Left)
}

// TestScripts runs the readable scripts in testdata, one behaviour a file.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt") // failed random tests leave other files there
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { replay(t, path) })
	}
}

// replay runs one script.
func replay(t *testing.T, path string) {
	s := new(script)
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "room" {
			return s.open(t, d)
		}
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSpace(line)
			said := strings.TrimSpace(s.one(t, line))
			if strings.Contains(said, "\n") {
				said = "\n    " + strings.ReplaceAll(said, "\n", "\n    ")
			}
			fmt.Fprintf(&b, "%s\n", strings.TrimSpace(line+"  → "+said))
		}
		return strings.NewReplacer("  →\n", "\n", " \n", "\n").Replace(b.String())
	})
}
