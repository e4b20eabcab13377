package tui

import "time"

// Progress is how far something of many runs is. The zero Progress has nothing
// done.
type Progress struct {
	Done, Total int           // runs; Total is 0 if it is not known
	About       bool          // Total is a guess
	Elapsed     time.Duration // so far
	ETA         time.Duration // until the last run ends; 0 if it can't be told
	Resume      string        // the command that goes on from here, "" if there is none
}
