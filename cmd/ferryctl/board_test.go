package main

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ferryctl/tui"
)

// manyCommand is a command of many runs, by the real program.
func manyCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, append(args, "--rate", "10k/s", "--seed", "5", "--jobs", "1")...)
}

func TestAScreenShowsASweepAndHowToGoOn(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, manyCommand(t, "sweep", "--batch-size", "1..4000:+1", "--in-flight", "1,4", "--items", "20k", "--slo", "p99<=1h", "--out", dir), 120, 30)
	s.shows("p99 against throughput")
	s.shows("p99 by batch_size and in_flight")
	s.shows("◆ best p99")
	s.shows("resume: ferryctl sweep --resume " + dir[:20])
	s.typed("?")
	s.shows("map over the next pair of knobs")
	s.typed("?co")
	s.shows("throughput by batch_size")
	s.shows("(sort: throughput)")
	s.typed("f")
	s.shows("FROZEN")
	s.typed("fq")
	s.ends(exitInterrupt)
	s.whole()
	s.wrote("SIGINT: no further point is begun")
	s.wrote("Pareto set") // of the table
	if s.screen.IsAltScreen() {
		t.Error("the alternate screen is still there")
	}
}

func TestAScreenLeavesTheSummaryOfWhatIsOver(t *testing.T) {
	s := sit(t, manyCommand(t, "sweep", "--batch-size", "1,64", "--items", "2k"), 80, 24)
	s.shows("done; any key leaves")
	s.typed("x")
	s.ends(exitDone)
	s.whole()
	s.wrote("All points")
}

func TestASecondOrderLeavesASweepAtOnce(t *testing.T) {
	s := sit(t, manyCommand(t, "sweep", "--batch-size", "1,64", "--items", "1G"), 58, 12)
	s.shows("virtual time  0 of 2 runs")
	s.typed("q")
	s.shows("stopping")
	s.typed("q")
	s.ends(exitInterrupt)
	s.whole()
}

func TestASearchIsOnAScreenToo(t *testing.T) {
	for name, args := range map[string][]string{
		"tune":     {"tune", "--minimize", "p99", "--items", "1M", "--batch-size", "1..64:x2", "--batch-delay", "0s,1ms,2ms"},
		"capacity": {"capacity", "--slo", "p99<=20ms", "--duration", "10m"},
	} {
		s := sit(t, manyCommand(t, args...), 100, 30)
		s.shows("ferryctl " + name)
		s.shows("p99 against throughput")
		s.shows("running")
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.shows("SIGTERM: no further run is begun")
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.ends(exitTerminate)
		s.whole()
	}
}

func TestAnAxisOfABoardIsInOrder(t *testing.T) {
	for _, tt := range []struct{ texts, want string }{
		{"64 1 8 64 256", "1 8 64 256"},
		{"1ms 20us 1s", "20us 1ms 1s"},
		{"unlimited 5 100", "5 100 unlimited"},
		{"keyed make", "keyed make"},
		{"on off on", "on off"},
	} {
		axis, at := boardAxis("knob", strings.Fields(tt.texts))
		want := tui.Axis{Name: "knob", Values: strings.Fields(tt.want)}
		if !slices.Equal(axis.Values, want.Values) {
			t.Errorf("%s: %v, want %s", tt.texts, axis.Values, tt.want)
		}
		for i, text := range want.Values {
			if at[text] != i {
				t.Errorf("%s: %s is at %d, want %d", tt.texts, text, at[text], i)
			}
		}
	}
}
