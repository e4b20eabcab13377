// Which limit binds: what would have to be changed for more throughput, and what
// for less latency.

package sweep

import (
	"math"
	"strings"

	"ferryctl/bench"
	"ferryctl/bench/slo"
)

// The names of limits. Those of knobs are the knobs' own.
const (
	LimitRate        = "rate"         // the load itself: all that was offered was done
	LimitClients     = "clients"      // the same of a closed loop
	LimitSize        = "batch_size"   // batches leave full by size
	LimitWeight      = "batch_weight" // batches leave full by weight
	LimitDelay       = "batch_delay"  // batches wait for company
	LimitInFlight    = "in_flight"    // batches wait for a slot
	LimitQueue       = "queue"        // the room turns inputs away though slots are free
	LimitQueueWeight = "queue_weight" // the same by weight
	LimitKeys        = "keys"         // inputs wait for the call of their own key
	LimitBackend     = "backend"      // the call itself
	LimitGenerator   = "generator"    // the machine that offers the load
	LimitShare       = "share"        // inputs wait for the turn of their share lane while others have theirs
	LimitPart        = "room_policy"  // the room has place, but none of it is for their share lane
	LimitFairness    = "fairness"     // the SLO's term, missed
)

// What the rules below count as something.
const (
	lostSome  = 0.001 // part of the offered items that were not done
	fellShort = 0.02  // part of the offered rate that was not done while it was offered, but later
	allBusy   = 0.90  // part of the slots that are in use on average
	mostly    = 0.50  // of the batches
	backendAt = 0.10  // part of a call's time that is spent waiting in the backend for its concurrency
)

// Limits are what binds at one point: nil if there is no data to tell from. A limit
// of one share lane has its name behind it, in parentheses; names are data.
type Limits struct {
	Throughput []string // more than one where only changing all of them would tell which
	Latency    []string
	Shares     []string // what share lanes run into that the whole does not; nil without shares
}

// String writes the limits of throughput and latency: "in_flight+batch_size / backend",
// and those of share lanes if there are any: "in_flight / share(free) / room_policy(free)".
func (l Limits) String() string {
	say := func(names []string) string {
		if len(names) == 0 {
			return "–"
		}
		return strings.Join(names, "+")
	}
	text := say(l.Throughput) + " / " + say(l.Latency)
	if len(l.Shares) > 0 {
		text += " / " + say(l.Shares)
	}
	return text
}

// LimitsOf tells what binds from why batches left, where the mean time went, what
// was rejected, and how busy slots and backend were.
//
// Throughput: if at most one in a thousand items was lost, and no more than a
// fiftieth of the rate left for the drain to do, the load binds. Else,
// if calls wait in the backend for its concurrency, the backend does. Else, if at
// least 90 % of the slots are busy, they do, together with the size or weight of
// batches if most leave full. Else, if inputs wait for their key's turn more than
// for anything else, the keys do. Else the room's bounds do, or if most of what was
// turned away found place in the room but none for its share lane, that lane's part.
//
// Latency: the largest part of the mean sojourn. For the time in which a batch
// forms, that is the bound that most batches left by; for a slot that some share
// lanes get soon and one waits for, it is that one's share.
//
// Share lanes: who is turned away for its part of the room, and whose error misses
// the SLO's term on fairness.
func LimitsOf(r *bench.Result) Limits {
	return Limits{Throughput: throughputLimit(r), Latency: latencyLimit(r), Shares: shareLimits(r)}
}

func throughputLimit(r *bench.Result) []string {
	offered := float64(r.Counts.Offered)
	if offered == 0 {
		return nil
	}
	allDone := offered-float64(r.Counts.Done)-float64(r.Counts.Failed) <= lostSome*offered
	load := []string{LimitRate}
	if v, ok := r.Settings.Get("clients"); ok && v != "" && v != "null" {
		load = []string{LimitClients}
	}
	switch {
	case r.Measurement.Verdict == bench.Invalid && float64(r.Counts.Unsent) > lostSome*offered:
		return []string{LimitGenerator}
	case allDone && r.Rates.Throughput.Or(0) >= (1-fellShort)*r.Rates.Offered.Or(0):
		return load
	case waitsInBackend(r):
		return []string{LimitBackend}
	case slotsBusy(r) >= allBusy:
		return append([]string{LimitInFlight}, fullBy(r)...)
	case r.Split.Turn.Or(0) > max(r.Split.Forming.Or(0), r.Split.Slot.Or(0)):
		return []string{LimitKeys}
	case byPart(r):
		return []string{ofLane(LimitPart, mostRejected(r))}
	case r.Rates.WeightBound.Or(0) > r.Rates.CountBound.Or(0):
		return []string{LimitQueueWeight}
	case r.Counts.Rejected > 0:
		return []string{LimitQueue}
	case allDone:
		return load
	}
	return nil // lost in the drain, or stopped
}

