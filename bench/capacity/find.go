// The way from the query to the answer.

package capacity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ferryctl/bench"
	"ferryctl/bench/human"
	"ferryctl/bench/tune/lab"
)

// Find searches, and returns the answer. When it is stopped, it returns what it has
// so far with [lab.ErrStopped]; when a run fails, with that error. What it does does
// not depend on the lab's number of jobs.
func Find(q *Query, l lab.Lab, t *Tracker) (*Answer, error) {
	if t == nil {
		t = &Tracker{} // for nobody
	}
	t.Begin(q.estimate(), 2*time.Duration(q.Confirm)*q.Last)
	return seek(q, l, t, nil)
}

// estimate is how many runs a search takes, about.
func (q *Query) estimate() int {
	narrow := int(math.Ceil(math.Log2(math.Ln2 / math.Log1p(q.Within))))
	return scanDown + scanUp + 1 + q.Seeds*(narrow+1+len(around))
}

// seek is Find at the settings that have these values on the axes, if there are any.
func seek(q *Query, l lab.Lab, t *Tracker, at []string) (*Answer, error) {
	s := &session{q: q, lab: l, tracker: t, at: at, shots: map[probe]*lab.Shot{}}
	a := s.blank()
	first, err := s.scan()
	var seeds []bracket
	if err == nil {
		t.bracket(first.low, first.high)
		seeds, err = s.bisect(first)
	}
	if err == nil {
		s.conclude(a, seeds)
		err = s.curve(a)
	}
	s.look(a)
	if err == nil {
		err = s.confirm(a)
	}
	a.Runs, a.Complete = len(s.shots), err == nil
	return a, err
}

func (s *session) blank() *Answer {
	q := s.q
	return &Answer{
		Asked: lab.About(Schema, q.command(), q.Start, q.implied, q.Seeds), Within: q.Within, BySeed: []Seed{}, Odd: []Odd{}, Tried: []Tried{},
		Nominal: q.nominal, Fails: []string{}, Curve: []Point{}, Confirmed: []Confirmation{}, Monotone: true,
		Text: "stopped before there was an answer",
	}
}

// conclude puts the seeds together.
func (s *session) conclude(a *Answer, seeds []bracket) {
	var mids []float64
	low, high := math.Inf(1), 0.0
	for i, b := range seeds {
		x := Seed{Seed: s.q.Start.Seed + uint64(i), Low: bench.Some(b.low), High: bench.Some(b.high)} //nolint:gosec // not negative
		if b.low == 0 {
			x.Low = bench.Num{}
		}
		a.BySeed = append(a.BySeed, x)
		low, high = math.Min(low, b.low), math.Max(high, b.high)
		mids = append(mids, math.Sqrt(b.low*b.high))
	}
	slices.Sort(mids)
	confidence := 1 - 2*math.Pow(0.5, float64(len(seeds)))
	switch {
	case low == 0:
		a.Unbracketed = "never_kept"
		rates := s.rates()
		a.Text = fmt.Sprintf("the SLO is missed with at least one seed at every rate that was tried, %s to %s", human.Rate(rates[0]), human.Rate(rates[len(rates)-1]))
	case math.IsInf(high, 1):
		a.Unbracketed, a.Low = "never_missed", bench.Some(low)
		a.Text = fmt.Sprintf("the SLO is kept up to %s, the highest rate that was tried, with at least one seed: the capacity is above %s", human.Rate(tidy(s.q.Most)), human.Rate(low))
	default:
		a.Found, a.Low, a.High, a.Median = true, bench.Some(low), bench.Some(high), bench.Some(tidy(middle(mids)))
		a.Text = fmt.Sprintf("%s: kept with all %d seeds at %s, missed with all at %s", human.Rate(a.Median.Or(0)), len(seeds), human.Rate(low), human.Rate(high))
		if len(seeds) > 1 {
			a.Confidence = bench.Some(confidence)
			a.Text += fmt.Sprintf(" (%s confidence for the median)", human.Percent(confidence))
		} else {
			a.Text += "; one seed says nothing of how far another would be from it"
		}
	}
	if a.Low.Known() {
		if h := low/s.q.nominal - 1; a.Found || h > 0 { // how much is above a bound is not known
			a.Headroom = bench.Some(h)
		}
		s.instances(a, low, high)
	}
	s.tracker.bracket(low, high)
}

