// Package calibrate fits a cost model to the calls of a backend.
//
// [Measure] makes calls over a grid of batch sizes and weights, one at a time, in
// rounds that visit every cell of the grid once in an order of their own, so that
// what drifts meanwhile touches all cells alike; and calls of one kind several at
// a time. [Fit] finds the [backend.Model] that describes them:
//
//	time = base + per_item n + per_weight w, scattered
//
// for a batch of n items that weigh w together. The three costs are at least 0 and
// least squares among those; where the scatter grows with the time, the squares are
// taken in parts of it. Their standard errors hold for unequal scatter (White 1980,
// doi 10.2307/1912934, with the correction n/(n-k)). The scatter is called fixed,
// exponential or lognormal where the calls cannot be told from that, and is
// otherwise kept as it was met, as the means of up to 100 equal parts of the calls.
//
// A call takes what the backend and the machine make of it: the overshoot of the
// sleeper of a synthetic backend is a part of the model, the time that the batcher
// takes around the call is not.
package calibrate
