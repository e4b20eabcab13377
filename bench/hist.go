// A histogram with the exact figures beside it: HdrHistogram rounds extremes up
// to a bucket's edge and its mean to a bucket's middle, and turns away what is
// beyond its range. Here nothing is turned away, and count, mean and percentiles
// are always of one population.

package bench

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// histogramTop is the largest duration a histogram tells apart. Longer ones are
// counted in the top bucket and as overflow; their exact values still reach
// maximum and mean.
const histogramTop = int64(time.Hour)

// fewValues is how many values a hist keeps as they are before it counts them in
// buckets. To merge, encode or clear buckets takes their number, tens of
// thousands, however few are in use: an interval with a handful of items would
// cost a millisecond.
const fewValues = 1024

// A hist records durations. The zero hist is unusable: see newHist. It is not
// safe for concurrent use.
type hist struct {
	digits   int
	few      []int64        // the values, none above histogramTop, until there are more than fewValues
	poured   bool           // they are in the buckets, and few is empty
	buckets  *hdr.Histogram // nil until it is needed; empty until poured
	count    uint64
	overflow uint64
	min, max int64
	sum      sum128
}

// newHist returns an empty histogram of 1 ns to 1 h with 2 significant digits
// (36 KB once it is poured) or 3 (270 KB).
func newHist(digits int) hist {
	return hist{digits: digits, min: math.MaxInt64}
}

// record counts one duration. A negative one, which only a broken clock could
// give, counts as 0.
func (h *hist) record(d time.Duration) {
	v := max(int64(d), 0)
	h.count++
	h.sum.add(uint64(v))
	h.min = min(h.min, v)
	h.max = max(h.max, v)
	if v > histogramTop {
		h.overflow++
		v = histogramTop
	}
	h.keep(v)
}

// keep puts one value, between 0 and histogramTop, where values are kept.
func (h *hist) keep(v int64) {
	if !h.poured {
		if len(h.few) < fewValues {
			h.few = append(h.few, v)
			return
		}
		h.pour()
	}
	// The value is inside the range and the total far below its limit: the two
	// errors there are cannot occur.
	_ = h.buckets.RecordValue(v)
}

// pour counts the values in buckets from now on.
func (h *hist) pour() {
	if h.poured {
		return
	}
	h.poured = true
	if h.buckets == nil {
		h.buckets = hdr.New(1, histogramTop, h.digits)
	}
	for _, v := range h.few {
		_ = h.buckets.RecordValue(v) // as in keep
	}
	h.few = h.few[:0]
}

// merge adds every value of o, which must have as many digits.
func (h *hist) merge(o *hist) {
	if o.count == 0 {
		return
	}
	if o.poured {
		h.pour()
		h.buckets.Merge(o.buckets)
	}
	for _, v := range o.few {
		h.keep(v)
	}
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
	few, buckets := h.few[:0], h.buckets
	if h.poured {
		buckets.Reset()
	}
	*h = newHist(h.digits)
	h.few, h.buckets = few, buckets
}

// clone returns a hist of the same values that shares nothing with h, which must
// not be poured.
func (h *hist) clone() hist {
	c := *h
	c.few, c.buckets = slices.Clone(h.few), nil
	return c
}

// percentile returns the value that p percent of the values do not pass, within
// [min, max]; p is in [0, 100]. It returns 0 if there are no values.
func (h *hist) percentile(p float64) int64 {
	if h.count == 0 {
		return 0
	}
	if h.poured {
		return clampTo(h.buckets.ValueAtPercentile(p), h.min, h.max)
	}
	slices.Sort(h.few) // their order says nothing
	rank := min(max(int(p/100*float64(h.count)+0.5), 1), len(h.few))
	return clampTo(bucketTop(h.few[rank-1], h.digits), h.min, h.max)
}

// bucketTop returns the largest value that HdrHistogram does not tell from v: it
// keeps the leading bits that the digits take, 11 for three and 8 for two.
func bucketTop(v int64, digits int) int64 {
	kept := bits.Len64(2*uint64(math.Pow10(digits)) - 1)
	cut := max(bits.Len64(uint64(v))-kept, 0)
	return v | (1<<cut - 1)
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
	h.pour()
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
