// Package floors holds what ferry's kernels are measured against: the least
// possible batchers, and the batchers that Go programs use today.
//
// A floor does the least that can be called batching: callers block, inputs
// are grouped, one goroutine runs the calls. It has no bounds, no error but
// cancellation, no close, no metrics; a panic in its call ends the program.
// What ferry costs beyond it is the price of its promises.
//
// It is a module of its own, so that the peers' dependencies stay out of
// ferryctl's. Run the comparison with
//
//	go run ./ratios
package floors
