// Least squares with coefficients that are not negative.

package calibrate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// costs are base, per item and per unit of weight, in nanoseconds.
type costs [3]float64

// row returns what the costs are multiplied with for a call.
func (c *Call) row() costs { return costs{1, float64(c.Items), float64(c.Weight)} }

func (c costs) of(call *Call) float64 {
	row := call.row()
	return c[0] + c[1]*row[1] + c[2]*row[2]
}

// errSingular is that the calls are too alike to tell the costs apart.
var errSingular = errors.New("the calls are too few, or too alike, to tell the costs apart")

// regress returns the costs, at least 0 and 0 where use says not to look for one,
// with the least sum of w times the square of what they leave of the calls' times.
// There are so few costs that every choice of those that are 0 is tried.
func regress(calls []Call, w []float64, use [3]bool) (best costs, err error) {
	least := math.Inf(1)
	for choice := 1; choice < 8; choice++ {
		var columns []int
		for k := range best {
			if choice>>k&1 == 1 {
				columns = append(columns, k)
			}
		}
		if !allowed(columns, use) {
			continue
		}
		c, ok := solve(calls, w, columns)
		if !ok || min(c[0], c[1], c[2]) < 0 {
			continue
		}
		sum := 0.0
		for i := range calls {
			r := float64(calls[i].Time) - c.of(&calls[i])
			sum += w[i] * r * r
		}
		if sum < least {
			least, best = sum, c
		}
	}
	if math.IsInf(least, 1) {
		return costs{}, errSingular
	}
	return best, nil
}

func allowed(columns []int, use [3]bool) bool {
	for _, k := range columns {
		if !use[k] {
			return false
		}
	}
	return true
}

// design returns the matrix of the columns, each row times the root of its weight.
func design(calls []Call, w []float64, columns []int) *mat.Dense {
	x := mat.NewDense(len(calls), len(columns), nil)
	for i := range calls {
		row, root := calls[i].row(), math.Sqrt(w[i])
		for j, k := range columns {
			x.Set(i, j, row[k]*root)
		}
	}
	return x
}

// solve is plain weighted least squares.
func solve(calls []Call, w []float64, columns []int) (c costs, ok bool) {
	if len(calls) <= len(columns) {
		return c, false
	}
	y := mat.NewVecDense(len(calls), nil)
	for i := range calls {
		y.SetVec(i, float64(calls[i].Time)*math.Sqrt(w[i]))
	}
	var beta mat.VecDense
	if err := beta.SolveVec(design(calls, w, columns), y); err != nil {
		return c, false // singular, or nearly so
	}
	for j, k := range columns {
		c[k] = beta.AtVec(j)
	}
	return c, true
}

// standardErrors are those of the costs that are not 0, and 0 for the others.
func standardErrors(calls []Call, w []float64, c costs) (se costs) {
	var columns []int
	for k := range c {
		if c[k] > 0 {
			columns = append(columns, k)
		}
	}
	if len(columns) == 0 || len(calls) <= len(columns) {
		return se
	}
	x := design(calls, w, columns)
	var bread, meat, inverse, out mat.Dense
	bread.Mul(x.T(), x)
	if err := inverse.Inverse(&bread); err != nil {
		return se
	}
	scaled := mat.DenseCopyOf(x)
	for i := range calls {
		r := (float64(calls[i].Time) - c.of(&calls[i])) * math.Sqrt(w[i])
		for j := range columns {
			scaled.Set(i, j, scaled.At(i, j)*r)
		}
	}
	meat.Mul(scaled.T(), scaled)
	out.Product(&inverse, &meat, &inverse)
	n, k := float64(len(calls)), float64(len(columns))
	for j, column := range columns {
		se[column] = math.Sqrt(max(0, out.At(j, j)*n/(n-k)))
	}
	return se
}
