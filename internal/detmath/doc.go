// Package detmath draws random numbers and evaluates the few functions that
// turn them into distributions, with the same bits on every machine.
//
// Package math does not promise that: it uses assembly on some architectures,
// and a compiler may fuse a multiplication and an addition into one rounding.
// Here every intermediate result is rounded explicitly, by a conversion to
// float64, which the language specification says prevents fusing; only
// operations that IEEE 754 defines exactly are used (+ - * / and square root).
// The functions are accurate to a few units in the last place, which the tests
// hold against package math.
//
// Numbers are drawn by place, not in sequence: [Bits] is a pure function of the
// seed, the stream and the index, so that a draw added in one place moves no
// other.
package detmath
