// Paged storage with lazy copy-on-write: what makes a snapshot O(1).
//
// Slots live in pages of 32, pages hang in directories of 256. Each of them is
// stamped with the owner that may write to it. A snapshot gives both sides new
// owner tokens, so that the first write of either to a shared page (or
// directory) finds a foreign stamp and copies it; every later write finds its
// own stamp and pays one comparison.

package lanes

import (
	"math/bits"
	"slices"
)

const (
	pageBits = 5
	pageLen  = 1 << pageBits
	dirBits  = 8
	dirLen   = 1 << dirBits
	maxSpare = 64 // most empty pages kept by a slab for reuse
)

// owner is a token: its address says who may write. It has a size so that two
// tokens never share an address.
type owner struct{ _ byte }

type page[T any] struct {
	owner *owner
	used  uint32 // slab only: bit i set while slot i is allocated
	at    [pageLen]T
}

type directory[T any] struct {
	owner *owner
	open  [dirLen / 64]uint64 // slab only: bit p set while page p has a free slot, or is absent
	pages [dirLen]*page[T]
}

// table is an array of slots in pages. Its zero value is empty and unowned;
// fork must run before the first write.
type table[T any] struct {
	owner *owner // who this table writes as
	root  *owner // who owns the slice dirs
	dirs  []*directory[T]
	first *page[T] // page 0, for short: a small room lives in it
}

// fork makes t write as o, sharing all it holds so far.
func (t *table[T]) fork(o *owner) { t.owner = o }

// get returns slot i for reading. The pointer is stale after a write to the
// same page through mut, and must not be kept across one.
func (t *table[T]) get(i int32) *T {
	if uint32(i) < pageLen {
		return &t.first.at[i]
	}
	return &t.dirs[i>>(pageBits+dirBits)].pages[(i>>pageBits)&(dirLen-1)].at[i&(pageLen-1)]
}

// mut returns slot i for writing, copying its page first if it is shared.
func (t *table[T]) mut(i int32) *T {
	if p := t.first; uint32(i) < pageLen && p.owner == t.owner {
		return &p.at[i]
	}
	return t.mutFar(i)
}

func (t *table[T]) mutFar(i int32) *T {
	p := t.dirs[i>>(pageBits+dirBits)].pages[(i>>pageBits)&(dirLen-1)]
	if p.owner != t.owner {
		p = t.ownPage(i >> pageBits)
	}
	return &p.at[i&(pageLen-1)]
}

func (t *table[T]) ownRoot() {
	if t.root != t.owner {
		t.dirs = slices.Clone(t.dirs)
		t.root = t.owner
	}
}

func (t *table[T]) ownDir(d int32) *directory[T] {
	dir := t.dirs[d]
	if dir.owner != t.owner {
		c := *dir
		c.owner = t.owner
		dir = &c
		t.ownRoot()
		t.dirs[d] = dir
	}
	return dir
}

// ownPage returns page p, owned; an owned page hangs in an owned directory.
func (t *table[T]) ownPage(p int32) *page[T] {
	dir := t.ownDir(p >> dirBits)
	pg := dir.pages[p&(dirLen-1)]
	if pg.owner != t.owner {
		c := *pg
		c.owner = t.owner
		pg = &c
		dir.pages[p&(dirLen-1)] = pg
		if p == 0 {
			t.first = pg
		}
	}
	return pg
}

// addDir appends an empty directory.
func (t *table[T]) addDir() *directory[T] {
	t.ownRoot()
	dir := &directory[T]{owner: t.owner}
	for i := range dir.open {
		dir.open[i] = ^uint64(0)
	}
	t.dirs = append(t.dirs, dir)
	return dir
}

// addPage hangs an empty page at p, which must be absent, in an existing or
// the next directory.
func (t *table[T]) addPage(p int32, pg *page[T]) {
	if int(p>>dirBits) == len(t.dirs) {
		t.addDir()
	}
	if pg == nil {
		pg = new(page[T])
	}
	pg.owner = t.owner
	t.ownDir(p >> dirBits).pages[p&(dirLen-1)] = pg
	if p == 0 {
		t.first = pg
	}
}

// vec is a growing and shrinking array.
type vec[T any] struct {
	table[T]
	n int32
}

func (v *vec[T]) push(x T) {
	p := v.n >> pageBits
	if v.n&(pageLen-1) == 0 && (int(p>>dirBits) == len(v.dirs) || v.dirs[p>>dirBits].pages[p&(dirLen-1)] == nil) {
		v.addPage(p, nil)
	}
	v.n++
	*v.mut(v.n - 1) = x
}

// pop drops the last slot. It keeps one empty page behind the last one in use,
// so that an array that grows and shrinks around a page's edge stays put.
func (v *vec[T]) pop() {
	var zero T
	v.n--
	*v.mut(v.n) = zero
	if after := v.n>>pageBits + 1; v.n&(pageLen-1) == 0 && int(after>>dirBits) < len(v.dirs) {
		if after&(dirLen-1) == 0 {
			v.ownRoot()
			clear(v.dirs[after>>dirBits:])
			v.dirs = v.dirs[:after>>dirBits]
		} else if v.dirs[after>>dirBits].pages[after&(dirLen-1)] != nil {
			v.ownDir(after >> dirBits).pages[after&(dirLen-1)] = nil
		}
	}
}

