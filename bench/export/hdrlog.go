// The two HdrHistogram forms. Both carry the histograms of the result as they
// are, and take the exact extremes from beside them.

package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"ferryctl/bench"
)

// writeHlog writes an interval log of format 1.3. Untagged lines are the
// sojourns of one interval each; lines tagged wait and service are those times
// over the whole window, and lines tagged lane:NAME a share lane's sojourns.
// Times are seconds from the window's start, which a run without a date has at
// the epoch; maxima are milliseconds.
func writeHlog(w io.Writer, r *bench.Result) error {
	out := bufio.NewWriter(w)
	warm := time.Duration(r.Window.Warmup.Or(0) * 1e9)
	start := time.Unix(0, 0).UTC() // in virtual time there is no day
	if began := r.Environment.Started; !began.IsZero() {
		start = began.Add(warm).UTC()
	}
	stamp := float64(start.UnixMilli()) / 1000
	fmt.Fprintf(out, "#[Logged with ferryctl, sojourn in nanoseconds, seed %d]\n", r.Seed)
	fmt.Fprintf(out, "#[Histogram log format version %s]\n", hdr.HISTOGRAM_LOG_FORMAT_VERSION)
	fmt.Fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", stamp, start.Format(time.RFC3339))
	fmt.Fprintf(out, "#[BaseTime: %.3f (seconds since epoch)]\n", stamp)
	out.WriteString("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	line := func(tag string, start, length, maximum bench.Num, histogram string) {
		if histogram == "" {
			return
		}
		if tag != "" {
			out.WriteString("Tag=" + tag + ",")
		}
		fmt.Fprintf(out, "%.3f,%.3f,%.3f,%s\n", start.Or(0), length.Or(0), maximum.Or(0)/1e6, histogram)
	}
	for _, in := range r.Intervals {
		line("", in.Start, in.Length, in.Max, in.Histogram)
	}
	whole := r.Window.Measured
	line("wait", bench.Num{}, whole, r.Latency.Wait.Max, r.Histograms.Wait)
	line("service", bench.Num{}, whole, r.Latency.Service.Max, r.Histograms.Service)
	for _, l := range r.Lanes {
		line("lane:"+tag(l.Lane), bench.Num{}, whole, l.Sojourn.Max, l.Histogram)
	}
	return out.Flush()
}

// tag returns a name as the log's tags allow it: commas, white space and what is
// not visible are written as in a URL, and so is the percent sign, so that no two
// names have one tag, by which readers would take them for one.
func tag(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == ',' || r == ' ' || r == '%' || plain(string(r)) != string(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ticksPerHalf is how many lines a halving of the distance to 100 % takes.
const ticksPerHalf = 5

// writeHgrm writes the sojourn's percentile distribution in milliseconds.
func writeHgrm(w io.Writer, r *bench.Result) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	l := r.Latency.Sojourn
	buckets, subBuckets, deviation := 0, 0, 0.0
	if l.Count > 0 {
		h, err := hdr.Decode([]byte(r.Histograms.Sojourn))
		if err != nil {
			return fmt.Errorf("write hgrm: the result's sojourn histogram: %w", err)
		}
		deviation = h.StdDev()
		subBuckets = subBucketsOf(h)
		buckets = len(h.Export().Counts)/(subBuckets/2) - 1
		for _, at := range h.CumulativeDistributionWithTicks(ticksPerHalf) {
			value := min(max(float64(at.ValueAt), l.Min.Or(0)), l.Max.Or(0)) / 1e6
			if part := at.Quantile / 100; part < 1 {
				fmt.Fprintf(out, "%12.6f %14.12f %10d %14.2f\n", value, part, at.Count, 1/(1-part))
			} else {
				fmt.Fprintf(out, "%12.6f %14.12f %10d %14s\n", value, part, at.Count, "inf")
			}
		}
	}
	fmt.Fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", l.Mean.Or(0)/1e6, deviation/1e6)
	fmt.Fprintf(out, "#[Max     = %12.6f, Total count    = %12d]\n", l.Max.Or(0)/1e6, l.Count)
	fmt.Fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", buckets, subBuckets)
	return out.Flush()
}

// subBucketsOf returns how many buckets a doubling of the value has.
func subBucketsOf(h *hdr.Histogram) int {
	n := 1
	for n < 2*pow10(int(h.SignificantFigures())) {
		n *= 2
	}
	return n
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}
