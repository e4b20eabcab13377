// Where a key's lane is: a hash table by linear hashing, which grows and
// shrinks by one bucket at a time and so never stops the room to rehash it.
// Litwin, "Linear hashing: a new tool for file and table addressing", VLDB 1980.

package lanes

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"

	"ferryctl/lanes/fairshare"
)

const (
	groupBits  = 4
	groupLen   = 1 << groupBits
	minBuckets = 32 * groupLen // a power of two; one page
)

// index maps hashes to chains of lanes. A chain is linked through lane.chain;
// the table keeps the number of buckets within [lanes, 4*lanes], but for the
// least. Buckets lie in groups of a cache line, so that finding one among a
// million misses the cache once and not at every level of the pages.
type index struct {
	seed  maphash.Seed
	n     int32                // buckets
	heads vec[[groupLen]int32] // first lane of each bucket's chain
}

// head returns the first lane of a bucket.
func (x *index) head(b int32) int32 { return x.heads.get(b >> groupBits)[b&(groupLen-1)] }

// setHead makes a lane the first of a bucket.
func (x *index) setHead(b, lane int32) { x.heads.mut(b >> groupBits)[b&(groupLen-1)] = lane }

// grow adds an empty bucket.
func (x *index) grow() {
	if x.n&(groupLen-1) == 0 {
		x.heads.push([groupLen]int32{})
	}
	x.n++
}

// shrink drops the last bucket, which must be empty.
func (x *index) shrink() {
	x.n--
	if x.n&(groupLen-1) == 0 {
		x.heads.pop()
	}
}

func (x *index) init(o *owner) {
	x.seed = maphash.MakeSeed()
	x.heads.fork(o)
	for range minBuckets {
		x.grow()
	}
}

// bucket returns the bucket of a hash: its low bits, by the larger power of
// two if that bucket exists already.
func (x *index) bucket(hash uint64) int32 {
	n := uint32(x.n)
	mask := uint32(1)<<bits.Len32(n-1) - 1
	b := uint32(hash) & mask
	if b >= n {
		b &= mask >> 1
	}
	return int32(b)
}

// find returns the lane of a key and share lane, or 0.
func (l *Lanes[K, E]) find(key K, hash uint64, share fairshare.Leaf) int32 {
	linked := l.lanes.live
	if i := l.loner; i != 0 {
		if ln := l.lanes.get(i); ln.hash == hash && ln.key == key && ln.share == share {
			return i
		}
		linked--
	}
	if linked == 0 {
		return 0
	}
	for i := l.index.head(l.index.bucket(hash)); i != 0; {
		ln := l.lanes.get(i)
		if ln.hash == hash && ln.key == key && ln.share == share {
			return i
		}
		i = ln.chain
	}
	return 0
}

// twins lists the other lanes of lane i's key, in the order of their share
// lanes: that of their chain hangs on the seed of the hash. The list is good
// until the next call.
func (l *Lanes[K, E]) twins(key K, hash uint64, i int32) []int32 {
	same := l.gate.same[:0]
	if t := l.loner; t != 0 && t != i {
		if ln := l.lanes.get(t); ln.hash == hash && ln.key == key {
			same = append(same, t)
		}
	}
	for t := l.index.head(l.index.bucket(hash)); t != 0; {
		ln := l.lanes.get(t)
		if t != i && ln.hash == hash && ln.key == key {
			same = append(same, t)
		}
		t = ln.chain
	}
	if len(same) > 1 {
		slices.SortFunc(same, func(a, b int32) int { return cmp.Compare(l.lanes.get(a).share, l.lanes.get(b).share) })
	}
	l.gate.same = same
	return same
}

// link makes a lane the first of its chain, then splits a bucket if they are few.
func (l *Lanes[K, E]) link(i int32) {
	ln := l.lanes.mut(i)
	b := l.index.bucket(ln.hash)
	ln.chain = l.index.head(b)
	l.index.setHead(b, i)
	if l.lanes.live > l.index.n {
		l.split()
	}
}

// unlink takes a lane out of its chain, then merges buckets if they are many.
func (l *Lanes[K, E]) unlink(i int32) {
	ln := l.lanes.get(i)
	b, next := l.index.bucket(ln.hash), ln.chain
	at := l.index.head(b)
	if at == i {
		l.index.setHead(b, next)
	} else {
		for l.lanes.get(at).chain != i {
			at = l.lanes.get(at).chain
		}
		l.lanes.mut(at).chain = next
	}
	// Four merges keep up with one removal at a quarter of the load.
	for range 4 {
		n := l.index.n
		if n == minBuckets || l.lanes.live > n/4 {
			return
		}
		l.merge()
	}
}

// split adds a bucket and moves to it what now hashes there.
func (l *Lanes[K, E]) split() {
	n := l.index.n
	from := n &^ (int32(1) << (bits.Len32(uint32(n)) - 1)) // n without its highest bit
	l.index.grow()
	at := l.index.head(from)
	var stay, move int32
	for at != 0 {
		ln := l.lanes.mut(at)
		next := ln.chain
		if l.index.bucket(ln.hash) == n {
			ln.chain, move = move, at
		} else {
			ln.chain, stay = stay, at
		}
		at = next
	}
	l.index.setHead(from, stay)
	l.index.setHead(n, move)
}

// merge drops the last bucket and moves what it held to where it hashes now.
func (l *Lanes[K, E]) merge() {
	at := l.index.head(l.index.n - 1)
	l.index.setHead(l.index.n-1, 0)
	l.index.shrink()
	for at != 0 {
		ln := l.lanes.mut(at)
		next := ln.chain
		b := l.index.bucket(ln.hash)
		ln.chain = l.index.head(b)
		l.index.setHead(b, at)
		at = next
	}
}