// instances says how many are needed for the rate that was asked for.
func (s *session) instances(a *Answer, low, high float64) {
	if s.q.For == 0 {
		return
	}
	n := int(math.Ceil(s.q.For / low))
	x := &Instances{Rate: s.q.For, N: n, Least: n, Each: s.q.For / float64(n), Used: s.q.For / float64(n) / low}
	if !math.IsInf(high, 1) {
		x.Least = max(1, int(math.Ceil(s.q.For/high)))
	}
	x.Text = fmt.Sprintf("%s for %s: %s each, %s of what one keeps", count(n, "instance"), human.Rate(s.q.For), human.Rate(x.Each), human.Percent(x.Used))
	switch {
	case math.IsInf(high, 1):
		x.Least = 1
		x.Text = fmt.Sprintf("at most %s; one keeps more than %s", x.Text, human.Rate(low))
	case x.Least < n:
		x.Text += fmt.Sprintf("; with %d it is uncertain, with fewer it is missed", x.Least)
	}
	a.For = x
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return human.Count(float64(n)) + " " + thing + "s"
}

// look lists what was tried, and what is on the wrong side of the answer.
func (s *session) look(a *Answer) {
	low, high := a.Low.Or(0), a.High.Or(math.Inf(1))
	for _, r := range s.rates() {
		x := Tried{Rate: r}
		for _, p := range s.all(r) {
			if s.shots[p] != nil {
				x.Of++
				if s.keeps(p) {
					x.Kept++
				}
			}
		}
		a.Tried = append(a.Tried, x)
		o := Odd{Rate: r, Kept: x.Kept, Of: x.Of}
		switch {
		case r < low && x.Kept < x.Of:
			missed, _ := s.firstMissed(r)
			if len(missed) == 0 {
				missed = []string{"measurements that are INVALID"}
			}
			o.Text = fmt.Sprintf("at %s, below the answer, the SLO is missed with %d of %s (%s)", human.Rate(r), x.Of-x.Kept, count(x.Of, "seed"), strings.Join(missed, ", "))
		case r > high && x.Kept > 0:
			o.Text = fmt.Sprintf("at %s, above the answer, the SLO is kept with %d of %s", human.Rate(r), x.Kept, count(x.Of, "seed"))
		default:
			continue
		}
		a.Monotone = false
		a.Odd = append(a.Odd, o)
	}
	if !a.Monotone {
		a.Warnings = append(a.Warnings, "the SLO does not go from kept to missed once as the rate rises: the answer is the upper edge of a range of rates, not of all below it")
	}
}

// confirm measures the answer by both clocks: at it, then above, then below.
func (s *session) confirm(a *Answer) error {
	low, known := a.Low.Get()
	if s.q.Confirm == 0 || !known {
		return nil
	}
	s.tracker.Phase("confirm")
	places := []Confirmation{{Rate: low, Place: "at"}, {Rate: tidy(a.High.Or(low) * 1.1), Place: "above"}, {Rate: tidy(low * 0.8), Place: "below"}}
	for _, c := range places[:min(s.q.Confirm, len(places))] {
		r, err := s.lab.Both(s.q.at(c.Rate, 0), s.q.Last)
		if err != nil {
			return err
		}
		c.Confirmed = lab.ConfirmedBy(r, s.q.Last)
		c.Kept = len(c.Missed) == 0
		a.Confirmed = append(a.Confirmed, c)
	}
	return nil
}

// Status returns the exit status that the answer asks for; signal is that of the
// signal that stopped the search, or 0.
func (a *Answer) Status(signal int) (int, error) {
	switch {
	case signal != 0:
		return signal, nil
	case a.Unbracketed == "never_kept":
		return 3, errors.New(a.Text)
	}
	for _, c := range a.Confirmed {
		switch {
		case c.Place != "at":
		case c.Verdict == bench.Invalid:
			return 4, fmt.Errorf("in real time the measurement is invalid: %s", c.Reason)
		case !c.Kept:
			return 3, fmt.Errorf("SLO kept in virtual time at %s, missed in real time: %s", human.Rate(c.Rate), strings.Join(c.Missed, ", "))
		}
	}
	return 0, nil
}
