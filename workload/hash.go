// The fingerprint of a whole sequence.

package workload

import (
	"math/bits"

	"ferryctl/internal/detmath"
)

// A digest is a running hash of a sequence of items. Two sequences with equal
// digests are, but for an accident of chance in 2^64, the same items in the same
// order; it is no defence against someone who seeks a collision.
type digest struct {
	sum   uint64
	items uint64
}

// add takes the item into the digest; lane is the hash of its lane's name.
func (d *digest) add(it *Item, lane uint64) {
	h := fold(d.sum^uint64(it.At)^0x2d358dccaa6c78a5, it.Key^0x8bb84b93962eacc9)
	d.sum = fold(h^uint64(it.Weight)^0x4b33a62ed433d4a3, lane^(it.Index+1)*detmath.Golden)
	d.items++
}

// value is the digest of the items added so far.
func (d *digest) value() uint64 { return detmath.Mix(d.sum ^ detmath.Mix(d.items+detmath.Golden)) }

// fold multiplies to 128 bits and folds the halves together, so that each bit of
// the result depends on all bits of both arguments.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
