package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/tui"
)

// A seat is a program on a terminal of its own.
type seat struct {
	t     *testing.T
	cmd   *exec.Cmd
	pty   *os.File
	tty   *os.File // the program's side, kept open to look at
	modes *term.State

	mu     sync.Mutex
	more   *sync.Cond
	screen *vt.SafeEmulator
	raw    bytes.Buffer
	held   bool // the terminal takes nothing
	closed bool
}

// sit starts a program on a terminal of that size. Its stdout goes to the terminal
// unless cmd has one.
func sit(t *testing.T, cmd *exec.Cmd, columns, lines int) *seat {
	t.Helper()
	p, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(p, &pty.Winsize{Cols: uint16(columns), Rows: uint16(lines)}); err != nil {
		t.Fatal(err)
	}
	s := &seat{t: t, cmd: cmd, pty: p, tty: tty, screen: vt.NewSafeEmulator(columns, lines)}
	s.more = sync.NewCond(&s.mu)
	if s.modes, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	if cmd.Env == nil {
		cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	}
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	cmd.Stdin, cmd.Stderr = tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Not a limit on how long it may take, only on how long a broken build hangs.
	guard := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	go func() { // answers that nobody asked the emulator for
		for b := make([]byte, 256); ; {
			if _, err := s.screen.Read(b); err != nil {
				return
			}
		}
	}()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.read()
	}()
	t.Cleanup(func() {
		guard.Stop()
		_ = cmd.Process.Kill() // it has ended, unless the test failed
		s.hold(false)
		_ = tty.Close()
		_ = p.Close()
		<-over
		// Not the emulator's own Close: it writes what its Read looks at.
		if c, ok := s.screen.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
	})
	return s
}

func (s *seat) read() {
	for b := make([]byte, 4096); ; {
		n, err := s.pty.Read(b)
		s.mu.Lock()
		for s.held {
			s.more.Wait()
		}
		_, _ = s.screen.Write(b[:n])
		s.raw.Write(b[:n])
		s.closed = err != nil
		s.more.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// hold stops the terminal from taking anything more, or lets it go on.
func (s *seat) hold(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = on
	s.more.Broadcast()
}

// shows waits until the screen shows a text.
func (s *seat) shows(text string) {
	s.t.Helper()
	s.await(text, func() bool { return strings.Contains(ansi.Strip(s.screen.Render()), text) })
}

// wrote waits until the terminal was sent a text.
func (s *seat) wrote(text string) {
	s.t.Helper()
	s.await(text, func() bool { return strings.Contains(s.raw.String(), text) })
}

func (s *seat) await(what string, is func() bool) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !is() {
		if s.closed {
			s.t.Fatalf("the terminal was closed without %q; it shows\n%s", what, ansi.Strip(s.screen.Render()))
		}
		s.more.Wait()
	}
}

func (s *seat) typed(keys string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end of the program, which must come with the code, or by a
// signal if it is negative.
func (s *seat) ends(code int) {
	s.t.Helper()
	_ = s.cmd.Wait() // the state says more
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d (%s), want %d", got, s.cmd.ProcessState, code)
	}
}

// whole waits until the terminal is as it was before the program, and checks that
// it is.
func (s *seat) whole() {
	s.t.Helper()
	s.wrote("\x1b[?1049l")
	s.wrote("\x1b[?25h")
	state, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if *state != *s.modes {
		s.t.Error("the terminal's modes are not what they were")
	}
}

// bench returns a run of the real command.
func benchCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, append([]string{"bench", "--rate", "2k/s", "--seed", "5"}, args...)...)
}

// TestCommandsAskTheTerminalNothing: a terminal that answers no questions would
// hold them up.
func TestCommandsAskTheTerminalNothing(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"version"}, {"profiles", "list"}, {"bench", "--screen", "off", "--items", "100", "--color", "never"}} {
		s := sit(t, exec.Command(path, args...), 80, 24)
		_ = s.cmd.Wait() // the state says more
		if code := s.cmd.ProcessState.ExitCode(); code != exitDone && code != exitInvalid {
			t.Errorf("%v: exit code %d", args, code)
		}
		_ = s.tty.Close()
		s.await("the end", func() bool { return s.closed })
		if out := s.raw.String(); strings.ContainsRune(out, '\x1b') || out == "" {
			t.Errorf("%v wrote %q: an escape, or nothing", args, out)
		}
	}
}

