// From calls to a model.

package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ferryctl/bench/backend"
)

const (
	// lackWithin is how far the calls of one kind may be from the model on average,
	// beyond chance and as a part of it, before the model is said not to fit.
	lackWithin = 0.10

	// chance is how many standard errors are chance.
	chance = 4.0

	// failedWithin is how far the times of failed calls may be from those of the
	// others, as a part of them, before a warning: the model makes them the same.
	failedWithin = 0.25
)

// Fits reports whether costs that grow in a straight line describe the calls that
// the model was fitted to.
func Fits(m *backend.Model) bool { return m.Fit.LackOfFit <= lackWithin }

// Fit returns the model that describes the calls. Its Source holds their numbers
// and nothing else. The error says why there is none.
func Fit(c Calls) (*backend.Model, error) {
	calls, failed := split(c.Alone)
	if len(calls) == 0 && len(failed) > 0 {
		return nil, fmt.Errorf("all %d calls failed: there are no times to fit", len(failed))
	}
	m := &backend.Model{Complete: c.Complete}
	warn := func(format string, a ...any) { m.Warnings = append(m.Warnings, fmt.Sprintf(format, a...)) }
	use := identifiable(calls)
	if !use[1] {
		warn("all batches had one size: what an item costs cannot be told from what a call costs")
	} else if !use[2] {
		warn("all items had one weight: what weight costs cannot be told from what an item costs")
	}
	w := slices.Repeat([]float64{1}, len(calls))
	found, err := regress(calls, w, use)
	if err != nil {
		return nil, err
	}
	relative := scatterGrows(calls, found)
	if relative {
		for i := range calls {
			w[i] = 1 / math.Pow(max(found.of(&calls[i]), 1), 2)
		}
		if found, err = regress(calls, w, use); err != nil {
			return nil, err
		}
	}
	m.Base, m.PerItem, m.PerWeight = found[0], found[1], found[2]
	m.Scatter = scatterOf(calls, found, relative)
	m.Range = rangeOf(calls)
	m.Fit = quality(calls, found, w, relative)
	if m.Fit.LackOfFit > lackWithin {
		warn("the calls do not fit costs that grow in a straight line: those of one kind are %.0f %% off on average", 100*m.Fit.LackOfFit)
	}
	limit(m, c.Together, warn)
	together, failedTogether := split(c.Together)
	m.Source.Failed = len(failed) + len(failedTogether)
	m.Source.Calls = len(calls) + len(together) + m.Source.Failed
	m.Errors = float64(m.Source.Failed) / float64(m.Source.Calls)
	if off := failedOff(failed, found); math.Abs(off) > failedWithin {
		warn("calls that fail take %+.0f %% of the time of others; the model lets them take the same", 100*(1+off))
	}
	if !c.Complete {
		warn("calibrating was stopped after %d rounds", c.Rounds)
	}
	return m, nil
}

// split parts the calls that succeeded from those that failed.
func split(calls []Call) (succeeded, failed []Call) {
	for _, c := range calls {
		if c.Failed {
			failed = append(failed, c)
		} else {
			succeeded = append(succeeded, c)
		}
	}
	return succeeded, failed
}

// identifiable says which costs can be told apart by calls such as these.
func identifiable(calls []Call) (use [3]bool) {
	use[0] = true
	for i := range calls {
		a, b := &calls[0], &calls[i]
		use[1] = use[1] || a.Items != b.Items
		use[2] = use[2] || a.Weight*int64(b.Items) != b.Weight*int64(a.Items) // an item's weight differs
	}
	return use
}

func rangeOf(calls []Call) backend.Range {
	r := backend.Range{MinItems: math.MaxInt64, MinWeight: math.MaxInt64, MaxInFlight: 1}
	for _, c := range calls {
		r.MinItems, r.MaxItems = min(r.MinItems, int64(c.Items)), max(r.MaxItems, int64(c.Items))
		r.MinWeight, r.MaxWeight = min(r.MinWeight, c.Weight), max(r.MaxWeight, c.Weight)
	}
	return r
}

