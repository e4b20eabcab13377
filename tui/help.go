package tui

// A word is explained on a help page.
type word struct{ word, means string }

// words explains what the panels of a run are about.
var words = []word{
	{"sojourn", "from when an item was due to the end of its call; what was done only"},
	{"lag", "handed over later than due, by the generator or between goroutines"},
	{"forming", "waiting for the batch to fill: shorten batch_delay, or shrink batch_size"},
	{"turn", "waiting for the call of the same key to end: hot keys"},
	{"slot", "waiting for one of in_flight to be free: raise it, or speed up the backend"},
	{"service", "in the call itself"},
	{"left", "a batch leaves full (size, weight), when its delay is over, when its key is freed, or directly"},
	{"rejected", "turned away because the room was full: raise queue, or offer less"},
	{"late, unsent", "sent more than 1 ms after due; never sent: the generator could not keep up"},
	{"VALID …", "whether the figures can be relied on; provisional until the run is over"},
	{"segment", "the part of the run since the last change of a knob, with figures of its own in the result"},
}

// helpColumn is how wide the keys' column is where the words stand beside it.
const helpColumn = 62

// drawHelp draws a help page.
func (b *base) drawHelp(a area, keys []command, words []word) {
	in := a.box("Help", "? or esc closes", false)
	y := 0
	column := in.part(1, 0, in.w-2, in.h)
	two := in.w >= 100
	if two {
		column = in.part(1, 0, helpColumn, in.h)
	}
	for _, k := range keys {
		h := k.Help()
		names := ""
		for i, name := range k.Keys() {
			if i > 0 {
				names += " "
			}
			names += name
		}
		column.put(0, y, focus, names)
		column.put(12, y, plain, b.look.cut(h.Desc, column.w-12))
		y++
	}
	if two {
		column, y = in.part(helpColumn+3, 0, in.w-helpColumn-4, in.h), 0
	} else {
		y++
	}
	for _, w := range words {
		column.put(0, y, strong, w.word)
		x := 14
		for _, line := range wrap(b.look, w.means, column.w-x) {
			column.put(x, y, plain, line)
			y++
		}
	}
}

// wrap breaks text into lines of a width.
func wrap(l *look, text string, width int) (lines []string) {
	line := ""
	word := ""
	flush := func() {
		if line != "" && l.width(line)+1+l.width(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" && word != "" {
			line += " "
		}
		line += word
		word = ""
	}
	for _, r := range text {
		if r == ' ' {
			flush()
			continue
		}
		word += string(r)
	}
	flush()
	return append(lines, line)
}
