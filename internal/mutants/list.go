package main

// A mutant is one rule broken: a text of a file, and what to put in its place.
type mutant struct {
	what     string
	file     string
	old, new string
}

var mutants = []mutant{
	{"release before the call is over", "ferry/worker.go", `			w.out = true
			s.count.Running`, `			w.out = true
			s.room.Release(now, w.batch.Lane)
			s.count.Running`},
	{"direct call's key freed before the call is over", "ferry/perkey.go", `	answers, callErr := f.call(`, `	f.mu.Lock()
	f.room.Release(f.clock(), lane)
	f.mu.Unlock()
	answers, callErr := f.call(`},
	{"deadline from the newest input", "lanes/lanes.go", `	oldest := l.items.get(ln.oldest)
	full, due :=`, `	oldest := l.items.get(ln.tail)
	full, due :=`},
	{"queue's deadline from the newest input", "lanes/queue.go", `	oldest := q.items.get(q.head)
	return q.due(`, `	oldest := q.items.get(q.tail)
	return q.due(`},
	{"count bound off by one", "lanes/room.go", `r.stats.Queued >= r.cfg.MaxQueued`, `r.stats.Queued > r.cfg.MaxQueued`},
	{"weight bound off by one", "lanes/room.go", `weight > r.cfg.MaxQueuedWeight-r.stats.QueuedWeight`, `weight > r.cfg.MaxQueuedWeight-r.stats.QueuedWeight+1`},
	{"one batch too many in flight", "lanes/room.go", `r.stats.InFlight < r.cfg.MaxInFlight`, `r.stats.InFlight <= r.cfg.MaxInFlight`},
	{"batch one input too large", "lanes/room.go", `n < r.cfg.MaxBatchSize && more`, `n <= r.cfg.MaxBatchSize && more`},
	{"batch heavier than its bound", "lanes/room.go", `more <= r.cfg.MaxBatchWeight-weight`, `more <= r.cfg.MaxBatchWeight-weight+1`},
	{"closed check outside the transition", "lanes/lanes.go", `	now = l.tick(now)
	if l.closed {
		return Ref{}, 0, Closed
	}
	i := l.find(key, hash, in.Share)`, `	now = l.tick(now)
	i := l.find(key, hash, in.Share)`},
	{"queue admits after close", "lanes/queue.go", `	if q.closed {
		return Ref{}, Closed
	}
`, ``},
	{"weight not given back", "lanes/room.go", `	r.stats.Queued--
	r.stats.QueuedWeight -= weight`, `	r.stats.Queued--`},
	{"taken lane not marked busy", "lanes/lanes.go", `	ln.state, ln.out, ln.direct, ln.ticket = isBusy, true, false, ticket`, `	ln.out, ln.direct, ln.ticket = true, false, ticket`},
	{"released lane goes to the front of the line", "lanes/lanes.go", `	if ln.promised {
		ln.prev`, `	if ln.promised || ln.cause == LeftFreed {
		ln.prev`},
	{"ranks the wrong way round", "lanes/rank.go", `return a.rank < b.rank ||`, `return a.rank > b.rank ||`},
	{"ties in rank newest first", "lanes/rank.go", `a.seq < b.seq`, `a.seq > b.seq`},
	{"withdrawn input stays", "ferry/waiter.go", `	waiting := s.room.Withdraw(now, w.ref)`, `	waiting := s.room.Withdraw(now, lanes.Ref{})`},
	{"abandoned input answered as if its caller were there", "ferry/waiter.go", `	return w.fate.CompareAndSwap(parked, abandoned)`, `	return true`},
	{"drained callers not answered", "ferry/shell.go", `		if s.settle(w) != abandoned {
			refused++
		}`, `		if w.err == nil && s.settle(w) != abandoned {
			refused++
		}`},
	{"calls in flight not cancelled by close", "ferry/shell.go", `	s.cancel(ErrClosed)
	var refused`, `	var refused`},
	{"close does not wait for direct calls", "ferry/shell.go", `&& s.room.Stats().Direct == 0`, ``},
	{"worker that ends with its call not replaced", "ferry/worker.go", `	s.workers--
	next := s.changed(now)`, `	s.workers--
	var next *worker[K, I, A]`},
	{"close does not wait for the timer's rings", "ferry/shell.go", `s.workers == 0 && s.rings == 0 && `, `s.workers == 0 && `},
	{"no deadline looked for after a worker ends", "ferry/worker.go", `	next := s.wake(now)
	s.setTimer(now)
	return next`, `	next := s.wake(now)
	return next`},
	{"nobody woken for the batch after the one taken", "ferry/worker.go", `			next := s.changed(now)
			s.mu.Unlock()
			s.kick(next)
			s.run(w)`, `			s.mu.Unlock()
			s.run(w)`},
	{"too few answers accepted", "ferry/worker.go", `	if len(answers) != len(w.live) {`, `	if len(answers) > len(w.live) {`},
	{"shared page written in place", "lanes/pages.go", `	if pg.owner != t.owner {
		c := *pg`, `	if pg.owner == nil {
		c := *pg`},
	{"snapshot takes spare pages along", "lanes/lanes.go", `	c.items.forgetSpare()
`, ``},
	{"idle workers without a bound", "ferry/worker.go", `if s.closed || len(s.idle) >= maxIdle {`, `if s.closed {`},
	{"timer set while no slot is free", "lanes/queue.go", `q.head == 0 || !q.slotFree() || `, `q.head == 0 || `},
	{"flush forgets what waits behind a call", "lanes/lanes.go", `	l.flushed = l.seq
	l.tick(now)`, `	was := l.flushed
	l.flushed = l.seq
	l.tick(now)
	l.flushed = was`},
	{"claimed lane kept out of the index when an input joins it and another key is claimed", "lanes/lanes.go", `	case l.loner:
		l.loner = 0
		l.link(i)
	}`, `	case l.loner:
		l.loner = 0
	}`},
	{"claimed lane forgotten but not gone", "lanes/lanes.go", `	if i == l.loner {
		l.loner = 0
	} else {`, `	if i != l.loner {`},
	{"claimed lane not looked at", "lanes/index.go", `ln.hash == hash && ln.key == key && ln.share == share {
			return i
		}
		linked--`, `ln.hash != ln.hash {
			return i
		}
		linked--`},
	{"new settings do not move lanes to the ready line", "lanes/lanes.go", `	for _, f := range forming {
		l.settle(now, f.lane, LeftDelay)
	}
`, ``},
	{"new settings do not move lanes out of the ready line", "lanes/lanes.go", `	for _, i := range ready {
		if !l.reconsider`, `	for _, i := range ready[:0] {
		if !l.reconsider`},
	{"new settings line lanes up by number", "lanes/lanes.go", `	slices.SortFunc(forming, func(a, b formingLane) int { return cmp.Compare(a.seq, b.seq) })
`, `	slices.SortFunc(forming, func(a, b formingLane) int { return cmp.Compare(b.seq, a.seq) })
`},
	{"nobody woken for new slots", "ferry/shell.go", `	s.room.Reconfigure(now, s.roomConfig(to))
	next := s.changed(now)`, `	s.room.Reconfigure(now, s.roomConfig(to))
	next := s.wake(now)
	next = nil`},
	{"answer handed over without the token a parked caller waits for", "ferry/waiter.go", `	case parked:
		w.done <- struct{}{}
	case abandoned:`, `	case abandoned:`},
	{"token for a caller that never parks", "ferry/waiter.go", `	case parked:
		w.done <- struct{}{}`, `	case parked, pending:
		w.done <- struct{}{}`},
	{"first page kept after it was copied", "lanes/pages.go", `		if p == 0 {
			t.first = pg
		}
	}
	return pg`, `	}
	return pg`},
}
