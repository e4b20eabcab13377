package floors

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/pubsub/publishscheduler"
	"github.com/graph-gophers/dataloader/v7"
	gocloud "gocloud.dev/pubsub/batcher"
	"google.golang.org/api/support/bundler"

	"ferryctl/ferry"
)

// Names of all subjects, in the order in which they are reported. Those that
// start with "keyed-" run one call per key at a time.
var Names = []string{
	"floor-1", "make", "bundler", "gocloud", "dataloader",
	"keyed-floor", "keyed-perkey", "keyed-publishscheduler",
	"keyed-floor-direct", "keyed-perkey-direct",
	"make-share", "keyed-perkey-share", "keyed-perkey-direct-share", // with one share lane
	"make-shares", "keyed-perkey-shares", // with three, by the key
}

// New builds a subject by its name.
func New(name string) (Subject, error) {
	switch name {
	case "floor-1":
		return NewOne(Noop), nil
	case "keyed-floor":
		return NewPerKey(false, Noop), nil
	case "keyed-floor-direct":
		return NewPerKey(true, Noop), nil
	case "make":
		return newMake(ferry.Config{MaxBatchSize: MaxBatchSize, MaxInFlightBatches: 1, MaxQueued: 1 << 20})
	case "make-share", "make-shares":
		return newMake(ferry.Config{MaxBatchSize: MaxBatchSize, MaxInFlightBatches: 1, MaxQueued: 1 << 20}, shares(name))
	case "keyed-perkey", "keyed-perkey-share", "keyed-perkey-shares", "keyed-perkey-direct", "keyed-perkey-direct-share":
		return newPerKey(ferry.PerKeyConfig{
			Config:   ferry.Config{MaxBatchSize: MaxBatchSize, MaxInFlightBatches: 1, MaxQueued: 1 << 20},
			NoDirect: !strings.Contains(name, "direct"),
		}, shares(name))
	case "bundler":
		return newBundler(answer, 1), nil
	case "gocloud":
		return newGocloud(answer, 1), nil
	case "dataloader":
		return newDataloader(0), nil
	case "keyed-publishscheduler":
		return newScheduled(answer, 1), nil
	}
	return nil, fmt.Errorf("no subject %q; there are %v", name, Names)
}

// NewPerKeyQueued builds "keyed-perkey", and gives its ferry too.
func NewPerKeyQueued() (Subject, ferry.Ferry[input, int]) {
	s, err := New("keyed-perkey")
	if err != nil {
		panic(err)
	}
	return s, s.(batcher).f
}

type input struct{ key, in int }

// batcher adapts a ferry.
type batcher struct{ f ferry.Ferry[input, int] }

// shares returns the share lanes that a subject's name asks for: one that all
// inputs are of, or three.
func shares(name string) ferry.Option[input] {
	switch {
	case strings.HasSuffix(name, "-share"):
		return ferry.WithShares(ferry.Shares{Lanes: "a=1"}, func(input) string { return "a" })
	case strings.HasSuffix(name, "-shares"):
		lanes := []string{"a", "b", "c"}
		return ferry.WithShares(ferry.Shares{Lanes: "a=5,b=3,c=2"}, func(i input) string { return lanes[i.key%3] })
	}
	return ferry.WithContext[input](context.Background()) // nothing
}

func newMake(c ferry.Config, opts ...ferry.Option[input]) (Subject, error) {
	f, err := ferry.Make(c, func(_ context.Context, in []input) ([]int, error) { return zeros[:len(in)], nil }, opts...)
	return batcher{f}, err
}

func newPerKey(c ferry.PerKeyConfig, opts ...ferry.Option[input]) (Subject, error) {
	f, err := ferry.PerKey(c, func(i input) int { return i.key },
		func(_ context.Context, _ int, in []input) ([]int, error) { return zeros[:len(in)], nil }, opts...)
	return batcher{f}, err
}

// zeros answers without allocating; the answer's value is not what is measured.
var zeros [MaxBatchSize]int

func (b batcher) Do(ctx context.Context, key, in int) (int, error) {
	return b.f.Do(ctx, input{key, in})
}

func (b batcher) Close() { b.f.Close() }

// answer is the handler of the peers that answer nobody themselves.
func answer(items any) {
	for _, w := range items.([]*waiter) {
		w.done <- w.in[0]
	}
}

// bundled adapts google.golang.org/api/support/bundler, whose Add does not
// wait for an answer: a pooled waiter does.
type bundled struct {
	callers
	b *bundler.Bundler
}

func newBundler(handle func(any), handlers int) *bundled {
	b := bundler.NewBundler(&waiter{}, handle)
	b.HandlerLimit = handlers
	b.BundleCountThreshold = MaxBatchSize
	b.DelayThreshold = time.Nanosecond
	b.BufferedByteLimit = 1 << 30
	return &bundled{b: b}
}

func (b *bundled) Do(ctx context.Context, key, in int) (int, error) {
	w := b.get(key, in)
	if err := b.b.Add(w, 1); err != nil {
		return 0, err
	}
	return b.wait(ctx, w)
}

func (b *bundled) Close() { b.b.Flush() }

// cloudBatcher adapts gocloud.dev/pubsub/batcher.
type cloudBatcher struct {
	callers
	b *gocloud.Batcher
}

func newGocloud(handle func(any), handlers int) *cloudBatcher {
	return &cloudBatcher{b: gocloud.New(reflect.TypeOf(&waiter{}), &gocloud.Options{MaxHandlers: handlers, MaxBatchSize: MaxBatchSize},
		func(items any) error { handle(items); return nil })}
}

func (c *cloudBatcher) Do(ctx context.Context, key, in int) (int, error) {
	w := c.get(key, in)
	if err := c.b.Add(ctx, w); err != nil { // waits for the batch
		return 0, err
	}
	return c.wait(ctx, w)
}

func (c *cloudBatcher) Close() { c.b.Shutdown() }

// scheduled adapts Google Pub/Sub's PublishScheduler, whose keys are strings.
type scheduled struct {
	callers
	s     *publishscheduler.Scheduler
	names []string
}

func newScheduled(handle func(any), workers int) *scheduled {
	s := &scheduled{s: publishscheduler.New(workers, MaxBatchSize, handle), names: make([]string, maxKeys)}
	for i := range s.names {
		s.names[i] = strconv.Itoa(i)
	}
	return s
}

func (s *scheduled) Do(ctx context.Context, key, in int) (int, error) {
	w := s.get(key, in)
	if err := s.s.Add(s.names[key], w, 1); err != nil {
		return 0, err
	}
	return s.wait(ctx, w)
}

func (s *scheduled) Close() { s.s.FlushAndStop() }

// loader adapts graph-gophers/dataloader, with its cache off. Its inputs are
// its keys, and equal keys of a batch share a load.
type loader struct {
	l *dataloader.Loader[input, int]
}

func newDataloader(takes time.Duration) *loader {
	return &loader{dataloader.NewBatchedLoader(
		func(_ context.Context, keys []input) []*dataloader.Result[int] {
			time.Sleep(takes)
			out := make([]*dataloader.Result[int], len(keys))
			for i, k := range keys {
				out[i] = &dataloader.Result[int]{Data: k.in}
			}
			return out
		},
		dataloader.WithCache[input, int](&dataloader.NoCache[input, int]{}),
		dataloader.WithBatchCapacity[input, int](MaxBatchSize),
		dataloader.WithWait[input, int](time.Nanosecond),
	)}
}

func (l *loader) Do(ctx context.Context, key, in int) (int, error) {
	return l.l.Load(ctx, input{key, in})()
}

func (l *loader) Close() {}