// waitsInBackend says whether calls wait in the backend before they are served.
func waitsInBackend(r *bench.Result) bool {
	waited := r.Measurement.BackendWaited.Or(0)
	return waited > backendAt*(waited+r.Measurement.ServiceActual.Or(0))
}

// slotsBusy returns how much of in_flight was in use on average, by Little's law:
// the batches that took a slot per second, times how long each held it.
func slotsBusy(r *bench.Result) float64 {
	text, _ := r.Settings.Get("in_flight")
	slots := amountOf(text)
	all := float64(r.Batches.Count)
	if all == 0 || !(slots > 0) {
		return 0
	}
	slotted := (all - float64(r.Batches.Left.Direct)) / all * r.Rates.Batches.Or(0)
	held := r.Measurement.ServiceActual.Or(0) + r.Measurement.BackendWaited.Or(0)
	return slotted * held / 1e9 / slots
}

// fullBy returns the bound that most of the batches that took a slot left full by.
func fullBy(r *bench.Result) []string {
	l := r.Batches.Left
	slotted := float64(r.Batches.Count - min(r.Batches.Count, l.Direct))
	switch {
	case float64(l.Size) >= mostly*slotted && l.Size > 0:
		return []string{LimitSize}
	case float64(l.Weight) >= mostly*slotted && l.Weight > 0:
		return []string{LimitWeight}
	}
	return nil
}

func latencyLimit(r *bench.Result) []string {
	s := r.Split
	parts := []struct {
		ns   bench.Num
		name func() string
	}{
		{s.Service, func() string { return LimitBackend }},
		{s.Slot, func() string { return slotBy(r) }},
		{s.Turn, func() string { return LimitKeys }},
		{s.Forming, func() string { return formingBy(r.Batches.Left) }},
		{s.Lag, func() string { return LimitGenerator }},
	}
	largest, name := 0.0, ""
	for _, p := range parts {
		if v := p.ns.Or(0); v > largest {
			largest, name = v, p.name()
		}
	}
	if name == "" {
		return nil
	}
	return []string{name}
}

// formingBy returns the bound at which most batches stopped to form.
func formingBy(l bench.Left) string {
	switch m := max(l.Size, l.Weight, l.Delay); m {
	case 0:
		return LimitDelay // they left at the end, for want of company
	case l.Delay:
		return LimitDelay
	case l.Size:
		return LimitSize
	default:
		return LimitWeight
	}
}

// ofLane names a limit of one share lane.
func ofLane(limit, lane string) string { return limit + "(" + lane + ")" }

// shared returns the share lanes of a run that has shares.
func shared(r *bench.Result) (lanes []bench.Lane) {
	for _, l := range r.Lanes {
		if l.Share.Known() {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// byPart says whether most of what was turned away had place in the room, but not in
// the part of it that is open to its share lane.
func byPart(r *bench.Result) bool {
	rejected := float64(r.Counts.Rejected)
	return rejected > 0 && r.Rates.PartBound.Or(0) >= mostly*rejected && mostRejected(r) != ""
}

// mostRejected returns the share lane of which most was turned away, "" if none was.
func mostRejected(r *bench.Result) string {
	var most bench.Lane
	for _, l := range shared(r) {
		if l.Rejected > most.Rejected {
			most = l
		}
	}
	return most.Lane
}

// slotBy tells a slot that all wait for from one that a share lane waits for its turn
// at. What even the share lane with the shortest sojourn waits, all do; if most of
// the mean wait is beyond that, the share lane that has most of it waits for its turn.
func slotBy(r *bench.Result) string {
	least, done := math.Inf(1), 0.0
	lanes := shared(r)
	for _, l := range lanes {
		if mean, ok := l.Sojourn.Mean.Get(); ok {
			least, done = math.Min(least, mean), done+float64(l.Done)
		}
	}
	beyond, most, whose := 0.0, 0.0, ""
	for _, l := range lanes {
		if own := float64(l.Done) * (l.Sojourn.Mean.Or(least) - least); own > 0 {
			if beyond += own; own > most {
				most, whose = own, l.Lane
			}
		}
	}
	if whose == "" || beyond < mostly*done*r.Split.Slot.Or(0) {
		return LimitInFlight
	}
	return ofLane(LimitShare, whose)
}

// shareLimits returns what share lanes run into.
func shareLimits(r *bench.Result) []string {
	var out []string
	if byPart(r) && float64(r.Counts.Rejected) > lostSome*float64(r.Counts.Offered) {
		out = append(out, ofLane(LimitPart, mostRejected(r)))
	}
	for _, t := range r.SLO {
		terms, err := slo.Parse(t.Term)
		if err == nil && len(terms) == 1 && terms[0].Metric == slo.Fairness && !t.OK && t.Value.Known() && r.Fairness.WorstLane != "" {
			out = append(out, ofLane(LimitFairness, r.Fairness.WorstLane))
			break
		}
	}
	return out
}