// quality says how well the costs describe the calls.
func quality(calls []Call, c costs, w []float64, relative bool) backend.ModelFit {
	se := standardErrors(calls, w, c)
	f := backend.ModelFit{Calls: len(calls), BaseError: se[0], PerItemError: se[1], PerWeightError: se[2]}
	times, means, residuals := make([]float64, len(calls)), make([]float64, len(calls)), make([]float64, len(calls))
	for i := range calls {
		times[i], means[i] = float64(calls[i].Time), c.of(&calls[i])
		residuals[i] = times[i] - means[i]
	}
	f.RSquared = 1
	if stat.Variance(times, nil) > 0 {
		f.RSquared = stat.RSquaredFrom(means, times, nil)
	}
	slices.Sort(residuals)
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, residuals, nil) }
	f.ResidualP1, f.ResidualP50, f.ResidualP99 = at(0.01), at(0.5), at(0.99)
	cells := cellsOf(calls)
	f.Cells, f.LackOfFit = len(cells), lackOfFit(cells, c, relative)
	return f
}

// lackOfFit returns how far the farthest cell is from the costs, beyond chance and as
// a part of them. Chance is what the cells have between them, and what a cell has by
// itself if that is more: the few calls of one cell say little of it.
func lackOfFit(cells []cell, c costs, relative bool) (farthest float64) {
	squares, freedom := 0.0, 0.0
	scale := func(x *cell) float64 {
		if relative {
			return max(c.of(&x.calls[0]), 1)
		}
		return 1
	}
	for i := range cells {
		x, n := &cells[i], float64(len(cells[i].calls))
		squares += (n - 1) * math.Pow(x.deviation/scale(x), 2)
		freedom += n - 1
	}
	for i := range cells {
		x := &cells[i]
		deviation := x.deviation
		if freedom > 0 {
			deviation = max(deviation, math.Sqrt(squares/freedom)*scale(x))
		}
		mean := c.of(&x.calls[0])
		if off := math.Abs(x.mean - mean); off > chance*deviation/math.Sqrt(float64(len(x.calls))) && mean > 0 {
			farthest = max(farthest, off/mean)
		}
	}
	return farthest
}

// A cell is the calls of one kind.
type cell struct {
	calls           []Call
	mean, deviation float64 // of their times
	middle          float64 // how far their middle half reaches, whatever the others do
}

// cellsOf sorts the calls by their kind.
func cellsOf(calls []Call) []cell {
	place := map[[2]int64]int{}
	var cells []cell
	for _, c := range calls {
		kind := [2]int64{int64(c.Items), c.Weight}
		i, ok := place[kind]
		if !ok {
			i = len(cells)
			place[kind] = i
			cells = append(cells, cell{})
		}
		cells[i].calls = append(cells[i].calls, c)
	}
	for i := range cells {
		times := make([]float64, len(cells[i].calls))
		for j, c := range cells[i].calls {
			times[j] = float64(c.Time)
		}
		cells[i].mean, cells[i].deviation = stat.Mean(times, nil), 0
		if len(times) > 1 { // the deviation of one value is none
			cells[i].deviation = stat.StdDev(times, nil)
			slices.Sort(times)
			cells[i].middle = stat.Quantile(0.75, stat.LinInterp, times, nil) - stat.Quantile(0.25, stat.LinInterp, times, nil)
		}
	}
	return cells
}

// failedOff returns how much longer failed calls take than the costs say, as a part
// of that; 0 without any.
func failedOff(failed []Call, c costs) float64 {
	sum, want := 0.0, 0.0
	for i := range failed {
		sum += float64(failed[i].Time)
		want += c.of(&failed[i])
	}
	if want <= 0 {
		return 0
	}
	return sum/want - 1
}
