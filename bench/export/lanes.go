// The table's sections on share lanes: what became of their items, and what
// they got of what they were owed.

package export

import (
	"fmt"
	"math"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// laneColumns is how much of a lane's name is shown.
const laneColumns = 24

func lanes(b *strings.Builder, r *bench.Result) {
	if len(r.Lanes) < 2 {
		return
	}
	g := laneGrid(r, func(name string) string { return shorten(name, laneColumns) })
	g.write(b)
	b.WriteByte('\n')
}

// laneGrid has a row for each share lane; name cuts what would take too much room.
func laneGrid(r *bench.Result, name func(string) string) grid {
	g := grid{notes: 99}
	g.row("Share lanes", "offered", "done", "rejected", "weight", "mean", "p50", "p99", "max")
	marked := false
	for _, l := range r.Lanes {
		lane := name(plain(l.Lane))
		if lane == "" {
			lane = "(untagged)"
		}
		p50, few50 := percentileCell(l.Sojourn, bench.Percentiles[0])
		p99, few99 := percentileCell(l.Sojourn, bench.Percentiles[3])
		marked = marked || few50 || few99
		g.row(lane, human.Count(float64(l.Offered)), human.Count(float64(l.Done)), human.Count(float64(l.Rejected)),
			short(l.Weight), duration(l.Sojourn.Mean), p50, p99, duration(l.Sojourn.Max))
	}
	if marked {
		g.below = fewBeyond
	}
	return g
}

func shares(b *strings.Builder, r *bench.Result) {
	if len(r.Lanes) == 0 || !r.Fairness.MaxLagUnits.Known() {
		return
	}
	g := shareGrid(r, func(name string) string { return shorten(name, laneColumns) })
	g.write(b)
	wrap(b, "  ", fairness(r.Fairness))
	b.WriteByte('\n')
}

// shareGrid sets what each share lane got beside what it was owed.
func shareGrid(r *bench.Result, name func(string) string) grid {
	g := grid{notes: 99}
	g.row("Shares", "share", "owed", "got", "error", "max lag", "lead", "bound", "starved")
	for _, l := range r.Lanes {
		if !l.Share.Known() {
			continue // untagged, or one of the others
		}
		g.row(name(plain(l.Lane)), percent(l.Share), count(l.OwedUnits), count(l.ServiceUnits), signed(l.ErrorRatio),
			short(l.MaxLagUnits), short(l.MaxLeadUnits), short(l.BoundUnits), duration(l.Starved))
	}
	return g
}

// boundRounding is how far sums of many units may be off.
const boundRounding = 1e-6

// fairness is the headline: the worst of all share lanes.
func fairness(f bench.Fairness) string {
	lag := "behind at worst by " + short(f.MaxLagUnits) + " service units"
	if f.BoundUnits.Known() {
		lag += " of a bound of " + short(f.BoundUnits)
	}
	if f.MaxLagUnits.Or(0) > f.BoundUnits.Or(math.Inf(1))*(1+boundRounding) {
		lag += " (beyond it: share lanes came and went, or contend for keys; the bound is for neither)"
	}
	if !f.WorstErrorRatio.Known() {
		return "no error ratio, " + plain(f.Note) + "; " + lag
	}
	return fmt.Sprintf("worst error %s of all service, of %s; %s; Jain's index %s",
		percent(f.WorstErrorRatio), shorten(plain(f.WorstLane), laneColumns), lag, figure(f.Jain, func(v float64) string { return fmt.Sprintf("%.4f", v) }))
}
