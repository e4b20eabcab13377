package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/bench/slo"
	"ferryctl/tui"
)

// screenModes are the values of --screen.
var screenModes = []string{"auto", "on", "off"}

// finalPicture is how long the last picture of a run stays that was faster than
// the eye.
const finalPicture = 2 * time.Second

// drawWithin is how long the end of a run waits for its screen to go, if the
// terminal takes nothing.
const drawWithin = 500 * time.Millisecond

// draws says whether a run is shown on a screen: by default wherever a terminal
// can draw one.
func draws(env *environ, mode string) bool {
	return env.tty != nil && mode != "off" && (mode == "on" || !env.plain())
}

// checkScreen refuses a screen that was asked for where none can be drawn.
func checkScreen(env *environ, mode string) error {
	if mode != "on" {
		return nil
	}
	if env.tty == nil || env.get("TERM") == "dumb" {
		return errors.New("flag --screen on: stderr is no terminal that can draw, or not in the foreground: want auto, or a terminal")
	}
	return nil
}

// watched makes the run, on the screen if there is to be one, else with a line of
// progress, which also takes the place of a screen that is gone.
func (p *plan) watched(env *environ, scr *screen, line *progress, o bench.Options) (*bench.Result, error) {
	var lined atomic.Bool
	o.Progress = func(s bench.Progress) {
		if lined.Load() {
			line.update(time.Now(), s)
		}
	}
	if lined.Store(!p.drawn); p.drawn {
		live := &bench.Live{}
		o.Live = live
		common := tui.Common{
			Title: "ferryctl bench", Profile: p.settings.Profile, Seed: p.settings.Seed, Virtual: p.settings.Clock == settings.Virtual,
		}
		shown := p.show(env, scr, common, func(c tui.Common) tui.Screen {
			return tui.Options{
				Common: c, Limits: limitsOf(p.settings.SLO), Snapshot: live.Snapshot, Set: live.Set,
				Save:   func(file string, replace bool) error { return p.saveLive(live, file, replace) },
				SaveAs: nameOr(p.settings.Profile, "mine") + "-live.yaml",
			}
		}, func() { lined.Store(true) })
		defer shown.end() // also before a panic is printed
	}
	return env.run(p.settings, o)
}

// stdout returns where the result goes.
func (d display) stdout(env *environ, scr *screen, stop *stopper) io.Writer {
	if out, ok := scr.w.(*relay); ok && d.drawn && env.tty.stdout {
		return later{env.stdout, out, stop.kill}
	}
	return env.stdout
}

// A show is a screen that shows what goes on.
type show struct {
	over chan struct{} // closed when that is over
	gone chan struct{} // closed when the screen is, and the terminal as it was
}

// show shows a screen until end is called. lost is called if the screen is gone
// before.
func (d display) show(env *environ, scr *screen, common tui.Common, screen func(tui.Common) tui.Screen, lost func()) *show {
	put := &aside{}
	s := &show{over: make(chan struct{}), gone: make(chan struct{})}
	out, _ := scr.w.(*relay)
	common.Theme, common.Stop, common.Size, common.Note = themeOf(env, d.colored, d.ascii), env.press, env.tty.size, put.newest
	if common.Virtual {
		common.Linger = finalPicture
	}
	suspends, free := catchResumes()
	t := tui.Terminal{In: env.tty.in, Out: scr.w, Suspend: suspends.stop, Resumed: suspends.onward}
	if out != nil {
		common.Behind = out.behind
		t.Suspend = func() error {
			out.settle(drawWithin) // what clears the screen away
			return suspends.stop()
		}
	}
	release := env.tty.guard()
	scr.layAside(put)
	go func() {
		defer close(s.gone)
		err := tui.Show(context.Background(), screen(common), t, s.over)
		if out != nil {
			out.settle(drawWithin)
		}
		free()
		release()
		scr.takeBack()
		select {
		case <-s.over:
		default:
			if err != nil {
				messenger{w: scr}.say("the screen is gone, the run goes on: %v", err)
			}
			lost()
		}
	}()
	return s
}

// end takes the screen away. What was said meanwhile is printed then.
func (s *show) end() {
	close(s.over)
	<-s.gone
}

// limitsOf returns the terms that bound a sojourn, as lines to draw.
func limitsOf(terms []slo.Term) (out []tui.Limit) {
	for _, t := range terms {
		if t.Metric.Unit() == slo.Nanoseconds {
			out = append(out, tui.Limit{Name: t.String(), Nanoseconds: t.Bound})
		}
	}
	return out
}

func nameOr(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// saveLive writes the settings, with the knobs as they are now, as a profile.
func (p *plan) saveLive(live *bench.Live, file string, replace bool) error {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: want the name of a file in it", file)
	}
	if !replace {
		if _, err := os.Lstat(file); err == nil {
			return fmt.Errorf("%s: %w", file, tui.ErrExists)
		}
	}
	s := p.settings
	if snap := live.Snapshot(); snap != nil {
		for _, k := range snap.Knobs {
			if k.Value == "" || k.Value == s.Get(k.Name) {
				continue
			}
			if err := s.Set(k.Name, k.Value, "flag turned while it ran"); err != nil {
				return err
			}
		}
	}
	var text bytes.Buffer
	if err := writeSettings(&text, s); err != nil {
		return err
	}
	saved := bytes.ReplaceAll(text.Bytes(), []byte("# flag turned"), []byte("# turned"))
	return writeFile(file, func(w io.Writer) error {
		_, err := w.Write(saved)
		return err
	})
}

// asideHolds is how much of what is said is kept while a screen is up.
const asideHolds = 64 << 10

// An aside keeps what is said while the screen is a picture, until it can be
// printed below.
type aside struct {
	mu   sync.Mutex
	held bytes.Buffer
	last string
}

func (a *aside) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held.Len()+len(p) <= asideHolds {
		a.held.Write(p)
	}
	a.last = noteOf(p)
	return len(p), nil
}

// newest returns the message said last.
func (a *aside) newest() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// noteOf is a message as a screen shows it: its first line, without who speaks.
func noteOf(p []byte) string {
	line, _, _ := bytes.Cut(p, []byte("\n"))
	return string(bytes.TrimPrefix(line, []byte("ferryctl: ")))
}

// drain writes what was kept to w.
func (a *aside) drain(w io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.held.WriteTo(w) // nobody to tell
}

// withKeys returns env with keys that ask for an end: each press counts as SIGINT.
func withKeys(env *environ) *environ {
	e := *env
	pressed := make(chan os.Signal, 4)
	e.press = func() { offer(pressed, os.Interrupt) }
	e.signals = func() (<-chan os.Signal, func()) {
		caught, release := env.signals()
		both, done := make(chan os.Signal, 4), make(chan struct{})
		go func() {
			for {
				select {
				case sig := <-caught:
					offer(both, sig)
				case sig := <-pressed:
					offer(both, sig)
				case <-done:
					return
				}
			}
		}()
		return both, func() {
			release()
			close(done)
		}
	}
	return &e
}

// offer sends a signal, unless there are so many already that one more says
// nothing new.
func offer(c chan<- os.Signal, sig os.Signal) {
	select {
	case c <- sig:
	default:
	}
}

// A later is a stdout on the terminal that the screen was on: it waits until the
// screen's last word is out, or somebody has lost patience.
type later struct {
	io.Writer
	screen *relay
	kill   <-chan struct{}
}

func (l later) Write(p []byte) (int, error) {
	for l.screen.behind() {
		select {
		case <-l.kill:
			return l.Writer.Write(p)
		case <-time.After(settleLook):
		}
	}
	return l.Writer.Write(p)
}
