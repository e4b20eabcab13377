package lanes

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ferryctl/lanes/fairshare"
)

func big() Config {
	return Config{
		MaxBatchSize: 4, MaxBatchWeight: int64(Unlimited), MaxBatchDelay: 50,
		MaxInFlight: Unlimited, MaxQueued: Unlimited, MaxQueuedWeight: int64(Unlimited), Ranked: true,
	}
}

// pagesOf counts the pages that a room holds.
func pagesOf(l *Lanes[int, int]) (pages int) {
	count := func(present bool) {
		if present {
			pages++
		}
	}
	for _, d := range l.items.dirs {
		for _, p := range d.pages {
			count(p != nil)
		}
	}
	for _, d := range l.lanes.dirs {
		for _, p := range d.pages {
			count(p != nil)
		}
	}
	for _, d := range l.index.heads.dirs {
		for _, p := range d.pages {
			count(p != nil)
		}
	}
	for _, d := range l.forming.dirs {
		for _, p := range d.pages {
			count(p != nil)
		}
	}
	return pages
}

// TestMemoryFollowsWhatWaits fills a room with many keys and empties it, in
// several ways, and counts what is left.
func TestMemoryFollowsWhatWaits(t *testing.T) {
	const keys = 50_000
	empty := pagesOf(NewLanes[int, int](big()))
	for name, leave := range map[string]func(*Lanes[int, int], []Ref){
		"taken": func(l *Lanes[int, int], _ []Ref) {
			var b Batch[int]
			for l.Take(time.Second, &b) {
				l.Release(time.Second, b.Lane)
			}
		},
		"withdrawn": func(l *Lanes[int, int], refs []Ref) {
			rand.New(rand.NewPCG(1, 1)).Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
			for _, r := range refs {
				l.Withdraw(0, r)
			}
		},
		"drained": func(l *Lanes[int, int], _ []Ref) { l.Drain(0, func(int) {}) },
	} {
		l := NewLanes[int, int](big())
		var refs []Ref
		for i := range keys {
			r, _, _ := l.Admit(0, i, l.Hash(i), Input[int]{Entry: i, Weight: 1, Cost: 1})
			refs = append(refs, r)
		}
		full := pagesOf(l)
		leave(l, refs)
		if st := l.Stats(); st.Queued != 0 || st.Lanes != 0 || st.QueuedWeight != 0 {
			t.Errorf("%s: %+v is left", name, st)
		}
		if got := pagesOf(l); got > empty+4 {
			t.Errorf("%s: %d pages are left of %d; an empty room has %d", name, got, full, empty)
		}
	}
}

// TestManyKeysChurn compares a room of thousands of keys, of which snapshots
// are taken all the time, with a map of what should be there.
func TestManyKeysChurn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	l := NewLanes[int, int](big())
	in := map[int]Ref{} // by id
	var out []LaneRef
	type kept struct {
		room *Lanes[int, int]
		sum  int
	}
	sum := func(l *Lanes[int, int]) (s int) {
		l.items.each(func(i int32, it *item[int]) bool {
			s += int(i) * (it.entry + int(it.next) + 3*int(it.prev))
			return true
		})
		l.lanes.each(func(i int32, ln *lane[int]) bool { s += int(i) * (ln.key + ln.count + int(ln.next)); return true })
		for i := range l.index.n {
			s += int(i) * int(l.index.head(i))
		}
		return s
	}
	var old []kept
	var b Batch[int]
	now := time.Duration(0)
	for id := range 200_000 {
		now += time.Duration(r.IntN(2))
		grow := id/20_000%2 == 0
		key := r.IntN(30_000)
		ref, _, a := l.Admit(now, key, l.Hash(key), Input[int]{Entry: id, Weight: 1, Rank: int64(r.IntN(3)), Cost: 1})
		if a != Admitted {
			t.Fatal(a)
		}
		in[id] = ref
		for range 3 {
			switch {
			case !grow && l.Take(now, &b):
				out = append(out, b.Lane)
				for _, it := range b.Items {
					if _, ok := in[it.Entry]; !ok {
						t.Fatalf("%d was taken twice", it.Entry)
					}
					delete(in, it.Entry)
				}
			case len(out) > 0:
				i := r.IntN(len(out))
				l.Release(now, out[i])
				out[i] = out[len(out)-1]
				out = out[:len(out)-1]
			}
		}
		if id%5 == 0 {
			victim := r.IntN(id + 1)
			ref, ok := in[victim]
			if l.Withdraw(now, ref) != ok {
				t.Fatalf("withdraw %d: want %t", victim, ok)
			}
			delete(in, victim)
		}
		if id%5000 == 0 {
			s := l.Snapshot()
			old = append(old, kept{s, sum(s)})
		}
		if st := l.Stats(); st.Queued != len(in) || st.InFlight != len(out) {
			t.Fatalf("%+v, want %d queued and %d out", st, len(in), len(out))
		}
	}
	for i, k := range old {
		if sum(k.room) != k.sum {
			t.Errorf("snapshot %d has changed", i)
		}
	}
}

