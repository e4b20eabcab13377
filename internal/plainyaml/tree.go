// Package plainyaml reads YAML files that are plain trees of names and values,
// with every fault at its place, file:line:column, and all of them at once.
//
// It reads text that nobody vouches for. Anchors, aliases, tags, merge keys,
// directives and complex keys are refused, so that no file is larger than it
// looks; size, number of tokens and depth are bounded; a panic of the parser is
// an error. What the names mean is the caller's business, see [Reader.Entries].
package plainyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on the shape of a file. The parser's time grows with the square of
// the number of tokens, and its stack with the depth.
const (
	maxTokens = 4000
	maxDepth  = 8
	maxFaults = 100
)

// A fault is what is wrong at one place of the file.
type fault struct {
	line, column int
	err          error // begins with the place
}

// A Reader reads one file and collects its faults.
type Reader struct {
	File    string // its name, for messages
	Is      string // what it is: profile
	MaxSize int    // bytes
	Want    string // what it should hold, for the message about an empty one
	faults  []fault
}

// At writes a place of the file.
func (r *Reader) At(line, column int) string {
	return fmt.Sprintf("%s:%d:%d", r.File, line, column)
}

// Fail notes a fault at a token.
func (r *Reader) Fail(t *token.Token, format string, a ...any) {
	line, column := PlaceOf(t)
	r.FailAt(line, column, format, a...)
}

// FailAt notes a fault at a place, counted from 1.
func (r *Reader) FailAt(line, column int, format string, a ...any) {
	r.Note(line, column, fmt.Errorf("%s: %w", r.At(line, column), fmt.Errorf(format, a...)))
}

// Note notes a fault that names its place already.
func (r *Reader) Note(line, column int, err error) {
	r.faults = append(r.faults, fault{line, column, err})
}

// Err joins the faults in the order of their places.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	for i, f := range r.faults {
		if i == maxFaults {
			errs = append(errs, fmt.Errorf("%s: and %d faults more", r.File, len(r.faults)-i))
			break
		}
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

// Tree returns the root of text's only document, or notes why there is none.
func (r *Reader) Tree(text []byte) (root ast.Node, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte-order mark
	if len(text) > r.MaxSize {
		r.FailAt(1, 1, "larger than %d bytes: want a %s of a few lines", r.MaxSize, r.Is)
		return nil, false
	}
	if !r.readable(text) {
		return nil, false
	}
	tokens := lexer.Tokenize(string(text))
	if !r.shallow(tokens) {
		return nil, false
	}
	f, err := parse(tokens)
	if err != nil {
		r.syntax(err)
		return nil, false
	}
	var bodies []ast.Node
	for _, doc := range f.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		r.FailAt(1, 1, "the %s is empty: want %s", r.Is, r.Want)
	case 1:
		return bodies[0], true
	default:
		r.Fail(bodies[1].GetToken(), "a second document: want one, without a line ---")
	}
	return nil, false
}

// readable notes the first byte that no text has.
func (r *Reader) readable(text []byte) bool {
	line, column := 1, 1
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			r.FailAt(line, column, "not UTF-8 text")
			return false
		case c == '\n':
			line, column = line+1, 0
		case c < ' ' && c != '\t' && c != '\r' || c == 0x7f:
			r.FailAt(line, column, "control character %U: want plain text", c)
			return false
		}
		column++
		text = text[size:]
	}
	return true
}

// shallow notes what a file may not use, and whether there is more of
// anything than the parser should be given.
func (r *Reader) shallow(tokens token.Tokens) bool {
	count, depth, line, dashes := 0, 0, 0, 0
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			r.Fail(t, "anchors, aliases and merge keys are not allowed: want the values written out")
		case token.TagType:
			r.Fail(t, "the tag %.20s is not allowed: want a plain value", t.Value)
		case token.MappingKeyType:
			r.Fail(t, "a complex key is not allowed: want name: value")
		case token.DirectiveType:
			r.Fail(t, "directives are not allowed: want none")
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		default:
		}
		if count++; count > maxTokens || depth > maxDepth || dashes > maxDepth {
			r.Fail(t, "too long or too deeply nested for a %s: want a few sections of name: value", r.Is)
			break
		}
	}
	return len(r.faults) == 0
}

// parse is the library's parser, held to returning.
func parse(tokens token.Tokens) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML reader gave up: %v", p)
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // repeated keys are reported with the rest
}

// syntax notes an error of the parser.
func (r *Reader) syntax(err error) {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.GetToken() != nil {
		r.Fail(syntax.GetToken(), "not YAML: %s", syntax.GetMessage())
		return
	}
	r.FailAt(1, 1, "not YAML: %w", err)
}

// PlaceOf returns a token's line and column, counted from 1.
func PlaceOf(t *token.Token) (line, column int) {
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return max(t.Position.Line, 1), max(t.Position.Column, 1)
}
