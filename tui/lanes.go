package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ferryctl/bench"
	"ferryctl/bench/human"
)

// A laneColumn is a column of the table of share lanes. The later a column is
// wanted, the sooner it is left out where there is little room.
type laneColumn struct {
	name   string
	wanted int
	text   func(l bench.Lane, all *bench.Snapshot) string
	ink    func(l bench.Lane) ink
}

func whole(bench.Lane) ink { return plain }

var laneColumns = []laneColumn{
	{"share", 3, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.Share, human.Short) }, whole},
	{"owed", 6, func(l bench.Lane, all *bench.Snapshot) string { return unitsOf(l.OwedUnits, all) }, whole},
	{"got", 5, func(l bench.Lane, all *bench.Snapshot) string { return unitsOf(l.ServiceUnits, all) }, whole},
	{"error", 1, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.ErrorRatio, signedPercent) }, errorInk},
	{"bound", 7, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.BoundUnits, human.Short) }, whole},
	{"max lag", 8, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.MaxLagUnits, human.Short) }, errorInk},
	{"p50", 4, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.Sojourn.P50, human.Duration) }, whole},
	{"p99", 0, func(l bench.Lane, _ *bench.Snapshot) string { return orDash(l.Sojourn.P99, human.Duration) }, whole},
	{"rejected", 2, func(l bench.Lane, _ *bench.Snapshot) string {
		return orDash(bench.Ratio(float64(l.Rejected), float64(l.Offered)), human.Percent)
	}, func(l bench.Lane) ink {
		if l.Rejected > 0 {
			return warn
		}
		return plain
	}},
	{"done", 9, func(l bench.Lane, _ *bench.Snapshot) string { return human.Short(float64(l.Done)) }, whole},
}

// errorInk warns of a lane whose lag is beyond its bound.
func errorInk(l bench.Lane) ink {
	lag, known := l.MaxLagUnits.Get()
	if bound, bounded := l.BoundUnits.Get(); known && bounded && math.Abs(lag) > bound {
		return bad
	}
	return plain
}

// unitsOf writes units of service as a part of all that was served.
func unitsOf(n bench.Num, all *bench.Snapshot) string {
	sum := 0.0
	for _, l := range all.Lanes {
		sum += l.ServiceUnits.Or(0)
	}
	return orDash(bench.Ratio(n.Or(math.NaN()), sum), human.Percent)
}

func signedPercent(v float64) string {
	if v > 0 {
		return "+" + human.Percent(v)
	}
	if v < 0 {
		return "-" + human.Percent(-v)
	}
	return human.Percent(v)
}

// A sortColumn is an order of the share lanes.
type sortColumn struct {
	name string
	less func(a, b bench.Lane) int
}

// descending orders by a figure, the largest first and what is missing last.
func descending(of func(bench.Lane) bench.Num) func(a, b bench.Lane) int {
	return func(a, b bench.Lane) int { return cmp.Compare(of(b).Or(math.Inf(-1)), of(a).Or(math.Inf(-1))) }
}

var sortColumns = []sortColumn{
	{"error", func(a, b bench.Lane) int {
		return cmp.Compare(math.Abs(b.ErrorRatio.Or(0)), math.Abs(a.ErrorRatio.Or(0)))
	}},
	{"p99", descending(func(l bench.Lane) bench.Num { return l.Sojourn.P99 })},
	{"rejected", descending(func(l bench.Lane) bench.Num { return bench.Ratio(float64(l.Rejected), float64(l.Offered)) })},
	{"got", descending(func(l bench.Lane) bench.Num { return l.ServiceUnits })},
	{"share", descending(func(l bench.Lane) bench.Num { return l.Share })},
	{"lane", func(a, b bench.Lane) int { return cmp.Compare(a.Lane, b.Lane) }},
}

// fairness sums up in a few words.
func (m *model) fairness() string {
	f := m.snap.Fairness
	v, ok := f.WorstErrorRatio.Get()
	if !ok {
		return ""
	}
	return fmt.Sprintf("worst %s by %s", f.WorstLane, human.Percent(math.Abs(v)))
}

func (m *model) drawLanes(a area) {
	if len(m.snap.Lanes) < 2 {
		text := "one share lane, nothing to share out; --lanes gold=0.2,free=0.8 tags the items"
		a.put(1, a.h/2, dim, m.look.cut(text, a.w-1))
		return
	}
	lanes := slices.Clone(m.snap.Lanes)
	slices.SortStableFunc(lanes, sortColumns[m.sortBy].less)
	t := table{marked: sortColumns[m.sortBy].name}
	t.columns = append(t.columns, column{name: "lane", text: true, wanted: -1})
	for _, c := range laneColumns {
		t.columns = append(t.columns, column{name: c.name, wanted: c.wanted})
	}
	for _, l := range lanes {
		row := []tableCell{{l.Lane, strong}}
		for _, c := range laneColumns {
			row = append(row, tableCell{c.text(l, m.snap), c.ink(l)})
		}
		t.rows = append(t.rows, row)
	}
	t.draw(a)
}
