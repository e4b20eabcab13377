// The fluid reference: the service that each lane would have had if service
// were a fluid, divided by weight at every instant among the lanes with work.
//
// It is driven by work, not by time: whenever the real system serves a units, a
// units of fluid are poured in at the root. A group divides what it gets among
// its children with backlog in proportion to weight, so a child that has some
// gets w units per unit of the group's virtual time, and runs dry at a virtual
// time that is known in advance. A heap of those per group makes a pour cost
// O(depth · log n) for each lane that runs dry in it, and O(1) otherwise.
//
// Parekh & Gallager, "A generalized processor sharing approach to flow
// control", 1993; floating point, as nothing is decided by it.

package fairshare

import "math"

// dregs is what counts as no backlog: costs are whole units, so less than this
// is rounding.
const dregs = 1e-6

// A basin is a group or a lane of the fluid reference.
type basin struct {
	parent int32
	weight uint64
	lane   bool

	// As a child, in virtual time of its parent's.
	place int32   // in the parent's heap, from 1; 0: dry
	at    float64 // until when got is up to date
	due   float64 // when it, or something below it, runs dry

	got     float64 // fluid
	offered float64 // of a lane: what may run dry

	// As a group.
	virtual float64
	weights uint64  // of the children that are not dry
	heap    []int32 // those children, by due

	// What got and virtual were at the latest instant with competition, if epoch
	// is the meter's (see meter.go).
	epoch              uint64
	gotThen, virtualAt float64
}

// fluid is the whole tree. wet counts the lanes with backlog.
type fluid struct {
	basins []basin
	wet    int
	epoch  uint64
}

// pour hands out units of fluid at the root; what finds no backlog is lost.
func (f *fluid) pour(units float64) {
	root := &f.basins[0]
	f.keep(0)
	for len(root.heap) > 0 {
		first := root.heap[0]
		step := (f.basins[first].due - root.virtual) * float64(root.weights)
		if step > units+dregs {
			root.virtual += max(units, 0) / float64(root.weights)
			return
		}
		units -= max(step, 0)
		root.virtual = f.basins[first].due
		f.dry(first)
	}
}

// dry lets child i, which is due now, run dry, or what is due below it.
func (f *fluid) dry(i int32) {
	f.sync(i)
	b := &f.basins[i]
	if b.lane {
		b.got = b.offered
		f.unlink(i)
		f.wet--
		return
	}
	first := b.heap[0]
	b.virtual = f.basins[first].due
	f.dry(first)
	f.reschedule(i)
}

// sync brings what i got up to date with its parent's virtual time.
func (f *fluid) sync(i int32) {
	f.keep(i)
	b := &f.basins[i]
	now := f.basins[b.parent].virtual
	if b.place > 0 {
		got := float64(b.weight) * (now - b.at)
		b.got += got
		if !b.lane {
			b.virtual += got / float64(b.weights)
		}
	}
	b.at = now
}

// syncPath does so for all from the root down to i.
func (f *fluid) syncPath(i int32) {
	if i == 0 {
		f.keep(0)
		return
	}
	f.syncPath(f.basins[i].parent)
	f.sync(i)
}

// reschedule puts i, which is in sync, where it belongs in its parent's heap.
func (f *fluid) reschedule(i int32) {
	b := &f.basins[i]
	left := b.offered - b.got
	if !b.lane {
		left = 0
		if len(b.heap) > 0 {
			left = max((f.basins[b.heap[0]].due-b.virtual)*float64(b.weights), math.SmallestNonzeroFloat64)
		}
	}
	if left <= 0 || b.lane && left <= dregs {
		if b.place > 0 {
			f.unlink(i)
			if b.lane {
				f.wet--
			}
		}
		return
	}
	b.due = f.basins[b.parent].virtual + left/float64(b.weight)
	p := &f.basins[b.parent]
	if b.place == 0 {
		if b.lane {
			f.wet++
		}
		p.weights += b.weight
		p.heap = append(p.heap, i)
		b.place = int32(len(p.heap))
	}
	f.fix(p, int(b.place)-1)
}

