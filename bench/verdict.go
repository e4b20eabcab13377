// The verdict on the measurement: whether the figures may be believed, and if
// not, why. It is a pure function of the result and of what the engine saw.

package bench

import (
	"fmt"
	"slices"

	"ferryctl/bench/human"
)

// A Verdict says how far a measurement can be trusted.
type Verdict string

// The three verdicts, from best to worst.
const (
	Valid   Verdict = "VALID"   // the figures mean what they say
	Suspect Verdict = "SUSPECT" // read the reasons before relying on the figures
	Invalid Verdict = "INVALID" // the figures describe the generator or a fault, not the kernel
)

// The limits of the verdict. Where there are two, the first makes a measurement
// SUSPECT and the second INVALID.
const (
	rateHeldWithin    = 0.01  // part of the scheduled arrivals that may be missing at the window's end
	unsentSuspect     = 0.001 // part of the offered items
	lateSuspect       = 0.01  // part of the offered items
	loadSuspect       = 0.80  // of the generator's ceiling
	loadInvalid       = 0.95
	littleSuspect     = 0.02 // gap between the two ways to compute the mean queue
	littleInvalid     = 0.20
	littleSilent      = 100   // items, and
	littleSilentFor   = 0.1   // seconds, below which Little's law says nothing
	littleSamples     = 1000  // items, and shortestWindow, below which it is at most SUSPECT
	stuckInvalid      = 0.01  // part of the offered items still in flight after the drain
	pauseOfP99        = 0.50  // longest garbage-collection pause, as a part of the p99
	pauseWorthP99     = 10e3  // nanoseconds of p99 below which any pause is longer, and says nothing
	pausedSuspect     = 0.001 // part of the window that pauses may have taken
	shortestWindow    = 1.0   // seconds
	nominalRateWithin = 0.01  // of the asked rate, beyond chance
	nominalDeviations = 5.0   // standard deviations of a Poisson count that are chance
	serviceWithin     = 0.10  // of the asked service time, before a warning
)

// facts are what the engine saw that the result has no field for.
type facts struct {
	scheduled  bool    // the load had a schedule: an open loop at a rate
	overran    bool    // the generator was hopelessly behind, and the run was ended for it
	saturating bool    // the load was as fast as it could be, by --rate max or --clients
	inTime     uint64  // items of the window handed over by its end
	noCaller   uint64  // unsent because every caller was busy
	outran     bool    // the load came to more than the ceiling that was measured before it
	expected   float64 // items the asked rate gives in the window; 0 if unknown
	identity   error   // nil if the counts add up
	kernel     error   // nil if the kernel counted what the callers saw
	settings   []string
}

// A finding is one reason for a verdict.
type finding struct {
	verdict Verdict
	reason  string
}

// A check finds reasons to doubt a result.
type check func(*Result, *facts) []finding

// allChecks are those of a run that is over.
var allChecks = []check{
	checkCounts, checkSettings, checkRate, checkUnsent, checkCeiling, checkLittle, checkDrain, checkSamples, checkPauses,
}

// judge sets the result's verdict and its reasons, worst first.
func judge(r *Result, f *facts) { judgeBy(allChecks, r, f) }

// judgeBy judges by some of the checks.
func judgeBy(checks []check, r *Result, f *facts) {
	var found []finding
	for _, check := range checks {
		found = append(found, check(r, f)...)
	}
	slices.SortStableFunc(found, func(a, b finding) int { return b.verdict.rank() - a.verdict.rank() })
	r.Measurement.Verdict, r.Measurement.Reasons, r.Measurement.InvalidReasons = Valid, []string{}, 0
	for i, x := range found {
		if i == 0 {
			r.Measurement.Verdict = x.verdict
		}
		if x.verdict == Invalid {
			r.Measurement.InvalidReasons++
		}
		r.Measurement.Reasons = append(r.Measurement.Reasons, x.reason)
	}
}

