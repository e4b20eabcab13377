// What the result says of the calibrated model that a run's calls followed.

package bench

import (
	"fmt"

	"ferryctl/bench/backend"
	"ferryctl/bench/human"
)

// A CostModel is the calibrated model that decided how long calls take.
type CostModel struct {
	File     string `json:"file"`
	SHA256   string `json:"sha256"`   // of the file
	Backend  string `json:"backend"`  // what it was calibrated from
	Complete bool   `json:"complete"` // false if calibrating was stopped before its end

	Base      Num `json:"base_ns"`
	PerItem   Num `json:"per_item_ns"`
	PerWeight Num `json:"per_weight_ns"`

	// Calls are those that ended inside the window. Extrapolated says how many of
	// them were unlike any that the model was fitted to: larger, heavier, or more of
	// them at once.
	Calls        uint64 `json:"calls"`
	Extrapolated uint64 `json:"extrapolated_calls"`

	extent   backend.Range
	warnings []string
}

// costModelOf returns what is to be said of the backend's model, nil if it has none.
func costModelOf(s backend.Spec) *CostModel {
	m := s.Model
	if m == nil {
		return nil
	}
	return &CostModel{
		File: s.File, SHA256: m.Hash, Backend: m.Source.Backend, Complete: m.Complete,
		Base: Some(m.Base), PerItem: Some(m.PerItem), PerWeight: Some(m.PerWeight),
		extent: m.Range, warnings: m.Warnings,
	}
}

// warn returns what a reader of the run's figures should know of the model.
func (m *CostModel) warn() (out []string) {
	if m == nil {
		return nil
	}
	if m.Extrapolated > 0 {
		out = append(out, fmt.Sprintf("%s of %s calls (%s) were unlike any that %s was calibrated on, which were of %d to %d inputs, weighed %s to %s and were at most %d at once: their times are extrapolated",
			human.Count(float64(m.Extrapolated)), human.Count(float64(m.Calls)), human.Percent(float64(m.Extrapolated)/float64(m.Calls)), m.File,
			m.extent.MinItems, m.extent.MaxItems, human.Count(float64(m.extent.MinWeight)), human.Count(float64(m.extent.MaxWeight)), m.extent.MaxInFlight))
	}
	for _, w := range m.warnings {
		out = append(out, "calibrated model "+m.File+": "+w)
	}
	return out
}
