package workload_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"ferryctl/workload"
)

// schedule is the shortest spec with these arrivals at this rate.
func schedule(t testing.TB, arrivals, rate string) workload.Spec {
	t.Helper()
	a, err := workload.ParseArrivals(arrivals)
	if err != nil {
		t.Fatal(err)
	}
	r, err := workload.ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	return workload.Spec{Seed: 7, Arrivals: a, Rate: r, Keys: 1}
}

func TestConstantArrivalsAreIndexOverRate(t *testing.T) {
	for rate, perSecond := range map[string]float64{"3/s": 3, "1/s": 1, "0.5/s": 0.5, "7M/s": 7e6, "1G/s": 1e9, "0.3/s": 0.3, "1234.5/s": 1234.5} {
		for i, it := range take(t, schedule(t, "constant", rate), 50_000) {
			exact := float64(i) * 1e9 / perSecond
			if got := float64(it.At); math.Abs(got-exact) > 1+exact*1e-15 {
				t.Fatalf("%s: item %d comes at %v, want %v ns", rate, i, it.At, exact)
			}
			if whole := int64(perSecond); float64(whole) == perSecond && int64(it.At) != int64(i)*1e9/whole {
				t.Fatalf("%s: item %d comes at %v, want %d ns", rate, i, it.At, int64(i)*1e9/whole)
			}
		}
	}
	items := take(t, schedule(t, "constant", "3/s"), 3_000_001)
	if got := items[3_000_000].At; got != 1_000_000*time.Second {
		t.Errorf("the 3,000,000th item at 3/s comes at %v: rounding has added up", got)
	}
}

func TestPoissonGapsAreExponential(t *testing.T) {
	for _, rate := range []string{"0.01/s", "0.7/s", "1k/s", "1M/s"} {
		t.Run(rate, func(t *testing.T) {
			s := schedule(t, "poisson", rate)
			gaps, last := make([]float64, 100_000), time.Duration(0)
			for i, it := range take(t, s, len(gaps)) {
				gaps[i], last = float64(it.At-last), it.At
			}
			kolmogorov(t, gaps, distuv.Exponential{Rate: s.Rate.PerSecond / 1e9}.CDF)
		})
	}
}

// TestRoundingToNanosecondsDoesNotBiasTheRate takes rates at which rounding each
// gap would make the sequence faster by a tenth or more.
func TestRoundingToNanosecondsDoesNotBiasTheRate(t *testing.T) {
	const n = 1_000_000
	for _, rate := range []string{"10M/s", "300M/s", "1G/s"} {
		s := schedule(t, "poisson", rate)
		last := take(t, s, n)[n-1].At
		got := n / last.Seconds()
		if sigmas := (got/s.Rate.PerSecond - 1) * math.Sqrt(n); math.Abs(sigmas) > 4 {
			t.Errorf("%s: %v arrivals/s, %.1f standard deviations off", rate, got, sigmas)
		}
	}
}

// TestRampFollowsItsRate maps each offset to the number of arrivals expected by
// then; of a Poisson process the gaps of these numbers are exponential with mean 1.
func TestRampFollowsItsRate(t *testing.T) {
	for _, ramp := range []struct{ from, to, over float64 }{{1000, 80_000, 1}, {80_000, 1000, 1}, {0, 50_000, 2}, {500, 500, 10}} {
		text := fmt.Sprintf("ramp:%v/s..%v/s/%vs", ramp.from, ramp.to, ramp.over)
		t.Run(text, func(t *testing.T) {
			expected := func(at time.Duration) float64 {
				s := at.Seconds()
				in := min(s, ramp.over)
				return ramp.from*in + (ramp.to-ramp.from)*in*in/(2*ramp.over) + ramp.to*max(s-ramp.over, 0)
			}
			items := take(t, schedule(t, "poisson", text), 100_000)
			if end := items[len(items)-1].At.Seconds(); end < ramp.over {
				t.Fatalf("the sample ends within the ramp, at %vs", end)
			}
			gaps, last := make([]float64, len(items)), 0.0
			for i, it := range items {
				count := expected(it.At)
				gaps[i], last = count-last, count
			}
			kolmogorov(t, gaps, distuv.Exponential{Rate: 1}.CDF)
			for i, it := range take(t, schedule(t, "constant", text), 100_000) {
				if got := expected(it.At); math.Abs(got-float64(i)) > 1e-3 {
					t.Fatalf("constant: item %d comes when %v are expected", i, got)
				}
			}
		})
	}
}

