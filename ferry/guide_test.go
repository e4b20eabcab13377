// The code in docs/guide-library.md is that of the examples, which are compiled
// and run: a test compares them.

package ferry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const guide = "../docs/guide-library.md"

// source is an example's file, line by line.
type source struct {
	name  string
	lines []string
}

// common returns how many of the block's lines follow each other in the file
// from line at, all indented alike.
func (s source) common(block []string, at int) int {
	indent, ok := strings.CutSuffix(s.lines[at], block[0])
	if !ok || strings.Trim(indent, "\t") != "" {
		return 0
	}
	for i, line := range block {
		if line != "" {
			line = indent + line
		}
		if at+i >= len(s.lines) || s.lines[at+i] != line {
			return i
		}
	}
	return len(block)
}

// find says where a block of code differs from the example that is most like
// it; "" if it is one's.
func find(block []string, in []source) string {
	best, where := 0, "no example has its first line"
	for _, s := range in {
		for at := range s.lines {
			n := s.common(block, at)
			if n == len(block) {
				return ""
			}
			if n > best {
				best, where = n, fmt.Sprintf("%s:%d goes on differently after %q", s.name, at+n, block[n-1])
			}
		}
	}
	return where
}

func examples(t *testing.T) (all []source) {
	t.Helper()
	files, err := filepath.Glob("example*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, strings.Split(string(text), "\n")})
	}
	return all
}

func TestGuideShowsCodeThatRuns(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	from, blocks := examples(t), 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		if n := utf8.RuneCountInString(lines[i]); n > 120 {
			t.Errorf("guide-library.md:%d has %d columns", i+1, n)
		}
		if lines[i] != "```go" {
			continue
		}
		begin := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		blocks++
		if i == begin {
			t.Errorf("guide-library.md:%d: the block is empty", begin)
		} else if where := find(lines[begin:i], from); where != "" {
			t.Errorf("guide-library.md:%d: the code is no example's: %s", begin+1, where)
		}
	}
	if blocks < 8 {
		t.Errorf("found %d blocks of code, expected more", blocks)
	}
}

func TestCodeThatIsNoExamplesIsFound(t *testing.T) {
	from := []source{{"a", []string{"func a() {", "\tif b {", "\t\tc()", "\t}", "", "\td()", "}"}}}
	for code, found := range map[string]bool{
		"if b {\n\tc()\n}\n\nd()": true,
		"c()":                     true,
		"if b {\n\te()\n}":        false,
		"if b {\nc()\n}":          false,
		"d()\n}\n":                false,
		"b {":                     false,
		"e()":                     false,
	} {
		if got := find(strings.Split(code, "\n"), from); (got == "") != found {
			t.Errorf("%q: %q", code, got)
		}
	}
}
