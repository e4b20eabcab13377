package profiles_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

func TestEveryBuiltInProfileIsSound(t *testing.T) {
	var names []string
	for _, info := range profiles.List() {
		names = append(names, info.Name)
		source, ok := profiles.Source(info.Name)
		if !ok {
			t.Fatalf("%s has no source", info.Name)
		}
		if err := profiles.Check(info.Name+".yaml", source); err != nil {
			t.Error(err)
		}
		s, err := profiles.Load(info.Name)
		if err != nil || s.Profile != info.Name {
			t.Errorf("%s is loaded as %q, %v", info.Name, s.Profile, err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", info.Name, err)
		}
		if len(s.Replaced()) != 0 || s.SeedGiven || s.SLO != nil {
			t.Errorf("%s sets what it should leave: %+v", info.Name, s)
		}
		if info.Title == "" || !strings.HasSuffix(info.Question, "?") || strings.ContainsAny(info.Title+info.Question, "#\n") {
			t.Errorf("%s is described incompletely: %+v", info.Name, info)
		}
		if !bytes.Contains(source, []byte("\n# What to see: ")) {
			t.Errorf("%s does not say what to see", info.Name)
		}
	}
	if want := []string{"hotkeys", "uniform", "tenants", "noisy-neighbour", "org", "heavy", "overload", "blank"}; !slices.Equal(names, want) {
		t.Errorf("the profiles are %v, want %v", names, want)
	}
	files, err := filepath.Glob("builtin/*")
	if err != nil || len(files) != len(names) {
		t.Errorf("%d files for %d profiles, %v", len(files), len(names), err)
	}
}

func TestBlankIsTheDefaults(t *testing.T) {
	s, err := profiles.Load("blank")
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Default()
	for _, v := range want.Values() {
		if got := s.Get(v.Knob); got != v.Text {
			t.Errorf("%s is %q, want %q", v.Knob, got, v.Text)
		}
	}
}

func TestOverloadIsOneAndAHalfTimesTheBackend(t *testing.T) {
	s, err := profiles.Load("overload")
	if err != nil {
		t.Fatal(err)
	}
	batch := s.Backend.MeanServiceTime(int(s.BatchSize), s.BatchSize)
	capacity := float64(s.BatchSize) * float64(s.Backend.Concurrency) / batch.Seconds()
	if got := s.Rate.PerSecond / capacity; got < 1.499 || got > 1.501 {
		t.Errorf("the rate is %g times the capacity of %g/s", got, capacity)
	}
}

func TestHotkeysAndUniformDifferInSkewAlone(t *testing.T) {
	a, errA := profiles.Load("hotkeys")
	b, errB := profiles.Load("uniform")
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for _, v := range a.Values() {
		if same := b.Get(v.Knob) == v.Text; same != (v.Knob != "key_skew") {
			t.Errorf("%s is %q and %q", v.Knob, v.Text, b.Get(v.Knob))
		}
	}
}

func TestAProfileReachesTheSettingsWithItsPlaces(t *testing.T) {
	const text = `# Mine.
workload:
  rate: 20k/s
  keys: 10k
  key_skew: 1.10
  lanes: "gold=0.25,free=0.75"
kernel: {batch_size: 16, direct: off, batch_delay: never}
backend: synthetic(base=1ms)
run:
  seed: 7
  items: 1000
slo:
  - p99<=20ms
  - rejected<=0.1%
`
	s, err := profiles.Parse("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for knob, want := range map[string][2]string{
		"rate": {"20k/s", "mine.yaml:3:9"}, "keys": {"10k", "mine.yaml:4:9"}, "key_skew": {"1.1", "mine.yaml:5:13"},
		"lanes": {"gold=0.25,free=0.75", "mine.yaml:6:10"}, "batch_size": {"16", "mine.yaml:7:22"}, "direct": {"off", "mine.yaml:7:34"},
		"batch_delay": {"never", "mine.yaml:7:52"}, "seed": {"7", "mine.yaml:10:9"}, "items": {"1k", "mine.yaml:11:10"},
		"slo": {"p99<=20ms,rejected<=0.1%", "mine.yaml:13:3"}, "duration": {"", "mine.yaml:11:10"}, "queue": {"10k", "default"},
	} {
		if s.Get(knob) != want[0] || s.Source(knob) != want[1] {
			t.Errorf("%s is %q from %q, want %q from %q", knob, s.Get(knob), s.Source(knob), want[0], want[1])
		}
	}
	if err := s.Set("rate", "5/s", "env FERRYCTL_RATE"); err != nil || s.Rate.PerSecond != 5 {
		t.Errorf("the environment does not outrank the profile: %v", err)
	}
	for _, other := range []string{
		"\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), "---\n" + text,
		strings.Replace(text, "slo:\n  - p99<=20ms\n  - rejected<=0.1%", "slo: p99<=20ms, rejected<=0.1%", 1),
		strings.Replace(text, "slo:\n  - p99<=20ms\n  - rejected<=0.1%", "slo: >\n  p99<=20ms,\n  rejected<=0.1%", 1),
	} {
		again, err := profiles.Parse("mine.yaml", []byte(other))
		if err != nil || again.Get("slo") != "p99<=20ms,rejected<=0.1%" || again.BatchDelay != settings.Never || again.KeySkew != 1.1 {
			t.Errorf("%q is read as %+v, %v", other, again, err)
		}
	}
}

func TestAFileNamedLikeAFlagDoesNotOutrankFlags(t *testing.T) {
	s, err := profiles.Parse("flag --queue", []byte("kernel: {queue: 5}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set("queue", "6", "env FERRYCTL_QUEUE"); err != nil || s.Queue != 6 {
		t.Errorf("queue is %d from %s, %v", s.Queue, s.Source("queue"), err)
	}
}

func TestLoadFindsNamesAndPaths(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.yaml")
	if err := os.WriteFile(path, []byte("run: {duration: 3s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := profiles.Load(path)
	if err != nil || s.Duration != 3*time.Second || s.Profile != path || s.Source("duration") != path+":1:17" {
		t.Errorf("got %+v, %v", s, err)
	}
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, bytes.Repeat([]byte("#\n"), profiles.MaxSize), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"hotkey":                       "unknown profile \"hotkey\": did you mean hotkeys, or the path of a file such as ./mine.yaml",
		"zzz":                          "want one of hotkeys, uniform, tenants, noisy-neighbour, org, heavy, overload, blank",
		"":                             "unknown profile",
		filepath.Join(dir, "no.yaml"):  "no such file",
		dir + string(os.PathSeparator): "is a directory",
		big:                            big + ":1:1: larger than 1048576 bytes",
	} {
		if _, err := profiles.Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q in it", name, err, want)
		}
	}
}

var position = regexp.MustCompile(`^bad\.yaml:[1-9][0-9]*:[1-9][0-9]*: .+`)

func FuzzCheckNeverPanicsAndAlwaysSaysWhere(f *testing.F) {
	for _, info := range profiles.List() {
		source, _ := profiles.Source(info.Name)
		f.Add(source)
	}
	for _, bad := range badFiles {
		if len(bad.text) < 1000 { // the others are slow and teach little
			f.Add([]byte(bad.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := profiles.Check("bad.yaml", text)
		if err == nil {
			return
		}
		if s := err.Error(); !position.MatchString(s) {
			t.Errorf("%q: no place in %q", text, s)
		}
	})
}
