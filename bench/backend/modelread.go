// Reading the file of a calibrated model.

package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"ferryctl/internal/plainyaml"
	"ferryctl/workload/units"
)

// ParseModel reads a model. file names it in messages. The error holds every
// fault, each at its place and with what would be right.
func ParseModel(file string, text []byte) (*Model, error) {
	m := &Model{}
	var schema string
	fields := m.fields(&schema)
	r := &modelReader{Reader: plainyaml.Reader{File: file, Is: "model", MaxSize: maxModelSize, Want: "what ferryctl calibrate writes"}}
	if root, ok := r.Tree(text); ok {
		r.mapping(root, "", fields)
		for _, f := range fields {
			if !r.read(f.section, f.name) && (f.section == "" || r.read("", f.section)) {
				r.FailAt(1, 1, "%s is missing: want it, as ferryctl calibrate writes it", strings.TrimPrefix(f.section+"."+f.name, "."))
			}
		}
		for _, section := range []string{"cost", "scatter", "range", "fit", "source"} {
			if !r.read("", section) {
				r.FailAt(1, 1, "the section %s is missing: want it, as ferryctl calibrate writes it", section)
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if wrong := m.checkTogether(); wrong != "" {
		return nil, fmt.Errorf("%s: scatter: %s", file, wrong)
	}
	sum := sha256.Sum256(text)
	m.Hash = hex.EncodeToString(sum[:])
	return m, nil
}

// A modelReader reads one file.
type modelReader struct {
	plainyaml.Reader
	seen []string // what was found, as section.name
}

func (r *modelReader) read(section, name string) bool {
	return slices.Contains(r.seen, section+"."+name)
}

// mapping reads the fields of a section, and of the whole file if it is "".
func (r *modelReader) mapping(node ast.Node, section string, fields []modelField) {
	if _, ok := node.(*ast.MappingNode); !ok {
		r.Fail(node.GetToken(), "found %s: want name: value, as ferryctl calibrate writes it", plainyaml.Kind(node))
		return
	}
	var known []string
	for _, f := range fields {
		switch {
		case f.section == section:
			known = append(known, f.name)
		case section == "" && !slices.Contains(known, f.section):
			known = append(known, f.section)
		}
	}
	r.Entries(node, func(name string, key *token.Token, value ast.Node) {
		r.seen = append(r.seen, section+"."+name)
		for _, f := range fields {
			switch {
			case f.section == section && f.name == name:
				r.field(f, value)
				return
			case section == "" && f.section == name:
				r.mapping(value, name, fields)
				return
			}
		}
		hint := ""
		if near := units.Nearest(name, known); near != "" {
			hint = ", did you mean " + near
		}
		r.Fail(key, "unknown key %.40q%s: want %s", name, hint, strings.Join(known, ", "))
	})
}

// field reads one value.
func (r *modelReader) field(f modelField, node ast.Node) {
	var texts []string
	list, isList := node.(*ast.SequenceNode)
	_, wantList := f.into.(*[]float64)
	if _, ok := f.into.(*[]string); ok {
		wantList = true
	}
	switch text, ok := plainyaml.Scalar(node); {
	case isList && wantList:
		for _, n := range list.Values {
			text, ok := plainyaml.Scalar(n)
			if !ok {
				r.Fail(n.GetToken(), "%s: found %s in the list: want plain values", f.name, plainyaml.Kind(n))
				return
			}
			texts = append(texts, text)
		}
	case wantList:
		r.Fail(node.GetToken(), "%s: found %s: want a list, such as [1, 2]", f.name, plainyaml.Kind(node))
		return
	case !ok:
		r.Fail(node.GetToken(), "%s: found %s: want one value", f.name, plainyaml.Kind(node))
		return
	default:
		texts = []string{text}
	}
	if err := setField(f.into, texts); err != nil {
		r.Fail(node.GetToken(), "%s: %w", f.name, err)
		return
	}
	if f.check != nil {
		if want := f.check(); want != "" {
			r.Fail(node.GetToken(), "%s: %.40q is out of bounds: %s", f.name, strings.Join(texts, ", "), want)
		}
	}
}

func setField(into any, texts []string) (err error) {
	text := strings.Join(texts, "")
	whole := fmt.Errorf("%.40q: want a whole number", text)
	switch v := into.(type) {
	case *string:
		*v = text
		return nil
	case *[]string:
		*v = texts
		return nil
	case *bool:
		if *v = text == "true"; !*v && text != "false" {
			return fmt.Errorf("%.40q: want true or false", text)
		}
		return nil
	case *int:
		*v, err = strconv.Atoi(text)
	case *int64:
		*v, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*v, err = number(text)
		return err
	case *[]float64:
		*v = make([]float64, len(texts))
		for i, t := range texts {
			if (*v)[i], err = number(t); err != nil {
				return err
			}
		}
		return nil
	case *time.Time:
		if *v, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return fmt.Errorf("%.40q: want a time such as 2026-01-31T12:00:00Z", text)
		}
		return nil
	}
	if err != nil {
		return whole
	}
	return nil
}

// number reads a finite number.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40q: want a number", text)
	}
	return v, nil
}

// checkPath says what is wrong with the name of a model's file.
func checkPath(file string) error {
	if file == "" || strings.ContainsRune(file, 0) || len(file) > 4096 {
		return fmt.Errorf("model: %.40q is no path of a file: want one that ferryctl calibrate wrote, such as model:model.yaml", file)
	}
	return nil
}

// Load returns s with its model read from its file, and s itself if it has none
// to read. The error is that of [Spec.Validate], or holds every fault of the file.
func (s Spec) Load() (Spec, error) {
	if err := s.Validate(); err != nil || s.Kind != ModelKind || s.Model != nil {
		return s, err
	}
	m, err := readModel(s.File)
	if err != nil {
		return s, err
	}
	s.Model, s.Concurrency, s.Errors = m, m.Concurrency, m.Errors
	return s, nil
}

// Origin returns the backend that a loaded model was calibrated from, and s itself
// if it has no model.
func (s Spec) Origin() (Spec, error) {
	if s.Model == nil {
		return s, nil
	}
	origin, err := ParseSpec(s.Model.Source.Backend)
	if err == nil && origin.Kind == ModelKind {
		err = errors.New("want a backend that can be called")
	}
	if err != nil {
		return s, fmt.Errorf("model %s: source.backend %.80q, which it is to be held to, cannot be called: %w", s.File, s.Model.Source.Backend, err)
	}
	return origin, nil
}

func readModel(file string) (*Model, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file: want one that ferryctl calibrate wrote")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(file)
	}
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("model %s: %w", file, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxModelSize+1)) // a larger one is refused by its size
	if err != nil {
		return nil, fmt.Errorf("model %s: cannot be read: want a file that ferryctl calibrate wrote", file)
	}
	return ParseModel(file, text)
}
