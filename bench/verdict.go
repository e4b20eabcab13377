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
	stuckInvalid      = 0.01  // part of the offered items still in flight after the drain
	pauseOfP99        = 0.50  // longest garbage-collection pause, as a part of the p99
	pausedSuspect     = 0.001 // part of the window that pauses may have taken
	shortestWindow    = 1.0   // seconds
	nominalRateWithin = 0.01  // of the asked rate, beyond chance
	nominalDeviations = 5.0   // standard deviations of a Poisson count that are chance
	serviceWithin     = 0.10  // of the asked service time, before a warning
)

// facts are what the engine saw that the result has no field for.
type facts struct {
	scheduled  bool    // the load had a schedule: an open loop at a rate
	saturating bool    // the load was as fast as it could be, by --rate max or --clients
	inTime     uint64  // items of the window handed over by its end
	noCaller   uint64  // unsent because every caller was busy
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

// judge sets the result's verdict and its reasons, worst first.
func judge(r *Result, f *facts) {
	var found []finding
	for _, check := range []func(*Result, *facts) []finding{
		checkCounts, checkSettings, checkRate, checkUnsent, checkCeiling, checkLittle, checkDrain, checkSamples, checkPauses,
	} {
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
	offered := float64(r.Counts.Offered)
	if !f.scheduled || offered == 0 {
		return nil
	}
	if missing := offered - float64(f.inTime); missing > rateHeldWithin*offered {
		seconds := r.Window.Measured.Or(0)
		out = append(out, invalid("rate not held: %s sent of %s scheduled (%s missing by the window's end)",
			human.Rate(Ratio(float64(f.inTime), seconds).Or(0)), human.Rate(Ratio(offered, seconds).Or(0)), human.Percent(missing/offered)))
	}
	return append(out, checkNominal(r, f)...)
}

func checkUnsent(r *Result, f *facts) (out []finding) {
	offered := float64(r.Counts.Offered)
	if offered == 0 {
		return nil
	}
	if part := float64(r.Counts.Unsent) / offered; part > unsentSuspect {
		why := "more than 1 s behind schedule"
		switch {
		case f.noCaller >= r.Counts.Unsent:
			why = "every caller goroutine was busy"
		case f.noCaller > 0:
			why = fmt.Sprintf("%s found every caller goroutine busy, the rest were more than 1 s behind schedule", human.Count(float64(f.noCaller)))
		}
		out = append(out, suspect("%s of the arrivals could not be sent: %s", human.Percent(part), why))
	}
	if part := float64(r.Counts.Late) / offered; part > lateSuspect {
		out = append(out, suspect("%s of the arrivals were sent more than 1 ms late, the latest by %s", human.Percent(part), human.Duration(r.Counts.LateMaxNS.Or(0))))
	}
	return out
}

// checkCeiling compares the load with what the generator can do at all. A load
// that is meant to be as fast as it can is the ceiling, and only suspect.
func checkCeiling(r *Result, f *facts) []finding {
	load, ok := r.Measurement.GeneratorLoad.Get()
	if !ok {
		return nil
	}
	ceiling := human.Rate(r.Measurement.GeneratorCeiling.Or(0))
	switch {
	case load <= loadSuspect:
		return nil
	case f.saturating:
		return []finding{suspect("the load ran at %s of the generator's ceiling of %s: the generator, not the kernel, may set the throughput", human.Percent(load), ceiling)}
	case load > loadInvalid:
		return []finding{invalid("the generator is saturated: the load is %s of its ceiling of %s", human.Percent(load), ceiling)}
	}
	return []finding{suspect("the generator is near its ceiling: the load is %s of %s", human.Percent(load), ceiling)}
}

func checkLittle(r *Result, f *facts) []finding {
	gap, ok := r.Measurement.LittlesLawGap.Get()
	if !ok || gap <= littleSuspect {
		return nil
	}
	text := fmt.Sprintf("Little's law is off by %s: mean queue %s by time, %s by the items' own waits",
		human.Percent(gap), human.Short(r.Measurement.QueuedByTime.Or(0)), human.Short(r.Measurement.QueuedByItems.Or(0)))
	if gap > littleInvalid {
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
	if p99 == 0 || pause < pauseOfP99*p99 || paused < pausedSuspect {
		return nil
	}
	return []finding{suspect("garbage collection paused the process up to %s, %s of the p99, for up to %s of the window",
		human.Duration(pause), human.Percent(pause/p99), human.Percent(paused))}
}
