package ferry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stressInput is one input of the stress test, with what became of it.
type stressInput struct {
	id, key  int
	calls    atomic.Int32 // how often a call got it
	returned atomic.Int32 // how often its Do came back, by return or by the end of its goroutine
}

// stressCall misbehaves in every way that a call can.
type stressCall struct {
	t        *testing.T
	inFlight atomic.Int32
	max      int32
	perKey   []atomic.Int32 // calls out by key; nil where keys do not matter
	behave   func() int
	free     bool // direct calls come on top of max

	done, failed, cancelled, refused, rejected atomic.Uint64 // as callers saw it
}

var errStress = errors.New("injected")

func (c *stressCall) run(ctx context.Context, in []*stressInput) ([]int, error) {
	if n := c.inFlight.Add(1); !c.free && n > c.max {
		c.t.Errorf("%d calls at once, at most %d are allowed", n, c.max)
	}
	defer c.inFlight.Add(-1)
	if len(in) == 0 {
		c.t.Error("called with nothing")
	}
	if c.perKey != nil {
		key := in[0].key
		if n := c.perKey[key].Add(1); n != 1 {
			c.t.Errorf("%d calls at once of key %d", n, key)
		}
		defer c.perKey[key].Add(-1)
	}
	answers := make([]int, len(in))
	for i, x := range in {
		if x.calls.Add(1) != 1 {
			c.t.Errorf("input %d reached a call twice", x.id)
		}
		if c.perKey != nil && x.key != in[0].key {
			c.t.Errorf("keys %d and %d in one call", x.key, in[0].key)
		}
		answers[i] = 7 * x.id
	}
	switch c.behave() {
	case 0:
		return nil, errStress
	case 1:
		panic("injected")
	case 2:
		runtime.Goexit()
	case 3:
		return answers[:len(answers)-1], nil
	case 4:
		return append(answers, 1), nil
	case 5:
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Microsecond):
		}
	case 6:
		runtime.Gosched()
	}
	return answers, nil
}

// check holds one Do to what it may return.
func (c *stressCall) check(ctx context.Context, x *stressInput, answer int, err error) {
	t := c.t
	var failed *FailedError
	var rejected *RejectedError
	switch {
	case err == nil:
		c.done.Add(1)
		if answer != 7*x.id || x.calls.Load() != 1 {
			t.Errorf("input %d: answer %d after %d calls", x.id, answer, x.calls.Load())
		}
	case errors.Is(err, ErrRejected):
		c.rejected.Add(1)
		if !errors.As(err, &rejected) || x.calls.Load() != 0 {
			t.Errorf("input %d: %v after %d calls", x.id, err, x.calls.Load())
		}
	case errors.Is(err, ErrClosed):
		c.refused.Add(1)
		if x.calls.Load() != 0 {
			t.Errorf("input %d: closed after %d calls", x.id, x.calls.Load())
		}
	case errors.As(err, &failed):
		c.failed.Add(1)
		if x.calls.Load() != 1 {
			t.Errorf("input %d: %v after %d calls", x.id, err, x.calls.Load())
		}
	case errors.Is(err, ctx.Err()):
		c.cancelled.Add(1)
	default:
		t.Errorf("input %d: error outside the contract: %v", x.id, err)
	}
}

type stressRound struct {
	seed      uint64
	kernel    string
	direct    bool
	delay     time.Duration
	inFlight  int
	queued    int
	weightCap int64
	ranked    bool
	shares    string // share lanes; "" for none
	policy    RoomPolicy
}

func (s stressRound) String() string {
	return fmt.Sprintf("%s/direct=%t/delay=%s/inflight=%d/queued=%d/weight=%d/shares=%s/seed=%d",
		s.kernel, s.direct, s.delay, s.inFlight, s.queued, s.weightCap, s.shares, s.seed)
}

func newStressRound(seed uint64) stressRound {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(vs ...int) int { return vs[r.IntN(len(vs))] }
	s := stressRound{
		seed:      seed,
		kernel:    []string{"make", "keyed", "perkey", "perkey"}[r.IntN(4)],
		direct:    r.IntN(2) == 0,
		delay:     time.Duration(pick(0, 0, 50, 300, 2000)) * time.Microsecond,
		inFlight:  pick(1, 2, 5, Unlimited),
		queued:    pick(1, 5, 50, 1000),
		weightCap: int64(pick(0, 4, 40)),
		ranked:    r.IntN(2) == 0,
		shares:    []string{"", "", "a=1", "a=5,b=3,c=2"}[r.IntN(4)],
		policy:    RoomPolicy(r.IntN(3)),
	}
	if s.shares != "" && s.policy != RoomShared { // every share lane needs a place
		s.queued = max(s.queued, 8)
		if s.weightCap > 0 {
			s.weightCap = max(s.weightCap, 8)
		}
	}
	return s
}

// laneOf is an input's share lane.
func (s stressRound) laneOf(x *stressInput) string {
	lanes := []string{"", "a", "b", "c"}
	if s.shares == "a=1" {
		return lanes[x.id%2]
	}
	return lanes[x.id%4]
}

