package workload

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoProductCanBeFused holds the code to the form that forbids a compiler to
// fuse a product with a sum into one rounding: every product that is not known
// to be of whole numbers stands directly inside a conversion.
func TestNoProductCanBeFused(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("only the files %v, %v", files, err)
	}
	fset := token.NewFileSet()
	var sources []*ast.File
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			sources = append(sources, parse(t, fset, file, nil))
		}
	}
	for _, at := range bareProducts(fset, sources) {
		t.Errorf("%s: a product outside a conversion: write float64(x * y)", at)
	}
	bad := parse(t, fset, "bad.go", `package p; const c = 2.5 * 3
		func f(x, y, z float64, i int) float64 { i *= 2; x *= y; return float64(x*y) + y*z + float64(x+y*z) + float64(i*i+1) }`)
	if got := bareProducts(fset, []*ast.File{bad}); len(got) != 3 {
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

// nothing imports every package as an empty one: what comes from there has no
// known type, and counts as a float.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, filepath.Base(path))
	pkg.MarkComplete()
	return pkg, nil
}

// bareProducts returns the positions of the products of floats that are outside
// conversions and constants.
func bareProducts(fset *token.FileSet, files []*ast.File) (found []token.Position) {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = config.Check("p", fset, files, &info) // fails at every use of an import
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
