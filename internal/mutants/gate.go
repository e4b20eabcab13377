package main

// gateMutants break the share lanes of a room; only the tests of lanes look at
// them.
var gateMutants = []mutant{
	{"share lanes: first come, first served", "lanes/gate.go", `	i = g.lines[share].first
	if free`, `	for s := range g.lines[1:] {
		if first := g.lines[s+1].first; first != 0 && l.oldest(first) < l.oldest(g.lines[share].first) {
			share = fairshare.Leaf(s + 1)
		}
	}
	i = g.lines[share].first
	if free`},
	{"share lanes: untagged work goes first", "lanes/gate.go", `free != 0 && l.oldest(free) < l.oldest(i)`, `free != 0`},
	{"share lanes: untagged work goes last", "lanes/gate.go", `free != 0 && l.oldest(free) < l.oldest(i)`, `free != 0 && i == 0`},
	{"share lanes: untagged work waits while all drain", "lanes/gate.go", `	if !ok {
		return free, 0
	}`, `	if !ok {
		return 0, 0
	}`},
	{"share lanes: any direct call is granted", "lanes/gate.go", `	if share == fairshare.Untagged {
		return 0, true
	}`, `	if share >= fairshare.Untagged {
		return 0, true
	}`},
	{"share lanes: an untagged direct call is denied", "lanes/gate.go", `	if share == fairshare.Untagged {
		return 0, true
	}`, `	if share == fairshare.Untagged {
		return 0, false
	}`},
	{"share lanes: a direct call is served out of what waits", "lanes/gate.go", `	g.meter.Offer(share, fairshare.Units(cost))
	g.meter.Serve`, `	g.meter.Serve`},
	{"share lanes: a direct call is asked for with an old backlog", "lanes/gate.go", `	l.count()
	g := l.gate
	r, err := g.node.Claim`, `	g := l.gate
	r, err := g.node.Claim`},
	{"share lanes: a turn is asked for with an old backlog", "lanes/gate.go", `	g := l.gate
	l.count()
	free`, `	g := l.gate
	free`},
	{"share lanes: a denied direct call leaves the tree unsettled", "lanes/gate.go", `	r, err := g.node.Claim(share, fairshare.Units(cost))
	g.moved = true`, `	r, err := g.node.Claim(share, fairshare.Units(cost))`},
	{"share lanes: a changed batch is declared at its old cost", "lanes/gate.go", `		ln.recount = true
		l.gate`, `		l.gate`},
	{"share lanes: the next lane's batch is declared at the last one's cost", "lanes/lanes.go", `			l.gate.lines[ln.share].recount = true
`, ``},
	{"share lanes: a full batch is thought to stay the same by rank", "lanes/lanes.go", `l.changedHead(i, l.cfg.Ranked)`, `l.changedHead(i, false)`},
	{"share lanes: a batch is counted in arrival order", "lanes/gate.go", `	if l.cfg.Ranked {
		slot = tree.first()
	}`, `	if l.cfg.Ranked {
		_ = tree.first()
	}`},
	{"share lanes: a batch is declared at its lane's cost", "lanes/gate.go", `	if l.cfg.MaxBatchSize >= ln.count && l.cfg.MaxBatchWeight >= ln.weight {`, `	if l.cfg.MaxBatchSize >= 1 {`},
	{"share lanes: more that lines up is not declared", "lanes/gate.go", `	g.meter.Offer(share, fairshare.Units(units))
	g.doubt(share)`, `	g.meter.Offer(share, fairshare.Units(units))`},
	{"share lanes: less that lines up is not declared", "lanes/gate.go", `	g.doubt(share)
	if ln.units == 0 {`, `	if ln.units == 0 {`},
	{"share lanes: the tree settles in the middle of a transition", "lanes/gate.go", `		g.declare(share, 0, 0)
		g.moved = true`, `		g.declare(share, 0, 0)
		g.node.Settle()`},
	{"share lanes: what lines up in one transition joins one by one", "lanes/gate.go", `		g.declare(share, ln.units, ln.units)
		g.moved = true`, `		g.declare(share, ln.units, ln.units)
		g.node.Settle()`},
	{"share lanes: the tree hears of an arrival when it is asked", "lanes/gate.go", `		g.declare(share, ln.units, ln.units)
		g.moved = true`, `		g.declare(share, ln.units, ln.units)`},
	{"share lanes: lanes that become due join together at the next transition", "lanes/lanes.go", `		l.settleShares() // however often the room is told the time
`, ``},
	{"share lanes: an idle share lane's turn is not given back", "lanes/gate.go", `	if ln.units == 0 {
		g.declare(share, 0, 0)
		g.moved = true
	}`, ``},
	{"share lanes: withdrawn work stays owed", "lanes/gate.go", `	if withdrawn {
		g.meter.Withdraw`, `	if withdrawn && ln.units > 0 {
		g.meter.Withdraw`},
	{"share lanes: what a batch leaves behind stays owed while its key is busy", "lanes/lanes.go", `		l.gate.meter.Withdraw(ln.share, fairshare.Units(ln.cost)) // until it lines up again
`, ``},
	{"share lanes: a call is not charged", "lanes/gate.go", `fairshare.Units(g.tickets[t].cost)); err`, `0); err`},
	{"share lanes: a parallel batch can be released twice", "lanes/gate.go", `	g.tickets[t] = ticket{}
	g.spare = append(g.spare, t)`, `	g.spare = append(g.spare, t)`},
	{"share lanes: a key's other lanes are served beside its call", "lanes/lanes.go", `		for _, t := range l.twins(ln.key, ln.hash, i) {
			l.suspend(now, t)
		}
`, ``},
	{"share lanes: a key's other lanes wait for ever", "lanes/lanes.go", `			if !held || l.lanes.get(t).promised {
				l.resume(now, t)
			}`, `			if held && l.lanes.get(t).promised {
				l.resume(now, t)
			}`},
	{"share lanes: a lane that opens beside its key's call is not busy", "lanes/lanes.go", `			busy = busy || ln.out || ln.promised`, `			busy = busy || ln.promised`},
	{"share lanes: a lane that opens goes before one that is promised its key", "lanes/lanes.go", `			busy = busy || ln.out || ln.promised`, `			busy = busy || ln.out`},
	{"share lanes: no lane is promised its key's next call", "lanes/gate.go", `			ln.promised, given = true, true`, `			ln.promised, given = false, false`},
	{"share lanes: a promised lane goes to the back of its line", "lanes/lanes.go", `	if ln.promised {
		ln.prev, ln.next = 0, line.first
	}
`, ``},
	{"share lanes: who had the last call does not wait for who is promised the next", "lanes/lanes.go", `		if !held {
			l.resume(now, i)
		}`, `		l.resume(now, i)`},
	{"share lanes: the others do not wait for who is promised the next call", "lanes/lanes.go", `			if !held || l.lanes.get(t).promised {
				l.resume(now, t)
			}`, `			l.resume(now, t)`},
	{"share lanes: a lane is promised its key before those ahead of it were served", "lanes/gate.go", `		longest := first == 0 || ln.place < l.lanes.get(first).place`, `		longest := first >= 0`},
	{"share lanes: a lane that is alone in its line is promised nothing", "lanes/gate.go", `		longest := first == 0 || ln.place`, `		longest := first != 0 && ln.place`},
	{"share lanes: a lane that would not leave is promised its key", "lanes/gate.go", `		ready := l.full(ln.count, ln.weight)`, `		ready := ln.count > 0`},
	{"share lanes: lanes of a key take turns whatever their weights", "lanes/gate.go", `	ratio := g.lines[served].portion / g.lines[waits].portion`, `	ratio := 1.0`},
	{"share lanes: a whole number of turns is rounded up", "lanes/gate.go", `math.Ceil(ratio - ratio*1e-12)`, `math.Ceil(ratio + ratio*1e-12)`},
	{"share lanes: turns at a key go by an old weight", "lanes/places.go", `		ln.portion = shares[i]`, `		if ln.portion == 0 {
			ln.portion = shares[i]
		}`},
	{"share lanes: a served lane keeps its place", "lanes/lanes.go", `		ln.place, ln.overtaken, ln.promised = 0, 0, false`, `		ln.overtaken, ln.promised = 0, false`},
	{"share lanes: a served lane was overtaken all the same", "lanes/lanes.go", `		ln.place, ln.overtaken, ln.promised = 0, 0, false`, `		ln.place, ln.promised = 0, false`},
	{"share lanes: a promise is kept twice", "lanes/lanes.go", `		ln.place, ln.overtaken, ln.promised = 0, 0, false`, `		ln.place, ln.overtaken = 0, 0`},
	{"share lanes: a lane that is no longer ready keeps its place", "lanes/lanes.go", `		ln.place, ln.overtaken = 0, 0
		return`, `		return`},
	{"share lanes: a key waits for a promised lane that is gone", "lanes/lanes.go", `		if promised {
			l.breakPromise(now, key, hash, 0)
		}`, `		if promised && l.lanes.live == 0 {
			l.breakPromise(now, key, hash, 0)
		}`},
	{"share lanes: a key waits for a promised lane that forms on", "lanes/lanes.go", `		if l.reconsider(now, i) {
			l.breakPromise(now, key, hash, i)
		}`, `		l.reconsider(now, i)`},
	{"share lanes: a key waits for a promised lane that new settings have form on", "lanes/lanes.go", `		if !l.reconsider(now, i) {
			continue
		}`, `		if l.reconsider(now, i); i >= 0 {
			continue
		}`},
	{"share lanes: a direct call beside another share lane's of its key", "lanes/lanes.go", `		if len(twins) == 0 && l.cfg.Direct`, `		if l.cfg.Direct`},
	{"share lanes: a parallel lane is busy", "lanes/lanes.go", `	if l.cfg.Parallel {
		b.Lane = LaneRef(ticket)
		l.formOn(now, i)`, `	if l.cfg.Parallel && ln.count == 0 {
		b.Lane = LaneRef(ticket)
		l.formOn(now, i)`},
	{"share lanes: what a parallel batch leaves behind is ready at once", "lanes/lanes.go", `		l.vanish(i)
		return
	}
	l.settle(now, i, LeftDelay)
}

// suspend`, `		l.vanish(i)
		return
	}
	l.lineUp(now, i, LeftDelay)
}

// suspend`},
	{"share lanes: a flood fills what is kept for others", "lanes/places.go", `cfg.Policy == Partitioned || g.kept >= cfg.MaxQueued`, `cfg.Policy == Partitioned || g.kept < 0`},
	{"share lanes: no part of a partitioned room ends", "lanes/places.go", `cfg.Policy == Partitioned || g.kept >= cfg.MaxQueued`, `g.kept >= cfg.MaxQueued`},
	{"share lanes: a part is all that one may hold", "lanes/places.go", `cfg.Policy == Partitioned || g.kept >= cfg.MaxQueued`, `true`},
	{"share lanes: heavy inputs fill what is kept for others", "lanes/places.go", `over > cfg.MaxQueuedWeight-g.keptWeight`, `over > cfg.MaxQueuedWeight`},
	{"share lanes: a part holds one input more", "lanes/places.go", `ln.queued >= ln.part && (`, `ln.queued > ln.part && (`},
	{"share lanes: what is held beyond a part is forgotten", "lanes/places.go", `	if ln.queued >= ln.part {
		g.kept++
	}`, ``},
	{"share lanes: what is given back beyond a part is forgotten", "lanes/places.go", `	if ln.queued >= ln.part {
		g.kept--
	}`, ``},
	{"share lanes: new settings forget what is held beyond a part", "lanes/places.go", `g.kept += max(ln.part, ln.queued)`, `g.kept += ln.part`},
	{"share lanes: too heavy only for the room", "lanes/lanes.go", `		case in.Weight > g.heaviest(&l.cfg, in.Share):
			a = TooHeavy
`, ``},
	{"share lanes: an untagged part comes out of the others'", "lanes/places.go", `	whole := 1 + shares[0]`, `	whole := 1.0`},
	{"share lanes: parts are of the whole room", "lanes/places.go", `	if cfg.Policy == Guaranteed {
		count, weight = count/2, weight/2
	}`, ``},
	{"share lanes: a whole number of places is rounded down", "lanes/places.go", `int64(rest+rest*1e-12)`, `int64(rest-rest*1e-12)`},
	{"share lanes: parts stay as they were under a new weight", "lanes/gate.go", `	l.gate.meter.Reweigh(l.gate.node)
	l.gate.divide(l.cfg)`, `	l.gate.meter.Reweigh(l.gate.node)`},
	{"share lanes: the reference keeps an old weight", "lanes/gate.go", `	l.gate.meter.Reweigh(l.gate.node)
`, ``},
	{"share lanes: a snapshot shares its tree", "lanes/gate.go", `o, g.node.Clone(), g.meter.Clone()`, `o, g.node, g.meter.Clone()`},
	{"share lanes: a snapshot shares its meter", "lanes/gate.go", `o, g.node.Clone(), g.meter.Clone()`, `o, g.node.Clone(), g.meter`},
	{"share lanes: a snapshot shares its lines", "lanes/gate.go", `c.lines, c.unsure = slices.Clone(g.lines), slices.Clone(g.unsure)`, `c.lines, c.unsure = g.lines, slices.Clone(g.unsure)`},
	{"share lanes: a snapshot shares its tickets", "lanes/gate.go", `c.tickets, c.spare, c.same = slices.Clone(g.tickets),`, `c.tickets, c.spare, c.same = g.tickets,`},
	{"share lanes: a wait that ends in a withdrawal is none", "lanes/gate.go", `	ln.starved = ln.waited(at)
	ln.units`, `	ln.units`},
	{"share lanes: a wait goes on over the calls", "lanes/gate.go", `	ln.starved, ln.since = ln.waited(now), now`, `	ln.starved = ln.waited(now)`},
}
