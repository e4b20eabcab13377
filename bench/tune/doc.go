// Package tune finds the settings that are best by one figure among those that
// keep an SLO, and says what the answer rests on.
//
// The parts, in the order in which they are used:
//
//	[Defaults]   the knobs that vary if nobody said which, from the profile
//	[Find]       a [Query] into an [Answer]
//	[Write]      the answer as table, JSON or CSV
//
// The search is over a grid, in virtual time, where a run is a function of its
// settings and all runs see the same arrivals, so that two points differ by their
// settings alone. It goes through these steps:
//
//	design    the start (what the profile says), and a Latin hypercube of the grid
//	descent   from the best of these, a pattern search: one knob at a time, by large
//	          steps first, then by one step, then two knobs at once
//	lines     all values of each knob through the best point, until none is better
//	check     the leaders once more with other seeds, that is with other arrivals
//	simplify  each knob back to where it was, if that costs nothing
//	explain   what each knob buys, what it may be without harm, rate and skew off by a fifth
//	confirm   the best few in real time
//
// Every step asks for its points in batches that depend on the figures alone, so
// the number of jobs changes nothing in the answer.
package tune
