// Package backend says what a batch call does: how long it takes, how many run
// at once, and which fail.
//
// There are two kinds. The synthetic one is a cost model that is written as
//
//	synthetic(base=1ms,per_item=20us,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)
//
// A batch of n items that weigh w together takes base + per_item*n +
// per_weight*w on average. Whatever is left out is zero (dist: fixed), so a bare
// "synthetic" costs nothing and returns at once.
//
// The other is a [Model] that was fitted to the calls of a real backend, written
// as model:FILE. Besides the costs it has the scatter that was measured, and the
// range of the calls that it was fitted to.
//
// How long a batch takes and whether it fails are pure functions of the seed and
// the batch's number, [Spec.ServiceTime] and [Spec.Fails], with the same result
// on every machine: a simulation draws the same batches as a real run. [New]
// makes the [Backend] that lives through that time.
//
// The package knows nothing of batchers, clocks of a run, or results.
package backend
