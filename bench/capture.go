// The worst moment of a run, as a trace that replays it.

package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/workload"
)

// CaptureWorst writes the arrivals that led to the interval of the window with
// the highest p99: those from before its begin (at least 0) until its end, as a
// trace of the form that --trace reads. Offsets are whole microseconds, rounded
// down; a synthetic key is its popularity rank, a trace's key the hash of its
// text. It returns the interval's begin, an offset from the start of the run.
//
// The arrivals are drawn again from the settings and the result's seed. A load
// without a schedule has no arrivals to draw, and a run in which nothing was
// done has no worst moment: both are errors.
func CaptureWorst(w io.Writer, r *Result, s settings.Settings, before time.Duration) (at time.Duration, err error) {
	if s.Clients > 0 || s.Rate.Max {
		return 0, errors.New("there is no schedule to capture: clients, and rate max, offer what the kernel takes")
	}
	if before < 0 {
		return 0, fmt.Errorf("%s before the worst interval: want 0s or more", before)
	}
	worst := -1
	for i, in := range r.Intervals {
		if in.Start.Or(math.Inf(1)) >= r.Window.Measured.Or(0) || !in.P99.Known() {
			continue // of the drain, or empty
		}
		if worst < 0 || in.P99.Or(0) > r.Intervals[worst].P99.Or(0) {
			worst = i
		}
	}
	if worst < 0 {
		return 0, errors.New("no item was done in the window: there is no worst interval")
	}
	seconds := func(n Num) time.Duration { return time.Duration(math.Round(n.Or(0) * 1e9)) }
	at = seconds(r.Window.Warmup) + seconds(r.Intervals[worst].Start)
	spec := s.Workload()
	spec.Seed = r.Seed
	source, err := workload.New(spec)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	until := at + seconds(r.Intervals[worst].Length)
	if until >= seconds(r.Window.Warmup)+seconds(r.Window.Measured) {
		until++ // the last item of a window that ends with it
	}
	return at, writeTrace(w, source, max(0, at-before), until)
}

// writeTrace writes the items that are due in [from, to).
func writeTrace(w io.Writer, source workload.Source, from, to time.Duration) error {
	out := csv.NewWriter(w)
	if err := out.Write(strings.Split(workload.TraceHeader, ",")); err != nil {
		return err
	}
	var it workload.Item
	for source.Next(&it) && it.At < to {
		if it.At < from {
			continue
		}
		if err := out.Write([]string{
			strconv.FormatInt((it.At - from).Microseconds(), 10), strconv.FormatUint(it.Key, 10),
			strconv.FormatInt(it.Weight, 10), source.Lanes()[it.Lane],
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return errors.Join(out.Error(), source.Err())
}