// TestBurstsKeepTheMeanAndTheirDispersion compares the counts in long windows
// with the law of the two-state process: the mean is the rate, and the variance
// over the mean tends to 1 + 2 a b (l1-l0)² / ((a+b)² (l1 b + l0 a)), where a and
// b are the rates of leaving on and off, and l1 and l0 the arrival rates there
// (Fischer and Meier-Hellstern, "The Markov-modulated Poisson process (MMPP)
// cookbook", 1993).
func TestBurstsKeepTheMeanAndTheirDispersion(t *testing.T) {
	for _, b := range []struct{ factor, on, off float64 }{{4, 0.001, 0.009}, {10, 0.001, 0.009}, {2, 0.002, 0.003}, {1, 0.001, 0.001}} {
		text := fmt.Sprintf("bursty(factor=%v,on=%vms,off=%vms)", b.factor, b.on*1000, b.off*1000)
		t.Run(text, func(t *testing.T) {
			const rate, window, windows = 20_000, 1.0, 100
			s := schedule(t, text, "20k/s")
			s.Duration = windows * time.Second
			src, err := workload.New(s)
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]float64, windows)
			var it workload.Item
			for src.Next(&it) {
				counts[int(it.At.Seconds()/window)]++
			}
			mean, variance := 0.0, 0.0
			for _, c := range counts {
				mean += c / windows
			}
			for _, c := range counts {
				variance += (c - mean) * (c - mean) / (windows - 1)
			}
			l1, l0 := rate*b.factor, rate*(b.on+b.off-b.factor*b.on)/b.off
			leave, enter := 1/b.on, 1/b.off
			dispersion := 1 + 2*leave*enter*(l1-l0)*(l1-l0)/((leave+enter)*(leave+enter)*(l1*enter+l0*leave))
			if sigmas := (mean - rate*window) / math.Sqrt(rate*window*dispersion/windows); math.Abs(sigmas) > 4 {
				t.Errorf("%v arrivals/s, %.1f standard deviations off", mean, sigmas)
			}
			if got := variance / mean; got < dispersion*0.6 || got > dispersion*1.5 {
				t.Errorf("index of dispersion %.1f, want about %.1f", got, dispersion)
			}
		})
	}
}

func TestBurstsAreSilentWhileOffAtTheHighestFactor(t *testing.T) {
	items := take(t, schedule(t, "bursty(factor=10,on=1s,off=9s)", "1k/s"), 200_000)
	var silent time.Duration
	for i := 1; i < len(items); i++ {
		if gap := items[i].At - items[i-1].At; gap > 10*time.Millisecond {
			silent += gap
		}
	}
	if part := silent.Seconds() / items[len(items)-1].At.Seconds(); part < 0.8 || part > 0.97 {
		t.Errorf("silent for %.0f%% of the time, want about 90%%", part*100)
	}
}

func TestLaneRatesAreIndependentProcesses(t *testing.T) {
	for _, arrivals := range []string{"poisson", "constant", "bursty(factor=2,on=10ms,off=10ms)"} {
		s := schedule(t, arrivals, "max")
		s.Rate = workload.Rate{}
		lanes, err := workload.ParseLaneRates("gold=5k/s,free=ramp:1k/s..20k/s/1s,slow=7.5/s")
		if err != nil {
			t.Fatal(err)
		}
		s.LaneRates = lanes
		perLane := make([][]time.Duration, len(lanes))
		last := workload.Item{}
		for i, it := range take(t, s, 50_000) {
			perLane[it.Lane] = append(perLane[it.Lane], it.At)
			if it.At < last.At || it.At == last.At && i > 0 && it.Lane < last.Lane {
				t.Fatalf("%s: item %d at %v in lane %d comes after %v in lane %d", arrivals, i, it.At, it.Lane, last.At, last.Lane)
			}
			last = it
		}
		for lane, offsets := range perLane {
			if len(offsets) < 10 {
				t.Errorf("%s: lane %d has %d items", arrivals, lane, len(offsets))
				continue
			}
			alone := s
			alone.LaneRates = lanes[lane : lane+1]
			for i, it := range take(t, alone, len(offsets)) {
				if it.At != offsets[i] {
					t.Fatalf("%s: item %d of lane %s comes at %v beside others, alone at %v", arrivals, i, lanes[lane].Lane, offsets[i], it.At)
				}
			}
		}
	}
}

func TestManyLanesAreMergedInOrder(t *testing.T) {
	s := workload.Spec{Keys: 1}
	for i := range 500 {
		s.LaneRates = append(s.LaneRates, workload.LaneRate{Lane: fmt.Sprint("l", i), Rate: workload.Rate{PerSecond: 100}})
	}
	counts := make([]int, 500)
	last := time.Duration(0)
	for _, it := range take(t, s, 100_000) {
		if it.At < last {
			t.Fatalf("%v after %v", it.At, last)
		}
		last = it.At
		counts[it.Lane]++
	}
	for lane, n := range counts {
		if math.Abs(float64(n)-200) > 6*math.Sqrt(200) {
			t.Errorf("lane %d has %d items, want about 200", lane, n)
		}
	}
}

func TestSequenceEndsWhereDurationsEnd(t *testing.T) {
	for _, arrivals := range []string{"constant", "poisson"} {
		s := schedule(t, arrivals, "0.000000001/s")
		src, err := workload.New(s)
		if err != nil {
			t.Fatal(err)
		}
		var it workload.Item
		last, n := time.Duration(0), 0
		for src.Next(&it) && n < 1000 {
			if it.At < last {
				t.Fatalf("%s: %v after %v", arrivals, it.At, last)
			}
			last = it.At
			n++
		}
		if n > 40 || src.Next(&it) {
			t.Errorf("%s: %d items, one in 31 years, within the 292 years of a Duration", arrivals, n)
		}
	}
}
