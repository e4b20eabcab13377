// Package tui draws what runs tell of themselves on a terminal and hands on the
// keys that are pressed. It decides nothing: the state of a run comes in as a
// [bench.Snapshot], that of many as a [Board], and what a key means for them goes
// out through functions that it was given. It touches neither the process nor its
// streams.
//
// Everything is drawn into a grid of cells as large as the terminal, and what
// does not fit is cut off there: no view is ever wider or taller than it may be.
// A Theme says what the terminal can show.
//
// [Show] runs a screen: that of one run ([Options]) or of many ([BoardOptions]).
package tui

import _ "ferryctl/tui/ground" // before Bubble Tea
