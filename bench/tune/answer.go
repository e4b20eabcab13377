// The answer: the JSON document of schema ferryctl.tune/v1, field by field.

package tune

import (
	"ferryctl/bench"
	"ferryctl/bench/tune/lab"
)

// Schema names the document that an [Answer] is written as.
const Schema = "ferryctl.tune/v1"

// An Answer is what a search came to. Figures are medians over the seeds that a
// point was measured with.
type Answer struct {
	lab.Asked
	Objective    Objective      `json:"objective"`
	Axes         []Axis         `json:"axes"`
	Grid         int            `json:"grid_points"`
	Searched     int            `json:"searched_points"` // of the grid, to find the best
	Found        bool           `json:"found"`           // the recommended settings meet the SLO with all seeds
	Recommended  *Candidate     `json:"recommended"`     // the nearest to the SLO if nothing was found; null if nothing was measured
	Start        *Candidate     `json:"start"`           // the settings as they were; null if they can't be run
	Command      string         `json:"command"`         // that runs the recommended settings
	Buys         []Buys         `json:"buys"`            // what each changed knob brings
	Free         []Free         `json:"free"`            // how far each knob may go without harm
	Alternatives []Candidate    `json:"alternatives"`    // the next best, best first
	Robust       []Variation    `json:"robust"`
	Binding      Binding        `json:"binding"`
	Obstacles    []Obstacle     `json:"obstacles"` // the terms that are missed, if nothing was found
	Confirmed    []Confirmation `json:"confirmed"` // in real time
	Points       []Candidate    `json:"points"`    // all that were measured, in that order
}

// An Objective is what was sought.
type Objective struct {
	Figure string `json:"figure"`
	Unit   string `json:"unit"`
	More   bool   `json:"more_is_better"`
}

// An Axis is a knob that varies.
type Axis struct {
	Knob   string   `json:"knob"`
	Values []string `json:"values"`
	Start  string   `json:"start"`
}

// A Candidate is a point and what was measured there.
type Candidate struct {
	Knobs   map[string]string    `json:"knobs"`
	Value   bench.Num            `json:"value"` // of the objective
	Figures map[string]bench.Num `json:"figures"`
	Seeds   int                  `json:"seeds"`     // it was measured with
	SLOMet  int                  `json:"slo_met"`   // with so many of them
	Verdict bench.Verdict        `json:"verdict"`   // the worst
	Reason  string               `json:"reason"`    // for it
	Limits  string               `json:"limits"`    // what binds throughput / latency
	OnGrid  bool                 `json:"on_grid"`   // false for the start, where it is none of the values that were given
	Terms   []TermValue          `json:"slo_terms"` // at worst over the seeds
}

// A TermValue is how a term of the SLO fared at a point.
type TermValue struct {
	Term  string    `json:"term"`
	Value bench.Num `json:"value"` // the worst over the seeds, in the unit of the term
	OK    bool      `json:"ok"`
	Lane  string    `json:"lane,omitempty"` // of a term on fairness: the share lane whose error it is
}

// Buys says what a knob's change brings: the recommended settings against the same
// with this knob where it was.
type Buys struct {
	Knob    string    `json:"knob"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Value   bench.Num `json:"value_without"` // of the objective, without the change
	Change  bench.Num `json:"change_ratio"`  // of the objective, by the change; of ratios the plain difference
	Without bool      `json:"slo_met_without"`
	Text    string    `json:"text"`
}

// Free says between which values a knob may be without harm, the other knobs as
// recommended: the SLO is met, and the objective within 2 %.
type Free struct {
	Knob     string   `json:"knob"`
	Value    string   `json:"value"`
	Values   []string `json:"values"`    // those without harm, around Value
	DontCare bool     `json:"dont_care"` // that is all of them
	AtEnd    bool     `json:"at_end"`    // Value is the first or the last, and the next one in is worse: beyond may be better
	Text     string   `json:"text"`
}

// A Variation is the recommended settings under another load.
type Variation struct {
	Knob    string    `json:"knob"`
	Value   string    `json:"value"`
	By      float64   `json:"by_ratio"`     // -0.2 or +0.2
	Figure  bench.Num `json:"objective"`    // there
	Change  bench.Num `json:"change_ratio"` // of the objective
	SLOMet  bool      `json:"slo_met"`
	Missed  []string  `json:"missed"` // terms
	Verdict bool      `json:"valid"`  // its measurement is VALID
}

// Binding says what holds the recommended settings back.
type Binding struct {
	Limits string    `json:"limits"`         // what binds throughput / latency, as a sweep says it
	Term   string    `json:"term"`           // of the SLO, the one with the least to spare; "" without an SLO
	Lane   string    `json:"lane,omitempty"` // of a term on fairness: the share lane whose error it is
	Spare  bench.Num `json:"spare_ratio"`    // how far its figure is from its bound, as a part of the bound
	Text   string    `json:"text"`
}

// An Obstacle is a term of the SLO that is missed at the nearest point.
type Obstacle struct {
	Term     string            `json:"term"`
	Value    bench.Num         `json:"value"` // at the nearest point
	Best     bench.Num         `json:"best"`  // at any point that was measured
	At       map[string]string `json:"best_at"`
	Possible bool              `json:"met_somewhere"` // somewhere this term is met, at the cost of another
	Text     string            `json:"text"`
}

// A Confirmation compares settings by both clocks.
type Confirmation struct {
	Rank   int               `json:"rank"` // 1 for the recommended, then the alternatives
	Knobs  map[string]string `json:"knobs"`
	SLOMet bool              `json:"slo_met"`       // in real time
	Trust  bool              `json:"model_trusted"` // the gaps are within what --clock both allows
	lab.Confirmed
}