// BenchmarkTake shows that a take costs the same however many keys wait.
func BenchmarkTake(b *testing.B) {
	for _, keys := range []int{1_000, 1_000_000} {
		b.Run(map[int]string{1_000: "waiting=1k", 1_000_000: "waiting=1M"}[keys], func(b *testing.B) {
			cfg := big()
			cfg.MaxBatchDelay, cfg.Ranked = 0, false
			l := NewLanes[int, int](cfg)
			for i := range keys {
				l.Admit(0, i, l.Hash(i), Input[int]{Entry: i, Weight: 1, Cost: 1})
			}
			var batch Batch[int]
			b.ReportAllocs()
			for b.Loop() {
				l.Take(0, &batch)
				l.Release(0, batch.Lane)
				k := batch.Items[0].Entry
				l.Admit(0, k, l.Hash(k), Input[int]{Entry: k, Weight: 1, Cost: 1})
			}
		})
	}
}

// BenchmarkTakeOfShareLanes takes a batch, releases it and lets its input in
// again, with so many share lanes that always have work.
func BenchmarkTakeOfShareLanes(b *testing.B) {
	for _, lanes := range []int{3, 64, 10_000} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) {
			var shares []fairshare.Share
			for i := range lanes {
				w, err := fairshare.NewWeight(int64(1+i%7), 1)
				if err != nil {
					b.Fatal(err)
				}
				shares = append(shares, fairshare.Share{Path: fmt.Sprintf("lane%d", i), Weight: w})
			}
			node, err := fairshare.NewNode(fairshare.Config{Quantum: 8}, shares)
			if err != nil {
				b.Fatal(err)
			}
			cfg := big()
			cfg.MaxBatchDelay, cfg.Ranked, cfg.Shares = 0, false, node
			l := NewLanes[int, int](cfg)
			for i := range 4 * lanes { // the key of an input says its share lane
				l.Admit(0, i, l.Hash(i), Input[int]{Entry: i, Weight: 1, Share: fairshare.Leaf(1 + i%lanes), Cost: int64(1 + i%8)})
			}
			var batch Batch[int]
			b.ReportAllocs()
			for b.Loop() {
				l.Take(0, &batch)
				l.Release(0, batch.Lane)
				k := batch.Items[0].Entry
				l.Admit(0, k, l.Hash(k), Input[int]{Entry: k, Weight: 1, Share: batch.Share, Cost: int64(1 + k%8)})
			}
		})
	}
}

// TestBothSidesOfASnapshotGoTheirOwnWay writes to both sides of a fork by turns,
// after the room has emptied pages that it keeps to use again.
func TestBothSidesOfASnapshotGoTheirOwnWay(t *testing.T) {
	cfg := big()
	cfg.MaxBatchDelay = 0
	l := NewLanes[int, int](cfg)
	q := NewQueue[int](cfg)
	for i := range 300 {
		l.Admit(0, i, l.Hash(i), Input[int]{Entry: i, Weight: 1, Cost: 1})
		q.Admit(0, i, 1)
	}
	var b Batch[int]
	for l.Take(0, &b) {
		l.Release(0, b.Lane)
	}
	for q.Take(0, &b) {
		q.Release(0, b.Lane)
	}
	l2, q2 := l.Snapshot(), q.Snapshot()
	for i := range 200 {
		l.Admit(0, i, l.Hash(i), Input[int]{Entry: i, Weight: 1, Cost: 1})
		l2.Admit(0, i, l2.Hash(i), Input[int]{Entry: 1000 + i, Weight: 1, Cost: 1})
		q.Admit(0, i, 1)
		q2.Admit(0, 1000+i, 1)
	}
	for name, side := range map[string]struct {
		drain func(time.Duration, func(int))
		from  int
	}{"lanes": {l.Drain, 0}, "lanes' fork": {l2.Drain, 1000}, "queue": {q.Drain, 0}, "queue's fork": {q2.Drain, 1000}} {
		seen := map[int]bool{}
		side.drain(0, func(e int) { seen[e-side.from] = true })
		for i := range 200 {
			if !seen[i] {
				t.Fatalf("%s: input %d is not there", name, i)
			}
		}
		if len(seen) != 200 {
			t.Errorf("%s: %d inputs, of which 200 are its own", name, len(seen))
		}
	}
	// A page that both used would hold slots that neither gives back.
	for name, side := range map[string]*Lanes[int, int]{"lanes": l, "lanes' fork": l2} {
		side.items.each(func(i int32, it *item[int]) bool {
			t.Errorf("%s: slot %d holds %+v after the drain", name, i, *it)
			return false
		})
	}
}
