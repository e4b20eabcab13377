// A check of the form of the source, here and in the packages whose draws are
// promised to be the same on every machine.

package detmath_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoProductCanBeFused holds the code whose results are the same everywhere to
// the form that forbids a compiler to fuse a product with a sum into one
// rounding: every product that is not known to be of whole numbers stands
// directly inside a conversion.
func TestNoProductCanBeFused(t *testing.T) {
	known := packages{}
	for _, c := range []struct{ path, files string }{
		{"ferryctl/internal/detmath", "*.go"}, // first, as the others import it
		{"ferryctl/workload", "../../workload/*.go"},
		{"ferryctl/bench/backend", "../../bench/backend/draw.go"},
	} {
		files, err := filepath.Glob(c.files)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		var sources []*ast.File
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				sources = append(sources, parse(t, fset, file, nil))
			}
		}
		if len(sources) == 0 {
			t.Fatalf("%s: no source among the files %v", c.path, files)
		}
		for _, at := range bareProducts(fset, c.path, sources, known) {
			t.Errorf("%s: a product outside a conversion: write float64(x * y)", at)
		}
	}
}

func TestBareProductsAreFound(t *testing.T) {
	fset := token.NewFileSet()
	bad := parse(t, fset, "bad.go", `package p; const c = 2.5 * 3
		func f(x, y, z float64, i int) float64 { i *= 2; x *= y; return float64(x*y) + y*z + float64(x+y*z) + float64(i*i+1) }`)
	if got := bareProducts(fset, "p", []*ast.File{bad}, packages{}); len(got) != 3 {
		t.Errorf("the check finds %v in a source with three bare products", got)
	}
}

func parse(t *testing.T, fset *token.FileSet, name string, src any) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// packages imports those it knows, and every other one as an empty one: what
// comes from there has no known type, and counts as a float.
type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) {
	if p[path] == nil {
		p[path] = types.NewPackage(path, filepath.Base(path))
		p[path].MarkComplete()
	}
	return p[path], nil
}

// bareProducts returns the positions of the products of floats that are outside
// conversions and constants in the files of a package, which it adds to known.
func bareProducts(fset *token.FileSet, path string, files []*ast.File, known packages) (found []token.Position) {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: known, Error: func(error) {}}
	known[path], _ = config.Check(path, fset, files, &info) // fails at every use of an empty import
	harmless := func(e ast.Expr) bool {
		tv, known := info.Types[e]
		if !known || tv.Type == nil {
			return false
		}
		basic, ok := tv.Type.Underlying().(*types.Basic)
		return tv.Value != nil || ok && basic.Info()&types.IsInteger != 0
	}
	rounded := map[ast.Expr]bool{}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "float64" {
				rounded[n.Args[0]] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && !harmless(n.Lhs[0]) {
				found = append(found, fset.Position(n.Pos()))
			}
		case *ast.BinaryExpr:
			if n.Op == token.MUL && !rounded[n] && !harmless(n) {
				found = append(found, fset.Position(n.Pos()))
			}
		}
		return true
	}
	for _, file := range files {
		ast.Inspect(file, inspect)
	}
	return found
}
