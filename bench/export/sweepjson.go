// The JSON form of a sweep.

package export

import (
	"bufio"
	"encoding/json"
	"io"

	"ferryctl/bench"
	"ferryctl/bench/sweep"
)

// SweepSchema names the document that a sweep is written as.
const SweepSchema = "ferryctl.sweep_report/v1"

// sweepDocument is that document but for its points, which come last, one to a
// line.
type sweepDocument struct {
	Schema     string        `json:"schema"`
	Complete   bool          `json:"complete"`
	Sweep      sweep.Header  `json:"sweep"`
	Runs       int           `json:"runs"`
	LeftOut    int           `json:"left_out_impossible"`
	Objectives []string      `json:"objectives"`
	Trust      string        `json:"trust"`
	Pareto     []int         `json:"pareto"` // numbers of points
	Effects    []sweepEffect `json:"effects"`
	Limits     []sweepBound  `json:"limits"`
}

type sweepEffect struct {
	Knob        string    `json:"knob"`
	Figure      string    `json:"figure"`
	Text        string    `json:"text"`
	Comparisons int       `json:"comparisons"`
	Nothing     bool      `json:"nothing"`
	Within      bench.Num `json:"within_ratio"`
	Beyond      string    `json:"beyond"`
	Change      bench.Num `json:"change_ratio"`
	Least       bench.Num `json:"change_least_ratio"`
	Most        bench.Num `json:"change_most_ratio"`
	Slope       bench.Num `json:"slope"`
	Best        string    `json:"best"`
}

type sweepBound struct {
	Limits string `json:"limits"`
	Points int    `json:"points"`
}

type sweepPoint struct {
	Point      int                  `json:"point"`
	Knobs      map[string]string    `json:"knobs"`
	Runs       int                  `json:"runs"`
	Verdict    bench.Verdict        `json:"verdict"`
	Reason     string               `json:"reason"`
	SLO        string               `json:"slo"`
	Throughput []string             `json:"throughput_limit"`
	Latency    []string             `json:"latency_limit"`
	Shares     []string             `json:"share_limit"` // null without shares, or if nothing binds there
	Pareto     bool                 `json:"pareto"`
	Figures    map[string]bench.Num `json:"figures"` // medians over the runs
	Spread     map[string]bench.Num `json:"spread"`  // largest minus smallest over the median; null for one run
}

func writeSweepJSON(w io.Writer, r *sweep.Report) error {
	d := sweepDocument{
		Schema: SweepSchema, Complete: r.Complete, Sweep: r.Header, Runs: r.Runs, LeftOut: r.Space.LeftOut,
		Trust: string(r.Trust), Pareto: append([]int{}, r.Front...), Objectives: []string{},
		Effects: []sweepEffect{}, Limits: []sweepBound{},
	}
	for _, o := range r.Objectives {
		d.Objectives = append(d.Objectives, o.String())
	}
	for _, e := range r.Effects {
		d.Effects = append(d.Effects, sweepEffect{
			e.Knob, e.Figure.Name, e.Text, e.Comparisons, e.Nothing, bench.Some(e.Within), e.Beyond, e.Change, e.Least, e.Most, e.Slope, e.Best,
		})
	}
	for _, b := range r.Bound {
		d.Limits = append(d.Limits, sweepBound{b.Limits, b.Points})
	}
	head, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	_, _ = out.Write(head[:len(head)-2]) // without its closing brace; Flush says whether it went well
	_, _ = out.WriteString(",\n  \"points\": [")
	front := map[int]bool{}
	for _, point := range r.Front {
		front[point] = true
	}
	for i, o := range r.Outcomes {
		line, err := json.Marshal(jsonPoint(r, o, front[o.Point]))
		if err != nil {
			return err
		}
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.WriteString("\n    ")
		_, _ = out.Write(line)
	}
	_, _ = out.WriteString("\n  ]\n}\n")
	return out.Flush()
}

func jsonPoint(r *sweep.Report, o sweep.Outcome, front bool) sweepPoint {
	p := sweepPoint{
		Point: o.Point, Knobs: map[string]string{}, Runs: o.Runs, Verdict: o.Verdict, Reason: o.Reason, SLO: string(o.SLO),
		Throughput: o.Limits.Throughput, Latency: o.Limits.Latency, Shares: o.Limits.Shares, Pareto: front,
		Figures: map[string]bench.Num{}, Spread: map[string]bench.Num{},
	}
	for i, v := range r.Space.Point(o.Point).Values {
		p.Knobs[r.Space.Axes[i].Knob] = v.Text
	}
	for i, f := range sweep.Figures {
		p.Figures[f.Name], p.Spread[f.Name] = o.Figures[i], bench.Some(o.SpreadOf(f))
	}
	return p
}
