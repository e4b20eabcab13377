package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"ferryctl/ferry"
)

// recorder writes down what is seen of a batcher.
type recorder struct {
	mu    sync.Mutex
	trace []event
}

func (r *recorder) saw(e event) {
	r.mu.Lock()
	r.trace = append(r.trace, e)
	r.mu.Unlock()
}

func (r *recorder) one(what, word string, i entry) {
	r.saw(event{what: what, word: word, input: []entry{i}})
}

// observer is the recorder's ear in the shell. keyOf gives an input's key.
func (r *recorder) observer(keyOf func(entry) int8) *ferry.Observer[entry] {
	return &ferry.Observer[entry]{
		Submitted: func(i entry) { r.saw(event{what: "submitted", key: keyOf(i), input: []entry{i}}) },
		Admitted:  func(i entry) { r.one("admitted", "", i) },
		Claimed:   func(i entry) { r.one("claimed", "", i) },
		Rejected:  func(i entry, _ error) { r.one("rejected", "", i) },
		Taken: func(b ferry.Batch, ins []entry, _ []ferry.Wait) {
			r.saw(event{what: "taken", word: b.Left.String(), input: slices.Clone(ins)})
		},
		Answered: func(i entry, err error) { r.one("answered", answerOf(err), i) },
	}
}

func answerOf(err error) string {
	var failed *ferry.FailedError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &failed):
		return "failed"
	case errors.Is(err, ferry.ErrRejected):
		return "rejected"
	case errors.Is(err, ferry.ErrClosed):
		return "closed"
	}
	return "cancelled"
}

// life is one batcher's: callers come, some give up, calls fail and panic, and
// someone closes it while they do.
func (r *recorder) life(t *testing.T, in *instance, chance *rand.Rand) {
	keyOf := func(i entry) int8 { return i % int8(in.keys) }
	f := r.start(t, in, keyOf)
	const callers, each = 6, maxInputs / 6
	var done sync.WaitGroup
	for c := range callers {
		own := rand.New(rand.NewPCG(chance.Uint64(), uint64(c)))
		done.Go(func() {
			for n := range each {
				r.call(f, entry(c*each+n), own)
			}
		})
	}
	closeAfter := chance.IntN(2000)
	done.Go(func() {
		for range closeAfter {
			runtime.Gosched()
		}
		r.saw(event{what: "close"})
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		r.saw(event{what: "closed"})
	})
	done.Wait()
}

