// From text to a plain tree of YAML: what the parser is not trusted with.

package profiles

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

	"ferryctl/bench/settings"
)

// Bounds on the shape of a profile. The parser's time grows with the square of
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

// A reader collects settings and faults from one file.
type reader struct {
	file     string
	settings settings.Settings
	faults   []fault
}

// at writes a place of the file.
func (r *reader) at(line, column int) string {
	return fmt.Sprintf("%s:%d:%d", r.file, line, column)
}

// fail notes a fault at a token.
func (r *reader) fail(t *token.Token, format string, a ...any) {
	line, column := placeOf(t)
	r.failAt(line, column, format, a...)
}

func (r *reader) failAt(line, column int, format string, a ...any) {
	err := fmt.Errorf("%s: %w", r.at(line, column), fmt.Errorf(format, a...))
	r.faults = append(r.faults, fault{line, column, err})
}

// err joins the faults in the order of their places.
func (r *reader) err() error {
	slices.SortStableFunc(r.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	for i, f := range r.faults {
		if i == maxFaults {
			errs = append(errs, fmt.Errorf("%s: and %d faults more", r.file, len(r.faults)-i))
			break
		}
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

// tree returns the root of text's only document, or notes why there is none.
func (r *reader) tree(text []byte) (root ast.Node, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte-order mark
	if len(text) > MaxSize {
		r.failAt(1, 1, "larger than %d bytes: want a profile of a few lines", MaxSize)
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
		r.failAt(1, 1, "the profile is empty: want at least one of the sections %s", sectionNames())
	case 1:
		return bodies[0], true
	default:
		r.fail(bodies[1].GetToken(), "a second document: want one, without a line ---")
	}
	return nil, false
}

// readable notes the first byte that no text has.
func (r *reader) readable(text []byte) bool {
	line, column := 1, 1
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			r.failAt(line, column, "not UTF-8 text")
			return false
		case c == '\n':
			line, column = line+1, 0
		case c < ' ' && c != '\t' && c != '\r' || c == 0x7f:
			r.failAt(line, column, "control character %U: want plain text", c)
			return false
		}
		column++
		text = text[size:]
	}
	return true
}

// shallow notes what a profile may not use, and whether there is more of
// anything than the parser should be given.
func (r *reader) shallow(tokens token.Tokens) bool {
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
			r.fail(t, "anchors, aliases and merge keys are not allowed: want the values written out")
		case token.TagType:
			r.fail(t, "the tag %.20s is not allowed: want a plain value", t.Value)
		case token.MappingKeyType:
			r.fail(t, "a complex key is not allowed: want name: value")
		case token.DirectiveType:
			r.fail(t, "directives are not allowed: want none")
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		default:
		}
		if count++; count > maxTokens || depth > maxDepth || dashes > maxDepth {
			r.fail(t, "too long or too deeply nested for a profile: want a few sections of name: value")
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
func (r *reader) syntax(err error) {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.GetToken() != nil {
		r.fail(syntax.GetToken(), "not YAML: %s", syntax.GetMessage())
		return
	}
	r.failAt(1, 1, "not YAML: %w", err)
}

// placeOf returns a token's line and column, counted from 1.
func placeOf(t *token.Token) (line, column int) {
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return max(t.Position.Line, 1), max(t.Position.Column, 1)
}
