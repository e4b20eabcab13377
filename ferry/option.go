// The options that few callers need.

package ferry

import (
	"context"
	"errors"
)

// Option changes a batcher of inputs I at construction. What is wrong with one,
// such as a nil function, is reported there, with all that is wrong besides.
type Option[I any] func(*options[I])

type options[I any] struct {
	faults   []error // of the options themselves; none once there is a batcher
	weigh    func(I) int64
	rank     func(I) int64
	observer *Observer[I]
	shares   *Shares
	lane     func(I) string
	cost     func(I) int64
	base     context.Context
}

// need notes a fault unless what an option was given is there.
func (o *options[I]) need(given bool, fault string) {
	if !given {
		o.faults = append(o.faults, errors.New("ferry: "+fault))
	}
}

// WithWeigh gives inputs a weight, for MaxBatchWeight and MaxQueuedWeight: at
// least 0, in a unit of the caller's choice. Without it every input weighs 1.
// A negative weight is a bug of the caller's, whose Do panics.
func WithWeigh[I any](weigh func(I) int64) Option[I] {
	return func(o *options[I]) {
		o.weigh = weigh
		o.need(weigh != nil, "WithWeigh's function is nil; it must give each input's weight")
	}
}

// WithRank orders the inputs of a [PerKey] lane: ascending, ties in arrival
// order. Without it a lane is first come, first served. [Make] and [Keyed]
// refuse it.
func WithRank[I any](rank func(I) int64) Option[I] {
	return func(o *options[I]) {
		o.rank = rank
		o.need(rank != nil, "WithRank's function is nil; it must give each input's rank")
	}
}

// WithObserver tells ob the life of every input and batch. The clock is then
// read several times per input, which Wait and QueuedSeconds need. A nil ob is no
// observer.
func WithObserver[I any](ob *Observer[I]) Option[I] {
	return func(o *options[I]) { o.observer = ob }
}

// WithContext makes ctx the parent of the context that batch calls get. Its
// values reach them, and its cancellation too (which does not close the
// batcher). A caller's own context never reaches a batch call, which is also
// that of others; a direct call gets the caller's values first.
func WithContext[I any](ctx context.Context) Option[I] {
	return func(o *options[I]) {
		o.base = ctx
		o.need(ctx != nil, "WithContext's context is nil; it must be the parent of the calls' contexts, such as context.Background()")
	}
}

// WithShares divides service between share lanes, such as tenants, by weight:
// a batch is of one share lane, and whose batch leaves next is decided by what
// each is owed (exactly: EEVDF over a tree of weights). A share lane without
// work lends its share and does not save it.
//
// lane gives each input's share lane. An input of none ("") is untagged: it
// needs no entitlement, and leaves first come, first served with the one whose
// turn it is. A name that is not among the shares is answered
// [ErrUnknownShare].
//
// With one share lane alone, and no WithCost, there is nothing to divide: the
// batcher is as fast as without, and untagged inputs share its line and room.
//
// The direct call of an idle key asks for its share lane's turn too; if that is
// another's it waits like the others.
//
// A key that several share lanes use has one call out at a time all the same. To
// whom the next one goes, their turns say; but whoever was overtaken there as
// often as the weights allow is promised it, so nobody waits for ever.
func WithShares[I any](s Shares, lane func(I) string) Option[I] {
	return func(o *options[I]) {
		o.shares, o.lane = &s, lane
		o.need(s.Lanes != "", "WithShares has no share lanes; list them with their weights, such as \"gold=3,free=1\"")
		o.need(lane != nil, "WithShares' function is nil; it must give each input's share lane")
	}
}

// WithCost gives inputs a cost in service units, which their share lane is
// charged for each call they are in: 1 to [MaxCost]. Without it every input
// costs 1. A cost below 1 is a bug of the caller's, whose Do panics; one above
// the bound is answered with a [CostError].
func WithCost[I any](cost func(I) int64) Option[I] {
	return func(o *options[I]) {
		o.cost = cost
		o.need(cost != nil, "WithCost's function is nil; it must give each input's cost")
	}
}
