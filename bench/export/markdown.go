// The Markdown form: the rows of the table as tables of GitHub's Markdown.

package export

import (
	"io"
	"strings"
	"unicode"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

func writeMarkdown(w io.Writer, r *bench.Result) error {
	return markdown(w, runName(r), runFacts(r), runDocument(r))
}

func writeSweepMarkdown(w io.Writer, r *sweep.Report) error {
	return markdown(w, sweepName(r), sweepFacts(r), sweepDocumentOf(r))
}

func markdown(w io.Writer, title, facts string, sections []section) error {
	var b strings.Builder
	b.WriteString("# " + marked(title) + "\n\n" + opened(facts) + "\n")
	for _, s := range sections {
		b.WriteString("\n## " + marked(s.title) + "\n")
		for _, text := range s.text {
			b.WriteString("\n" + opened(text) + "\n")
		}
		if len(s.list) > 0 {
			b.WriteByte('\n')
		}
		for _, item := range s.list {
			b.WriteString("- " + opened(item) + "\n")
		}
		if s.grid != nil {
			b.WriteByte('\n')
			s.grid.markdown(&b)
		}
		if s.paste != "" {
			fence := "```"
			for strings.Contains(s.paste, fence) {
				fence += "`"
			}
			b.WriteString("\n" + fence + "console\n$ " + s.paste + "\n" + fence + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the rows as a table: numbers flush right, names and notes left.
func (g *grid) markdown(b *strings.Builder) {
	wide := 0
	for _, cells := range g.rows {
		wide = max(wide, len(cells))
	}
	line := func(cells []string) {
		b.WriteByte('|')
		for c := range wide {
			text := ""
			if c < len(cells) {
				text = marked(cells[c])
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteByte('\n')
	}
	line(g.rows[0])
	b.WriteByte('|')
	for c := range wide {
		if c == 0 || c >= g.notes {
			b.WriteString(" --- |")
		} else {
			b.WriteString(" --: |")
		}
	}
	b.WriteByte('\n')
	for _, cells := range g.rows[1:] {
		line(cells)
	}
	if g.below != "" {
		b.WriteString("\n" + opened(g.below) + "\n")
	}
}

// opened is marked for text that begins a line, where signs and numbers would make
// a heading, a quote or a list.
func opened(s string) string {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case s != "" && strings.ContainsRune("#>+-=", rune(s[0])):
		return `\` + marked(s)
	case digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') && (digits+1 == len(s) || s[digits+1] == ' '):
		return s[:digits] + `\` + marked(s[digits:])
	}
	return marked(s)
}

// marked returns text that Markdown shows as it is within a line: no emphasis, link,
// image, HTML, mention, or end of a cell.
func marked(s string) string {
	var b strings.Builder
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		rest := func(text string) bool { return strings.HasPrefix(string(runes[i:min(len(runes), i+len(text))]), text) }
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*[]|~$@", r),
			r == '_' && (!word(i-1) || !word(i+1)), // within a word it means nothing
			rest("://"),
			r == '.' && i >= 3 && strings.EqualFold(string(runes[i-3:i]), "www"):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