func (v Verdict) rank() int { return slices.Index([]Verdict{Valid, Suspect, Invalid}, v) }

func invalid(format string, a ...any) finding { return finding{Invalid, fmt.Sprintf(format, a...)} }
func suspect(format string, a ...any) finding { return finding{Suspect, fmt.Sprintf(format, a...)} }

func checkCounts(_ *Result, f *facts) (out []finding) {
	if f.identity != nil {
		out = append(out, invalid("the counts do not add up: %v", f.identity))
	}
	if f.kernel != nil {
		out = append(out, invalid("kernel and callers counted differently: %v", f.kernel))
	}
	return out
}

func checkSettings(_ *Result, f *facts) (out []finding) {
	for _, s := range f.settings {
		out = append(out, invalid("the kernel runs with another setting than asked: %s", s))
	}
	return out
}

// checkRate compares what was sent with what was scheduled, not with the nominal
// rate, which chance alone would miss; and what was scheduled with the nominal
// rate, with chance allowed for.
func checkRate(r *Result, f *facts) (out []finding) {
	if f.overran {
		return []finding{invalid("rate not held: the generator was more than %s behind when the run should have ended", human.Duration(float64(giveUpAfter)))}
	}
	offered := float64(r.Counts.Offered)
	if !f.scheduled || offered == 0 {
		return nil
	}
	if missing := offered - float64(f.inTime); f.rateMissed(r) {
		seconds := r.Window.Measured.Or(0)
		out = append(out, invalid("rate not held: %s sent of %s scheduled; %s of the arrivals were missing when the window ended, %s",
			human.Rate(Ratio(float64(f.inTime), seconds).Or(0)), human.Rate(Ratio(offered, seconds).Or(0)), human.Percent(missing/offered), whyMissing(r, f)))
	}
	return append(out, checkNominal(r, f)...)
}

// rateMissed reports whether too much of the schedule was not sent in time.
func (f *facts) rateMissed(r *Result) bool {
	offered := float64(r.Counts.Offered)
	return f.scheduled && offered-float64(f.inTime) > rateHeldWithin*offered
}

// whyMissing says what became of the arrivals that were missing at the window's
// end.
func whyMissing(r *Result, f *facts) string {
	offered, unsent := float64(r.Counts.Offered), float64(r.Counts.Unsent)
	after := offered - float64(f.inTime) - unsent
	switch {
	case unsent == 0:
		return "sent only after it"
	case after < unsentSuspect*offered:
		return "never sent: " + whyUnsent(r, f)
	}
	return fmt.Sprintf("%s sent only after it and %s never: %s", human.Percent(after/offered), human.Percent(unsent/offered), whyUnsent(r, f))
}

func whyUnsent(r *Result, f *facts) string {
	switch {
	case f.noCaller >= r.Counts.Unsent:
		return "every caller goroutine was busy"
	case f.noCaller > 0:
		return fmt.Sprintf("%s found every caller goroutine busy, for the rest the generator was behind schedule", human.Count(float64(f.noCaller)))
	case !r.Complete:
		return "the generator was behind schedule when it was stopped, or by more than 1 s"
	}
	return "the generator was more than 1 s behind schedule"
}

func checkUnsent(r *Result, f *facts) (out []finding) {
	offered := float64(r.Counts.Offered)
	if offered == 0 {
		return nil
	}
	if part := float64(r.Counts.Unsent) / offered; part > unsentSuspect && !f.rateMissed(r) { // else it is said there
		out = append(out, suspect("%s of the arrivals were never sent: %s", human.Percent(part), whyUnsent(r, f)))
	}
	if part := float64(r.Counts.Late) / offered; part > lateSuspect {
		out = append(out, suspect("%s of the arrivals were sent more than 1 ms late, the latest by %s", human.Percent(part), human.Duration(r.Counts.LateMaxNS.Or(0))))
	}
	return out
}

