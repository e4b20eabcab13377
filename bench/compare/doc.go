// Package compare sets runs side by side and says which of their differences are
// more than chance.
//
// A [Side] is what was measured on one side: repeats of one setting, or the points
// of a sweep. [Compare] pairs what all sides have, and tests each figure:
//
//	rank test      Mann and Whitney's, exact up to 50 runs a side (25 with ties): no law of the figure is assumed
//	many tests     p-values are Holm's (1979), so that the chance of any false claim among all of them stays below Alpha
//	interval       95 % percentile bootstrap of the difference of medians, resampled from a seed: the same every time
//
// Where even the clearest order of so few runs could be chance, nothing is claimed,
// and [Row.Need] says how many runs a side would do.
//
// The package reads no file and knows no format.
package compare
