// Package detmath draws random numbers and evaluates the few functions that
// turn them into distributions, with the same bits on every machine.
//
// Package math does not promise that: it uses assembly on some architectures,
// and a compiler may fuse a multiplication and an addition into one rounding.
// Here every product stands inside an explicit conversion to float64, which the
// language specification says prevents fusing, and beside products only
// operations that IEEE 754 defines exactly are used (+ - / and square root) and
// moving bits. The functions are accurate to a few units in the last place,
// which the tests hold against package math.
//
// The logarithm and the exponential look up the nearest point of a table and add
// a short Taylor series for the rest, which halves the time that the series
// alone would take; the tables are filled from the series alone, when the
// program starts.
//
// Numbers are drawn by place, not in sequence: a word of a [Stream] is a pure
// function of the seed, the purpose and the index, so that a draw added in one
// place moves no other.
package detmath
