// The Linux sleeper: package time's timers, and a timerfd that makes the
// network poller return in time to run them.

//go:build linux

package sleep

import (
	"container/heap"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes each sleeper by whichever comes first: its own timer, which a
// busy scheduler runs on the microsecond, or the timerfd, which an idle one is
// woken by. A timer alone is a millisecond late on an idle process; a timerfd
// alone is milliseconds late on a busy one, which polls rarely.
//
// Invariants: an entry is in due exactly while its place is >= 0; the timerfd is
// set to armed, or to nothing while armed is 0, and armed is never later than
// due's earliest.
type alarm struct {
	gate  *gate
	began time.Time // instants below are offsets from here
	fd    int       // the timerfd; not used after close
	file  *os.File  // the same, registered with the poller
	done  chan struct{}
	spare sync.Pool // of *entry

	mu struct {
		sync.Mutex
		due    entries
		armed  time.Duration
		closed bool
	}
}

func newPrecise() (Sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sleep: timerfd_create: %w", err)
	}
	a := &alarm{
		gate: newGate(), began: time.Now(), fd: fd,
		file: os.NewFile(uintptr(fd), "timerfd"), done: make(chan struct{}),
	}
	a.spare.New = func() any { return newEntry() }
	go a.ring()
	return a, nil
}

// Sleep implements [Sleeper].
func (a *alarm) Sleep(ctx context.Context, d time.Duration) error {
	if err := a.gate.check(ctx); err != nil || d <= 0 {
		return err
	}
	e := a.spare.Get().(*entry) //nolint:errcheck,forcetypeassert // the pool holds nothing else
	e.timer.Reset(d)
	if !a.enter(e, d) {
		e.timer.Stop()
		return ErrClosed
	}
	var err error
	select {
	case <-e.timer.C:
	case <-e.rung: // out of the heap already
		e.timer.Stop()
		a.spare.Put(e)
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-a.gate.closed:
		err = ErrClosed
	}
	a.leave(e)
	return err
}

// enter adds e to those that are due and sees to it that the timerfd fires in
// time for it. It returns false if the sleeper is closed.
func (a *alarm) enter(e *entry, d time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mu.closed {
		return false
	}
	now := time.Since(a.began)
	if e.at = now + d; e.at < now { // past the end of time
		e.at = 1<<63 - 1
	}
	heap.Push(&a.mu.due, e)
	if a.mu.armed == 0 || e.at < a.mu.armed {
		a.arm(e.at, now)
	}
	return true
}

// leave takes e out, whether or not it has been rung meanwhile. The timerfd
// stays set: an alarm for nobody is cheaper than a system call.
func (a *alarm) leave(e *entry) {
	e.timer.Stop()
	a.mu.Lock()
	if e.place >= 0 {
		heap.Remove(&a.mu.due, e.place)
	}
	a.mu.Unlock()
	select {
	case <-e.rung:
	default:
	}
	a.spare.Put(e)
}

// arm sets the timerfd to fire at the instant at. The caller holds the lock.
func (a *alarm) arm(at, now time.Duration) {
	a.mu.armed = at
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, (at - now).Nanoseconds()))}
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		a.mu.armed = 0 // the sleepers' own timers still work
	}
}

// ring wakes those whose time has come each time the timerfd fires, until the
// file is closed.
func (a *alarm) ring() {
	defer close(a.done)
	var expirations [8]byte
	for {
		if _, err := a.file.Read(expirations[:]); err != nil {
			return
		}
		a.wake()
	}
}

func (a *alarm) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Since(a.began)
	for len(a.mu.due) > 0 && a.mu.due[0].at <= now {
		e := heap.Pop(&a.mu.due).(*entry) //nolint:errcheck,forcetypeassert // the heap holds nothing else
		e.rung <- struct{}{}              // has space: an entry is rung once a sleep
	}
	a.mu.armed = 0
	if len(a.mu.due) > 0 && !a.mu.closed {
		a.arm(a.mu.due[0].at, now)
	}
}

// Close implements [Sleeper].
func (a *alarm) Close() error {
	if !a.gate.close() {
		<-a.done
		return nil
	}
	a.mu.Lock()
	a.mu.closed = true // from here nobody touches the descriptor by its number
	a.mu.Unlock()
	err := a.file.Close()
	<-a.done
	return err
}
