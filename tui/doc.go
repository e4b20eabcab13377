// Package tui draws what a run tells of itself on a terminal and hands on the
// keys that are pressed. It decides nothing: a run's state comes in as
// [bench.Snapshot], and what a key means for the run goes out through functions
// that it was given. It touches neither the process nor its streams.
//
// Everything is drawn into a grid of cells as large as the terminal, and what
// does not fit is cut off there: no view is ever wider or taller than it may be.
// A Theme says what the terminal can show.
//
// [Show] runs the screen of a bench. [Progress], [Points] and [Pareto] are the
// parts that screens of many runs are made of.
package tui

import _ "ferryctl/tui/ground" // before Bubble Tea
