package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names that break a trait, by import path.
var (
	clockNames = map[string][]string{
		"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	}
	processNames = map[string][]string{
		"os": {
			"Exit", "Args", "Stdin", "Stdout", "Stderr", "Getenv", "LookupEnv", "Environ", "Setenv", "Unsetenv",
		},
		"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	}
	// Importing one of these is already the act.
	processPackages = []string{"os/signal", "flag", "log"}
)

// CheckTree judges every Go file of the module at root, which is called module,
// by rules. It returns one line for each fault, in file order, and an error only
// if the tree can't be read. Folders named testdata, hidden folders, and folders
// that hold a module of their own are no part of the module.
func CheckTree(root fs.FS, module string, rules []Rule) ([]string, error) {
	var faults []string
	fset := token.NewFileSet()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(root, name)
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		faults = append(faults, CheckFile(fset, file, module, path.Dir(name), rules)...)
		return nil
	})
	return faults, err
}

// skipDir returns [fs.SkipDir] for a folder that is no part of the module.
func skipDir(root fs.FS, name string) error {
	if name == "." {
		return nil
	}
	base := path.Base(name)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// CheckFile judges one parsed file of the package pkg (its path below the
// module's) and returns one line for each fault.
func CheckFile(fset *token.FileSet, file *ast.File, module, pkg string, rules []Rule) []string {
	c := checker{fset: fset, module: module, pkg: pkg}
	rule, known := ruleFor(rules, pkg)
	if !known {
		c.fault(file.Package, "is on no row of the map: say in archtest.Rules what it may know")
		return c.faults
	}
	isTest := strings.HasSuffix(fset.Position(file.Package).Filename, "_test.go")
	names := make(map[string]string) // local name of an import -> its path
	for _, spec := range file.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has accepted it, so it can be unquoted
		}
		c.checkTop(spec, target)
		if isTest {
			continue
		}
		c.checkImport(spec, target, rule)
		names[localName(spec, target)] = target
	}
	if !isTest {
		ast.Inspect(file, func(n ast.Node) bool {
			c.checkNode(n, names, rule.Traits)
			return true
		})
	}
	return c.faults
}

// A checker gathers the faults of one file.
type checker struct {
	fset        *token.FileSet
	module, pkg string
	faults      []string
}

func (c *checker) fault(at token.Pos, format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf("%s: %s %s", c.fset.Position(at), c.pkg, fmt.Sprintf(format, args...)))
}

// checkTop holds the arrow that binds tests too: nothing imports cmd or tui but cmd.
func (c *checker) checkTop(spec *ast.ImportSpec, target string) {
	below, ours := strings.CutPrefix(target, c.module+"/")
	if !ours || covers("cmd", c.pkg) || covers(below, c.pkg) {
		return
	}
	if covers("cmd", below) || (covers("tui", below) && !covers("tui", c.pkg)) {
		c.fault(spec.Pos(), "imports %s: only cmd stands above it", below)
	}
}

func (c *checker) checkImport(spec *ast.ImportSpec, target string, rule Rule) {
	if spec.Name != nil && spec.Name.Name == "." {
		c.fault(spec.Pos(), "imports %s under no name, which hides where a name comes from", target)
	}
	if !rule.Process && slices.Contains(processPackages, target) {
		c.fault(spec.Pos(), "imports %s: only cmd/ferryctl speaks to the process", target)
	}
	first, _, _ := strings.Cut(target, "/")
	switch below, ours := strings.CutPrefix(target, c.module+"/"); {
	case ours:
		if !slices.Contains(rule.Ours, "*") && !covers(rule.Path, below) && !anyCovers(rule.Ours, below) {
			c.fault(spec.Pos(), "imports %s: the arrows allow it %s", below, list(rule.Ours))
		}
	case target == c.module:
		c.fault(spec.Pos(), "imports the module's root, which holds no package")
	case strings.Contains(first, "."):
		if !anyCovers(rule.Others, target) {
			c.fault(spec.Pos(), "imports %s: of third parties it may use %s", target, list(rule.Others))
		}
	default:
		if !slices.Contains(rule.Std, "*") && !slices.Contains(rule.Std, target) {
			c.fault(spec.Pos(), "imports %s: of the standard library it may use %s", target, list(rule.Std))
		}
	}
}

// checkNode judges one piece of syntax by the traits its package has. A name is
// found through the file's own imports, so renaming an import hides nothing.
func (c *checker) checkNode(n ast.Node, names map[string]string, traits Traits) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.concurrent(n, traits, "starts a goroutine")
	case *ast.SelectStmt:
		c.concurrent(n, traits, "selects")
	case *ast.ChanType:
		c.concurrent(n, traits, "uses a channel")
	case *ast.SendStmt:
		c.concurrent(n, traits, "sends on a channel")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.concurrent(n, traits, "receives from a channel")
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			c.checkName(n, names[x.Name], n.Sel.Name, traits)
		}
	}
}

func (c *checker) concurrent(n ast.Node, traits Traits, what string) {
	if !traits.Concurrent {
		c.fault(n.Pos(), "%s: it must stay a function of its arguments", what)
	}
}

// checkName judges the use of the name sel of the package imported as target.
func (c *checker) checkName(n ast.Node, target, sel string, traits Traits) {
	switch {
	case !traits.Clock && slices.Contains(clockNames[target], sel):
		c.fault(n.Pos(), "uses %s.%s: it is told the time, it never asks", target, sel)
	case target == "time" && len(traits.TimeNames) > 0 && !slices.Contains(traits.TimeNames, sel):
		c.fault(n.Pos(), "uses time.%s: of package time it may use %s", sel, list(traits.TimeNames))
	case !traits.Process && slices.Contains(processNames[target], sel):
		c.fault(n.Pos(), "uses %s.%s: only cmd/ferryctl speaks to the process", target, sel)
	}
}

// localName is the name under which a file knows an import. The last element
// of the path is right for every package whose names are watched here.
func localName(spec *ast.ImportSpec, target string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(target)
}

func anyCovers(paths []string, pkg string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return covers(p, pkg) })
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
