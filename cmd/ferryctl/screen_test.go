package main

import (
	"strings"
	"testing"
)

// shown plays what was written to a screen on a terminal that knows line feed,
// carriage return and backspace, and returns its lines.
func shown(written string) []string {
	lines := [][]rune{{}}
	col := 0
	for _, r := range written {
		last := len(lines) - 1
		switch r {
		case '\n':
			lines, col = append(lines, []rune{}), 0
		case '\r':
			col = 0
		case '\b':
			col--
		default:
			for len(lines[last]) <= col {
				lines[last] = append(lines[last], ' ')
			}
			lines[last][col] = r
			col++
		}
	}
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = strings.TrimRight(string(l), " ")
	}
	return text
}

func TestLiveLineLeavesNoRemains(t *testing.T) {
	var b strings.Builder
	s := screen{w: &b}
	s.draw("a rather long line", 80)
	s.draw("short", 80)
	if got := shown(b.String()); got[len(got)-1] != "short" {
		t.Errorf("after a shorter line the screen shows %q", got)
	}
	_, _ = s.Write([]byte("a message\n"))
	s.draw("live again", 80)
	if got := shown(b.String()); len(got) != 2 || got[0] != "a message" || got[1] != "live again" {
		t.Errorf("after a message the screen shows %q", got)
	}
	s.clear()
	s.clear()
	if got := shown(b.String()); got[len(got)-1] != "" {
		t.Errorf("after clear the screen shows %q", got)
	}
}

func TestLiveLineFitsTheScreen(t *testing.T) {
	for _, width := range []int{-1, 0, 1, 2, 20} {
		var b strings.Builder
		s := screen{w: &b}
		s.draw(strings.Repeat("é", 300), width)
		got := len([]rune(shown(b.String())[0]))
		limit := width
		if width <= 0 {
			limit = 80
		}
		if got >= max(limit, 1) && got > 0 {
			t.Errorf("on %d columns the line takes %d", width, got)
		}
	}
}
