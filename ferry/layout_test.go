package ferry

import (
	"testing"
	"unsafe"
)

// TestWhatADirectCallWritesLiesTogether holds the order of fields: what each
// direct call writes fits a cache line of 64 bytes, and what calls read without
// the mutex is at least such a line away.
func TestWhatADirectCallWritesLiesTogether(t *testing.T) {
	var s shell[int, int, int]
	first, last := unsafe.Offsetof(s.mu), unsafe.Offsetof(s.fresh)+unsafe.Sizeof(s.fresh)
	if n := last - first; n > 64 {
		t.Errorf("the mutex and the counters of direct calls lie %d bytes apart, more than a line", n)
	}
	if n := first - unsafe.Offsetof(s.gate); n < 64 {
		t.Errorf("the mutex lies %d bytes behind what is read without it, less than a line", n)
	}
}
