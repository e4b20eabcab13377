// Package units reads and writes the quantities that people type: durations,
// sizes, counts, rates, percentages, plain numbers, and the small call grammar
// `name(key=value,…)` in which distributions and backends are written.
//
// It never guesses. A duration and a rate need their unit, a percentage needs
// its sign, and what is negative, not a number, infinite, or too large for the
// type is refused; every refusal quotes the text and says what would be right.
// Only plain decimal notation is read: no exponent, no hexadecimal, no
// underscores, no sign, no spaces inside a quantity.
//
// Each Parse function has a Format function that writes the shortest text that
// is parsed to the same value again, bit for bit.
//
// The words "unlimited" and "never" are understood only by [ParseLimit],
// [ParseSizeLimit] and [ParseDelay], for the knobs that have such a setting.
package units
