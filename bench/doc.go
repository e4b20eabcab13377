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
package bench
