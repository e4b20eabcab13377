// Samples of a space too large to measure all of.

package sweep

import (
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// The designs of samples. Both cover each axis evenly, whatever the others do.
const (
	Halton         = "halton" // randomised; any first part of it covers the space as well
	LatinHypercube = "lhs"    // as many slices of each axis as points, one in each
)

// Designs are the names of all designs, the first being the default.
var Designs = []string{Halton, LatinHypercube}

// designStream tells the draws of a design from all others of the same seed.
const designStream = 0x5eed_de51_9000_0001

// draw returns the points of a sample in the order of its design, those that
// coincide once.
func draw(axes []Axis, sample Sample, seed uint64) [][]Value {
	source := rand.NewPCG(seed, designStream)
	unit := distmv.NewUnitUniform(len(axes), nil)
	at := mat.NewDense(sample.Points, len(axes), nil)
	if sample.Design == LatinHypercube {
		samplemv.LatinHypercube{Q: unit, Src: source}.Sample(at)
	} else {
		samplemv.Halton{Kind: samplemv.Owen, Q: unit, Src: source}.Sample(at)
	}
	points := make([][]Value, 0, sample.Points)
	seen := map[string]bool{}
	for row := range sample.Points {
		point := make([]Value, len(axes))
		var key strings.Builder
		for i, a := range axes {
			point[i] = a.pick(at.At(row, i))
			key.WriteString(point[i].Text + "\x00")
		}
		if !seen[key.String()] {
			seen[key.String()] = true
			points = append(points, point)
		}
	}
	return points
}

// pick returns the value at a part of the axis, 0 to below 1.
func (a Axis) pick(part float64) Value {
	part = math.Min(math.Max(part, 0), math.Nextafter(1, 0))
	if a.Between == nil {
		return a.Values[int(part*float64(len(a.Values)))]
	}
	amount := a.Between.at(part)
	return Value{a.Between.scale.write(amount), amount}
}
