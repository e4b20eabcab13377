package main

import (
	"io"
	"sync"
	"time"
)

// relayHolds is the most text that a relay keeps for a writer that is behind.
const relayHolds = 256 << 10

// A relay hands text on to a writer that may stop taking it: a pipe that nobody
// reads, a terminal whose output is held, a connection that hangs. Whoever writes
// to a relay never waits, so neither a run nor what follows its signals depends
// on who looks on. While the writer is behind, the relay keeps some text for it
// and drops the rest.
type relay struct {
	w    io.Writer
	more chan struct{} // buffered, 1: a token when there is text; closed by close
	done chan struct{} // closed when all is handed on

	mu      sync.Mutex
	held    []byte
	writing bool // a part that is no longer held is on its way
	closed  bool
}

func newRelay(w io.Writer) *relay {
	r := &relay{w: w, more: make(chan struct{}, 1), done: make(chan struct{})}
	go r.run()
	return r
}

// Write takes p, as a whole or not at all, and never fails.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.held)+len(p) > relayHolds {
		return len(p), nil
	}
	r.held = append(r.held, p...)
	select {
	case r.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

// behind says whether the writer has yet to take text that it was given before.
func (r *relay) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writing || len(r.held) > 0
}

// settle waits until the writer has taken everything, but no longer than within.
func (r *relay) settle(within time.Duration) {
	for deadline := time.Now().Add(within); r.behind() && time.Now().Before(deadline); {
		time.Sleep(settleLook)
	}
}

// settleLook is how often settle looks.
const settleLook = 2 * time.Millisecond

func (r *relay) run() {
	defer close(r.done)
	for range r.more {
		for text := r.next(); len(text) > 0; text = r.next() {
			_, _ = r.w.Write(text) // nobody to tell
		}
	}
}

// next returns the text to hand on, empty if there is none for now.
func (r *relay) next() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.held
	r.held, r.writing = nil, len(text) > 0
	return text
}

// close lets the relay end once everything is handed on, and returns what is
// closed then. What is written later is dropped.
func (r *relay) close() (done <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.more)
	}
	return r.done
}
