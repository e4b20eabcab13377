// A histogram with the exact figures beside it: HdrHistogram rounds extremes up
// to a bucket's edge and its mean to a bucket's middle, and turns away what is
// beyond its range. Here nothing is turned away, and count, mean and percentiles
// are always of one population.

package bench

import (
	"math"
	"math/big"
	"math/bits"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// histogramTop is the largest duration a histogram tells apart. Longer ones are
// counted in the top bucket and as overflow; their exact values still reach
// maximum and mean.
const histogramTop = int64(time.Hour)

// A hist records durations. The zero hist is unusable: see newHist. It is not
// safe for concurrent use.
type hist struct {
	digits   int
	buckets  *hdr.Histogram // nil until the first value: an unused one costs nothing
	count    uint64
	overflow uint64
	min, max int64
	sum      sum128
}

// newHist returns an empty histogram of 1 ns to 1 h with 2 significant digits
// (36 KB once used) or 3 (270 KB).
func newHist(digits int) hist {
	return hist{digits: digits, min: math.MaxInt64}
}

// record counts one duration. A negative one, which only a broken clock could
// give, counts as 0.
func (h *hist) record(d time.Duration) {
	v := max(int64(d), 0)
	if h.buckets == nil {
		h.buckets = hdr.New(1, histogramTop, h.digits)
	}
	h.count++
	h.sum.add(uint64(v))
	h.min = min(h.min, v)
	h.max = max(h.max, v)
	if v > histogramTop {
		h.overflow++
		v = histogramTop
	}
	// The value is inside the range and the total far below its limit: the two
	// errors there are cannot occur.
	_ = h.buckets.RecordValue(v)
}

// merge adds every value of o, which must have as many digits.
func (h *hist) merge(o *hist) {
	if o.count == 0 {
		return
	}
	if h.buckets == nil {
		h.buckets = hdr.New(1, histogramTop, h.digits)
	}
	h.buckets.Merge(o.buckets)
	h.count += o.count
	h.overflow += o.overflow
	h.min = min(h.min, o.min)
	h.max = max(h.max, o.max)
	h.sum.merge(o.sum)
}

// reset forgets every value and keeps the memory.
func (h *hist) reset() {
	if h.count == 0 {
		return
	}
	buckets := h.buckets
	*h = newHist(h.digits)
	if buckets != nil {
		buckets.Reset()
		h.buckets = buckets
	}
}

// percentile returns the value that p percent of the values do not pass, within
// [min, max]; p is in [0, 100]. It returns 0 if there are no values.
func (h *hist) percentile(p float64) int64 {
	if h.count == 0 {
		return 0
	}
	return clampTo(h.buckets.ValueAtPercentile(p), h.min, h.max)
}

// mean returns the exact mean, rounded once.
func (h *hist) mean() Num {
	if h.count == 0 {
		return Num{}
	}
	return Some(h.sum.float() / float64(h.count))
}

// encode returns HdrHistogram V2 base64, or "" if there are no values.
func (h *hist) encode() string {
	if h.count == 0 {
		return ""
	}
	b, err := h.buckets.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil { // writes to memory only: there is no error to have
		return ""
	}
	return string(b)
}

// clampTo returns v, or the nearer end of [low, high] if v is outside it.
func clampTo(v, low, high int64) int64 { return min(max(v, low), high) }

// sum128 adds up 64-bit values without overflow: 10^10 items of one hour each
// pass 64 bits.
type sum128 struct{ high, low uint64 }

func (s *sum128) add(v uint64) {
	low, carry := bits.Add64(s.low, v, 0)
	s.low = low
	s.high += carry
}

func (s *sum128) merge(o sum128) {
	low, carry := bits.Add64(s.low, o.low, 0)
	s.low = low
	s.high += o.high + carry
}

func (s sum128) big() *big.Int {
	n := new(big.Int).SetUint64(s.high)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(s.low))
}

// float returns the nearest float64.
func (s sum128) float() float64 {
	if s.high == 0 {
		return float64(s.low)
	}
	f, _ := new(big.Float).SetInt(s.big()).Float64()
	return f
}