func (s stressRound) build(t *testing.T, c *stressCall) Ferry[*stressInput, int] {
	cfg := Config{
		MaxBatchSize: 4, MaxBatchWeight: 6, MaxBatchDelay: s.delay, MaxInFlightBatches: s.inFlight,
		MaxQueued: s.queued, MaxQueuedWeight: s.weightCap,
	}
	key := func(x *stressInput) int { return x.key }
	opts := []Option[*stressInput]{WithWeigh(func(x *stressInput) int64 { return int64(x.id % 4) })}
	if s.shares != "" {
		opts = append(opts, WithShares(Shares{Lanes: s.shares, Policy: s.policy}, s.laneOf),
			WithCost(func(x *stressInput) int64 { return int64(1 + x.id%3) }))
	}
	var f Ferry[*stressInput, int]
	var err error
	switch s.kernel {
	case "make":
		f, err = Make(cfg, c.run, opts...)
	case "keyed":
		// Every input is its own key, so that each reaches a call once.
		f, err = Keyed(cfg, func(x *stressInput) int { return x.id }, func(ctx context.Context, in []*stressInput) (map[int]int, error) {
			answers, err := c.run(ctx, in)
			m := map[int]int{}
			for i := range min(len(answers), len(in)) {
				m[in[i].id] = answers[i]
			}
			return m, err
		}, opts...)
	default:
		if s.ranked {
			opts = append(opts, WithRank(func(x *stressInput) int64 { return int64(x.id % 3) }))
		}
		f, err = PerKey(PerKeyConfig{Config: cfg, NoDirect: !s.direct}, key, func(ctx context.Context, _ int, in []*stressInput) ([]int, error) {
			return c.run(ctx, in)
		}, opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run lets callers loose on a batcher, closes it at some moment, and settles
// the account.
func (s stressRound) run(t *testing.T) {
	const callers, each, keys = 24, 40, 5
	r := rand.New(rand.NewPCG(s.seed, 2))
	var mu sync.Mutex
	c := &stressCall{
		t: t, max: int32(min(s.inFlight, 1<<20)), free: s.kernel == "perkey" && s.direct && s.delay == 0,
		behave: func() int { mu.Lock(); defer mu.Unlock(); return r.IntN(20) },
	}
	if s.kernel == "perkey" {
		c.perKey = make([]atomic.Int32, keys)
	}
	f := s.build(t, c)
	inputs := make([]stressInput, callers*each)
	closeAfter := int32(r.IntN(2 * callers * each)) // half of the time, after all is over
	var begun atomic.Int32
	var wg, closers, meddler sync.WaitGroup
	stop, stopMeddling := context.WithCancel(context.Background())
	if r.IntN(2) == 0 {
		meddler.Go(func() { restless(stop, f, c.free) })
	}
	for g := range callers {
		wg.Add(1)
		go s.caller(&wg, f, c, inputs, g*each, each, keys, func() {
			if begun.Add(1) == closeAfter {
				closers.Go(func() { f.Close() })
			}
		})
	}
	wg.Wait()
	stopMeddling()
	meddler.Wait()
	closers.Wait()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for i := range inputs {
		if n := inputs[i].returned.Load(); n != 1 {
			t.Errorf("input %d was answered %d times", i, n)
		}
	}
	m := f.Metrics()
	if got := m.Done + m.Failed + m.Cancelled + m.RejectedCount + m.RejectedWeight + m.RefusedClosed; got != m.Submitted || m.Submitted != callers*each {
		t.Errorf("%d were submitted, %d are accounted for, there were %d: %+v", m.Submitted, got, callers*each, m)
	}
	if m.Done != c.done.Load() || m.Failed+m.Cancelled != c.failed.Load()+c.cancelled.Load() ||
		m.RejectedCount+m.RejectedWeight != c.rejected.Load() || m.RefusedClosed != c.refused.Load() {
		t.Errorf("the account %+v is not what callers saw: done %d, failed %d, cancelled %d, rejected %d, refused %d",
			m, c.done.Load(), c.failed.Load(), c.cancelled.Load(), c.rejected.Load(), c.refused.Load())
	}
	if m.Queued != 0 || m.Running != 0 || m.InFlight != 0 || m.Direct != 0 || m.Lanes != 0 || m.QueuedWeight != 0 {
		t.Errorf("something is left: %+v", m)
	}
	if m.PeakQueued > s.queued || s.weightCap > 0 && m.PeakQueuedWeight > s.weightCap {
		t.Errorf("a bound was passed: %+v", m)
	}
}

// caller sends its inputs one after the other. A direct call may end its
// goroutine, so each is sent from one of its own.
func (s stressRound) caller(wg *sync.WaitGroup, f Ferry[*stressInput, int], c *stressCall, inputs []stressInput, from, n, keys int, begin func()) {
	defer wg.Done()
	r := rand.New(rand.NewPCG(s.seed, uint64(from)+100))
	for i := from; i < from+n; i++ {
		x := &inputs[i]
		x.id, x.key = i, r.IntN(keys)
		ctx, cancel := context.WithCancel(context.Background())
		switch r.IntN(4) {
		case 0:
			time.AfterFunc(time.Duration(r.IntN(300))*time.Microsecond, cancel)
		case 1:
			ctx = context.Background()
		}
		begin()
		over := make(chan struct{})
		go func() {
			defer close(over)
			ended := true // by a direct call, which fails it
			defer func() {
				x.returned.Add(1)
				if ended && ctx.Err() == nil {
					c.failed.Add(1)
				} else if ended {
					c.cancelled.Add(1)
				}
			}()
			answer, err := f.Do(ctx, x)
			ended = false
			c.check(ctx, x, answer, err)
		}()
		<-over
		cancel()
	}
}

// TestStressEveryCallerIsAnsweredOnce is the randomised test of all guarantees
// at once. A failing seed replays (as far as the scheduler allows) with
// -run 'TestStress.*/.*seed=N$'.
func TestStressEveryCallerIsAnsweredOnce(t *testing.T) {
	rounds := uint64(200)
	if testing.Short() {
		rounds = 20
	}
	for seed := range rounds {
		s := newStressRound(seed)
		t.Run(s.String(), func(t *testing.T) { s.run(t) })
	}
}
