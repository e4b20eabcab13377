package main

// fairshareMutants break the fair-share tree; only its own tests look at them.
var fairshareMutants = []mutant{
	{"fair shares: a waking lane is not clamped", "lanes/fairshare/join.go", `credit.less(floor) && v.ev.less(floor.sub(credit))`, `credit.less(floor) && floor.less(credit)`},
	{"fair shares: no reset after an idle period", "lanes/fairshare/join.go", `	at := g.idle
	if at == 0 {`, `	at := g.idle
	if at == 0 || g.busy == 0 {`},
	{"fair shares: a joiner has a part in its own front", "lanes/fairshare/join.go", `	floor := n.groups[n.verts[v.parent].group].front.times(v.weight)`, `	g := &n.groups[n.verts[v.parent].group]
	floor := g.sum.add(v.ev).up(g.weight + v.weight).times(v.weight)`},
	{"fair shares: a joiner has a part in the next one's front", "lanes/fairshare/join.go", `n.groups[n.verts[v.parent].group].front.times`, `n.frontOf(&n.groups[n.verts[v.parent].group]).times`},
	{"fair shares: a grant's checkpoint in another patch", "lanes/fairshare/operations.go", `	p.gauges[e] = Gauge{gross(l.gauges[e], rec.Weight, total), total}
`, ``},
	{"fair shares: a front is rounded down", "lanes/fairshare/join.go", `return g.sum.up(g.weight)`, `down, _ := g.sum.over(g.weight)
		return down`},
	{"fair shares: lanes ahead of the mean are eligible", "lanes/fairshare/tree.go", `		if compare(v.ev, v.weight, g.sum, g.weight) > 0 {`, `		if g.weight == 0 {`},
	{"fair shares: ties go to the last name", "lanes/fairshare/tree.go", `	c := compare(x.ev.add(steps(x.ask)), x.weight, y.ev.add(steps(y.ask)), y.weight)
	return c < 0 || c == 0 && a < b`, `	c := compare(x.ev.add(steps(x.ask)), x.weight, y.ev.add(steps(y.ask)), y.weight)
	return c < 0 || c == 0 && a > b`},
	{"fair shares: deadlines look at the weight alone", "lanes/fairshare/tree.go", `compare(x.ev.add(steps(x.ask)), x.weight, y.ev.add(steps(y.ask)), y.weight)`, `compare(x.ev.add(steps(1)), x.weight, y.ev.add(steps(1)), y.weight)`},
	{"fair shares: a new deadline goes unnoticed", "lanes/fairshare/turn.go", `	n.pullUp(i)
	n.setStale(v.parent)`, `	n.setStale(v.parent)`},
	{"fair shares: a group asks for what it last asked for", "lanes/fairshare/turn.go", `ask != v.ask {
				v.ask = ask`, `v.ask == 0 {
				v.ask = ask`},
	{"fair shares: what an idle lane holds stays with it", "lanes/fairshare/turn.go", `		if !work && l.held > 0 {
			n.release(leaf)
		}
`, ``},
	{"fair shares: a return is no return of virtual service", "lanes/fairshare/turn.go", `		n.move(j, n.verts[j].ev.sub(steps(units)))
`, ``},
	{"fair shares: minted without looking at what is left", "lanes/fairshare/turn.go", `short := n.cfg.Quantum - n.held`, `short := n.cfg.Quantum`},
	{"fair shares: a finite supply is topped up", "lanes/fairshare/turn.go", `short <= 0 || n.cfg.Supply > 0`, `short <= 0`},
	{"fair shares: a lane passes its bound", "lanes/fairshare/turn.go", `l.head <= n.cfg.MaxOutstanding-l.earmarked`, `l.head <= n.cfg.MaxOutstanding`},
	{"fair shares: settled beyond what was reserved", "lanes/fairshare/reserve.go", `actual < 0 || actual > c.max`, `actual < 0`},
	{"fair shares: settled twice", "lanes/fairshare/reserve.go", `	c.seq = 0
	n.spare`, `	n.spare`},
	{"fair shares: groups are not charged", "lanes/fairshare/reserve.go", `		n.books[i].rollup += actual
`, ``},
	{"fair shares: what a call did not use is lost", "lanes/fairshare/reserve.go", `	l.held += c.max - actual
`, ``},
	{"fair shares: a claim leaves its backlog behind", "lanes/fairshare/reserve.go", `	l.units, l.head = units, head
	n.changed(leaf)
	return res, err`, `	_, _ = units, head
	return res, err`},
	{"fair shares: a new weight before the old has drained", "lanes/fairshare/reweigh.go", `n.verts[i].drains && n.books[i].outstanding() == 0`, `n.verts[i].drains`},
	{"fair shares: a draining lane is served", "lanes/fairshare/reweigh.go", `v.blocked = v.drains || n.verts[v.parent].blocked`, `v.blocked = n.verts[v.parent].blocked`},
	{"fair shares: siblings keep the scale of an old weight", "lanes/fairshare/reweigh.go", `			g.weight += scaled[j]
`, ``},
	{"fair shares: a copy shares its vertices", "lanes/fairshare/report.go", `c.verts, c.books, c.lanes = slices.Clone(n.verts),`, `c.verts, c.books, c.lanes = n.verts,`},
	{"fair shares: the key forgets who is in credit", "lanes/fairshare/key.go", `above := n.lifted(c, floor).sub(low.times(v.weight))`, `above := v.ev.sub(v.ev)`},
	{"fair shares: the key counts a common head start", "lanes/fairshare/key.go", `n.lifted(c, floor).sub(low.times(v.weight))`, `n.lifted(c, floor).sub(low.sub(low))`},
	{"fair shares: the key knows of no credit of sleepers", "lanes/fairshare/key.go", `out.add(steps(n.cfg.SleeperCredit)).up(v.weight)`, `out.up(v.weight)`},
	{"fair shares: the key knows of no drain", "lanes/fairshare/key.go", `		if v.blocked {
			return wide{}
		}
`, ``},
	{"ledger: gauges join by their first part", "lanes/fairshare/gauge.go", `	if h.Floor.Cmp(g.Floor) > 0 {
		g.Floor = h.Floor
	}
	g.Folded = max(g.Folded, h.Folded)`, `	if h.Floor.Cmp(g.Floor) > 0 {
		g = h
	}`},
	{"ledger: the later value wins", "lanes/fairshare/ledger.go", `		if n > s[k] {
			s[k] = n`, `		if n > 0 {
			s[k] = n`},
	{"ledger: stages go back", "lanes/fairshare/ledger.go", `!ok || stage > old`, `!ok || stage != old`},
	{"ledger: a foreign patch is merged", "lanes/fairshare/ledger.go", `	if p.id != l.id {`, `	if p.id == "" {`},
	{"ledger: a closing edge attaches nothing", "lanes/fairshare/ledger.go", `return l == Active || l == Closing`, `return l == Active`},
	{"ledger: two live edges are one too few to mind", "lanes/fairshare/holdings.go", `		case len(live) > 1:
			return`, `		case len(live) > 2:
			return`},
	{"ledger: granted beyond what is held", "lanes/fairshare/operations.go", `	if n > held {`, `	if n > held+1 {`},
	{"ledger: retired with units outstanding", "lanes/fairshare/operations.go", `	if s.Outstanding() != 0 {`, `	if s.Outstanding() < 0 {`},
	{"ledger: spent at a leaf is spent at its groups", "lanes/fairshare/operations.go", `		if i == len(path)-1 {`, `		if i >= 0 {`},
	{"ledger: sums wrap", "lanes/fairshare/units.go", `(c > a) != (b > 0) && b != 0`, `b != b`},
	{"ledger: a snapshot with negative amounts", "lanes/fairshare/snapshot.go", `		case *part.from < 0:
			fault(`, `		case *part.from < -1<<60:
			fault(`},
	{"meter: lag is looked for after the call alone", "lanes/fairshare/meter.go", `	l.note(m.fluid.level(l.vert))
	l.wait`, `	l.wait`},
	{"meter: competition ends with the run", "lanes/fairshare/meter.go", `	if m.fluid.wet >= 2 {
		m.fluid.mark()`, `	if m.fluid.wet >= 0 {
		m.fluid.mark()`},
	{"meter: fluid that one lane can't take is lost", "lanes/fairshare/fluid.go", `		units -= max(step, 0)`, `		units -= max(step, units)`},
}
