// An instance: the settings of a room, and who comes to it.

package main

import (
	"time"

	"ferryctl/lanes"
	"ferryctl/lanes/fairshare"
)

// tick is the step of the model's clock, the unit of the scripts in lanes/testdata.
const tick = time.Millisecond

// weakness is a rule of the shell that an instance breaks on purpose. The rules
// of the room are broken in its source instead (see faults.go).
type weakness uint8

const (
	sound        weakness = iota
	releaseEarly          // a batch's lane and slot are given back while its call still runs
	checkApart            // whether the room is closed is looked at in a step before the admission
	strandOnEnd           // a call that ends its worker (a panic, a Goexit) leaves its callers unanswered
)

// instance is a small world to go through.
type instance struct {
	name   string
	make   bool // the room of one line; otherwise a lane per key
	config lanes.Config
	keys   int // 1 if make
	caller int // how many callers there are
	// What a caller's input may weigh, and its rank: any of these, anew each time.
	weights, ranks []int8
	shares         string // share lanes, one for each key unless twins
	twins          bool   // inputs of a key may be of any share lane
	flush          bool   // Flush may come at any time
	close          bool   // Drain may come at any time
	symmetric      bool   // merge states that differ by names only; no check of progress
	weak           weakness
	only           string // the one rule to hold the instance to; empty: all
}

// window is the age at which an input makes its batch due, in ticks: the
// highest that a key tells apart.
func (in *instance) window() int8 {
	if in.config.MaxBatchDelay == lanes.Never {
		return 1 // flushed, or not
	}
	return int8(in.config.MaxBatchDelay / tick)
}

// base is a room without bounds.
func base() lanes.Config {
	return lanes.Config{
		MaxBatchSize: lanes.Unlimited, MaxBatchWeight: int64(lanes.Unlimited), MaxInFlight: lanes.Unlimited,
		MaxQueued: lanes.Unlimited, MaxQueuedWeight: int64(lanes.Unlimited),
	}
}

// bounds returns a room with batches of at most size inputs, slots at a time,
// and room for queued.
func bounds(size, slots, queued int, delay time.Duration) lanes.Config {
	c := base()
	c.MaxBatchSize, c.MaxInFlight, c.MaxQueued, c.MaxBatchDelay = size, slots, queued, delay
	return c
}

func with(c lanes.Config, change func(*lanes.Config)) lanes.Config {
	change(&c)
	return c
}

var plain = []int8{0}

// instances are what CI goes through, the cheap ones first.
func instances() []instance {
	direct := func(c *lanes.Config) { c.Direct = true }
	ranked := func(c *lanes.Config) { c.Ranked = true }
	heavy := func(c *lanes.Config) { c.MaxBatchWeight, c.MaxQueuedWeight = 2, 3 }
	one, oneOrTwo := []int8{1}, []int8{1, 2}
	list := []instance{
		{name: "make-3callers", make: true, config: bounds(2, 2, 2, 0), caller: 3, close: true},
		{name: "make-3callers-delay", make: true, config: bounds(3, 2, 3, 2*tick), caller: 3, close: true},
		{name: "make-3callers-weights", make: true, config: with(bounds(3, 1, 3, tick), heavy), caller: 3, weights: oneOrTwo, close: true},
		{name: "make-3callers-flush", make: true, config: bounds(2, 1, 3, lanes.Never), caller: 3, flush: true, close: true},
		{name: "make-4callers-symmetric", make: true, config: bounds(2, 2, 3, 2*tick), caller: 4, close: true, symmetric: true},
		{name: "perkey-1key-3callers", config: with(bounds(2, 1, 2, 0), direct), keys: 1, caller: 3, close: true},
		{name: "perkey-2keys-3callers", config: with(bounds(2, 1, 2, 0), direct), keys: 2, caller: 3, close: true},
		{name: "perkey-2keys-3callers-nodirect", config: bounds(2, 2, 2, 0), keys: 2, caller: 3, close: true},
		{name: "perkey-2keys-3callers-delay", config: bounds(3, 1, 3, 2*tick), keys: 2, caller: 3, close: true},
		{name: "perkey-2keys-3callers-ranked", config: with(bounds(1, 1, 3, 0), ranked), keys: 2, caller: 3, ranks: []int8{0, 1}, close: true},
		{name: "perkey-2keys-3callers-weights", config: with(bounds(3, 1, 3, tick), heavy), keys: 2, caller: 3, weights: oneOrTwo, close: true, symmetric: true},
		{name: "perkey-2keys-3callers-flush", config: bounds(2, 1, 3, lanes.Never), keys: 2, caller: 3, flush: true, close: true},
		{name: "perkey-2keys-4callers-symmetric", config: with(bounds(2, 2, 3, 0), direct), keys: 2, caller: 4, close: true, symmetric: true},
		{name: "perkey-3keys-4callers-symmetric", config: bounds(1, 1, 4, tick), keys: 3, caller: 4, close: true, symmetric: true},
		{name: "shares-2lanes-3callers", config: with(bounds(2, 1, 3, 0), direct), keys: 2, caller: 3, shares: "a=2,b=1", close: true},
		{name: "shares-twins-3callers", config: with(bounds(1, 1, 3, 0), direct), keys: 1, caller: 3, shares: "a=2,b=1", twins: true, close: true},
		{name: "shares-twins-2keys-3callers", config: bounds(1, 1, 3, 0), keys: 2, caller: 3, shares: "a=2,b=1", twins: true, close: true},
	}
	for i := range list {
		in := &list[i]
		if in.weights == nil {
			in.weights = one
		}
		if in.ranks == nil {
			in.ranks = plain
		}
		if in.make {
			in.keys = 1
		}
		if in.shares != "" {
			in.config.Shares = shareTree(in.shares, in.config.MaxBatchSize)
		}
	}
	return list
}

// patience is the most by which the weights of two share lanes of an instance
// differ.
const patience = 2

// shareTree returns the tree of a list of shares that the instances trust, with
// the settings that package ferry gives it.
func shareTree(list string, quantum int) *fairshare.Node {
	shares, err := fairshare.ParseShares(list)
	if err != nil {
		panic(err)
	}
	node, err := fairshare.NewNode(fairshare.Config{Quantum: fairshare.Units(quantum), SleeperCredit: fairshare.Units(quantum)}, shares)
	if err != nil {
		panic(err)
	}
	return node
}

// find returns the instance of a name.
func find(name string) (instance, bool) {
	for _, in := range instances() {
		if in.name == name {
			return in, true
		}
	}
	return instance{}, false
}
