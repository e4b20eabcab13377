// Package sleep holds a goroutine for a given time, to within about a tenth of
// a millisecond where the platform allows it.
//
// Go's own timers are precise while the process is busy, but an idle process
// waits in the network poller, whose Linux wait counts whole milliseconds: a
// sleep of 100 microseconds then takes 1.1 milliseconds. [New] returns a sleeper
// without that flaw. It never spins, so that a sleeping goroutine costs no
// processor time. [Plain] returns one that knows nothing but package time; use
// it inside a testing/synctest bubble, where time is simulated.
//
// A sleeper never wakes early. How late it wakes depends on the machine's
// wake-up latency and on how many processors are free; measure it where it
// matters.
package sleep
