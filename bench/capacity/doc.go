// Package capacity finds the highest rate at which settings keep an SLO.
//
// A [Query] becomes an [Answer] in these steps, all in virtual time:
//
//	scan     the load's rate times powers of two, with one seed, from a sixteenth on
//	         upwards: the highest rate that keeps the SLO, and the next one that
//	         doesn't. If none keeps it, on downwards
//	bisect   for each seed on its own, between these two, or wider where that seed
//	         says so, until they are 1 % apart
//	curve    rates below, at and above what was found, each with all seeds
//	confirm  in real time, if that is asked for
//
// A seed is one draw of the arrivals, keys and weights; with one seed, a rate only
// scales the times between the arrivals. So each seed has a highest rate of its own,
// and these are independent draws of what "the highest rate" is for a run of this
// length. Their smallest and largest hold the median of all such draws with the
// confidence 1 - 2 (1/2)^n for n seeds, whatever their distribution is: the sign
// test's interval (e.g. Conover, Practical Nonparametric Statistics, 3rd ed. 1999,
// section 3.2). With 6 seeds that is 96.9 %.
package capacity
