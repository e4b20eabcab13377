// The answer: the JSON document of schema ferryctl.capacity/v1, field by field.

package capacity

import (
	"ferryctl/bench"
	"ferryctl/bench/tune/lab"
)

// Schema names the document that an [Answer] is written as.
const Schema = "ferryctl.capacity/v1"

// An Answer is what a search came to. Rates are arrivals per second.
type Answer struct {
	lab.Asked

	Found      bool      `json:"found"`      // there is a rate that keeps the SLO with every seed, and a higher one that doesn't
	Low        bench.Num `json:"low_per_s"`  // kept with every seed
	High       bench.Num `json:"high_per_s"` // missed with every seed
	Median     bench.Num `json:"median_per_s"`
	Confidence bench.Num `json:"confidence_ratio"` // that the median of all seeds there are lies from Low to High
	Within     float64   `json:"within_ratio"`     // how narrow each seed's own bracket is
	BySeed     []Seed    `json:"by_seed"`
	Text       string    `json:"text"` // all of this as a sentence

	Unbracketed string  `json:"unbracketed"` // "", "never_missed": up to the highest rate that was tried; "never_kept": from the lowest on
	Monotone    bool    `json:"monotone"`    // no rate below Low misses the SLO, none above High keeps it, of those that were tried
	Odd         []Odd   `json:"odd"`         // the rates that do
	Tried       []Tried `json:"tried"`       // every rate, ascending

	Nominal  float64    `json:"load_per_s"`
	Headroom bench.Num  `json:"headroom_ratio"` // Low over the load's rate, minus 1; without High at least so much, and none below 0
	Knee     bench.Num  `json:"knee_per_s"`     // of the curve's points, where throughput over mean sojourn is greatest
	Fails    []string   `json:"first_missed"`   // the terms that are missed first above Low
	Unfair   string     `json:"unfair_lane"`    // if one of them is on fairness: the share lane whose error it is
	Limits   string     `json:"limits"`         // what binds throughput / latency at Low
	Curve    []Point    `json:"curve"`
	For      *Instances `json:"instances"` // null if nobody asked

	Confirmed []Confirmation `json:"confirmed"`
}

// A Seed is what one draw of the arrivals says: the highest rate that keeps the
// SLO, and the next one that misses it; null where none was found.
type Seed struct {
	Seed uint64    `json:"seed"`
	Low  bench.Num `json:"kept_per_s"`
	High bench.Num `json:"missed_per_s"`
}

// Odd is a rate on the wrong side of the answer.
type Odd struct {
	Rate float64 `json:"rate_per_s"`
	Kept int     `json:"kept"` // with so many seeds
	Of   int     `json:"of"`
	Text string  `json:"text"`
}

// Tried is a rate and how it fared.
type Tried struct {
	Rate float64 `json:"rate_per_s"`
	Kept int     `json:"kept"`
	Of   int     `json:"of"`
}

// A Point is one of the load-latency curve. Figures are medians over the seeds, with
// the least and the most.
type Point struct {
	Rate    float64               `json:"rate_per_s"`
	Place   string                `json:"place"` // "below", "at" or "above" the answer
	Kept    int                   `json:"kept"`
	Of      int                   `json:"of"`
	Figures map[string]Spread     `json:"figures"`
	Limits  string                `json:"limits"` // of the first seed
	Verdict map[bench.Verdict]int `json:"verdicts"`
}

// A Spread is a figure over the seeds.
type Spread struct {
	Median bench.Num `json:"median"`
	Least  bench.Num `json:"least"`
	Most   bench.Num `json:"most"`
}

// Instances say how many take a rate together, each its even part of it, with
// arrivals, keys and weights of the same kind.
type Instances struct {
	Rate  float64 `json:"rate_per_s"`
	N     int     `json:"instances"` // each at Low or less
	Least int     `json:"at_least"`  // fewer than that would each be above High; 1 if none is known
	Each  float64 `json:"each_per_s"`
	Used  float64 `json:"used_ratio"` // of Low
	Text  string  `json:"text"`
}

// A Confirmation is a rate by both clocks.
type Confirmation struct {
	Rate  float64 `json:"rate_per_s"`
	Place string  `json:"place"`
	Kept  bool    `json:"kept"` // in real time
	lab.Confirmed
}
