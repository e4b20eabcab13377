// Package lanes holds a batcher's waiting room as a value and decides who
// leaves it next.
//
// Two rooms live here. [Queue] is one line, first come, first served: the room
// of the make and keyed kernels. [Lanes] keeps a line (a lane) per key, of
// which at most one batch or direct call is out at a time: the room of the
// perkey kernel. Every scheduling decision (admit, claim, take, release,
// withdraw, flush, drain) is a function of the room and the time, which the
// caller passes in. The package reads no clock, starts no goroutine and draws
// nothing at random, so a production kernel, a simulation in virtual time and
// an exhaustive explorer can all be shells around the same decisions.
//
// # Values and snapshots
//
// A room is changed in place by its owner. Snapshot forks it in O(1): the fork
// and the original are two independent rooms that share their pages until one
// of them writes to a page, which is then copied (once; see pages.go). So an
// old value never changes once someone holds it, and a room of which nobody
// holds a snapshot is as fast as a plain mutable structure. A room, like a map,
// must not be used by two goroutines at once; a snapshot is a room of its own.
//
// # Units
//
// Times are offsets from a start of the caller's choosing, as [time.Duration].
// Sizes are counts of inputs; weights are in the caller's unit.
package lanes
