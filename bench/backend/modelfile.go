// The file of a calibrated model: one table of its fields, by which it is written
// and read, and its writer.

package backend

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ModelSchema names the form of a model's file.
const ModelSchema = "ferryctl.model/v1"

// maxModelSize bounds a model's file, in bytes.
const maxModelSize = 64 << 10

// maxResiduals bounds a model's scatter.
const maxResiduals = 1000

// A modelField is one value of a model's file. into is a pointer to it.
type modelField struct {
	section, name string // section is "" at the left margin
	into          any
	check         func() string // what would be right, "" if the value is; nil accepts all
	doc           string
}

// fields is the file's content in order.
func (m *Model) fields(schema *string) []modelField {
	cost := func(v *float64) func() string {
		return func() string {
			return unless(*v >= 0 && *v <= float64(MaxCost), "want nanoseconds from 0 to %d", MaxCost.Nanoseconds())
		}
	}
	ratio := func(v *float64) func() string {
		return func() string { return unless(*v >= 0 && *v <= 1, "want a part of one, from 0 to 1") }
	}
	count := func(v *int, least, most int) func() string {
		return func() string { return unless(*v >= least && *v <= most, "want %d to %d", least, most) }
	}
	atLeast := func(v *int64, least int64) func() string {
		return func() string { return unless(*v >= least, "want at least %d", least) }
	}
	s, r, f, src := &m.Scatter, &m.Range, &m.Fit, &m.Source
	return []modelField{
		{"", "schema", schema, func() string { return unless(*schema == ModelSchema, "want %s", ModelSchema) }, ""},
		{"", "complete", &m.Complete, nil, "false if calibrating was stopped"},
		{"cost", "base_ns", &m.Base, cost(&m.Base), "a call of n inputs that weigh w together takes"},
		{"cost", "per_item_ns", &m.PerItem, cost(&m.PerItem), "base_ns + per_item_ns n + per_weight_ns w on average"},
		{"cost", "per_weight_ns", &m.PerWeight, cost(&m.PerWeight), ""},
		{"cost", "concurrency", &m.Concurrency, count(&m.Concurrency, 0, MaxConcurrency), "calls served at once, the others wait; 0 is no limit"},
		{"cost", "error_ratio", &m.Errors, ratio(&m.Errors), "part of the calls that fail"},
		{"scatter", "shape", &s.Shape, func() string {
			return unless(slices.Contains(modelShapes, s.Shape), "want %s", strings.Join(modelShapes, ", "))
		}, "fixed, exponential, lognormal, or by residuals: relative, absolute"},
		{"scatter", "sigma", &s.Sigma, func() string {
			return unless(s.Sigma >= 0 && s.Sigma <= MaxSigma, "want 0 to %v", MaxSigma)
		}, "of lognormal"},
		{"scatter", "residuals", &s.Residuals, s.checkResiduals, "equally likely: factors of the mean, or nanoseconds beside it"},
		{"range", "min_items", &r.MinItems, atLeast(&r.MinItems, 1), "what the calls were like; beyond it the model extrapolates"},
		{"range", "max_items", &r.MaxItems, func() string { return unless(r.MaxItems >= r.MinItems, "want at least min_items") }, ""},
		{"range", "min_weight", &r.MinWeight, atLeast(&r.MinWeight, 0), ""},
		{"range", "max_weight", &r.MaxWeight, func() string { return unless(r.MaxWeight >= r.MinWeight, "want at least min_weight") }, ""},
		{"range", "max_in_flight", &r.MaxInFlight, count(&r.MaxInFlight, 1, MaxConcurrency), ""},
		{"fit", "calls", &f.Calls, nil, "made one at a time, those that failed left out"},
		{"fit", "cells", &f.Cells, nil, "kinds of calls"},
		{"fit", "r_squared", &f.RSquared, nil, "part of the times' variance that the mean explains"},
		{"fit", "lack_of_fit_ratio", &f.LackOfFit, nil, "how far the farthest kind of call is from the mean, beyond chance"},
		{"fit", "base_se_ns", &f.BaseError, nil, "standard errors"},
		{"fit", "per_item_se_ns", &f.PerItemError, nil, ""},
		{"fit", "per_weight_se_ns", &f.PerWeightError, nil, ""},
		{"fit", "residual_p1_ns", &f.ResidualP1, nil, "of time minus mean"},
		{"fit", "residual_p50_ns", &f.ResidualP50, nil, ""},
		{"fit", "residual_p99_ns", &f.ResidualP99, nil, ""},
		{"fit", "in_flight", &f.ConcurrencyInFlight, nil, "calls of one kind, so many at once"},
		{"fit", "in_flight_mean_ns", &f.ConcurrencyServiceMeanNS, nil, "and how long one took"},
		{"source", "command", &src.Command, nil, ""},
		{"source", "backend", &src.Backend, nil, ""},
		{"source", "seed", &src.Seed, nil, ""},
		{"source", "calls", &src.Calls, nil, "in all, without those that warmed up"},
		{"source", "failed", &src.Failed, nil, ""},
		{"source", "started", &src.Started, nil, ""},
		{"source", "version", &src.Version, nil, ""},
		{"source", "go", &src.Go, nil, ""},
		{"source", "os", &src.OS, nil, ""},
		{"source", "arch", &src.Arch, nil, ""},
		{"source", "cpus", &src.CPUs, nil, ""},
		{"source", "cpu_model", &src.CPUModel, nil, ""},
		{"", "warnings", &m.Warnings, nil, ""},
	}
}

