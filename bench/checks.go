// The sums that must come out right in every run: the counts, Little's law, and
// the load that was asked for.

package bench

import (
	"errors"
	"fmt"
	"math"
	"time"

	"ferryctl/bench/human"
)

// checkIdentity returns an error unless every item offered is accounted for
// exactly once.
func checkIdentity(c Counts) error {
	sum := c.Done + c.Rejected + c.Failed + c.Cancelled + c.Unsent + c.InFlightAtEnd
	if sum == c.Offered {
		return nil
	}
	return fmt.Errorf("offered %d, but done %d + rejected %d + failed %d + cancelled %d + unsent %d + in flight %d = %d",
		c.Offered, c.Done, c.Rejected, c.Failed, c.Cancelled, c.Unsent, c.InFlightAtEnd, sum)
}

// checkLatencyCounts returns an error unless every section has the items done
// behind it, and no others.
func checkLatencyCounts(r *Result) error {
	var faults []error
	for _, s := range []struct {
		name  string
		count uint64
	}{
		{"sojourn", r.Latency.Sojourn.Count},
		{"wait", r.Latency.Wait.Count},
		{"service", r.Latency.Service.Count},
		{"delivery", r.Latency.Delivery.Count},
		{"split", r.Split.Count},
	} {
		if s.count != r.Counts.Done {
			faults = append(faults, fmt.Errorf("%d items done, but %d in %s", r.Counts.Done, s.count, s.name))
		}
	}
	return errors.Join(faults...)
}

// littleFloor is the mean queue, in items, below which the two sides of Little's
// law differ by the grain of the clock: half a microsecond of every microsecond
// wait is no finding.
const littleFloor = 0.01

// roundingError is a gap that comes of adding up float64s.
const roundingError = 1e-9

// littlesLaw compares the mean queue over a window as the kernel integrated it
// with the one that follows from the items' own waits, each counted only as far
// as it lies in the window: L = lambda W without an error at the edges. Both
// arguments are in item-seconds. The gap is a part of the larger side; it is 0
// when both are below littleFloor, and missing without a window.
func littlesLaw(byTime, byItems float64, window time.Duration) (queuedByTime, queuedByItems, gap Num) {
	seconds := window.Seconds()
	if seconds <= 0 {
		return Num{}, Num{}, Num{}
	}
	a, b := byTime/seconds, byItems/seconds
	larger := max(math.Abs(a), math.Abs(b))
	if larger < littleFloor {
		return Some(a), Some(b), Some(0)
	}
	gapRatio := math.Abs(a-b) / larger
	if gapRatio < roundingError {
		gapRatio = 0
	}
	return Some(a), Some(b), Some(gapRatio)
}

// checkNominal compares the arrivals that the schedule had with those that the
// asked rate gives, beyond what chance explains.
func checkNominal(r *Result, f *facts) []finding {
	offered := float64(r.Counts.Offered)
	if f.expected <= 0 {
		return nil
	}
	off := math.Abs(offered - f.expected)
	if off <= nominalRateWithin*f.expected+nominalDeviations*math.Sqrt(f.expected) {
		return nil
	}
	return []finding{invalid("the schedule had %s arrivals where the asked rate gives %s", human.Count(offered), human.Count(f.expected))}
}