// unlink takes i out of its parent's heap.
func (f *fluid) unlink(i int32) {
	b := &f.basins[i]
	p := &f.basins[b.parent]
	at, last := int(b.place)-1, len(p.heap)-1
	moved := p.heap[last]
	p.heap = p.heap[:last]
	p.weights -= b.weight
	b.place = 0
	if at < last {
		p.heap[at] = moved
		f.basins[moved].place = int32(at) + 1
		f.fix(p, at)
	}
}

func (f *fluid) fix(p *basin, at int) {
	i := p.heap[at]
	due := f.basins[i].due
	for at > 0 && due < f.basins[p.heap[(at-1)/2]].due {
		f.put(p, at, p.heap[(at-1)/2])
		at = (at - 1) / 2
	}
	for {
		child := 2*at + 1
		if child >= len(p.heap) {
			break
		}
		if child+1 < len(p.heap) && f.basins[p.heap[child+1]].due < f.basins[p.heap[child]].due {
			child++
		}
		if due <= f.basins[p.heap[child]].due {
			break
		}
		f.put(p, at, p.heap[child])
		at = child
	}
	f.put(p, at, i)
}

func (f *fluid) put(p *basin, at int, i int32) {
	p.heap[at] = i
	f.basins[i].place = int32(at) + 1
}

// offer adds to what a lane may get, or takes some away.
func (f *fluid) offer(i int32, units float64) {
	f.syncPath(i)
	f.basins[i].offered += units
	for ; i != 0; i = f.basins[i].parent {
		f.reschedule(i)
	}
}

// reweigh gives every basin a new weight. Parents come before their children.
func (f *fluid) reweigh(weights []uint64) {
	f.keep(0)
	for i := range f.basins[1:] {
		f.sync(int32(i + 1))
	}
	f.wet = 0
	for i := range f.basins {
		b := &f.basins[i]
		b.weight, b.weights, b.heap, b.place = weights[i], 0, b.heap[:0], 0
	}
	for i := len(f.basins) - 1; i > 0; i-- {
		f.reschedule(int32(i))
	}
}

// level returns what i has got, without changing anything.
func (f *fluid) level(i int32) float64 {
	b := &f.basins[i]
	if b.place == 0 {
		return b.got
	}
	return b.got + float64(b.weight)*(f.clock(b.parent)-b.at)
}

// clock returns a group's virtual time, likewise.
func (f *fluid) clock(i int32) float64 {
	b := &f.basins[i]
	if i == 0 || b.place == 0 {
		return b.virtual
	}
	return b.virtual + float64(b.weight)*(f.clock(b.parent)-b.at)/float64(b.weights)
}

// mark makes now the instant that levelThen tells of.
func (f *fluid) mark() { f.epoch++ }

// keep saves what i was at the mark, before the first change since.
func (f *fluid) keep(i int32) {
	b := &f.basins[i]
	if b.epoch == f.epoch {
		return
	}
	b.gotThen, b.virtualAt = f.levelThen(i), f.clockThen(i)
	b.epoch = f.epoch
}

// levelThen and clockThen are level and clock at the mark.
func (f *fluid) levelThen(i int32) float64 {
	b := &f.basins[i]
	switch {
	case b.epoch == f.epoch:
		return b.gotThen
	case b.place == 0:
		return b.got
	}
	return b.got + float64(b.weight)*(f.clockThen(b.parent)-b.at)
}

func (f *fluid) clockThen(i int32) float64 {
	b := &f.basins[i]
	switch {
	case b.epoch == f.epoch:
		return b.virtualAt
	case i == 0 || b.place == 0:
		return b.virtual
	}
	return b.virtual + float64(b.weight)*(f.clockThen(b.parent)-b.at)/float64(b.weights)
}