func unless(ok bool, format string, a ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, a...)
}

// checkResiduals looks at the values alone; whether there may be any depends on
// the shape.
func (s *Scatter) checkResiduals() string {
	if len(s.Residuals) > maxResiduals || !slices.IsSorted(s.Residuals) {
		return fmt.Sprintf("want at most %d numbers, ascending", maxResiduals)
	}
	for _, v := range s.Residuals {
		if math.Abs(v) > float64(MaxServiceTime) {
			return fmt.Sprintf("want numbers up to %d", MaxServiceTime.Nanoseconds())
		}
	}
	return ""
}

// checkTogether says what is wrong with values that are sound by themselves.
func (m *Model) checkTogether() string {
	s := m.Scatter
	byResiduals := s.Shape == ModelRelative || s.Shape == ModelAbsolute
	switch {
	case byResiduals && len(s.Residuals) == 0:
		return "the scatter is by residuals and has none: want at least one, or the shape fixed"
	case !byResiduals && len(s.Residuals) > 0:
		return "residuals are given but the shape is " + s.Shape + ": want none, or the shape relative or absolute"
	case s.Shape == ModelRelative && s.Residuals[0] < 0:
		return "a relative residual is negative: want factors of the mean, 0 or more"
	case s.Shape != ModelLognormal && s.Sigma != 0:
		return "sigma is given but the shape is " + s.Shape + ": want 0, or the shape lognormal"
	}
	return ""
}

// Write writes the model as a file that [ParseModel] reads back to the same model.
func (m *Model) Write(w io.Writer) error {
	var text bytes.Buffer
	text.WriteString("# The cost model of a backend, as ferryctl calibrate fitted it to real calls. To use it:\n" +
		"#   ferryctl bench --clock virtual --backend model:FILE\n")
	schema, section := ModelSchema, ""
	for _, f := range m.fields(&schema) {
		indent := ""
		if f.section != "" {
			indent = "  "
			if f.section != section {
				fmt.Fprintf(&text, "%s:\n", f.section)
			}
		}
		section = f.section
		line := indent + f.name + ": " + formatField(f.into)
		if f.doc != "" && len(line) < 60 {
			line = fmt.Sprintf("%-36s # %s", line, f.doc)
		}
		text.WriteString(line + "\n")
	}
	_, err := w.Write(text.Bytes())
	return err
}

func formatField(into any) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch v := into.(type) {
	case *string:
		return strconv.QuoteToASCII(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		return strconv.Itoa(*v)
	case *int64:
		return strconv.FormatInt(*v, 10)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *float64:
		return number(*v)
	case *time.Time:
		return strconv.Quote(v.UTC().Format(time.RFC3339Nano))
	case *[]float64:
		parts := make([]string, len(*v))
		for i, x := range *v {
			parts[i] = number(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *[]string:
		parts := make([]string, len(*v))
		for i, x := range *v {
			parts[i] = strconv.QuoteToASCII(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	panic(fmt.Sprintf("backend: no form for %T", into))
}
