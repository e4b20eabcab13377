package tui

import "github.com/charmbracelet/bubbles/key"

// A command is a key binding with what it is called where there is room, and
// where there is little.
type command struct {
	key.Binding
	shown, short string // "tab panel" and "tab"
}

func bind(shown, short, what string, keys ...string) command {
	return command{key.NewBinding(key.WithKeys(keys...), key.WithHelp(keys[0], what)), shown, short}
}

// keys are what the screen understands, in the order in which they are listed.
var keys = struct {
	quit, help, panel, back, expand, freeze, wider, closer, auto, sort, choose, chooseBack, less, more, apply, revert, save, suspend command
}{
	quit:       bind("q stop+report", "q stop", "stop offering, drain, report; once more leaves within a second", "q", "ctrl+c"),
	help:       bind("? help", "? help", "this page", "?"),
	panel:      bind("tab panel", "tab panel", "go to the next panel", "tab"),
	back:       bind("", "", "go to the panel before", "shift+tab"),
	expand:     bind("e expand", "e expand", "give the panel the whole screen, and back", "e"),
	freeze:     bind("f freeze", "f freeze", "hold the picture while the run goes on", "f"),
	closer:     bind("+/-/a time axis", "+/-/a axis", "show less time", "+", "="),
	wider:      bind("", "", "show more time", "-"),
	auto:       bind("", "", "show as much time as suits the run", "a"),
	sort:       bind("o sort", "o sort", "order the share lanes by another column", "o"),
	choose:     bind("[ ] knob", "[ ] knob", "choose the next knob", "]"),
	chooseBack: bind("", "", "choose the knob before", "["),
	more:       bind("←/→ change", "←→", "more of it", "right", "up"),
	less:       bind("", "", "less of it", "left", "down"),
	apply:      bind("⏎ apply", "⏎", "apply what was changed: a new segment begins", "enter"),
	revert:     bind("", "", "take back what was not applied", "esc"),
	save:       bind("s save as profile", "s save", "save the knobs as a profile", "s"),
	suspend:    bind("", "", "suspend; fg comes back", "ctrl+z"),
}

// listed are the bindings that the key line shows, most wanted first.
func listed() []command {
	return []command{
		keys.quit, keys.help, keys.panel, keys.expand, keys.freeze, keys.closer, keys.sort, keys.choose, keys.more, keys.apply, keys.save,
	}
}

// helped are the bindings that the help page explains.
func helped() []command {
	return []command{
		keys.quit, keys.panel, keys.back, keys.expand, keys.freeze, keys.closer, keys.wider, keys.auto, keys.sort,
		keys.choose, keys.chooseBack, keys.more, keys.less, keys.apply, keys.revert, keys.save, keys.suspend, keys.help,
	}
}
