package lanes

import (
	"testing"
	"unsafe"
)

// TestWhatADirectCallWritesLiesTogether holds the order of fields: what each
// direct call writes fits a cache line of 64 bytes, in the room and in the lane.
func TestWhatADirectCallWritesLiesTogether(t *testing.T) {
	var l Lanes[int, int]
	first := unsafe.Offsetof(l.room) + unsafe.Offsetof(l.direct)
	last := unsafe.Offsetof(l.lanes) + unsafe.Offsetof(l.lanes.hint) + unsafe.Sizeof(l.lanes.hint)
	if n := last - first; n > 64 {
		t.Errorf("the calls out and the lanes' free list lie %d bytes apart, more than a line", n)
	}
	var ln lane[int]
	if at, n := unsafe.Offsetof(ln.claim), unsafe.Sizeof(ln.claim); at != 0 || n > 64 {
		t.Errorf("a claim has %d bytes at %d of its lane, want at most 64 at 0", n, at)
	}
}
