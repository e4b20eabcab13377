// Mutants breaks the kernels on purpose, one rule at a time, in a copy of the
// module, and says which tests notice. A mutant that nobody notices is a promise
// that nobody tests.
//
//	go run ./internal/mutants            all of them; exits 1 if one survives
//	go run ./internal/mutants -only NAME those whose description contains NAME
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// limit bounds one mutant's tests: many a mutant hangs, which is noticed too.
const limit = 3 * time.Minute

// shown is how many names are printed for a mutant.
const shown = 4

func main() {
	only := flag.String("only", "", "only mutants whose description contains this")
	flag.Parse()
	survivors := 0
	for _, m := range slices.Concat(mutants, fairshareMutants, gateMutants) {
		if !strings.Contains(m.what, *only) {
			continue
		}
		red, err := m.try()
		switch {
		case err != nil:
			fmt.Printf("%-62s ERROR %v\n", m.what, err)
			survivors++
		case len(red) == 0:
			fmt.Printf("%-62s SURVIVED\n", m.what)
			survivors++
		default:
			fmt.Printf("%-62s %s\n", m.what, strings.Join(red, " "))
		}
	}
	if survivors > 0 {
		fmt.Printf("%d not caught\n", survivors)
		os.Exit(1)
	}
}

// try copies the packages, breaks the copy and runs the tests; it returns the
// names of those that turned red.
func (m mutant) try() (red []string, err error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("run it in the module's root: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	for _, pkg := range []string{"lanes", "ferry"} {
		if err := os.CopyFS(filepath.Join(dir, pkg), os.DirFS(pkg)); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, m.file)
	source, err := os.ReadFile(path) //nolint:gosec // a path of ours
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(source, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%q is %d times in %s; it must be there once", m.old, n, m.file)
	}
	source = bytes.Replace(source, []byte(m.old), []byte(m.new), 1)
	if err := os.WriteFile(path, source, 0o600); err != nil {
		return nil, err
	}
	return test(dir, m.packages()...)
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^\s+(Test\w+) \(\d|^panic: (.*)$|WARNING: (DATA RACE)`)

// packages lists those whose tests look at the mutant.
func (m mutant) packages() []string {
	if strings.HasPrefix(m.file, "lanes/fairshare/") {
		return []string{"./lanes/fairshare"}
	}
	if slices.Contains(gateMutants, m) {
		return []string{"./lanes"}
	}
	return []string{"./lanes", "./ferry"}
}

// test runs the tests of the copy and picks the names out of what they say.
func test(dir string, packages ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-race", "-timeout=40s"}, packages...)...) //nolint:gosec // packages of ours
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	if bytes.Contains(out, []byte("[build failed]")) {
		return nil, fmt.Errorf("the mutant does not compile:\n%s", out)
	}
	var red []string
	for _, match := range failed.FindAllSubmatch(out, -1) {
		if name := string(bytes.Join(match[1:], nil)); !slices.Contains(red, name) && !strings.Contains(name, "/") {
			red = append(red, name)
		}
	}
	if len(red) > shown {
		red = append(red[:shown], fmt.Sprintf("and %d more", len(red)-shown))
	}
	if len(red) == 0 {
		red = []string{"(failed without a name)"}
	}
	return red, nil
}
