package tui

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// Terminal is what a screen is shown on.
type Terminal struct {
	// In gives the keys; nil if there are none.
	In io.Reader
	// Out takes the picture. Its Write must not wait for the terminal.
	Out io.Writer
	// Suspend stops the process until it is to go on. It is called with the
	// terminal as it was before the screen; nil if the screen cannot be suspended.
	Suspend func() error
	// Resumed gets a token when the process goes on after somebody stopped it, be it
	// Suspend or others: the terminal may be as they left it.
	Resumed <-chan struct{}
}

// A Screen is what can be shown: that of one run ([Options]), or that of many
// ([BoardOptions]).
type Screen interface {
	screen() tea.Model
}

// Show shows a screen until over is closed, ctx is done, or the terminal can no
// longer be read. Then the terminal is as it was before. The error says what ended
// the screen before its time: a fault of the screen itself is one too, and never
// a panic.
func Show(ctx context.Context, s Screen, t Terminal, over <-chan struct{}) (err error) {
	m := &guarded{model: s.screen(), over: over, resumed: t.Resumed}
	m.suspend = t.Suspend
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithOutput(t.Out), tea.WithInput(t.In), tea.WithAltScreen(), tea.WithFPS(framesPerSecond),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithoutBracketedPaste(),
	}
	_, err = tea.NewProgram(m, options...).Run()
	if m.fault != nil {
		return m.fault
	}
	return err
}

// framesPerSecond is how often Bubble Tea looks for something to draw.
const framesPerSecond = 10

// guarded is a model whose faults end the screen and nothing else.
type guarded struct {
	model   tea.Model
	over    <-chan struct{}
	resumed <-chan struct{}
	suspend func() error
	fault   error
}

// guard turns a panic into the screen's end.
func (g *guarded) guard(cmd *tea.Cmd) {
	if v := recover(); v != nil && g.fault == nil {
		g.fault = fmt.Errorf("the screen failed: %v\n%s", v, debug.Stack())
		if cmd != nil {
			*cmd = tea.Quit
		}
	}
}

// Init implements tea.Model.
func (g *guarded) Init() (cmd tea.Cmd) {
	defer g.guard(&cmd)
	over := func() tea.Msg {
		<-g.over
		return overMsg{}
	}
	return tea.Batch(g.model.Init(), over, g.listen())
}

// listen waits for the process to go on after it was stopped.
func (g *guarded) listen() tea.Cmd {
	if g.resumed == nil {
		return nil
	}
	return func() tea.Msg {
		if _, ok := <-g.resumed; !ok {
			return nil
		}
		return wokenMsg{}
	}
}

// Update implements tea.Model.
func (g *guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g // also after a panic
	defer g.guard(&cmd)
	if g.fault != nil {
		return g, tea.Quit
	}
	switch msg.(type) {
	case suspendMsg:
		if g.suspend == nil {
			return g, nil
		}
		return g, tea.Exec(suspension{g.suspend}, func(error) tea.Msg { return resumedMsg{} })
	case wokenMsg:
		again := suspension{func() error { return nil }} // takes the terminal anew
		return g, tea.Batch(tea.Exec(again, func(error) tea.Msg { return resumedMsg{} }), g.listen())
	default:
		_, cmd = g.model.Update(msg)
		return g, cmd
	}
}

// View implements tea.Model.
func (g *guarded) View() (view string) {
	if g.fault != nil {
		return ""
	}
	defer g.guard(nil)
	return g.model.View()
}

type (
	suspendMsg struct{} // asks for a suspension
	wokenMsg   struct{} // the process goes on
)

func suspend() tea.Msg { return suspendMsg{} }

// A suspension is what Bubble Tea runs with the terminal given back.
type suspension struct{ run func() error }

func (s suspension) Run() error        { return s.run() }
func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}

// Frame returns what a screen shows at first on a terminal of a size, with the
// escapes that it is sent.
func Frame(s Screen, columns, lines int) string {
	m := s.screen()
	m, _ = m.Update(tea.WindowSizeMsg{Width: columns, Height: lines})
	return m.View()
}
