// The room under the explorer: one of the real ones, seen alike.

package main

import (
	"cmp"
	"slices"
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// entry is what a caller leaves in the room: itself.
type entry = int8

// batch is what the room hands out.
type batch = lanes.Batch[entry]

// room is what the explorer asks of lanes.Queue and lanes.Lanes alike.
type room interface {
	admit(now time.Duration, key int8, in lanes.Input[entry]) (lanes.Ref, lanes.LaneRef, lanes.Admission)
	fork() room
	keyOf(lanes.LaneRef) int8 // of a batch that is out

	Ready(time.Duration) bool
	Due() (time.Duration, bool)
	Take(time.Duration, *batch) bool
	Release(time.Duration, lanes.LaneRef)
	Withdraw(time.Duration, lanes.Ref) bool
	Flush(time.Duration)
	Drain(time.Duration, func(entry))
	Reconfigure(time.Duration, lanes.Config)
	Advance(time.Duration)
	Stats() lanes.Stats
	appendKey([]byte) []byte // of what the room's decisions hang on beside who waits
}

func newRoom(in *instance) room {
	if in.make {
		return line{lanes.NewQueue[entry](in.config)}
	}
	return keyed{lanes.NewLanes[int8, entry](in.config)}
}

type line struct{ *lanes.Queue[entry] }

func (r line) admit(now time.Duration, _ int8, in lanes.Input[entry]) (lanes.Ref, lanes.LaneRef, lanes.Admission) {
	ref, a := r.Admit(now, in.Entry, in.Weight)
	return ref, 0, a
}

func (r line) fork() room                { return line{r.Snapshot()} }
func (r line) keyOf(lanes.LaneRef) int8  { return 0 }
func (r line) appendKey(b []byte) []byte { return b }

type keyed struct{ *lanes.Lanes[int8, entry] }

func (r keyed) admit(now time.Duration, key int8, in lanes.Input[entry]) (lanes.Ref, lanes.LaneRef, lanes.Admission) {
	return r.Admit(now, key, r.Hash(key), in)
}

func (r keyed) fork() room                    { return keyed{r.Snapshot()} }
func (r keyed) keyOf(lane lanes.LaneRef) int8 { return r.Key(lane) }

func (r keyed) appendKey(b []byte) []byte {
	node := r.Shares()
	if node == nil {
		return b
	}
	var ready []lanes.View[int8]
	r.Each(func(v lanes.View[int8]) bool {
		if v.Place > 0 {
			ready = append(ready, v)
		}
		return true
	})
	slices.SortFunc(ready, func(x, y lanes.View[int8]) int { return cmp.Compare(x.Place, y.Place) })
	for _, v := range ready {
		// Nobody's patience is longer than what the weights of the instances come to.
		b = append(b, byte(v.Key), byte(v.Share), byte(min(v.Overtaken, patience)))
	}
	return node.AppendKey(append(b, 0xff))
}

// view is what a room holds and would do, found out on a fork of it.
type view struct {
	line  []int8           // the keys of the batches that are ready, in the order in which they would leave
	share []fairshare.Leaf // … their share lanes
	left  []lanes.Left     // … and why they would
	held  []entry          // everything that waits, in no promised order
}

// look asks a room what it holds and in which order that would leave, if slots
// were no matter.
func (in *instance) look(r room, now time.Duration) view {
	f := r.fork()
	cfg := in.config
	cfg.MaxInFlight = lanes.Unlimited
	f.Reconfigure(now, cfg)
	var v view
	var b batch
	for f.Take(now, &b) {
		key := f.keyOf(b.Lane)
		v.line = append(v.line, key)
		v.share = append(v.share, b.Share)
		v.left = append(v.left, b.Left)
		for _, it := range b.Items {
			v.held = append(v.held, it.Entry)
		}
		if len(v.line) > in.caller {
			break // a lane that comes again and again
		}
	}
	f.Drain(now, func(e entry) { v.held = append(v.held, e) })
	return v
}
