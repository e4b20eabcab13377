// Package workload makes sequences of items from a seed, or reads them from a
// recorded trace: when each item arrives, its key, its weight, and its share
// lane.
//
// It starts no goroutine, reads no clock, and draws no chance from elsewhere
// than the seed. Nor does it wait: a [Source] says at which offset from the
// run's start an item is due, and who offers it keeps the time. A source holds
// one item at a time, so a sequence may be longer than any memory.
//
// For most uses, fill a [Spec], call [New], and call Next until it returns
// false.
//
// # Units
//
// Offsets and durations are [time.Duration], rates are arrivals per second,
// weights are whole numbers in the caller's unit. Package
// ferryctl/workload/units reads and writes them as text.
//
// # What is promised
//
//   - The same Spec gives the same items on every machine, bit by bit, and
//     [Source].Hash says so in 64 bits. All arithmetic is integer or plain IEEE
//     754, without the logarithm and exponential of package math; no product and
//     sum are fused. A change of the sequences is a breaking change.
//   - Every purpose (gaps of each lane, keys, weights, lanes, phases) has a stream
//     of its own, and a draw is a function of the seed, the purpose, and the
//     item's index. So two workloads that differ in one knob agree in all that
//     it does not govern: the same rate with other weights has the same arrivals.
//   - Offsets never decrease, and rounding them to nanoseconds does not add up:
//     constant arrivals are index divided by rate, and the gaps of the other
//     processes are summed before they are rounded.
//   - Keys follow Zipf's law itself, for every exponent, in constant time and
//     space.
//
// # Sources of the formulas
//
// Uniform words: SplitMix64 (Steele, Lea, Flood 2014). Keys: rejection-inversion
// (Hörmann, Derflinger 1996). Normal quantile: AS 241 (Wichura 1988). Exponential,
// lognormal and Pareto variates: inversion. Rates that change: the inverse of the
// cumulative rate (Çinlar 1975). Bursts: see [Arrivals].
//
// # Traces
//
// A trace is a CSV file whose first line is
//
//	offset_us,key,weight,lane
//
// and whose other lines are one item each: the arrival in whole microseconds,
// never less than in the line before; the key, any text but the empty one; the
// weight, 0 … 2^62; and the share lane, empty if untagged. Offsets count from
// the first row's, so that a replay starts at once. Fields may stand in double
// quotes, a quote inside written twice, but not span lines. Lines end in LF or
// CRLF, the last one also without; a byte order mark is skipped. A trace is read
// as a stream in constant memory, and whatever is not of this form ends it with
// a [*TraceError] that names the line.
package workload
