// One load by both clocks: how far is the model from the machine?

package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"ferryctl/bench/backend"
	"ferryctl/bench/human"
	"ferryctl/bench/settings"
)

// A Model compares a run in virtual time with the same run in real time. It
// stands in the real one's result.
type Model struct {
	Trust   bool          `json:"trust"`   // every judged figure is within its limit
	Reasons []string      `json:"reasons"` // why not; or, if it cannot be told, why that is
	Figures []ModelFigure `json:"figures"`
}

// A ModelFigure is one figure by both clocks.
type ModelFigure struct {
	Name    string `json:"name"` // as in the result
	Unit    string `json:"unit"` // "ns", "1/s", "inputs", or "" for a ratio
	Virtual Num    `json:"virtual"`
	Real    Num    `json:"real"`
	Gap     Num    `json:"gap_ratio"` // (real - virtual) / virtual; of ratios the plain difference
	Limit   Num    `json:"limit"`     // the largest gap either way with which the model is trusted; missing if it is not judged
}

// The limits of trust. Tails belong to the machine first.
const (
	centreWithin   = 0.10 // mean and median sojourn
	tailWithin     = 0.25 // p99
	rateWithin     = 0.02 // throughput
	rejectedWithin = 0.01 // of offered, as a difference
	serviceApart   = 0.02 // mean service time, beyond which a gap begins with the calls themselves
)

// runBoth makes the run by the real clock, then the same by the virtual one. A
// calibrated model is held to the backend that it was calibrated from: in real
// time that is called.
func runBoth(s settings.Settings, o Options) (*Result, error) {
	asked := s.Backend
	origin, err := asked.Origin()
	if err != nil {
		return nil, err
	}
	s.Clock, s.Backend = settings.Real, origin
	r, err := Run(s, o)
	if r != nil {
		r.sayBoth(asked)
	}
	if r == nil || err != nil || !r.Complete || r.Interactive {
		return r, err // what it would be compared with has not come to its end
	}
	s.Seed, s.SeedGiven = r.Seed, true
	s.Clock, s.Backend = settings.Virtual, asked
	o.Progress, o.Live = nil, nil
	v, err := Run(s, o)
	if err != nil {
		return r, fmt.Errorf("in virtual time: %w", err)
	}
	r.Model, r.CostModel = compareClocks(v, r), v.CostModel
	r.Warnings = append(r.Warnings, v.CostModel.warn()...)
	return r, nil
}

// sayBoth makes a result say what was asked for.
func (r *Result) sayBoth(asked backend.Spec) {
	r.Clock = settings.Both
	for i := range r.Settings {
		say := func(text string) {
			if value, err := json.Marshal(text); err == nil { // a text always has a form
				r.Settings[i].Value = value
			}
		}
		switch r.Settings[i].Knob {
		case "clock":
			say(settings.Both)
		case "backend":
			say(asked.String())
		}
	}
	if asked.Model != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("in real time the calls went to %s, which %s was calibrated from", asked.Model.Source.Backend, asked.File))
	}
}

// compareClocks says how far r, by the real clock, is from v, by the virtual one.
func compareClocks(v, r *Result) *Model {
	m := &Model{Trust: true, Reasons: []string{}}
	add := func(name, unit string, limit float64, of func(*Result) Num) {
		f := ModelFigure{Name: name, Unit: unit, Virtual: of(v), Real: of(r)}
		if f.Virtual.Known() && f.Real.Known() {
			f.Gap = Some(f.Real.Or(0) - f.Virtual.Or(0))
			if unit != "" {
				f.Gap = Ratio(f.Gap.Or(0), f.Virtual.Or(0))
			}
		}
		if limit > 0 {
			f.Limit = Some(limit)
			if gap, ok := f.Gap.Get(); ok && math.Abs(gap) > limit {
				m.Trust = false
				m.Reasons = append(m.Reasons, fmt.Sprintf("%s is off by %s, %s is the limit", name, human.Percent(math.Abs(gap)), human.Percent(limit)))
			}
		}
		m.Figures = append(m.Figures, f)
	}
	add("throughput_per_s", "1/s", rateWithin, func(r *Result) Num { return r.Rates.Throughput })
	add("rejected_ratio", "", rejectedWithin, func(r *Result) Num { return r.Rates.Rejected })
	add("sojourn_mean_ns", "ns", centreWithin, func(r *Result) Num { return r.Latency.Sojourn.Mean })
	add("sojourn_p50_ns", "ns", centreWithin, func(r *Result) Num { return r.Latency.Sojourn.P50 })
	add("sojourn_p99_ns", "ns", tailWithin, func(r *Result) Num { return r.Latency.Sojourn.P99 })
	add("sojourn_p999_ns", "ns", 0, func(r *Result) Num { return r.Latency.Sojourn.P999 })
	add("wait_mean_ns", "ns", 0, func(r *Result) Num { return r.Latency.Wait.Mean })
	add("service_mean_ns", "ns", 0, func(r *Result) Num { return r.Latency.Service.Mean })
	add("batch_size_mean", "inputs", 0, func(r *Result) Num { return r.Batches.Size.Mean })
	add("mean_queued", "inputs", 0, func(r *Result) Num { return r.Room.MeanQueued })
	if r.Measurement.Verdict == Invalid {
		m.Trust = false
		m.Reasons = append([]string{"the measurement in real time is invalid, so there is nothing to hold the model to"}, m.Reasons...)
	} else if !m.Trust {
		m.Reasons = append(m.Reasons, whyApart(v, r)...)
	}
	return m
}

// whyApart says where a gap that is too large may come from, as far as the two
// results tell.
func whyApart(v, r *Result) (out []string) {
	if r.Measurement.Verdict == Suspect {
		out = append(out, "the measurement in real time is suspect itself: "+r.Measurement.Reasons[0])
	}
	took, said := r.Latency.Service.Mean.Or(0), v.Latency.Service.Mean.Or(0)
	longer := Ratio(took-said, said).Or(0)
	switch m := v.CostModel; {
	case m != nil && m.Extrapolated > 0:
		out = append(out, fmt.Sprintf("%s of the calls were unlike any that the model was calibrated on", human.Percent(float64(m.Extrapolated)/float64(m.Calls))))
	case m == nil && longer > serviceApart:
		out = append(out, fmt.Sprintf("calls take %s longer than the backend says: ferryctl calibrate fits what they take here", human.Percent(longer)))
	}
	return out
}

// String sums up in a line.
func (m *Model) String() string {
	if m.Trust {
		return "the model can be trusted here: every judged figure is within its limit"
	}
	return "do not rely on the model here: " + strings.Join(m.Reasons, "; ")
}
