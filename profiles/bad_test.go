package profiles_test

import (
	"strings"
	"testing"

	"ferryctl/profiles"
)

const (
	sectionList  = "workload, kernel, backend, run, slo"
	kernelList   = "kernel, batch_size, batch_weight, batch_delay, in_flight, queue, queue_weight, direct, share, room_policy"
	workloadList = "rate, lane_rate, clients, arrivals, keys, key_skew, weights, lanes, trace, speed"
)

// badFiles are profiles that must be refused with exactly these messages.
var badFiles = []struct {
	name, text string
	want       []string
}{
	{"empty", "", []string{"bad.yaml:1:1: the profile is empty: want at least one of the sections " + sectionList}},
	{"only a comment", "# nothing\n", []string{"bad.yaml:1:1: the profile is empty: want at least one of the sections " + sectionList}},
	{"no mapping", "5\n", []string{`bad.yaml:1:1: found the value "5": want the sections ` + sectionList}},
	{"a list", "- a\n- b\n", []string{"bad.yaml:1:1: found a list: want the sections " + sectionList}},
	{"unknown section", "kernal:\n  queue: 5\n", []string{`bad.yaml:1:1: unknown section "kernal", did you mean kernel: want ` + sectionList}},
	{"knob in no section", "batch_size: 5\n", []string{"bad.yaml:1:1: batch_size is in no section: want it under kernel:"}},
	{"unknown keys", "kernel:\n  batchsize: 5\n  zzz: 1\n", []string{
		`bad.yaml:2:3: unknown key "batchsize" in kernel, did you mean batch_size: want ` + kernelList,
		`bad.yaml:3:3: unknown key "zzz" in kernel: want ` + kernelList,
	}},
	{"misplaced keys", "workload:\n  queue: 5\n  slo: p99<=1s\n", []string{
		"bad.yaml:2:3: queue is no part of workload: want it under kernel:",
		"bad.yaml:3:3: slo is no part of workload: want it at the left margin, as in slo: p99<=20ms,rejected<=0.1%",
	}},
	{"a flag's spelling", "kernel: {batch-size: 5}\n", []string{
		`bad.yaml:1:10: unknown key "batch-size" in kernel, did you mean batch_size: want ` + kernelList,
	}},
	{"repeated keys", "kernel:\n  queue: 5\n  queue: 5\nkernel: {direct: off}\n", []string{
		"bad.yaml:3:3: queue is given twice: it is at bad.yaml:2:3 already",
		"bad.yaml:4:1: kernel is given twice: it is at bad.yaml:1:1 already",
	}},
	{"a section that is a value", "workload: fast\nkernel:\nrun: [1]\n", []string{
		`bad.yaml:1:11: workload: found the value "fast": want a mapping of ` + workloadList,
		"bad.yaml:2:8: kernel: found no value: want a mapping of " + kernelList,
		"bad.yaml:3:6: run: found a list: want a mapping of clock, seed, duration, items, warmup, drain, repeat",
	}},
	{"values of the wrong kind", "workload:\n  keys: [1, 2]\n  rate: {max: 1}\n  weights:\nkernel:\n  direct: true\n  queue: ten\n", []string{
		"bad.yaml:2:9: keys: found a list: want N, such as 100k",
		"bad.yaml:3:9: rate: found a mapping: want RATE|max|ramp:…, such as ramp:1k/s..80k/s/60s",
		"bad.yaml:4:11: weights: found no value: want N|LAW(…), such as lognormal(median=4KiB,sigma=1)",
		`bad.yaml:6:11: direct: unknown value "true": want on or off`,
		`bad.yaml:7:10: queue: "ten" is not a number >= 0: want a whole number such as 4096, 10k or 1.5M, or unlimited`,
	}},
	{"a bare section with parts", "backend: {base: 1ms}\nslo: {p99: 20ms}\n", []string{
		"bad.yaml:1:10: backend: found a mapping: want a value, as in backend: synthetic(base=1ms,per_item=20us)",
		"bad.yaml:2:6: slo: found a mapping: want a value, as in slo: p99<=20ms,rejected<=0.1%",
	}},
	{"values without units", "workload:\n  rate: 20000\nkernel:\n  batch_delay: 5\nrun:\n  duration: 15\n", []string{
		`bad.yaml:2:9: rate: "20000" is without its /s: want 20000/s, or one of 50k/s, max or ramp:1k/s..80k/s/60s`,
		`bad.yaml:4:16: batch_delay: "5" is without a unit: want 5ms, 5s or another unit of ns, us, ms, s, m, h, or never`,
		`bad.yaml:6:13: duration: "15" is without a unit: want 15ms, 15s or another unit of ns, us, ms, s, m, h`,
	}},
	{"several faults in one value", "backend: synthetic(base=1,jitter=x)\n", []string{
		`bad.yaml:1:10: backend: synthetic: base: "1" is without a unit: want 1ms, 1s or another unit of ns, us, ms, s, m, h`,
		`bad.yaml:1:10: backend: synthetic: jitter: "x" is not a number >= 0: want a plain decimal number such as 1.1`,
	}},
	{"terms in a list", "slo:\n  - p99<=20\n  - p99<=20ms\n  - [1]\n  - mean<=1s\n  - 0.99<=1s\n", []string{
		"bad.yaml:2:5: slo: p99<=20: the bound 20 needs a unit, such as 20ms",
		"bad.yaml:4:5: slo: found a list: want a term, such as p99<=20ms",
		`bad.yaml:6:5: slo: "0.99" is no metric, did you mean p99: want p50, p99, p99.9, mean, max, throughput, rejected, failed or fairness`,
	}},
	{"terms that repeat", "slo:\n  - p99<=20ms\n  - p99<=30ms\n", []string{
		"bad.yaml:2:3: slo: p99<=20ms and p99<=30ms bound p99 twice from the same side: want one of them",
	}},
	{"no terms", "slo: []\n", []string{"bad.yaml:1:6: slo: found an empty list: want TERM,…, such as p99<=20ms,rejected<=0.1%"}},
	{"settings that conflict", "workload:\n  rate: 5/s\n  clients: 3\nrun:\n  items: 5\n  duration: 5s\n", []string{
		"bad.yaml:3:12: clients 3 (bad.yaml:3:12) conflicts with rate 5/s (bad.yaml:2:9): want one of them",
		"bad.yaml:5:10: items 5 (bad.yaml:5:10) conflicts with duration 5s (bad.yaml:6:13): want one of them",
	}},
	{"settings that make no sense", "workload:\n  speed: 2\n", []string{
		"bad.yaml:2:10: speed: 2 needs a trace: want a rate instead",
	}},
	{"what is not built", "run: {clock: sundial}\nbackend: postgres:x\n", []string{
		"bad.yaml:1:14: clock: unknown value \"sundial\": want real, virtual, both",
		"bad.yaml:2:10: backend: the backend postgres: is not available yet: want synthetic(…), such as " +
			"synthetic(base=1ms,per_item=20us,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)",
	}},
	{"anchors", "run: &a {duration: 1s}\nkernel: *a\n", []string{
		"bad.yaml:1:6: anchors, aliases and merge keys are not allowed: want the values written out",
		"bad.yaml:2:9: anchors, aliases and merge keys are not allowed: want the values written out",
	}},
	{"merge keys", "run:\n  <<: {duration: 1s}\n", []string{
		"bad.yaml:2:3: anchors, aliases and merge keys are not allowed: want the values written out",
	}},
	{"tags", "run: !!map\n  duration: !x 1s\n", []string{
		"bad.yaml:1:6: the tag !!map is not allowed: want a plain value",
		"bad.yaml:2:13: the tag !x is not allowed: want a plain value",
	}},
	{"complex keys", "? run\n: {duration: 1s}\n", []string{"bad.yaml:1:1: a complex key is not allowed: want name: value"}},
	{"directives", "%YAML 1.2\n---\nrun: {duration: 1s}\n", []string{"bad.yaml:1:1: directives are not allowed: want none"}},
	{"documents", "run: {duration: 1s}\n---\nrun: {duration: 2s}\n", []string{"bad.yaml:3:4: a second document: want one, without a line ---"}},
	{"tabs", "run:\n\tduration: 1s\n", []string{"bad.yaml:2:1: not YAML: found character '\t' that cannot start any token"}},
	{"an open bracket", "run: {duration: 1s\n", []string{"bad.yaml:1:6: not YAML: could not find flow mapping end token '}'"}},
	{"an open quote", "run: 'x\n", []string{"bad.yaml:1:6: not YAML: could not find end character of single-quoted text"}},
	{"a key in a value", "run: duration: 1s\n", []string{"bad.yaml:1:6: not YAML: mapping value is not allowed in this context"}},
	{"Latin-1", "# x\nrun: {duration: 1s} # \xfcber\n", []string{"bad.yaml:2:23: not UTF-8 text"}},
	{"a binary", "run\x00: 1\n", []string{"bad.yaml:1:4: control character U+0000: want plain text"}},
	{"too many entries", strings.Repeat("a: 1\n", 5000), []string{"bad.yaml:1334:2: too long or too deeply nested for a profile: want a few sections of name: value"}},
	{"too deep", "run: " + strings.Repeat("[", 100_000), []string{"bad.yaml:1:14: too long or too deeply nested for a profile: want a few sections of name: value"}},
	{"too deep in dashes", strings.Repeat("- ", 100_000), []string{"bad.yaml:1:17: too long or too deeply nested for a profile: want a few sections of name: value"}},
	{"too large", strings.Repeat("#", profiles.MaxSize+1), []string{"bad.yaml:1:1: larger than 1048576 bytes: want a profile of a few lines"}},
}

func TestBadFilesAreRefusedWithAllTheirFaults(t *testing.T) {
	for _, c := range badFiles {
		t.Run(c.name, func(t *testing.T) {
			err := profiles.Check("bad.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("it is accepted")
			}
			if got, want := err.Error(), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestAnAliasBombIsRefusedUnexpanded(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x]\n")
	for i := range 60 {
		n := string(rune('a'+i/26)) + string(rune('a'+i%26))
		bomb.WriteString(n + ": &" + n + " [*a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0]\n")
	}
	err := profiles.Check("bad.yaml", []byte(bomb.String()))
	if err == nil || !strings.Contains(err.Error(), "anchors, aliases and merge keys are not allowed") {
		t.Fatalf("got %v", err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 101 || !strings.Contains(lines[100], "faults more") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestAFilesNameCanNotBreakTheMessage(t *testing.T) {
	err := profiles.Check("a\nb.yaml", []byte("x: 1"))
	if err == nil || !strings.HasPrefix(err.Error(), `"a\nb.yaml":1:1: `) {
		t.Errorf("got %v", err)
	}
}
