// Package bench runs one measured run of a batcher and reports what happened.
//
// [Run] drives a real kernel of package ferry with a sequence from package
// workload against a call from package bench/backend, in four phases: the
// generator's own ceiling, a warm-up, the measured window, and a drain. The
// answer is one [Result]; every table, file and screen is drawn from it, so no
// two of them can disagree.
//
// The package never slows its arrivals down to what the kernel can take. An
// arrival that could not be sent on time is late, one that could not be sent at
// all is unsent, and both are counted. It never averages percentiles, and it
// never reports a figure without the count behind it.
//
// Times inside the package are offsets from the start of the run. Durations in
// a Result are nanoseconds (names that end in _ns) or seconds (_s); rates are
// per second; ratios are parts of one.
//
// # What was decided
//
//   - An item belongs to the window by its scheduled arrival, in a closed loop by
//     the time it was issued. A bound on items makes the window end with the last
//     arrival, and so does a trace.
//   - Latencies are of the items that were done. What was rejected, failed or never
//     ended is counted and is in no latency.
//   - An arrival more than a second behind its schedule is not sent any more; it
//     is unsent, as is one that finds none of at most 2^16 to 2^18 callers free.
//   - A run that is stopped has a window that ends at that moment. What was due
//     until then and was not sent, because the generator was behind, is unsent.
//   - A client of a closed loop that is rejected pauses for a millisecond.
//   - The rate max keeps twice as many inputs with the kernel as can be in flight,
//     and at least 1024.
//   - The drain flushes the kernel if its delay is Never or not shorter than the
//     drain. Otherwise the last inputs wait as long as all others did.
//   - Little's law is checked without an error at the edges: every input's stay in
//     the room counts as far as it lies between the two readings of the kernel.
//   - Intervals are a second long, and twice that each time there are 512. They
//     keep their histograms; what ended in the drain has intervals of its own.
package bench
