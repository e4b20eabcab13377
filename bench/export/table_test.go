package export

import (
	"strings"
	"testing"

	"ferryctl/bench"
)

func TestSettingsAreShownWholeAndAsPeopleWriteThem(t *testing.T) {
	r := full()
	backend := `synthetic(base=1ms,per_item=20us,per_weight=10ns,dist=lognormal(0.5),jitter=0.1,concurrency=8,errors=0.1%)`
	trace := strings.Repeat("x", 250)
	r.Settings = bench.Settings{
		setting("batch_weight", "262144"), setting("queue_weight", `"unlimited"`), setting("batch_delay", `"5ms"`), setting("direct", `"on"`),
		setting("backend", `"`+backend+`"`), setting("trace", `"`+trace+`"`),
	}
	table := text(t, "table", r)
	block, _, _ := strings.Cut(table[strings.Index(table, "Settings"):], "\n\n")
	for _, want := range []string{"batch_weight 256KiB", "queue_weight unlimited", "direct on (never: batch_delay is not 0s)"} {
		if !strings.Contains(block, want) {
			t.Errorf("the settings lack %q:\n%s", want, block)
		}
	}
	joined := strings.Join(strings.Fields(block), "")
	for _, want := range []string{backend, trace} {
		if !strings.Contains(joined, want) {
			t.Errorf("the settings lack some of %s:\n%s", want, block)
		}
	}
	for line := range strings.Lines(block) {
		if n := columns(strings.TrimRight(line, "\n")); n > width {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	r.Settings[2] = setting("batch_delay", `"0s"`)
	if table := text(t, "table", r); strings.Contains(table, "never:") || !strings.Contains(table, "a slot was free") {
		t.Errorf("without a delay:\n%s", table)
	}
}

func TestNothingIsShownWhereNothingHappened(t *testing.T) {
	r := full()
	r.Counts.Late, r.Counts.LateMaxNS = 0, bench.Some(0)
	r.Room = bench.Room{MaxQueued: bench.Some(0), MaxQueuedWeight: bench.Some(0), MaxInFlight: bench.Some(3)}
	table := text(t, "table", r)
	if strings.Contains(table, "by at most") || !strings.Contains(table, "Room       no input waited; calls in flight at most 3") {
		t.Errorf("the table is\n%s", table)
	}
	r.Room.MaxQueued, r.Room.MaxQueuedWeight = bench.Some(7), bench.Some(7)
	if table = text(t, "table", r); !strings.Contains(table, "at most 7 inputs waiting;") {
		t.Errorf("the table is\n%s", table)
	}
}
