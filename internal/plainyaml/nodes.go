// What stands at the nodes of a tree.

package plainyaml

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Entries calls f for each entry of a mapping, and refuses repeated keys.
func (r *Reader) Entries(node ast.Node, f func(name string, key *token.Token, value ast.Node)) {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return
	}
	seen := make(map[string]*token.Token)
	for _, entry := range mapping.Values {
		key := entry.Key.GetToken()
		name := key.Value
		if first, twice := seen[name]; twice {
			line, column := PlaceOf(first)
			r.Fail(key, "%.40s is given twice: it is at %s already", name, r.At(line, column))
			continue
		}
		seen[name] = key
		f(name, key, entry.Value)
	}
}

// Scalar returns a single value as it was written, without quotes.
func Scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	case *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}

// Kind names what stands at a node, for a message.
func Kind(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode, nil:
		return "no value"
	default:
		return fmt.Sprintf("the value %.40q", n.GetToken().Value)
	}
}