// slab hands out slots by number, the lowest free page first, so that what is
// live stays dense and pages that empty can be let go. Slot 0 is never handed
// out: 0 means none.
type slab[T any] struct {
	live int32
	hot  int32 // a slot freed and not yet given back, for the next alloc; 0 if none
	hint int32 // no directory below it has a free slot
	table[T]
	spare []*page[T]
}

// forgetSpare is for the new side of a fork: spare pages stay with the side
// that keeps the struct, or both would use them.
func (s *slab[T]) forgetSpare() { s.spare = nil }

// alloc hands out a slot; it holds the zero value.
func (s *slab[T]) alloc() (int32, *T) {
	s.live++
	if i := s.hot; i != 0 {
		s.hot = 0
		return i, s.mut(i)
	}
	return s.search()
}

// search finds the lowest free slot.
func (s *slab[T]) search() (int32, *T) {
	d := s.hint
	var word int
	for ; ; d++ {
		if int(d) == len(s.dirs) {
			s.addDir()
		}
		if word = firstWord(&s.dirs[d].open); word >= 0 {
			break
		}
	}
	s.hint = d
	in := int32(word*64 + bits.TrailingZeros64(s.dirs[d].open[word]))
	p := d<<dirBits | in
	if s.dirs[d].pages[in] == nil {
		s.addPage(p, s.unspare())
		if p == 0 {
			s.dirs[0].pages[0].used = 1
		}
	}
	pg := s.ownPage(p)
	slot := int32(bits.TrailingZeros32(^pg.used))
	pg.used |= 1 << slot
	if pg.used == ^uint32(0) {
		s.dirs[d].open[word] &^= 1 << (in & 63)
	}
	return p<<pageBits | slot, &pg.at[slot]
}

// free takes a slot back. The last one freed is kept at hand: a room that
// empties as fast as it fills never looks for a slot.
func (s *slab[T]) free(i int32) {
	var zero T
	*s.mut(i) = zero
	s.freeZero(i)
}

// freeZero takes back a slot that holds the zero value.
func (s *slab[T]) freeZero(i int32) {
	s.live--
	if s.hot == 0 {
		s.hot = i
	} else {
		s.giveBack(i)
	}
	if s.live == 0 && len(s.dirs) > 1 {
		s.giveBack(s.hot)
		s.hot = 0
		s.ownRoot()
		clear(s.dirs[1:])
		s.dirs = slices.Clip(s.dirs[:1])
	}
}

// giveBack marks an empty slot as free, and lets its page go with its last one.
func (s *slab[T]) giveBack(i int32) {
	p := i >> pageBits
	pg := s.ownPage(p)
	pg.used &^= 1 << (i & (pageLen - 1))
	d, in := p>>dirBits, p&(dirLen-1)
	s.dirs[d].open[in>>6] |= 1 << (in & 63)
	s.hint = min(s.hint, d)
	if pg.used == 0 {
		s.dirs[d].pages[in] = nil
		if len(s.spare) < maxSpare {
			s.spare = append(s.spare, pg)
		}
	}
}

func (s *slab[T]) unspare() *page[T] {
	n := len(s.spare)
	if n == 0 {
		return nil
	}
	pg := s.spare[n-1]
	s.spare[n-1] = nil
	s.spare = s.spare[:n-1]
	return pg
}

// lookup returns slot i for reading, or nil if it is not allocated.
func (s *slab[T]) lookup(i int32) *T {
	if i <= 0 || i == s.hot || int(i>>(pageBits+dirBits)) >= len(s.dirs) {
		return nil
	}
	pg := s.dirs[i>>(pageBits+dirBits)].pages[(i>>pageBits)&(dirLen-1)]
	if pg == nil || pg.used&(1<<(i&(pageLen-1))) == 0 {
		return nil
	}
	return &pg.at[i&(pageLen-1)]
}

// each calls f with every allocated slot, in order of its number, for reading.
func (s *slab[T]) each(f func(i int32, v *T) bool) {
	for d, dir := range s.dirs {
		for in, pg := range dir.pages {
			if pg == nil {
				continue
			}
			for used := pg.used; used != 0; used &= used - 1 {
				slot := bits.TrailingZeros32(used)
				i := int32(d<<dirBits|in)<<pageBits | int32(slot)
				if i != 0 && i != s.hot && !f(i, &pg.at[slot]) {
					return
				}
			}
		}
	}
}

// firstWord returns the index of the first word that has a bit set, or -1.
func firstWord(w *[dirLen / 64]uint64) int {
	for i, x := range w {
		if x != 0 {
			return i
		}
	}
	return -1
}