// start makes the batcher of an instance.
func (r *recorder) start(t *testing.T, in *instance, keyOf func(entry) int8) ferry.Ferry[entry, entry] {
	perform := func(ctx context.Context, ins []entry) ([]entry, error) {
		ins = slices.Clone(ins)
		defer r.saw(event{what: "ended", input: ins})
		for range ins[0] % 7 {
			runtime.Gosched()
		}
		switch ins[0] % 11 {
		case 3:
			return nil, errors.New("the call failed")
		case 5:
			panic("the call panicked")
		case 7:
			<-ctx.Done() // until it is closed, or its caller gives up
		}
		return ins, nil
	}
	cfg := ferry.PerKeyConfig{NoDirect: !in.config.Direct, Config: ferry.Config{
		MaxBatchSize: in.config.MaxBatchSize, MaxBatchDelay: in.config.MaxBatchDelay,
		MaxInFlightBatches: in.config.MaxInFlight, MaxQueued: in.config.MaxQueued,
	}}
	watch := ferry.WithObserver(r.observer(keyOf))
	var f ferry.Ferry[entry, entry]
	var err error
	if in.make {
		f, err = ferry.Make(cfg.Config, perform, watch)
	} else {
		f, err = ferry.PerKey(cfg, keyOf, func(ctx context.Context, _ int8, ins []entry) ([]entry, error) { return perform(ctx, ins) }, watch)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// call hands in one input; one in four callers gives up some time.
func (r *recorder) call(f ferry.Ferry[entry, entry], i entry, chance *rand.Rand) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if chance.IntN(4) == 0 {
		patience := chance.IntN(30)
		var gone sync.WaitGroup
		gone.Go(func() {
			for range patience {
				runtime.Gosched()
			}
			r.one("cancel", "", i)
			cancel()
		})
		defer gone.Wait()
	}
	_, _ = f.Do(ctx, i)
}

// TestTheShellBehavesAsTheModel watches the real batcher under load, and holds
// what was seen to the model.
func TestTheShellBehavesAsTheModel(t *testing.T) {
	lives := 20
	if testing.Short() {
		lives = 5
	}
	for _, in := range traced() {
		t.Run(in.name, func(t *testing.T) {
			most, events := 0, 0
			for seed := range lives {
				var r recorder
				r.life(t, &in, rand.New(rand.NewPCG(uint64(seed), 8)))
				steps, err := validate(&in, r.trace)
				if err != nil {
					t.Fatalf("life %d: %v; write this to a file, and look into it by -trace FILE -room %s:\n%s", seed, err, in.name, text(r.trace))
				}
				most, events = max(most, steps), events+len(r.trace)
			}
			t.Logf("%d events, at most %d steps for a trace", events, most)
		})
	}
}

func text(trace []event) string {
	var b bytes.Buffer
	for _, e := range trace {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// TestWhatTheShellNeverDoesIsNoTrace doctors a sound trace: each change tells of
// something that a batcher must never do.
func TestWhatTheShellNeverDoesIsNoTrace(t *testing.T) {
	const sound = `
submitted a0
admitted 0
submitted a1
taken delay 0
admitted 1
submitted b2
admitted 2
ended 0
answered done 0
cancel 2
taken freed 1
ended 1
answered cancelled 2
answered done 1
close
closed`
	in, _ := tracedRoom("perkey-nodirect")
	in.config.MaxInFlight = 1
	for name, change := range map[string][2]string{
		"nothing":                              {"", ""},
		"a second call of a key":               {"admitted 1\n", "admitted 1\ntaken delay 1\n"},
		"a batch nobody submitted":             {"taken delay 0", "taken delay 5"},
		"an answer before the call is over":    {"ended 0\nanswered done 0", "answered done 0\nended 0"},
		"two answers":                          {"answered done 1", "answered done 1\nanswered done 1"},
		"a rejection while there is room":      {"admitted 1", "rejected 1"},
		"a cancelled input that nobody let go": {"cancel 2\n", ""},
		"a batch that left for another cause":  {"taken freed 1", "taken size 1"},
		"close before the call is over":        {"ended 1\nanswered cancelled 2\nanswered done 1\nclose\nclosed", "answered cancelled 2\nclose\nclosed\nended 1\nanswered done 1"},
		"an admission after close":             {"closed", "closed\nsubmitted a3\nadmitted 3"},
		"a slot too many":                      {"ended 0\n", "taken delay 2\nended 0\n"},
		"a direct call where there are none":   {"admitted 0", "claimed 0"},
	} {
		t.Run(name, func(t *testing.T) {
			doctored := strings.Replace(sound, change[0], change[1], 1)
			if name != "nothing" && doctored == sound {
				t.Fatal("nothing was changed")
			}
			trace, err := readTrace(strings.NewReader(doctored))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := validate(&in, trace); (err == nil) != (name == "nothing") {
				t.Errorf("it was said to be a behaviour of the model, or not: %v", err)
			}
		})
	}
}

// TestGuessesThatGoOnDifferentlyAreTwo has a batch that is full and would leave
// for either of two causes, depending on what nobody saw, once one of it gives up.
func TestGuessesThatGoOnDifferentlyAreTwo(t *testing.T) {
	in, _ := tracedRoom("perkey-nodirect")
	for _, cause := range []string{"freed", "delay"} { // 2 came before 0 was released, or after
		trace, err := readTrace(strings.NewReader(`
submitted b0
admitted 0
taken delay 0
submitted a1
submitted b2
submitted b3
ended 0
answered done 0
submitted c4
admitted 4
admitted 1
admitted 2
admitted 3
taken delay 1
taken delay 4
cancel 3
answered cancelled 3
ended 1
answered done 1
taken ` + cause + ` 2
ended 2
answered done 2`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := validate(&in, trace); err != nil {
			t.Errorf("%s: %v", cause, err)
		}
	}
}

// TestTracesAreReadAsTheyAreWritten reads a trace back, and refuses what is none.
func TestTracesAreReadAsTheyAreWritten(t *testing.T) {
	const written = "submitted b3\nadmitted 3\ntaken size 3 4\nended 3 4\nanswered failed 3\nclose\nclosed\n"
	trace, err := readTrace(strings.NewReader(written))
	if err != nil || text(trace) != written {
		t.Errorf("%v\n%s", err, text(trace))
	}
	for _, bad := range []string{"boarded 1", "admitted x", "admitted 1 2", "admitted 120", "admitted"} {
		if _, err := readTrace(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken for an event", bad)
		}
	}
}

// TestABrokenShellIsSeenInItsTraces builds the shell with a key given back while
// its batch still runs, and watches it like the sound one.
func TestABrokenShellIsSeenInItsTraces(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Skip(err)
	}
	f := fault{
		name: "ReleaseEarly", file: "ferry/worker.go", old: "	w.tally.called = true\n",
		new: "	s.mu.Lock()\n	s.release(s.clock(), w)\n	s.mu.Unlock()\n	w.tally.called = true\n",
	}
	overlay, err := f.overlay(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-timeout=60s", "-overlay", overlay, "-run", "^TestTheShellBehavesAsTheModel$/^perkey-nodirect$", "./formal/explore")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("is no step that the model could have come to")) {
		t.Errorf("the traces of a broken shell were taken for sound, %v:\n%.2000s", err, out)
	}
}
