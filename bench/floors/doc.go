// Package floors holds what ferry's kernels are measured against: the least
// possible batchers, and the batchers that Go programs use today.
//
// A floor does the least that can be called batching: callers block, inputs
// are grouped, one goroutine runs the calls. It has no bounds, no error but
// cancellation, no close, no metrics; a panic in its call ends the program.
// What ferry costs beyond it is the price of its promises.
//
// It is a module of its own, so that the peers' dependencies stay out of
// ferryctl's. Run the comparisons with
//
//	go run ./ratios     # ratios to the floors and peers, against their targets
//	go run ./lone       # a caller who comes after a millisecond of idling
//	go run ./openloop   # tails at a rate
package floors
