// Package sweep runs the points of a space of settings and says what they have in
// common: which points nothing beats, what each knob does, and which limit binds.
//
// The parts, in the order in which they are used:
//
//	[Parse]        one text of a knob into the values it takes: an [Axis]
//	[NewSpace]     a base and its axes into a [Space] of numbered points: a grid, or a sample of it
//	[Create]       the [Store] of a new sweep, a folder with the file points.jsonl
//	[Open]         that of one that was begun, with all that it was begun with
//	[Runner]       makes the runs that the store lacks, several at once
//	[Analyse]      reads the store into a [Report]: outcomes, Pareto set, effects, limits
//
// Points are numbered from 1 and so are the repeats of each. A point is the same
// for the same axes, sample and seed, on every machine and whatever ran before.
//
// All points of one repeat see the same seed, so the same arrivals, keys and
// weights: what differs between them is due to their settings. Repeat r runs with
// the base's seed plus r-1, so that the repeats of a point differ in their arrivals
// too, by either clock.
//
// In virtual time a run is a function of its settings. So is then the finished
// file: the number of jobs, the order in which runs end, interruptions and kills
// don't show in it.
package sweep
