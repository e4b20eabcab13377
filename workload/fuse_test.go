package workload

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoProductCanBeFused holds the code to the form that forbids a compiler to
// fuse a product with a sum into one rounding: every product stands directly
// inside a conversion. That of whole numbers may as well, so types need no look.
func TestNoProductCanBeFused(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("only the files %v, %v", files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, at := range bareProducts(t, file, nil) {
			t.Errorf("%s: a product outside a conversion: write float64(x * y)", at)
		}
	}
	bad := `package p; func f(x, y, z float64) float64 { const c = 2 * 3; x *= y; return float64(x*y) + y*z + float64(x+y*z) }`
	if got := bareProducts(t, "bad.go", bad); len(got) != 3 {
		t.Errorf("the check finds %v in a source with three bare products", got)
	}
}

// bareProducts returns the positions of the products outside conversions and
// constants.
func bareProducts(t *testing.T, name string, src any) (found []token.Position) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conversions := map[string]bool{"float64": true, "uint64": true, "int64": true, "int": true}
	inside := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && conversions[id.Name] && len(n.Args) == 1 {
				inside[n.Args[0]] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN {
				found = append(found, fset.Position(n.Pos()))
			}
		case *ast.BinaryExpr:
			if n.Op == token.MUL && !inside[n] && !literal(n) {
				found = append(found, fset.Position(n.Pos()))
			}
		}
		return true
	})
	return found
}

// literal says whether a product is of a constant written out, which no machine
// computes.
func literal(n *ast.BinaryExpr) bool {
	_, x := n.X.(*ast.BasicLit)
	_, y := n.Y.(*ast.BasicLit)
	return x && y
}