func TestAScreenShowsTheRunAndLeavesTheSummary(t *testing.T) {
	s := sit(t, benchCommand(t, "--duration", "1h", "--warmup", "0s", "--slo", "p99<=1h"), 120, 30)
	s.shows("Where the time goes")
	s.shows("p99.9")
	s.typed("?")
	s.shows("hold the picture while the run goes on")
	s.typed("?]]]")
	s.shows("[in_flight 8]")
	s.typed("\x1b[C\r") // the right arrow
	s.shows("in_flight is 12 from now on")
	s.typed("f")
	s.shows("FROZEN")
	s.typed("f")
	s.shows("segment 2: in_flight 12")
	s.typed("q")
	s.ends(exitInterrupt)
	s.whole()
	s.wrote("SIGINT: no longer offering")
	s.wrote("lag, hand-over") // of the table
	if s.screen.IsAltScreen() {
		t.Error("the alternate screen is still there")
	}
}

func TestTheScreenFollowsTheTerminalsSize(t *testing.T) {
	s := sit(t, benchCommand(t, "--duration", "1h"), 120, 30)
	s.shows("Where the time goes")
	for _, size := range []pty.Winsize{{Cols: 40, Rows: 5}, {Cols: 80, Rows: 24}, {Cols: 3, Rows: 2}, {Cols: 100, Rows: 40}} {
		s.mu.Lock()
		s.screen.Resize(int(size.Cols), int(size.Rows))
		s.mu.Unlock()
		if err := pty.Setsize(s.pty, &size); err != nil {
			t.Fatal(err)
		}
	}
	s.shows("▸sojourn")
	s.typed("q")
	s.ends(exitInterrupt)
	s.whole()
}

// TestAShorterLineLeavesNothingOfALongerOne: the line on the ceiling comes first.
func TestAShorterLineLeavesNothingOfALongerOne(t *testing.T) {
	s := sit(t, benchCommand(t, "--duration", "1h", "--warmup", "0s"), 58, 14)
	s.shows("measuring what the generator can offer")
	s.await("the first line alone", func() bool {
		first, _, _ := strings.Cut(ansi.Strip(s.screen.Render()), "\n")
		return strings.HasSuffix(strings.TrimSpace(first), "%") && strings.HasPrefix(first, "measuring  00:00:")
	})
	s.typed("q")
	s.ends(exitInterrupt)
	s.whole()
}

func TestASecondOrderLeavesAtOnce(t *testing.T) {
	s := sit(t, benchCommand(t, "--items", "10", "--warmup", "0s", "--drain", "1h", "--backend", "synthetic(base=1h)"), 80, 24)
	s.shows("draining")
	s.typed("\x03")
	s.shows("SIGINT: no longer offering")
	s.typed("\x03")
	s.ends(exitInterrupt)
	s.whole()
}

func TestASignalTakesTheScreenAway(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: exitTerminate, syscall.SIGHUP: exitHangup, syscall.SIGINT: exitInterrupt} {
		s := sit(t, benchCommand(t, "--duration", "1h"), 80, 24)
		s.shows("Sojourn")
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		s.ends(code)
		s.whole()
	}
}

// TestAViolentEndLeavesTheTerminalWhole: no code of the program runs after a
// SIGKILL; SIGQUIT ends a Go program as a fault of its runtime does.
func TestAViolentEndLeavesTheTerminalWhole(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} {
		s := sit(t, benchCommand(t, "--duration", "1h"), 80, 24)
		s.shows("Sojourn")
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Wait() // by a signal, or with what the runtime gives
		s.whole()
		if sig == syscall.SIGQUIT {
			s.await("the crash below the screen", func() bool {
				_, after, _ := strings.Cut(s.raw.String(), "\x1b[?1049l")
				return strings.Contains(after, "SIGQUIT: quit")
			})
		}
	}
}

// brokenMain is the command with a run that panics in a goroutine of its own, as
// a fault of the generator or of a kernel would.
func brokenMain() {
	if len(os.Args) == 2 && os.Args[1] == guardArgument {
		guard(os.Stdin, os.Stdout, os.Stderr)
		return
	}
	env := processEnviron()
	env.run = func(s settings.Settings, o bench.Options) (*bench.Result, error) {
		go func() {
			for o.Live.Snapshot() == nil || o.Live.Snapshot().Phase != bench.PhaseMeasure {
				time.Sleep(time.Millisecond)
			}
			panic("broken on purpose")
		}()
		return bench.Run(s, o)
	}
	os.Exit(execute(env))
}

func TestAPanicInTheRunLeavesTheTerminalWhole(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "ferryctl-broken")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	s := sit(t, exec.Command(name, "bench", "--rate", "1k/s", "--duration", "1h", "--warmup", "1s"), 80, 24)
	s.shows("warm-up")
	_ = s.cmd.Wait() // the panic's
	s.whole()
	s.await("the panic below the screen", func() bool {
		_, after, _ := strings.Cut(s.raw.String(), "\x1b[?1049l")
		return strings.Contains(after, "panic: broken on purpose")
	})
}

