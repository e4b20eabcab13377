// Making names harmless. A lane's or profile's name comes from a file or from
// somebody else's trace; it may hold escape sequences, line breaks, or marks that
// turn text around.

package export

import (
	"strconv"
	"strings"
	"unicode"
)

// plain returns s with everything that is not a visible character or a space
// written out, as in a Go string, so that it cannot move a cursor, break a line
// or reorder its neighbours.
func plain(s string) string {
	if s == "" {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shorten returns s in at most width columns, its end replaced by an ellipsis if
// it is longer.
func shorten(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	var b strings.Builder
	used := 1 // the ellipsis
	for _, r := range s {
		if used += runeColumns(r); used > width {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// columns returns how many columns of a terminal s takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// wide are the blocks whose characters take two columns: Hangul, CJK, kana, full
// width forms, emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

func runeColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
