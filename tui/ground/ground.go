// Package ground settles the terminal's background before Bubble Tea asks for it.
//
// Bubble Tea v1 queries the terminal when it is initialised, before main, and
// waits up to five seconds for a terminal that does not answer, whatever the
// command. Packages that are ready are initialised in the order of their import
// paths; this one needs Lip Gloss alone and sorts before Bubble Tea, so that the
// question is settled by then. Which background it really is, the screen is told.
package ground

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
