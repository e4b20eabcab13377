// The JUnit form: the verdict on the measurement and each term of the objective as
// test cases, for the reports of a CI.

package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr,omitempty"` // seconds; absent if it is not known
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Failure *junitWhy `xml:"failure"`
	Error   *junitWhy `xml:"error"`
	Skipped *junitWhy `xml:"skipped"`
	Out     string    `xml:"system-out,omitempty"`
}

type junitWhy struct {
	Message string `xml:"message,attr"`
}

// add adds a case and counts it.
func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// measured adds the verdict: an INVALID measurement is an error, what makes one
// SUSPECT is output of a case that passes.
func (s *junitSuite) measured(class string, v bench.Verdict, reasons []string) {
	c := junitCase{Class: class, Name: "measurement"}
	text := strings.Join(plainAll(reasons), "\n")
	switch v {
	case bench.Invalid:
		c.Error = &junitWhy{"INVALID: " + text}
	case bench.Valid:
	default:
		c.Out = plain(string(v)) + ": " + text
	}
	s.add(c)
}

// writeJUnit writes one suite. Terms on an INVALID measurement are skipped: they
// are neither met nor missed.
func writeJUnit(w io.Writer, r *bench.Result) error {
	class := runName(r)
	s := junitSuite{Name: class}
	if v, ok := r.Window.Measured.Get(); ok {
		s.Time = strconv.FormatFloat(v, 'f', -1, 64)
	}
	s.measured(class, r.Measurement.Verdict, r.Measurement.Reasons)
	for _, t := range r.SLO {
		c := junitCase{Class: class, Name: plain(t.Term), Out: "measured " + termValue(t)}
		if t.Note != "" {
			c.Out += ": " + plain(t.Note)
		}
		switch {
		case r.Measurement.Verdict == bench.Invalid:
			c.Skipped = &junitWhy{"the measurement is invalid"}
		case !t.OK:
			c.Failure = &junitWhy{c.Out}
		}
		s.add(c)
	}
	return writeSuites(w, s)
}

// writeSweepJUnit writes a suite with two cases for each point: its measurement,
// and the objective if there is one.
func writeSweepJUnit(w io.Writer, r *sweep.Report) error {
	s := junitSuite{Name: sweepName(r)}
	for _, o := range r.Outcomes {
		class := plain(fmt.Sprintf("point %d: %s", o.Point, r.Space.String(r.Space.Point(o.Point))))
		s.measured(class, o.Verdict, []string{o.Reason})
		if o.SLO == sweep.NoSLO {
			continue
		}
		c := junitCase{Class: class, Name: "SLO"}
		switch {
		case o.Verdict == bench.Invalid:
			c.Skipped = &junitWhy{"the measurement is invalid"}
		case o.SLO == sweep.Missed:
			c.Failure = &junitWhy{"missed in one of its runs"}
		}
		s.add(c)
	}
	return writeSuites(w, s)
}

func writeSuites(w io.Writer, s junitSuite) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
