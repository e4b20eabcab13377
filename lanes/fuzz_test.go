package lanes

import (
	"testing"
	"time"
)

// FuzzRoomsDecideAsTheirNaiveTwins reads settings and operations out of bytes:
// the first six choose the settings, then two a step say what is done and to
// what.
//
//	go test ./lanes -run xxx -fuzz FuzzRooms
func FuzzRoomsDecideAsTheirNaiveTwins(f *testing.F) {
	f.Add([]byte{0, 1, 1, 1, 1, 0, 1, 2, 1, 2, 0, 0, 2, 0, 3, 0})
	f.Add([]byte{1, 2, 2, 2, 2, 3, 1, 0, 1, 9, 4, 1, 0, 5, 2, 0, 5, 0, 3, 0})
	f.Add([]byte{3, 0, 4, 0, 1, 1, 1, 1, 1, 1, 1, 2, 6, 0, 2, 0, 7, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 6 || len(data) > 4096 {
			return
		}
		pick := func(b byte, vs ...int64) int64 { return vs[int(b)%len(vs)] }
		single := data[5]&1 == 0
		p := newPair(Config{
			MaxBatchSize:    int(pick(data[0], 1, 2, 3, 5, int64(Unlimited))),
			MaxBatchWeight:  pick(data[1], 1, 4, 10, int64(Unlimited)),
			MaxBatchDelay:   time.Duration(pick(data[2], 0, 1, 5, 20, int64(Never))),
			MaxInFlight:     int(pick(data[3], 1, 2, 3, int64(Unlimited))),
			MaxQueued:       int(pick(data[4], 1, 4, 60, int64(Unlimited))),
			MaxQueuedWeight: pick(data[4]>>4, 3, 12, 200, int64(Unlimited)),
			Direct:          !single && data[5]&2 != 0,
			Ranked:          !single && data[5]&4 != 0,
		}, single)
		for ops := data[6:]; len(ops) >= 2; ops = ops[2:] {
			if err := p.operate(ops[0], int(ops[1])); err != nil {
				t.Fatal(err)
			}
			if err := p.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// operate does to the pair what a byte says, to what another one says.
func (p *pair) operate(op byte, what int) error {
	switch op % 8 {
	case 0:
		p.pass(time.Duration(what % 8))
	case 1, 2:
		key := what % 6
		if p.s.q != nil {
			key = 0
		}
		return p.admit(key, Input[int]{Weight: int64(what / 6 % 5), Rank: int64(what / 30 % 4), Cost: 1})
	case 3, 4:
		return p.take()
	case 5:
		if len(p.out) > 0 {
			p.release(what % len(p.out))
		}
	case 6:
		if p.n.nextID > 0 {
			return p.withdraw(what % p.n.nextID)
		}
	default:
		switch what % 16 {
		case 0:
			return p.drain()
		case 1, 2:
			p.flush()
		default: // go on with a fork
			p.s = p.s.snapshot()
		}
	}
	return nil
}