// checkCeiling compares the load with what the generator can do at all. A load
// that is meant to be as fast as it can comes to what it comes to, and has a
// warning that says so. A load that held its rate above the ceiling that was
// measured has shown that the ceiling is higher, but not by how much.
func checkCeiling(r *Result, f *facts) []finding {
	load, ok := r.Measurement.GeneratorLoad.Get()
	if !ok {
		return nil
	}
	ceiling := human.Rate(r.Measurement.GeneratorCeiling.Or(0))
	switch {
	case load <= loadSuspect, f.saturating:
		return nil
	case f.outran && !f.rateMissed(r):
		return []finding{suspect("the generator may be near its ceiling: the load of %s is more than it came to when its ceiling was measured", ceiling)}
	case load > loadInvalid:
		return []finding{invalid("the generator is saturated: the load is %s of its ceiling of %s", human.Percent(load), ceiling)}
	}
	return []finding{suspect("the generator is near its ceiling: the load is %s of %s", human.Percent(load), ceiling)}
}

// checkLittle: in a few items, or a short time, the moments between two readings
// of the clock are a part of the waits that can be seen.
func checkLittle(r *Result, f *facts) []finding {
	gap, ok := r.Measurement.LittlesLawGap.Get()
	items, seconds := r.Counts.Offered, r.Window.Measured.Or(0)
	if !ok || gap <= littleSuspect || items < littleSilent || seconds < littleSilentFor {
		return nil
	}
	text := fmt.Sprintf("Little's law is off by %s: mean queue %s by time, %s by the items' own waits",
		human.Percent(gap), human.Short(r.Measurement.QueuedByTime.Or(0)), human.Short(r.Measurement.QueuedByItems.Or(0)))
	if gap > littleInvalid && items >= littleSamples && seconds >= shortestWindow {
		return []finding{{Invalid, text}}
	}
	return []finding{{Suspect, text}}
}

// checkDrain: what never ended has no latency, and it was the slowest.
func checkDrain(r *Result, _ *facts) []finding {
	n, offered := float64(r.Counts.InFlightAtEnd), float64(r.Counts.Offered)
	switch {
	case n == 0:
		return nil
	case n > stuckInvalid*offered:
		return []finding{invalid("%s of the items (%s) had not ended when the drain did: the slowest are missing from the latencies", human.Percent(n/offered), human.Count(n))}
	}
	return []finding{suspect("%s items had not ended when the drain did: the slowest are missing from the latencies", human.Count(n))}
}

func checkSamples(r *Result, _ *facts) (out []finding) {
	if s := r.Window.Measured.Or(0); s < shortestWindow {
		out = append(out, suspect("the window is only %s long, shorter than %s", human.Duration(s*1e9), human.Duration(shortestWindow*1e9)))
	}
	switch n := r.Latency.Sojourn.Count; {
	case n == 0:
		out = append(out, suspect("no item of the window was done: there are no latencies"))
	case !Enough(n, 99):
		out = append(out, suspect("only %s items were done: p99 has fewer than %d samples beyond it", human.Count(float64(n)), EnoughBeyond))
	}
	return out
}

// checkPauses: a pause moves the p99 if it is of its size and there were enough
// of them to touch one item in a thousand.
func checkPauses(r *Result, _ *facts) []finding {
	pause, p99 := r.Measurement.GCMaxPause.Or(0), r.Latency.Sojourn.P99.Or(0)
	paused := Ratio(r.Measurement.GCPaused.Or(0), r.Window.Measured.Or(0)*1e9).Or(0)
	if p99 < pauseWorthP99 || pause < pauseOfP99*p99 || paused < pausedSuspect {
		return nil
	}
	part := human.Percent(pause/p99) + " of"
	if pause > 10*p99 {
		part = "more than ten times"
	}
	return []finding{suspect("garbage collection paused the process up to %s, %s the p99, for up to %s of the window",
		human.Duration(pause), part, human.Percent(paused))}
}
