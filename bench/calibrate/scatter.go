// How the calls scatter around their mean.

package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/bench/backend"
)

const (
	// fixedWithin is the scatter, as a part of the mean, below which there is none.
	fixedWithin = 0.005

	// residualParts is how many equal parts the scatter is kept as.
	residualParts = 100

	// sameLaw is the distance of Kolmogorov and Smirnov, times the root of the number
	// of calls, up to which they may be of a law: more is met once in a hundred times,
	// and less often where the law's parameter was taken from the same calls.
	sameLaw = 1.63

	// lawFrom is how many calls it takes to tell one law from another.
	lawFrom = 200
)

// scatterGrows reports whether the scatter of the kinds of calls is more alike as a
// part of their mean than as a time.
func scatterGrows(calls []Call, c costs) bool {
	var times, parts []float64
	for _, cell := range cellsOf(calls) {
		if mean := c.of(&cell.calls[0]); mean > 0 && len(cell.calls) > 1 {
			times = append(times, cell.middle)
			parts = append(parts, cell.middle/mean)
		}
	}
	if len(times) < 2 {
		return false
	}
	unlike := func(x []float64) float64 {
		mean := stat.Mean(x, nil)
		if mean <= 0 {
			return 0
		}
		return stat.StdDev(x, nil) / mean
	}
	return unlike(parts) < unlike(times)
}

// scatterOf describes the scatter.
func scatterOf(calls []Call, c costs, relative bool) backend.Scatter {
	beside, factors := make([]float64, 0, len(calls)), make([]float64, 0, len(calls))
	squares, means := 0.0, 0.0
	for i := range calls {
		mean, t := c.of(&calls[i]), float64(calls[i].Time)
		beside = append(beside, t-mean)
		squares += (t - mean) * (t - mean)
		means += mean
		if mean > 0 {
			factors = append(factors, t/mean)
		}
	}
	n := float64(len(calls))
	if math.Sqrt(squares/n) <= fixedWithin*means/n {
		return backend.Scatter{Shape: backend.ModelFixed}
	}
	if !relative || len(factors) < len(calls) {
		return backend.Scatter{Shape: backend.ModelAbsolute, Residuals: inParts(beside, func(x, mean float64) float64 { return x - mean })}
	}
	slices.Sort(factors)
	enough := len(factors) >= lawFrom
	if enough && apart(factors, distuv.Exponential{Rate: 1}.CDF) <= sameLaw/math.Sqrt(n) {
		return backend.Scatter{Shape: backend.ModelExponential}
	}
	if sigma, ok := lognormal(factors); ok && enough {
		return backend.Scatter{Shape: backend.ModelLognormal, Sigma: sigma}
	}
	return backend.Scatter{Shape: backend.ModelRelative, Residuals: inParts(factors, func(x, mean float64) float64 { return x / mean })}
}

// lognormal returns the sigma of the lognormal law with mean 1 that the factors,
// ascending, are of, if they are.
func lognormal(factors []float64) (sigma float64, ok bool) {
	if factors[0] <= 0 {
		return 0, false
	}
	logs := make([]float64, len(factors))
	for i, f := range factors {
		logs[i] = math.Log(f)
	}
	sigma = stat.StdDev(logs, nil)
	law := distuv.Normal{Mu: -sigma * sigma / 2, Sigma: sigma}
	return sigma, sigma > 0 && sigma <= backend.MaxSigma && apart(logs, law.CDF) <= sameLaw/math.Sqrt(float64(len(logs)))
}

// apart returns the largest distance between a law and the sorted values.
func apart(values []float64, law func(float64) float64) float64 {
	n, most := float64(len(values)), 0.0
	for i, x := range values {
		p := law(x)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most
}

// inParts returns the means of equal parts of the values, ascending, each shifted by
// the mean of all: means of parts keep the mean of the whole, quantiles would not.
func inParts(values []float64, shift func(x, mean float64) float64) []float64 {
	slices.Sort(values)
	parts := min(residualParts, len(values))
	out := make([]float64, parts)
	for i := range out {
		out[i] = stat.Mean(values[i*len(values)/parts:(i+1)*len(values)/parts], nil)
	}
	mean := stat.Mean(out, nil)
	for i := range out {
		out[i] = shift(out[i], mean)
	}
	return out
}
