package main

import (
	"strings"
	"testing"

	"ferryctl/bench/settings"
	"ferryctl/profiles"
)

// TestShownSettingsAreAProfileThatGivesThemAgain shows every knob's example, and
// values that YAML could take for something else.
func TestShownSettingsAreAProfileThatGivesThemAgain(t *testing.T) {
	cases := [][]string{
		{"--trace", "t.csv", "--speed", "10", "--duration", "5s"},
		{"--trace", "a: b #c 'd' \"e\".csv"},
		{"--trace", "two\nlines\t\x1b.csv"},
		{"--trace", "\u202e\u2028\u00a0.csv"},
		{"--lanes", "- x=0.25,it's=0.25,y: z #c=0.5"},
		{"--clients", "5", "--items", "10"},
		{"--share", "acme/=2,acme/x=1/3,free=1", "--lanes", "acme/x=0.5,free=0.5"},
	}
	for _, k := range settings.Knobs() {
		switch k.Name { // those that do not stand alone are in the lists
		case "arrivals", "speed", "share", "room_policy":
			continue
		}
		cases = append(cases, []string{"--" + k.Flag, k.Example})
	}
	for _, args := range append(cases, []string{"--arrivals", "bursty(factor=4,on=1s,off=9s)"}) {
		shown := try(nil, nil, append([]string{"profiles", "show"}, args...)...)
		if shown.code != exitDone {
			t.Errorf("%q: exit code %d, %s", args, shown.code, shown.stderr)
			continue
		}
		again, err := profiles.Parse("shown.yaml", []byte(shown.stdout))
		if err != nil {
			t.Errorf("%q: not a profile: %v\n%s", args, err, shown.stdout)
			continue
		}
		for i := 0; i < len(args); i += 2 {
			knob := strings.ReplaceAll(strings.TrimPrefix(args[i], "--"), "-", "_")
			direct := settings.Default()
			if err := direct.Set(knob, args[i+1], "flag --x"); err != nil {
				t.Fatal(err)
			}
			if got, want := again.Get(knob), direct.Get(knob); got != want {
				t.Errorf("%q: %s is %q again, want %q\n%s", args, knob, got, want, shown.stdout)
			}
		}
	}
}
