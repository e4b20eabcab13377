// Reading terms, with every fault at once.

package slo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ferryctl/workload/units"
)

// Bounds on what [Parse] reads.
const (
	MaxTerms   = 64
	MaxLatency = 24 * time.Hour
)

const forms = "p50, p99, p99.9, mean, max, throughput, rejected, failed or fairness"

// Parse reads an objective: terms "metric op bound" between commas. The error
// holds every fault in it, each saying what would be right.
func Parse(text string) ([]Term, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("empty: want terms such as p99<=20ms,rejected<=0.1%")
	}
	parts := strings.Split(text, ",")
	if len(parts) > MaxTerms {
		return nil, fmt.Errorf("%d terms are too many: want at most %d", len(parts), MaxTerms)
	}
	var terms []Term
	var faults []error
	for _, part := range parts {
		term, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, other := range terms {
			if term.Metric == other.Metric && term.Percent == other.Percent && term.Op.upper() == other.Op.upper() {
				faults = append(faults, fmt.Errorf("%s and %s bound %s twice from the same side: want one of them", other, term, term.Name()))
			}
		}
		terms = append(terms, term)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return terms, nil
}

func parseTerm(text string) (Term, error) {
	if text == "" {
		return Term{}, errors.New("a term is empty: want none after the last comma, or a term such as p99<=20ms")
	}
	at := strings.IndexAny(text, "<>=!≤≥:")
	if at < 0 {
		return Term{}, fmt.Errorf("%q has no comparison: want <=, <, >= or >, as in p99<=20ms", clip(text))
	}
	name, rest := strings.TrimSpace(text[:at]), text[at:]
	op, bound, err := cutOp(text, rest)
	term, nameErr := parseMetric(name)
	if err := errors.Join(nameErr, err); err != nil {
		return Term{}, err
	}
	term.Op = op
	if term.Bound, err = parseBound(term, bound); err != nil {
		return Term{}, fmt.Errorf("%s: %w", clip(text), err)
	}
	return term, term.check()
}

// cutOp splits the comparison from what follows it.
func cutOp(text, rest string) (Op, string, error) {
	for _, op := range []Op{AtMost, AtLeast, Below, Above} {
		if bound, ok := strings.CutPrefix(rest, string(op)); ok {
			bound = strings.TrimSpace(bound)
			if bound == "" {
				return "", "", fmt.Errorf("%q has no bound: want one, as in p99<=20ms", clip(text))
			}
			if strings.ContainsAny(bound[:1], "<>=") {
				return "", "", fmt.Errorf("%q has an unknown comparison: want <=, <, >= or >", clip(text))
			}
			return op, bound, nil
		}
	}
	return "", "", fmt.Errorf("%q has an unknown comparison: want <=, <, >= or >", clip(text))
}

func parseMetric(name string) (Term, error) {
	for metric, known := range metricNames {
		if name == known {
			return Term{Metric: metric}, nil
		}
	}
	switch {
	case name == "":
		return Term{}, fmt.Errorf("a term has no metric before its comparison: want %s", forms)
	case name == "min" || name == "p0":
		return Term{}, fmt.Errorf("%s is no metric of an objective: want %s", name, forms)
	case name == "p100":
		return Term{}, errors.New("p100 is the maximum: did you mean max")
	case len(name) > 1 && name[0] == 'p' && isDigit(name[1]):
		return parsePercentile(name)
	case isDigit(name[0]):
		return Term{}, fmt.Errorf("%q is no metric%s: want %s", clip(name), fromNumber(name), forms)
	}
	near := ""
	names := []string{"mean", "max", "throughput", "rejected", "failed", "fairness"}
	if n := units.Nearest(name, names); n != "" {
		near = ", did you mean " + n
	}
	return Term{}, fmt.Errorf("unknown metric %q%s: want %s", clip(name), near, forms)
}

// parsePercentile reads p50, p99.9, and the spelling without a point that starts
// with a nine: p999 is p99.9.
func parsePercentile(name string) (Term, error) {
	digits := name[1:]
	if !strings.Contains(digits, ".") && len(digits) > 2 {
		if digits[0] != '9' {
			return Term{}, fmt.Errorf("%s is beyond p100: did you mean p%s.%s", clip(name), digits[:2], clip(digits[2:]))
		}
		digits = digits[:2] + "." + digits[2:]
	}
	percent, err := units.ParseNumber(digits)
	switch {
	case err != nil || len(digits) > 16:
		return Term{}, fmt.Errorf("%q is no percentile: want one such as p99 or p99.9", clip(name))
	case percent == 0:
		return Term{}, fmt.Errorf("%s is below every sample: want p1 or more", name)
	case percent < 1:
		return Term{}, fmt.Errorf("%s is a percentile below 1%s: want p1 or more", name, fromNumber(digits))
	case percent >= 100:
		return Term{}, fmt.Errorf("%s is not below p100: want max for the maximum", name)
	}
	return Term{Metric: Percentile, Percent: percent}, nil
}

// fromNumber guesses which percentile somebody meant by a bare number: 99 and
// 0.99 both stand for p99.
func fromNumber(text string) string {
	v, err := units.ParseNumber(strings.TrimSuffix(text, "%"))
	if err != nil || len(text) > 16 {
		return ""
	}
	if v < 1 {
		v *= 100
	}
	if v < 1 || v >= 100 {
		return ""
	}
	return ", did you mean p" + units.FormatNumber(v)
}

// parseBound reads the bound in the form that the term's metric has.
func parseBound(t Term, text string) (float64, error) {
	switch t.Metric.Unit() {
	case PerSecond:
		return units.ParseRate(text)
	case Ratio:
		if number, ok := strings.CutSuffix(text, "%"); ok { // "40 %", as the table writes it
			text = strings.TrimRight(number, " ") + "%"
		}
		return units.ParsePercent(text)
	}
	if _, err := units.ParseNumber(text); err == nil {
		return 0, fmt.Errorf("the bound %s needs a unit, such as %sms", text, text)
	}
	d, err := units.ParseDuration(text)
	if err == nil && d > MaxLatency {
		err = fmt.Errorf("%s is too long: want at most %s", text, units.FormatDuration(MaxLatency))
	}
	return float64(d), err
}

// check refuses terms that no run, or every run, would meet.
func (t Term) check() error {
	ratio := t.Metric.Unit() == Ratio
	switch {
	case t.Bound > 0 || ratio && (t.Op == AtMost || t.Op == Above):
		return nil
	case ratio && t.Op == Below:
		return fmt.Errorf("%s never holds: want <=, or a bound above 0%%", t)
	case ratio:
		return fmt.Errorf("%s always holds: want a bound above 0%%", t)
	}
	return fmt.Errorf("%s: want a bound above 0", t)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// clip keeps a message readable when the text in it is not.
func clip(text string) string {
	if len(text) > 40 {
		return text[:37] + "..."
	}
	return text
}