// TestATerminalThatTakesNothingHoldsNothingUp: the result is in its file while
// nobody has read the screen.
func TestATerminalThatTakesNothingHoldsNothingUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	stdout, err := os.Create(filepath.Join(t.TempDir(), "table"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	cmd := benchCommand(t, "--duration", "6s", "--warmup", "0s", "-o", "json="+file)
	cmd.Stdout = stdout
	s := sit(t, cmd, 200, 60)
	s.shows("Sojourn")
	s.hold(true)
	var result []byte
	for len(result) == 0 {
		if result, err = os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // until there is a file
	}
	s.hold(false)
	_ = s.cmd.Wait()                                                                    // the state says more
	if code := s.cmd.ProcessState.ExitCode(); code != exitDone && code != exitInvalid { // the machine may be busy
		t.Errorf("exit code %d", code)
	}
	s.whole()
	if !bytes.Contains(result, []byte(`"complete": true`)) {
		t.Error("the run was not complete")
	}
}

// TestCtrlZGivesTheTerminalBack under a shell that knows jobs.
func TestCtrlZGivesTheTerminalBack(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash, which is the shell of this test")
	}
	run := benchCommand(t, "--duration", "1h")
	cmd := exec.Command(shell, "--norc", "-i")
	s := sit(t, cmd, 100, 30)
	s.typed("PS1='ready> '\n")
	s.shows("ready> ")
	s.typed(strings.Join(run.Args, " ") + "\n")
	s.shows("Sojourn")
	s.typed("\x1a")
	s.wrote("\x1b[?1049l")
	s.shows("Stopped")
	if s.screen.IsAltScreen() {
		t.Error("the alternate screen is there while the program is stopped")
	}
	modes, err := unix.IoctlGetTermios(int(s.tty.Fd()), ioctlGetTermios)
	if err != nil || modes.Lflag&unix.ISIG == 0 {
		t.Errorf("while it is stopped the terminal takes no Ctrl-C: %v", err)
	}
	s.typed("fg\n")
	s.shows("Sojourn")
	s.typed("q")
	s.await("a prompt below the summary", func() bool {
		out := s.raw.String()
		return strings.Contains(out[strings.LastIndex(out, "\x1b[?1049l"):], "ready> ")
	})
	s.typed("exit\n")
	_ = s.cmd.Wait() // with the code of the last command
}

// TestNoScreenWhereNoneCanBe: pipes, dumb terminals and CI get plain lines.
func TestNoScreenWhereNoneCanBe(t *testing.T) {
	for _, extra := range []string{"TERM=dumb", "CI=true"} {
		cmd := benchCommand(t, "--items", "500", "--warmup", "0s")
		cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm", extra}
		s := sit(t, cmd, 80, 24)
		_ = s.cmd.Wait() // the state says more
		_ = s.tty.Close()
		s.await("the end", func() bool { return s.closed })
		if out := s.raw.String(); strings.Contains(out, "\x1b[?1049h") || !strings.Contains(out, "Measurement") {
			t.Errorf("%s: a screen, or no table: %q", extra, out)
		}
	}
	r := try(gives(result(bench.Valid), nil), nil, "bench", "--screen", "on")
	if r.code != exitUsage || r.started || !strings.Contains(r.stderr, "no terminal that can draw") {
		t.Errorf("--screen on without a terminal: exit code %d: %s", r.code, r.stderr)
	}
}

func TestSavedKnobsAreAProfile(t *testing.T) {
	dir := t.TempDir()
	s := settings.Default()
	if err := s.Set("batch_size", "16", "flag --batch-size"); err != nil {
		t.Fatal(err)
	}
	p, file := &plan{settings: s}, filepath.Join(dir, "saved.yaml")
	if err := p.saveLive(&bench.Live{}, file, false); err != nil {
		t.Fatal(err)
	}
	if err := p.saveLive(&bench.Live{}, file, false); err == nil {
		t.Error("a file was replaced unasked")
	}
	if err := p.saveLive(&bench.Live{}, file, true); err != nil {
		t.Error(err)
	}
	for _, replace := range []bool{false, true} {
		if err := p.saveLive(&bench.Live{}, dir, replace); err == nil || errors.Is(err, tui.ErrExists) || !strings.Contains(err.Error(), dir+" is a folder") {
			t.Errorf("saved as a folder, replacing it: %v: %v", replace, err)
		}
	}
	if err := checkProfile(file); err != nil {
		t.Errorf("what was saved is no profile: %v", err)
	}
}

func TestTheBackgroundIsToldByTheTerminalsVariable(t *testing.T) {
	for text, want := range map[string]bool{"": false, "15;0": false, "0;15": true, "0;default;7": true, "12;8": false, "x": false, "1;x": false} {
		if got := lightBackground(text); got != want {
			t.Errorf("COLORFGBG=%q: light %v, want %v", text, got, want)
		}
	}
}
