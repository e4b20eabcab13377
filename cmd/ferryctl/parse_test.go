package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestEveryFaultInTheFlagsIsReported(t *testing.T) {
	tests := []struct {
		args   string
		given  string // what was still understood
		rest   string
		faults []string
	}{
		{"", "", "", nil},
		{"--queue 5 -o json", "queue=5 output=json", "", nil},
		{"--queue=5 word --queue 6", "queue=5 queue=6", "word", nil},
		{"--quueue 5 --queue 6", "queue=6", "", []string{"unknown flag --quueue"}},
		{"--quueue=5 --nothing --queue 6 -x", "queue=6", "", []string{"unknown flag --quueue", "unknown flag --nothing", "unknown flag -x"}},
		{"--batch_size 5", "", "", []string{"unknown flag --batch_size"}},
		{"--nothing --queue", "", "", []string{"unknown flag --nothing", "flag --queue needs a value: inputs"}},
		{"--color blue --queue 6", "queue=6", "", []string{`flag --color: "blue": want auto, never`}},
		{"-- --queue", "", "--queue", nil},
		{"---queue 6 --queue 7", "queue=7", "6", []string{"bad flag syntax: ---queue"}},
	}
	for _, tt := range tests {
		var got []given
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		fs.Var(recorder{&got, "queue", "inputs"}, "queue", "")
		fs.Var(recorder{&got, "batch-size", "inputs"}, "batch-size", "")
		fs.VarP(recorder{&got, "output", "FORMAT"}, "output", "o", "")
		fs.Var(&choice{"auto", []string{"auto", "never"}}, "color", "")
		rest, err := parseAll(fs, strings.Fields(tt.args), func() { got = nil })
		var words []string
		for _, g := range got {
			words = append(words, g.flag+"="+g.value)
		}
		if strings.Join(words, " ") != tt.given || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%q: understood %q and %q, want %q and %q", tt.args, words, rest, tt.given, tt.rest)
		}
		var faults []string
		for _, e := range leaves(err) {
			faults = append(faults, e.Error())
		}
		if !slices.Equal(faults, tt.faults) {
			t.Errorf("%q: faults %q, want %q", tt.args, faults, tt.faults)
		}
	}
}
