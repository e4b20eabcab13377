package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runPattern finds the parts of a guide that show a run in virtual time: the command,
// then what it printed.
var runPattern = regexp.MustCompile("(?s)(<!-- run -->\n```console\n\\$ ferryctl ([^\n]*)\n)(.*?)(```\n<!-- end of run -->\n)")

// TestGuidesShowWhatRunsPrint to the letter.
func TestGuidesShowWhatRunsPrint(t *testing.T) {
	for _, name := range []string{"guide-tuning.md", "guide-capacity.md", "guide-reading-results.md"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("../../docs", name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runs := 0
			fresh := runPattern.ReplaceAllStringFunc(string(text), func(part string) string {
				m := runPattern.FindStringSubmatch(part)
				runs++
				out := ferryctl(t, nil, command(m[2])...)
				if out != m[3] && !*update {
					t.Errorf("ferryctl %s prints\n%s\nit shows\n%s\n-update makes it anew", m[2], out, m[3])
				}
				return m[1] + out + m[4]
			})
			if runs != strings.Count(string(text), "<!-- run -->") || runs == 0 {
				t.Errorf("%d runs are found", runs)
			}
			if *update {
				if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
